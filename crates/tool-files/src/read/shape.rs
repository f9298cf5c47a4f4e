//! Facts about code in any language: the node kinds of each language are data.

use std::ops::ControlFlow;

use tree_sitter::Node;

use super::code::{Code, Gives, Success, WorksOn, is_absolute};
use super::flow::Flow;
use super::tree::{text, walk};

/// The node kinds of a language's syntax tree.
pub(super) struct Syntax {
    /// The kind of its string literals, which `decode` decodes.
    pub(super) string: &'static str,
    pub(super) decode: fn(&str) -> Result<String, &'static str>,
    /// How data flow follows its names.
    pub(super) flow: Flow,
    /// The kinds of nodes of import statements.
    pub(super) imports: &'static [&'static str],
    /// The resource that a module or a function works on.
    pub(super) works_on: fn(&str) -> Option<WorksOn>,
    /// The kinds of nodes that end a function without a `return`, or never end it.
    pub(super) leaves: &'static [&'static str],
    /// The kinds of nodes with returns of their own.
    pub(super) inner: &'static [&'static str],
    /// Kinds of literals that are not maps, each with its name in messages.
    pub(super) literals: &'static [(&'static str, &'static str)],
    /// Kinds of literals that are not booleans, for the value of `success`.
    pub(super) no_booleans: &'static [&'static str],
}

/// Functions that end the program: `sys.exit`, `os._exit`, `process.exit`.
pub(super) const ENDS: &[&str] = &["exit", "_exit", "quit", "abort"];

impl Syntax {
    /// Collects the facts that may occur anywhere in a file.
    pub(super) fn facts(&self, root: Node<'_>, source: &str, code: &mut Code) {
        walk(root, |node| {
            let kind = node.kind();
            if kind == self.string {
                if (self.decode)(text(node, source)).is_ok_and(|text| is_absolute(&text)) {
                    code.absolute_paths.push(node.byte_range());
                }
                return ControlFlow::Break(());
            }
            let named = if self.imports.contains(&kind) {
                self.imported(node, source)
            } else if kind == self.flow.call {
                let callee = node.child_by_field_name("function");
                callee.map_or(Vec::new(), |callee| {
                    let name = text(callee, source);
                    let mut all = vec![format!("{name}()")];
                    if matches!(name, "require" | "import") {
                        all.extend(self.imported(node, source));
                    }
                    all
                })
            } else {
                Vec::new()
            };
            for field in named.iter().filter_map(|name| (self.works_on)(name)) {
                code.works_on.entry(field).or_insert(node.byte_range());
            }
            ControlFlow::Continue(())
        });
        self.flow.paths(root, source, code);
    }

    /// The modules that a statement imports.
    fn imported(&self, node: Node<'_>, source: &str) -> Vec<String> {
        let mut names = Vec::new();
        walk(node, |one| {
            if one.kind() == self.string {
                names.extend((self.decode)(text(one, source)).ok());
            } else if one.kind() == "dotted_name" {
                names.push(text(one, source).to_owned());
            }
            ControlFlow::Continue(())
        });
        names
    }

    /// Whether a body may end otherwise than by a `return` or at its end; inner functions are skipped.
    pub(super) fn may_leave(&self, body: Node<'_>, source: &str) -> bool {
        let mut leaves = false;
        walk(body, |node| {
            let kind = node.kind();
            if leaves || !node.is_named() || self.inner.contains(&kind) {
                return ControlFlow::Break(());
            }
            let called = || node.child_by_field_name("function");
            leaves = self.leaves.contains(&kind)
                || (kind == self.flow.call
                    && called().is_some_and(|called| {
                        let name = text(called, source);
                        ENDS.contains(&name.rsplit('.').next().unwrap_or(name))
                    }));
            ControlFlow::Continue(())
        });
        leaves
    }

    /// Classifies a literal that is not a map.
    pub(super) fn other(&self, kind: &str) -> Gives {
        let named = self.literals.iter().find(|(known, _)| *known == kind);
        named.map_or(Gives::Unknown, |(_, name)| Gives::Other(name))
    }

    /// Classifies the value of `success`.
    fn success(&self, kind: &str) -> Success {
        match kind {
            "true" => Success::True,
            "false" => Success::False,
            kind if self.no_booleans.contains(&kind) => Success::NoBoolean,
            _ => Success::Computed,
        }
    }

    /// A map with these entries: a key, and the kind of its value where that is a literal. An entry without a key is
    /// computed.
    pub(super) fn map(
        &self,
        entries: impl Iterator<Item = Option<(String, &'static str)>>,
    ) -> Gives {
        let (mut keys, mut open, mut success) = (Vec::new(), false, Success::Missing);
        for entry in entries {
            let Some((key, kind)) = entry else {
                open = true;
                continue;
            };
            if key == "success" {
                success = self.success(kind);
            }
            keys.push(key);
        }
        Gives::Map {
            keys,
            open,
            success,
        }
    }
}
