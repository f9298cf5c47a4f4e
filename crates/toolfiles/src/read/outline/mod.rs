//! What a program says about itself, without a syntax tree of all of it: what a listing needs.
//!
//! Most of a program is code that a listing does not tell of. These readers know the tokens of their language, follow
//! strings, comments and brackets to the end of the file, and read the statements of the module that are
//! `FIELD = literal`. They never guess: whatever they do not know for certain - another form of literal, a field that is
//! named a second time, a `/` that may begin a regular expression, a bracket that nothing closes - is no answer, and the
//! file is read with its grammar. A test compares the two over every file that there is, cut anywhere.

mod cursor;
mod javascript;
mod python;

use super::Reading;
use crate::Language;

/// Literals that nest deeper are left to the grammars.
const MAX_DEPTH: usize = 32;

/// The fields of a program; `None` where only its grammar tells, and for what is no program. Linear in the text.
pub(super) fn read(language: Language, source: &str) -> Option<Reading> {
    match language {
        Language::Python => python::read(source),
        Language::JavaScript => javascript::read(source, false),
        Language::TypeScript => javascript::read(source, true),
        Language::Bash | Language::Yaml | Language::Toml => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Diagnostics;
    use crate::read::{Asked, Reading};
    use crate::{Language, rules};

    const CASES: &str = include_str!("../../../tests/data/files.txt");
    const PROGRAMS: &[Language] = &[Language::Python, Language::JavaScript, Language::TypeScript];

    fn outlined(language: Language, source: &str) -> Option<Reading> {
        super::read(language, source)
    }

    /// By the grammar, with what is wrong with the fields and whether the file can be read.
    fn parsed(language: Language, source: &str) -> (Reading, Vec<String>, bool) {
        let mut diagnostics = Diagnostics::default();
        let reading = match language {
            Language::Python => super::super::python::read(Asked::All, source, &mut diagnostics),
            _ => super::super::javascript::read((language, Asked::All), source, &mut diagnostics),
        };
        let told = diagnostics.sorted();
        let is_whole = told.iter().all(|told| told.rule != rules::SYNTAX);
        let computed = told.iter().filter(|told| told.rule == rules::COMPUTED);
        let computed = computed.map(|told| told.message.clone()).collect();
        (reading, computed, is_whole)
    }

    /// Whether the file was read without its grammar; if so, as with it. Of a file that is broken nobody knows what is meant.
    fn check(language: Language, source: &str) -> bool {
        let Some(outlined) = outlined(language, source) else {
            return false;
        };
        let (parsed, computed, is_whole) = parsed(language, source);
        if is_whole {
            assert_eq!(computed, Vec::<String>::new(), "{source}");
            assert_eq!(outlined.fields, parsed.fields, "{source}");
        }
        true
    }

    /// Every program that the tests and this crate have.
    fn programs() -> Vec<(Language, String)> {
        let mut all: Vec<(Language, String)> = Vec::new();
        for case in CASES.split("\n=== ").skip(1) {
            let (head, rest) = case.split_once('\n').expect("a case has lines");
            let path = head.split(':').next().expect("a path");
            let language = path.rsplit_once('.').map(|(_, extension)| extension);
            let language = language.and_then(Language::of_extension).expect(path);
            let text = rest.split("\n---\n").next().expect("a case has a file");
            all.push((language, format!("{text}\n")));
        }
        for language in PROGRAMS {
            let id = crate::ItemId::new("notes/greet-person").expect("an id");
            all.push((*language, crate::new_tool(&id, *language)));
        }
        for entry in crate::system::entries() {
            let found = crate::system::find(&entry.id).expect("it is listed");
            all.push((found.language, found.text().to_owned()));
        }
        all.retain(|(language, _)| PROGRAMS.contains(language));
        all
    }

    #[test]
    fn what_is_read_without_a_grammar_is_what_the_grammar_reads() {
        let programs = programs();
        let n_read = programs
            .iter()
            .filter(|(language, text)| check(*language, text));
        let n_read = n_read.count();
        assert!(
            2 * n_read > programs.len(),
            "{n_read} of {}",
            programs.len()
        );
        for (language, text) in &programs {
            for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                check(*language, &text[..at]);
            }
        }
    }

    #[test]
    fn a_line_is_a_field_where_the_grammar_says_so() {
        let lines = |language| match language {
            Language::Python => ["__version__ = '1.0.0'\n", "\n__tags__ = [\"a\"] # x\n"],
            _ => [
                "export const __version__ = '1.0.0';\n",
                "const __tags__ = [`a`]\n",
            ],
        };
        for (language, text) in programs() {
            for (at, _) in text.match_indices('\n') {
                for line in lines(language) {
                    check(
                        language,
                        &format!("{}{line}{}", &text[..=at], &text[at + 1..]),
                    );
                }
            }
        }
    }

    /// What would be read wrongly by who takes a token for another.
    #[test]
    fn what_only_the_grammar_tells_is_left_to_it() {
        for (language, source) in [
            (Language::Python, "x = f\"{y[\"#\"]}\"\n__version__ = '1'\n"),
            (Language::Python, "__version__ = '1' '2' if x else '3'\n"),
            (
                Language::Python,
                "__version__ = '1'\nif x:\n    __version__ = '2'\n",
            ),
            (Language::Python, "__version__ = '1'\n    x = 1\n"),
            (Language::Python, "x = 1 \\ \n__version__ = '1'\n"),
            (Language::Python, "if x:\n__version__ = '1'\n"),
            (
                Language::Python,
                "CONFIG_SCHEMA = {'a': 1}\nCONFIG_SCHEMA['b'] = 2\n",
            ),
            (Language::Python, "\r__version__ = '1'\n"),
            (Language::JavaScript, "const __version__ = '1'\n+ x\n"),
            (Language::JavaScript, "const __version__ = '1'\n`x`\n"),
            (
                Language::JavaScript,
                "x = {}\n/'/.test(y)\nconst __version__ = '1'\n",
            ),
            (Language::JavaScript, "x++ /'/; const __version__ = '1'\n"),
            (
                Language::JavaScript,
                "f(<b>'</b>)\nconst __version__ = '1'\n",
            ),
            (Language::JavaScript, "// \u{2028}const __version__ = '1'\n"),
            (Language::JavaScript, "<!-- '\nconst __version__ = '1'\n"),
            (Language::JavaScript, "const __version__ = '1' as const\n"),
            (
                Language::JavaScript,
                "const __tags__ = ['a']\n__tags__.push('b')\n",
            ),
            (Language::TypeScript, "x! /'/; const __version__ = '1'\n"),
        ] {
            assert_eq!(
                outlined(language, source).map(|read| read.fields),
                None,
                "{source}"
            );
        }
    }

    #[test]
    fn what_any_tokens_tell_needs_no_grammar() {
        for (language, source) in [
            (
                Language::Python,
                "x = f'{y[\"#\"]:>{w}} {{'\n__version__ = '1'\n",
            ),
            (
                Language::Python,
                "x = '''\n__tags__ = 1\n'''\n__version__ = r'1'\n",
            ),
            (
                Language::Python,
                "def f():\n    return CONFIG_SCHEMA\n__version__ = ('1' # x\n    '.0')\n",
            ),
            (
                Language::Python,
                "x = 1 + \\\n    2\n__timeout__ = -1.5e-3\n",
            ),
            (Language::Python, "async def f(): pass\n__version__ = ''\n"),
            (
                Language::JavaScript,
                "x = (a + b) / 2 / c; if (x) /'/.test(x)\nconst __version__ = '1'\n",
            ),
            (
                Language::JavaScript,
                "x = `${`${'}'}`}'` / 2\nexport const __tags__ = [\n  'a', // b\n]\n/** '\n */ function f() {}\n",
            ),
            (
                Language::JavaScript,
                "x = [/[/'\\]]/g, y.return / 2, /'/]\nconst __timeout__ = 0x10;\n",
            ),
            (
                Language::TypeScript,
                "export const CONFIG_SCHEMA: Record<string, unknown> = { 'a': +1, b: [], } as const;\n",
            ),
        ] {
            assert!(check(language, source), "{source}");
            let fields = outlined(language, source).map(|read| read.fields.len());
            assert_eq!(fields, Some(1), "{source}");
            assert!(parsed(language, source).2, "{source}");
        }
    }
}
