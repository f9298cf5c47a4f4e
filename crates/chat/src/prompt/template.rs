//! Text with placeholders.

/// `template` with `{{name}}` replaced by values.
///
/// The lines from `{{#name}}` to `{{/name}}` remain only if `name` has a value; such sections do not nest.
/// A placeholder without a value stays as written: a test reads every template.
pub(crate) fn fill(template: &str, values: &[(&str, String)]) -> String {
    let value = |name: &str| {
        values
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    };
    let mut filled = String::with_capacity(template.len());
    let mut skipped: Option<&str> = None;
    for line in template.lines() {
        match (hole(line, "{{#"), hole(line, "{{/")) {
            (Some(name), _) => skipped = Some(name).filter(|name| value(name).is_none()),
            (_, Some(_)) => skipped = None,
            _ if skipped.is_some() => {}
            _ => {
                filled_line(line, value, &mut filled);
                filled.push('\n');
            }
        }
    }
    filled
}

/// Replaces the placeholders of one line, left to right: a value is never scanned for placeholders.
fn filled_line<'a>(line: &str, value: impl Fn(&str) -> Option<&'a str>, filled: &mut String) {
    let mut rest = line;
    while let Some((before, name, after)) = next_hole(rest) {
        filled.push_str(before);
        match value(name) {
            Some(value) => filled.push_str(value.trim_end_matches('\n')),
            None => filled.push_str(&rest[before.len()..rest.len() - after.len()]),
        }
        rest = after;
    }
    filled.push_str(rest);
}

fn next_hole(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (name, after) = rest.split_once("}}")?;
    Some((before, name, after))
}

fn hole<'a>(line: &'a str, open: &str) -> Option<&'a str> {
    line.trim().strip_prefix(open)?.strip_suffix("}}")
}

#[cfg(test)]
mod tests {
    use super::fill;

    fn check(template: &str, filled: &str) {
        let values = [("a", "A {{b}}\n".to_owned()), ("b", "B".to_owned())];
        assert_eq!(fill(template, &values), filled);
    }

    #[test]
    fn holes_take_values_and_values_hold_no_holes() {
        check("x {{a}} {{b}}.", "x A {{b}} B.\n");
    }

    #[test]
    fn sections_need_a_value() {
        check(
            "1\n{{#a}}\n2 {{b}}\n{{/a}}\n{{#c}}\n3\n{{/c}}\n4",
            "1\n2 B\n4\n",
        );
    }

    #[test]
    fn what_is_no_hole_stays() {
        check("{{c}} {{ }", "{{c}} {{ }\n");
    }
}
