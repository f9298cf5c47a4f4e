//! Values that a reader could stumble over, and what the rules of a dialect are made of.

use toolglot_engine::Dialect;

/// Text that is hostile to some dialect or body.
pub(crate) const HOSTILE: &[&str] = &[
    "",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\n\n",
    "\"",
    "'",
    "\\",
    "\\\"",
    "\\n",
    "\\u00e9",
    "`",
    "```",
    "```\n",
    "\n```\n",
    "````",
    "{",
    "}",
    "[",
    "]",
    "[]",
    "{}",
    "]]>",
    "]]",
    "<![CDATA[",
    "]]]]><![CDATA[>",
    "&",
    "&amp;",
    "&lt;",
    "&#60;",
    "&#x1F980;",
    "&nbsp;",
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<?xml ?>",
    "<a>",
    "</a>",
    "<b c=\"d\">",
    "//",
    "/*",
    "#",
    "null",
    "true",
    "0",
    "007",
    "-0",
    "1e9",
    "NaN",
    "日本語",
    "🦀",
    "é",
    "\u{0}",
    "\u{7f}",
    "\u{1}\u{1f}",
    "\u{2028}",
    "\u{feff}",
    "a: b",
    "x = 1;",
    "if a < b && c > d { e(); }",
    "let s = \"<tool>\";",
    "fn main() {\n    println!(\"{}\", 1);\n}\n",
    "don't",
    "say \"hi\"",
    "C:\\dir\\file",
    "^\\d+$",
    "{\"a\": [1, {\"b\": \"}\"}]}",
    "a,b",
    "👩‍👩‍👧",
    "> quote",
    "    ",
    "\r",
    "“x”",
];

/// The lines of a dialect and of those that it builds on.
fn with_bases(dialect: &Dialect) -> Vec<&str> {
    let mut sources = vec![dialect.source()];
    loop {
        let head = sources.last().and_then(|source| source.lines().next());
        let head = head.and_then(|head| head.split('#').next()).unwrap_or("");
        let base = head.split_once(':').map(|(_, base)| base.trim());
        let Some(base) = base.and_then(toolglot_dialects::get) else {
            return sources;
        };
        sources.push(base.source());
    }
}

/// The literals of a dialect's rules, holes filled with `name`, `key` and so on; attributes as they could be written.
pub(crate) fn literals(dialect: &Dialect) -> Vec<String> {
    let mut all = Vec::new();
    for line in with_bases(dialect).iter().flat_map(|source| source.lines()) {
        let mut inside: Option<String> = None;
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match (&mut inside, c) {
                (None, '"') => inside = Some(String::new()),
                (None, _) => {}
                (Some(_), '"') => all.extend(inside.take()),
                (Some(text), '\\') => text.push(match chars.next() {
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some(other) => other,
                    None => '\\',
                }),
                (Some(text), c) => text.push(c),
            }
        }
    }
    for text in &mut all {
        for (hole, filled) in [
            ("{name}", "search"),
            ("{key}", "text"),
            ("{skip}", ""),
            ("{kind}", "kind"),
            ("{id}", "1"),
            ("{ns}", "local"),
        ] {
            *text = text.replace(hole, filled);
        }
    }
    all.retain(|text| !text.is_empty());
    all.sort();
    all.dedup();
    all
}
