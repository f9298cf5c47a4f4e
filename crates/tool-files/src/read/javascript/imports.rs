//! The paths that a JavaScript or TypeScript file imports.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use tree_sitter::Node;

use super::super::tree::{text, walk};
use super::string;

/// The relative paths that a file imports anywhere: those that start with `./` or `../`, each once.
///
/// They are the literals of `import .. from`, `export .. from`, `import("..")` and `require("..")`. A computed path is
/// known only at run time, and is left out.
pub(super) fn imported(root: Node<'_>, source: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    if !["import", "from", "require"]
        .iter()
        .any(|word| source.contains(word))
    {
        return paths;
    }
    walk(root, |node| {
        let literal = match node.kind() {
            "import_statement" | "export_statement" => node.child_by_field_name("source"),
            "call_expression" => argument(node, source),
            _ => None,
        };
        let path = literal.and_then(|literal| string::decode(text(literal, source)).ok());
        if let Some(path) = path
            && (path.starts_with("./") || path.starts_with("../"))
            && known.insert(path.clone())
        {
            paths.push(path);
        }
        ControlFlow::Continue(())
    });
    paths
}

/// The literal argument of `import(..)` or `require(..)`.
fn argument<'n>(call: Node<'n>, source: &str) -> Option<Node<'n>> {
    let function = call.child_by_field_name("function")?;
    if function.kind() != "import" && text(function, source) != "require" {
        return None;
    }
    let arguments = call.child_by_field_name("arguments")?;
    let first = arguments.named_child(0)?;
    (first.kind() == "string").then_some(first)
}

#[cfg(test)]
mod tests {
    use super::super::super::tree::parse;
    use super::super::grammar;
    use crate::Language;

    fn imported(language: Language, source: &str) -> Vec<String> {
        let tree = parse(&grammar(language), source).expect("the grammar fits");
        super::imported(tree.root_node(), source)
    }

    #[test]
    fn paths_are_found_wherever_they_are_imported() {
        let source = "import a from './a.js';\nimport './a.js';\nexport * from \"../b.mjs\";\nimport fs from 'node:fs';\n\
            const c = require('./c');\nasync function f() { await import('./d.js'); await import(x); require(`./e`); }\n\
            // import './f.js'\nconst text = \"import './g.js'\";\nimport lodash from 'lodash';\n";
        let expected = ["./a.js", "../b.mjs", "./c", "./d.js"];
        assert_eq!(imported(Language::JavaScript, source), expected);
        let typed = "import type { T } from './t.ts';\nimport { u } from './u.ts';\n";
        assert_eq!(imported(Language::TypeScript, typed), ["./t.ts", "./u.ts"]);
        assert!(imported(Language::JavaScript, "import {").is_empty());
    }
}
