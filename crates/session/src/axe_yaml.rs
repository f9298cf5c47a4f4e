//! Reads the lists of an `axe.yaml` from its YAML.

use saphyr_parser::{Event, Parser};
use toolglot_policy::{AccessLists, PolicyError};

/// More events than any settings file has.
const MOST_EVENTS: usize = 50_000;

/// A container that is still open.
enum Open {
    /// A map: the key of the next value, if the key was read.
    Map(Option<String>),
    List,
}

/// Reads the lists of tools and directories, of both generations. The rest of the file is ignored.
pub(crate) fn read(text: &str) -> Result<AccessLists, PolicyError> {
    let mut file = AccessLists::default();
    let mut open: Vec<Open> = Vec::new();
    for (n, event) in Parser::new_from_str(text).enumerate() {
        let (event, _) = event.map_err(|error| PolicyError::Syntax(error.to_string()))?;
        if n > MOST_EVENTS {
            return Err(PolicyError::Syntax(
                "it has more values than a file of settings".to_owned(),
            ));
        }
        match event {
            Event::MappingStart(..) => open.push(Open::Map(None)),
            Event::SequenceStart(..) => {
                // An empty list allows nothing, unlike a missing list.
                if path(&open) == "tools.whitelist" {
                    file.whitelist.get_or_insert_default();
                }
                open.push(Open::List);
            }
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                value_ends(&mut open);
            }
            Event::Scalar(value, ..) => {
                if let Some(Open::Map(key @ None)) = open.last_mut() {
                    *key = Some(value.into_owned());
                    continue;
                }
                take(&mut file, &path(&open), &value);
                value_ends(&mut open);
            }
            // Resolving an alias would need a second pass over the file; nobody writes these files with aliases.
            Event::Alias(..) => {
                return Err(PolicyError::Syntax(
                    "an alias (`*name`) cannot be read here: write the list out".to_owned(),
                ));
            }
            _ => {}
        }
    }
    Ok(file)
}

/// The keys of the maps around the next value.
fn path(open: &[Open]) -> String {
    let keys: Vec<&str> = open
        .iter()
        .filter_map(|open| match open {
            Open::Map(key) => key.as_deref(),
            Open::List => None,
        })
        .collect();
    keys.join(".")
}

fn value_ends(open: &mut [Open]) {
    if let Some(Open::Map(key)) = open.last_mut() {
        *key = None;
    }
}

fn take(file: &mut AccessLists, path: &str, value: &str) {
    let list = match path {
        "tools.whitelist" => file.whitelist.get_or_insert_default(),
        "tools.blacklist" => &mut file.blacklist,
        "directories.readonly" => &mut file.readonly,
        "directories.forbidden" | "directories.blacklist" => &mut file.forbidden,
        _ => return,
    };
    // `whitelist:` without a value is a list without entries.
    if !matches!(value, "" | "~" | "null") {
        list.push(value.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn both_generations_are_read() {
        let old = "version: 1\ntools:\n  whitelist: [git, 'ls']\n  other:\n    blacklist: [x]\ndirectories:\n  allowed: [.]\n  readonly:\n    - docs\n  forbidden: [secrets/, /etc]\n";
        let file = read(old).expect("read");
        assert_eq!(
            file.whitelist.as_deref(),
            Some(&["git".to_owned(), "ls".to_owned()][..])
        );
        assert_eq!(
            (file.blacklist.len(), file.readonly, file.forbidden),
            (
                0,
                vec!["docs".to_owned()],
                vec!["secrets/".to_owned(), "/etc".to_owned()]
            )
        );
        let new = read(
            "tools:\n  blacklist: [rm]\ndirectories:\n  blacklist: []\nsandbox:\n  enabled: true\n",
        )
        .expect("read");
        assert_eq!(
            (new.whitelist.is_none(), new.blacklist),
            (true, vec!["rm".to_owned()])
        );
        assert_eq!(
            read("tools:\n  whitelist: []\n").expect("read").whitelist,
            Some(Vec::new())
        );
        assert_eq!(
            read("tools:\n  whitelist:\n").expect("read").whitelist,
            Some(Vec::new())
        );
        assert!(read("tools: [").is_err() && read("a: &x [1]\ntools: {whitelist: *x}").is_err());
    }
}
