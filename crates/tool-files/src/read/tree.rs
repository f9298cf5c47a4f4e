//! Syntax trees: parsing, walking and syntax errors.

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

use tree_sitter::{Language, Node, Parser, Tree};

use crate::diagnostic::Diagnostics;
use crate::rule;

/// The most syntax errors that are reported.
const MAX_BROKEN: usize = 8;

/// Parses `text`. `None` only if the grammar does not fit the library, which a test rules out.
pub(super) fn parse(language: &Language, text: &str) -> Option<Tree> {
    thread_local! {
        /// The parser reuses its memory for the next file, and keeps nothing of the last one.
        static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
    }
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(language).ok()?;
        parser.parse(text, None)
    })
}

/// The bytes of a node.
pub(super) fn text<'t>(node: Node<'_>, source: &'t str) -> &'t str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The named children, without comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| child.kind() != "comment")
        .collect()
}

/// Calls `visit` on a node and its descendants in text order; `Break` skips the descendants.
pub(super) fn walk<'n>(node: Node<'n>, mut visit: impl FnMut(Node<'n>) -> ControlFlow<()>) {
    let mut cursor = node.walk();
    // The cursor recomputes its depth at each query.
    let mut depth = 0_usize;
    loop {
        let goes_down = visit(cursor.node()).is_continue();
        if goes_down && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            if depth == 0 {
                return;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
            depth -= 1;
        }
    }
}

/// Reports the parts of a text that the parser could not read.
pub(super) fn broken(tree: &Tree, source: &str, diagnostics: &mut Diagnostics) {
    if !tree.root_node().has_error() {
        return;
    }
    let mut n_found = 0;
    walk(tree.root_node(), |node| {
        if n_found >= MAX_BROKEN || !node.has_error() {
            return ControlFlow::Break(());
        }
        if node.is_missing() {
            n_found += 1;
            let what = node.kind();
            diagnostics.add(
                rule::SYNTAX,
                node.byte_range(),
                format!("`{what}` is missing here"),
            );
        } else if node.is_error() {
            n_found += 1;
            let range = first_line(node.byte_range(), source);
            let what = source.get(range.clone()).unwrap_or_default();
            diagnostics.add(
                rule::SYNTAX,
                range.clone(),
                format!("this cannot be read: {}", shortened(what)),
            );
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
}

fn first_line(range: Range<usize>, source: &str) -> Range<usize> {
    let slice = source.get(range.clone()).unwrap_or_default();
    let end = slice.find('\n').unwrap_or(slice.len());
    range.start..range.start + end
}

/// A piece of code, shortened for a message.
pub(crate) fn shortened(code: &str) -> String {
    const SHOWN: usize = 40;
    let line = code.lines().next().unwrap_or_default();
    if line.chars().count() > SHOWN {
        let head: String = line.chars().take(SHOWN).collect();
        format!("`{head}..`")
    } else {
        format!("`{line}`")
    }
}
