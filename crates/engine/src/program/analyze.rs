//! What the machine needs to know about a node before it runs: the bytes that can start it, the end of a capture, a
//! value's closers.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::build::Graph;
use super::bytes::{ByteSet, Finder, Prefilter};
use super::node::{Lead, LeadRole, Node, NodeId, RuleRole, TextNode, Trim};
use crate::grammar::lists::InList;
use crate::grammar::{Capture, Delimiter, Dialect, GrammarError, Piece};
use crate::thresholds::{MARKER_MIN, SURE_MARKER_MIN};

pub(super) fn analyze(graph: &mut Graph, dialects: &[Dialect]) -> Result<(), GrammarError> {
    let Graph {
        nodes,
        dialect: node_dialect,
        span,
        entries,
    } = graph;
    // The literals that open entries: the dialect, whether the entry starts a line, the literal.
    let mut openers: Vec<(u16, bool, Lead)> = Vec::new();
    for entry in &*entries {
        let first = past(nodes, entry.node, |node| matches!(node, Node::Enter { .. }));
        let starts_line = matches!(nodes[first as usize], Node::Bol { .. });
        openers.extend(leads(nodes, first).map(|lead| (entry.dialect, starts_line, lead)));
    }
    let (after_break, after_blank) = (only_after(nodes, b"\n"), only_after(nodes, b" "));
    let starts_line = |node| after_break.contains(&node);
    // One more backtick makes a longer fence.
    let mut fenced = BTreeSet::new();
    let is_fence = |node: &&Node| plain(node).is_some_and(|text| text.ends_with("```"));
    for fence in nodes.iter().filter(is_fence) {
        reach(nodes, nexts(fence), |id, node| {
            fenced.insert(id) && node.is_epsilon()
        });
    }
    let mut doubts = opening_quotes(nodes);
    doubts.append(&mut earlier_openers(nodes, starts_line));
    doubts.append(&mut openers_like_closers(nodes, starts_line));
    for id in 0..nodes.len() {
        let error = |message: &str, help: &str| {
            Err(GrammarError::new(span[id].clone(), message)
                .help(help)
                .of(dialects[usize::from(node_dialect[id])].name()))
        };
        match nodes[id].clone() {
            Node::Capture(mut capture) => {
                let (stop, ends) = stops(nodes, capture.next);
                if ends || stop.is_empty() && !reaches_end(nodes, capture.next) {
                    let what = format!("{:?}", capture.what).to_lowercase();
                    return error(
                        &format!("the capture `{what}` is never ended: no literal follows it"),
                        "put a literal after it, or `eol`",
                    );
                }
                capture.stop = stop;
                let chars = leads(nodes, capture.next)
                    .filter_map(|lead| lead.pieces.first()?.text()?.chars().next());
                let chars = chars.filter(|c| !c.is_ascii()).map(String::from);
                capture.stop_chars = chars.collect();
                if fenced.contains(&(id as NodeId)) {
                    capture.stop.insert(b'`');
                }
                nodes[id] = Node::Capture(capture);
            }
            Node::Attrs(mut attrs) => {
                let (stop, ends) = first(nodes, attrs.next);
                if ends || stop.is_empty() {
                    return error(
                        "attrs() that nothing ends",
                        "put the literal that ends the tag after it",
                    );
                }
                attrs.stop = stop;
                nodes[id] = Node::Attrs(attrs);
            }
            Node::Text(text) if matches!(text.delimiter, Delimiter::Length | Delimiter::Line) => {}
            Node::Text(mut text) => {
                let own = |(dialect, ..): &&(u16, bool, Lead)| *dialect == node_dialect[id];
                let openers = openers.iter().filter(own);
                let of_text = |(text, _): &&(NodeId, Lead)| *text == id as NodeId;
                let doubts = doubts.iter().filter(of_text).map(|(_, lead)| lead);
                analyze_text(nodes, &mut text, openers, doubts);
                text.own_starts_line = text.own.is_some_and(starts_line);
                if after_blank.contains(&(id as NodeId)) {
                    for lead in &text.leads {
                        if let [b' ', byte, ..] = lead.start() {
                            text.after_blank.insert(*byte);
                        }
                    }
                }
                let stops = dialects[usize::from(node_dialect[id])].list("stop_strings");
                let (closers, _) = next_literals(nodes, text.follow);
                text.stop_string = closers.iter().any(|&closer| {
                    let text = plain(&nodes[closer as usize]);
                    stops.iter().any(|stop| text == Some(stop))
                });
                let is_prose = matches!(text.role, RuleRole::Think | RuleRole::Say);
                let can_end = !closers.is_empty()
                    || (text.open_ended && is_prose)
                    || reaches_end(nodes, text.follow);
                if !can_end {
                    return error(
                        "`raw` never ends: no literal follows it",
                        "put the closing literal after it",
                    );
                }
                nodes[id] = Node::Text(text);
            }
            node if node.is_body() => {
                let after = closers(nodes, nexts(&node)[0]);
                match &mut nodes[id] {
                    Node::Json { closers, .. } => *closers = after.into(),
                    Node::Xml(xml) => xml.closers = after.into(),
                    Node::Object(object) => object.closers = after.into(),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The literals that end with a quotation mark, each with the value after it, as what puts that value in doubt: the sign
/// and the mark, `="`. The sign of a mark alone, as in `key ": " ("\"" raw "\"" | raw)`, is the literal before it.
fn opening_quotes(nodes: &[Node]) -> Vec<(NodeId, Lead)> {
    let mut found = Vec::new();
    let mut add = |value: NodeId, text: String| {
        // The later items of a list have it, too.
        reach(nodes, [value], |id, node| {
            let is_text = matches!(node, Node::Text(_));
            found.extend(is_text.then(|| (id, Lead::text(text.clone(), LeadRole::Doubts))));
            !matches!(node, Node::Capture(_) | Node::Exit { .. })
        });
    };
    for node in nodes {
        let Some(sign) = plain(node) else { continue };
        if sign.chars().count() > 1 && sign.ends_with(OPENING_QUOTES) {
            add(nexts(node)[0], sign.into());
        }
        reach(nodes, nexts(node), |_, node| {
            let mark = plain(node).filter(|mark| mark.chars().count() == 1);
            let mark = mark.filter(|_| !sign.trim().is_empty());
            if let Some(mark) = mark.filter(|mark| mark.ends_with(OPENING_QUOTES)) {
                add(nexts(node)[0], [sign, mark].concat());
            }
            node.is_epsilon()
        });
    }
    found
}

/// The openers of named arguments, `" to=" value(to)`, each with the values that come later in the rule. Such a value is
/// in doubt if it contains the opener and the call lacks the argument: the model may have changed the order. Words in
/// small letters, `" about "`, are openers only at the start of a line.
fn earlier_openers(nodes: &[Node], starts_line: impl Fn(NodeId) -> bool) -> Vec<(NodeId, Lead)> {
    let mut found = Vec::new();
    let is_sign = |c: char| !(c.is_alphanumeric() || c == ' ');
    let is_value =
        |id: &NodeId| matches!(&nodes[*id as usize], Node::Text(text) if text.argument.is_some());
    for (id, node) in nodes.iter().enumerate() {
        let starts_line = starts_line(id as NodeId);
        let is_keyword = |text: &str| text.trim().len() > 1 && text == text.to_uppercase();
        let is_sure = |text: &&str| starts_line || text.contains(is_sign) || is_keyword(text);
        let opener = plain(node).filter(|text| text.contains(char::is_alphanumeric));
        let value = nexts(node).iter().copied().find(is_value);
        if let Some((opener, value)) = opener.filter(is_sure).zip(value) {
            let lead = Lead::text(opener.into(), LeadRole::Opens { value, starts_line });
            reach(nodes, nexts(&nodes[value as usize]), |id, node| {
                found.extend(is_value(&id).then(|| (id, lead.clone())));
                !matches!(node, Node::Exit { .. })
            });
        }
    }
    found
}

/// The openers of parameters at the start of a line, `"| " key`, each with the values that end with the same sign, `" |"`.
/// Such a value is in doubt if it contains the opener: its closer may be missing.
fn openers_like_closers(
    nodes: &[Node],
    starts_line: impl Fn(NodeId) -> bool,
) -> Vec<(NodeId, Lead)> {
    let mut found = Vec::new();
    for (id, node) in nodes.iter().enumerate() {
        let line = if starts_line(id as NodeId) { "\n" } else { "" };
        let opener = [line, plain(node).unwrap_or_default()].concat();
        if opener.trim().is_empty() || !opener.starts_with('\n') {
            continue;
        }
        let is_closer =
            |&one: &NodeId| plain(&nodes[one as usize]).map(str::trim) == Some(opener.trim());
        let lead = Lead::text(opener.clone(), LeadRole::Doubts);
        let mut has_key = false;
        reach(nodes, nexts(node), |id, node| {
            has_key |= matches!(node, Node::Capture(capture) if capture.what == Capture::Key);
            if let Node::Text(text) = node
                && has_key
                && text.delimiter.is_closer()
                && next_literals(nodes, text.next).0.iter().any(is_closer)
            {
                found.push((id, lead.clone()));
            }
            (has_key || node.is_blank() || node.is_epsilon()) && !matches!(node, Node::Exit { .. })
        });
    }
    found
}

/// Signs that open a value in quotes.
const OPENING_QUOTES: [char; 8] = ['"', '`', '\'', '«', '‹', '“', '‘', '„'];

/// The text of a literal.
fn plain(node: &Node) -> Option<&str> {
    str::from_utf8(node.literal()?).ok()
}

/// The nodes that come right after a literal that ends with `end`, and after nothing else.
fn only_after(nodes: &[Node], end: &[u8]) -> BTreeSet<NodeId> {
    let (mut after_end, mut after_other) = (BTreeSet::new(), BTreeSet::new());
    // Nothing follows the message's end.
    let reads = |node: &&Node| !node.is_epsilon() && !matches!(node, Node::End { .. });
    for node in nodes.iter().filter(reads) {
        let found = match node {
            Node::Literal { bytes, .. } if bytes.ends_with(end) => &mut after_end,
            _ => &mut after_other,
        };
        reach(nodes, nexts(node), |id, node| {
            found.insert(id);
            node.is_epsilon()
        });
    }
    &after_end - &after_other
}

/// The bytes that end a capture before `node`, and whether the entry can end there. After optional blanks a word ends
/// the capture only if the blanks are there: `name ws "Action Input:"` does not end `listAll`.
fn stops(nodes: &[Node], node: NodeId) -> (ByteSet, bool) {
    let (mut stop, _) = first_of(nodes, node, false);
    let (all, ends) = first(nodes, node);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    stop.add(&ByteSet::matching(|byte| all.has(byte) && !is_word(byte)));
    (stop, ends)
}

/// The bytes that can start the text at `node`, and whether the entry can end there.
pub(super) fn first(nodes: &[Node], node: NodeId) -> (ByteSet, bool) {
    first_of(nodes, node, true)
}

/// The same; `over_blanks`: also the bytes after blanks, which may be missing.
fn first_of(nodes: &[Node], node: NodeId, over_blanks: bool) -> (ByteSet, bool) {
    let (mut set, mut ends) = (ByteSet::default(), false);
    let is_word = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    reach(nodes, [node], |_, node| {
        match node {
            Node::Literal { bytes, fold, .. } => set.insert_folded(bytes[0], *fold),
            Node::Template { pieces, fold, .. } => match pieces.first() {
                Some(Piece::Bytes(bytes)) => set.insert_folded(bytes.as_bytes()[0], *fold),
                _ => set = ByteSet::ALL,
            },
            Node::Ws { .. } => set.add(&ByteSet::of(b" \t\r\n")),
            Node::Nl { .. } => set.add(&ByteSet::of(b"\r\n")),
            Node::Capture(capture) => {
                // Names, keys and types never start with such a sign.
                let is_free = matches!(capture.what, Capture::Id | Capture::Server | Capture::Any);
                let may_start = |byte: u8| is_free || !b"/[]|?".contains(&byte);
                let starts = |byte| takes(capture.what, byte) && may_start(byte);
                set.add(&ByteSet::matching(starts));
            }
            Node::Attrs(_) => set.add(&ByteSet::matching(|byte| is_word(byte) || byte == b' ')),
            Node::Json { .. } | Node::Object(_) => set.insert(b'{'),
            Node::Py { .. } => set.add(&ByteSet::matching(is_word)),
            Node::Text(_) | Node::Xml(_) | Node::Trie => set = ByteSet::ALL,
            Node::Match => ends = true,
            _ => {}
        }
        match node {
            Node::Ws { .. } => over_blanks,
            Node::Nl { .. } | Node::Attrs(_) => true,
            Node::Capture(capture) => may_be_empty(capture.what),
            _ => node.is_epsilon(),
        }
    });
    (set, ends)
}

/// Whether `byte` can be in a capture of that kind.
pub(crate) fn takes(what: Capture, byte: u8) -> bool {
    match what {
        Capture::Name | Capture::Id | Capture::Server => {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/' | b'$' | b'@')
                || byte >= 0x80
        }
        Capture::Type => byte >= 0x80 || byte.is_ascii_alphanumeric() || b"_-.[]|?".contains(&byte),
        Capture::Key => !matches!(byte, b'<' | b'>' | b'\n' | b'\r' | b'"'),
        Capture::Any => !matches!(byte, b'<' | b'\n' | b'\r'),
        Capture::Length => byte.is_ascii_digit(),
    }
}

pub(crate) fn may_be_empty(what: Capture) -> bool {
    matches!(what, Capture::Any | Capture::Type | Capture::Server)
}

/// Whether an id or a name space can come before the arguments or the end of the call.
pub(crate) fn has_late_head(nodes: &[Node], from: NodeId) -> bool {
    let mut found = false;
    reach(nodes, [from], |_, node| match node {
        Node::Capture(capture) => {
            found |= matches!(capture.what, Capture::Id | Capture::Server);
            !found && capture.what != Capture::Key
        }
        Node::Exit {
            role: RuleRole::Call,
            ..
        } => false,
        node => !node.is_body(),
    });
    found
}

/// Visits the nodes reachable from `from`, each once and the first of a choice first; `visit` says whether to continue.
pub(super) fn reach(
    nodes: &[Node],
    from: impl Into<Vec<NodeId>>,
    mut visit: impl FnMut(NodeId, &Node) -> bool,
) {
    let mut seen = BTreeSet::new();
    let mut todo = from.into();
    while let Some(id) = todo.pop() {
        let node = &nodes[id as usize];
        if seen.insert(id) && visit(id, node) {
            todo.extend(nexts(node).iter().rev());
        }
    }
}

/// All successors of a node.
pub(super) fn nexts(node: &Node) -> &[NodeId] {
    let next = match node {
        Node::Literal { next, .. }
        | Node::Template { next, .. }
        | Node::Ws { next }
        | Node::Nl { next }
        | Node::Bol { next }
        | Node::Start { next }
        | Node::End { next }
        | Node::Flag { next, .. }
        | Node::Json { next, .. }
        | Node::Py { next }
        | Node::Enter { next, .. }
        | Node::Exit { next, .. } => next,
        Node::Capture(capture) => &capture.next,
        Node::Attrs(attrs) => &attrs.next,
        Node::Text(text) => &text.next,
        Node::Object(object) => &object.next,
        Node::Xml(xml) => &xml.next,
        Node::Split(all) => return all,
        Node::Forms(both) => return both,
        Node::Match | Node::Trie => return &[],
    };
    core::slice::from_ref(next)
}

/// The texts of an entry that is a `think` rule: one for each way to write it.
pub(super) fn reasoning(nodes: &[Node], entry: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    reach(nodes, [entry], |id, node| match node {
        Node::Text(text) if text.role == RuleRole::Think => {
            found.push(id);
            false
        }
        Node::Enter { role, .. } => *role == RuleRole::Think,
        node => !node.is_body(),
    });
    found.sort_unstable();
    found
}

/// Literals and templates that can come next, after blanks and acts; and whether the entry can end there.
pub(super) fn next_literals(nodes: &[Node], from: NodeId) -> (Vec<NodeId>, bool) {
    let (mut found, mut ends) = (Vec::new(), false);
    reach(nodes, [from], |id, node| {
        match node {
            Node::Literal { .. } | Node::Template { .. } => found.push(id),
            Node::Match => ends = true,
            _ => {}
        }
        node.is_blank() || node.is_epsilon() && !matches!(node, Node::Start { .. })
    });
    (found, ends)
}

/// Whether a capture, attributes or a body follows the literal, after blanks at most: the literal opens something.
pub(super) fn is_opener(nodes: &[Node], literal: NodeId) -> bool {
    let (Node::Literal { next, .. } | Node::Template { next, .. }) = &nodes[literal as usize]
    else {
        return false;
    };
    match &nodes[past(nodes, *next, Node::is_blank) as usize] {
        Node::Capture(_) | Node::Attrs(_) => true,
        node => node.is_body(),
    }
}

/// The first node from `at` on that is not of a kind. Nodes of that kind have one successor.
pub(super) fn past(nodes: &[Node], mut at: NodeId, is_such: impl Fn(&Node) -> bool) -> NodeId {
    while is_such(&nodes[at as usize]) {
        at = nexts(&nodes[at as usize])[0];
    }
    at
}

/// Whether only literals and blanks may come between `from` and the end of the call: no key, no name, no body. Also
/// whether a key or a body may come before that end.
pub(super) fn to_call_end(nodes: &[Node], from: NodeId) -> (bool, bool) {
    let (mut ends, mut has_values) = (false, false);
    reach(nodes, [from], |_, node| {
        let is_exit = matches!(node, Node::Exit { role, .. } if *role == RuleRole::Call);
        let is_end = is_exit || matches!(node, Node::Match);
        let is_value = node.is_body()
            || matches!(node, Node::Attrs(_))
            || matches!(node, Node::Capture(capture) if capture.what == Capture::Key);
        ends |= is_end;
        has_values |= is_value;
        !is_end && !is_value && !matches!(node, Node::Capture(_))
    });
    (ends, has_values)
}

pub(super) fn reaches_end(nodes: &[Node], from: NodeId) -> bool {
    let mut found = false;
    reach(nodes, [from], |_, node| {
        found |= matches!(node, Node::End { .. });
        let is_other = matches!(
            node,
            Node::Bol { .. } | Node::Start { .. } | Node::Enter { .. }
        );
        node.is_blank() || node.is_epsilon() && !is_other
    });
    found
}

fn analyze_text<'l>(
    nodes: &[Node],
    text: &mut TextNode,
    openers: impl Iterator<Item = &'l (u16, bool, Lead)>,
    doubts: impl Iterator<Item = &'l Lead>,
) {
    // Blanks after an item, or after a value that may have quotes, are not part of it.
    let ends_anywhere = text.list != InList::No || text.quotes.is_some();
    (text.trim, text.follow) = match trimming(nodes, text.next, ends_anywhere) {
        (Trim::PairedNl, follow) => (text.trim, follow),
        found => found,
    };
    let (level, open_ended) = next_literals(nodes, text.follow);
    text.open_ended = open_ended;
    text.fence = level.iter().any(|&lit| matches!(&nodes[lit as usize], Node::Literal { bytes, .. } if bytes.starts_with(b"```")));
    // A literal that starts a value like this one also ends this one: such values do not nest.
    // So does one after a line break that ends this one.
    let mut ends: Vec<Lead> = leads(nodes, text.follow).collect();
    let level_nodes = level.iter().map(|&lit| &nodes[lit as usize]);
    for literal in level_nodes.filter(|node| plain(node) == Some("\n")) {
        ends.extend(leads(nodes, nexts(literal)[0]));
    }
    let ends = |opener: Lead| ends.iter().any(|closer| closer.pieces == opener.pieces);
    let is_chosen = closes_with(nodes, text.follow, is_chosen_word);
    let may_nest = text.delimiter.is_closer() && !is_chosen;
    let own = text.own.filter(|_| may_nest);
    let markers = own.map(|own| markers_within(nodes, own));
    text.own = own.filter(|&own| !leads(nodes, own).any(ends));
    // Closers of the enclosing terms: skip one closer, two, up to four.
    let [own, outer @ ..] = closer_levels(nodes, text.follow);
    text.is_last = outer[0].is_empty() && own.iter().all(|&lit| is_enclosing_closer(nodes, lit));
    let outer = outer.concat();
    let is_closer = |&lit: &NodeId| is_enclosing_closer(nodes, lit) && text.delimiter.is_closer();
    text.enclosing = outer.into_iter().filter(is_closer).collect();
    // If a closer holds the key, only a value of that key nests; the lookahead runs the opener to decide.
    let has_key = |pieces: &[Piece]| pieces.contains(&Piece::Hole(Capture::Key));
    text.own_needs_same_key = closes_with(nodes, text.follow, has_key);
    let mut first = ByteSet::default();
    let mut following = [ByteSet::default(); 2];
    let mut add = |lead: Lead| {
        let start = lead.start();
        match start.first() {
            Some(&byte) => first.insert_folded(byte, lead.fold),
            None => first = ByteSet::ALL,
        }
        for (n, set) in following.iter_mut().enumerate() {
            match start.get(n + 1) {
                Some(&byte) => set.insert_folded(byte, lead.fold),
                None if lead.pieces.len() == 1 && n + 1 == start.len() => set.add(&lead.then),
                None => *set = ByteSet::ALL,
            }
        }
        if !text.leads.contains(&lead) {
            text.leads.push(lead);
        }
    };
    for (written, _) in &*text.escapes {
        add(Lead::text(written.clone(), LeadRole::Escape));
    }
    // A line ends a block only if the next line does not start as the lines of the block do.
    let in_block = |mut lead: Lead| {
        if let (Some(indent), [Piece::Bytes(line)]) = (text.delimiter.indent(), &*lead.pieces)
            && let Some(others) = indent.others_after(line.trim_start_matches(['\r', '\n']))
        {
            lead.then = ByteSet::of(&others);
        }
        lead
    };
    let closers: Vec<Lead> = leads(nodes, text.follow).map(in_block).collect();
    text.may_end_line = text.quotes.is_some() && closers.iter().all(Lead::breaks_line);
    // A line with less indentation, or with another sign, ends it too.
    let indent = text.delimiter.indent();
    for start in indent.iter().flat_map(|indent| indent.shorter()) {
        for line in ["\n", "\r\n"] {
            add(in_block(Lead::text([line, start].concat(), LeadRole::Ends)));
        }
    }
    closers.iter().cloned().for_each(&mut add);
    // A marker with a word that `eol` follows is no closer before other text, but puts the value in doubt.
    for closer in closers.iter().filter(|lead| lead.then == ByteSet::LINE_END) {
        if closer.has_word() && closer.is_marker() {
            let mut passed = closer.clone().doubts();
            passed.then = ByteSet::ALL;
            add(passed);
        }
    }
    for &literal in &text.enclosing {
        leads(nodes, literal).for_each(&mut add);
    }
    // An opener alone is not evidence: the text that it opens must start.
    for opener in text.own.iter().flat_map(|&own| next_literals(nodes, own).0) {
        let mut then = ByteSet::default();
        for &next in nexts(&nodes[opener as usize]) {
            then.add(&first_after(nodes, next));
        }
        leads(nodes, opener).for_each(|lead| add(Lead { then, ..lead }));
    }
    leads(nodes, text.follow)
        .filter_map(cut_short)
        .for_each(&mut add);
    let doubts = markers.into_iter().flatten().chain(doubts.cloned());
    doubts.for_each(&mut add);
    // A value that ends where the next one starts has no closer to distinguish the next one from another call, nor has
    // one whose closers pair with no opener.
    let pairs = |own| leads(nodes, own).any(|lead| lead.has_word());
    let is_between = level.iter().any(|&literal| is_opener(nodes, literal));
    if text.role == RuleRole::Call && (is_between || !text.own.is_some_and(pairs) && !is_chosen) {
        for (_, starts_line, opener) in openers {
            let opener = opener.clone().into_opener(*starts_line && !is_between);
            opener.map(Lead::doubts).into_iter().for_each(&mut add);
        }
    }
    let first = Finder::new(first);
    text.prefilter = Prefilter { first, following };
}

fn is_enclosing_closer(nodes: &[Node], literal: NodeId) -> bool {
    let node = &nodes[literal as usize];
    let is_text = |bytes: &[u8]| !bytes.trim_ascii().is_empty() && !bytes.starts_with(b"```");
    let is_sure = node.is_evidence() && node.literal().is_some_and(is_text);
    !is_opener(nodes, literal) && (is_sure || node.literal().is_none())
}

/// The trimming part after a `text`, and the node that follows it.
fn trimming(nodes: &[Node], next: NodeId, ends_anywhere: bool) -> (Trim, NodeId) {
    let is_ws = |one: &NodeId| matches!(&nodes[*one as usize], Node::Ws { .. });
    match &nodes[next as usize] {
        Node::Ws { next } => (Trim::Blanks, *next),
        Node::Nl { next } if is_ws(next) => trimming(nodes, *next, ends_anywhere),
        Node::Nl { next } => (Trim::PairedNl, *next),
        // Blanks start the next parameter, and the text after the last one; or the end of a list.
        Node::Split(all) if all.iter().all(is_ws) => (Trim::Blanks, next),
        Node::Split(all) if ends_anywhere && all.iter().any(is_ws) => (Trim::Blanks, next),
        // A loop of line breaks.
        Node::Split(all) => match all.as_slice() {
            [one, rest] if breaks_back_to(nodes, *one, next) => (Trim::Lines, *rest),
            [one, rest] if matches!(&nodes[*one as usize], Node::Nl { next } if next == rest) => {
                (Trim::OwnNl, *rest)
            }
            _ => (Trim::None, next),
        },
        _ => (Trim::None, next),
    }
}

/// Whether `at` is a line break, or a choice of them, that leads back to the loop.
fn breaks_back_to(nodes: &[Node], at: NodeId, back: NodeId) -> bool {
    match &nodes[at as usize] {
        Node::Literal { bytes, next, .. } => matches!(&**bytes, b"\n" | b"\r\n") && *next == back,
        Node::Split(all) => all.iter().all(|&one| breaks_back_to(nodes, one, back)),
        _ => false,
    }
}

fn closes_with(nodes: &[Node], follow: NodeId, is_such: impl Fn(&[Piece]) -> bool) -> bool {
    next_literals(nodes, follow).0.iter().any(
        |&lit| matches!(&nodes[lit as usize], Node::Template { pieces, .. } if is_such(pieces)),
    )
}

/// Whether a closer is a word that was chosen so that the value does not contain it, with signs around it.
fn is_chosen_word(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| match piece {
        Piece::Hole(capture) => *capture == Capture::Any,
        Piece::Bytes(text) => !text.contains(char::is_alphanumeric),
    })
}

/// The bytes that can be at `node`: all, if the entry can end there.
pub(super) fn first_after(nodes: &[Node], node: NodeId) -> ByteSet {
    match first(nodes, node) {
        (set, false) => set,
        (_, true) => ByteSet::ALL,
    }
}

/// Whether `eol` is due at `node`.
fn is_line_end(nodes: &[Node], node: NodeId) -> bool {
    let ends = |&way: &NodeId| match &nodes[way as usize] {
        Node::Literal { bytes, .. } => bytes.ends_with(b"\n") && bytes.trim_ascii().is_empty(),
        node => matches!(node, Node::End { .. }),
    };
    matches!(&nodes[node as usize], Node::Split(all) if all.iter().all(ends))
}

/// The literals at `from`.
fn leads(nodes: &[Node], from: NodeId) -> impl Iterator<Item = Lead> {
    let literals = next_literals(nodes, from).0.into_iter();
    literals.filter_map(|literal| {
        let (pieces, fold): (Box<[Piece]>, bool) = match &nodes[literal as usize] {
            Node::Template { pieces, fold, .. } => (pieces.clone(), *fold),
            node @ Node::Literal { fold, .. } => {
                ([Piece::Bytes(plain(node)?.into())].into(), *fold)
            }
            _ => return None,
        };
        let then = match nexts(&nodes[literal as usize]) {
            [next] if is_line_end(nodes, *next) => ByteSet::LINE_END,
            // A `.` inside a number or a path does not end a sentence.
            [next] if *pieces == [Piece::Bytes(".".into())] && first(nodes, *next).1 => {
                ByteSet::matching(|byte| !byte.is_ascii_alphanumeric())
            }
            _ => ByteSet::ALL,
        };
        Some(Lead {
            pieces,
            fold,
            then,
            role: LeadRole::Ends,
        })
    })
}

impl Lead {
    fn text(text: String, role: LeadRole) -> Lead {
        Lead {
            pieces: [Piece::Bytes(text)].into(),
            fold: false,
            then: ByteSet::ALL,
            role,
        }
    }

    /// What it starts with, up to its first hole.
    pub(crate) fn start(&self) -> &[u8] {
        let text = self.pieces.first().and_then(Piece::text);
        text.unwrap_or_default().as_bytes()
    }

    /// The literal as one that only puts a value in doubt.
    fn doubts(self) -> Lead {
        let role = LeadRole::Doubts;
        Lead { role, ..self }
    }

    /// The opener of an entry as a value hardly contains it by chance: perhaps, and a word always, at a line's start.
    fn into_opener(mut self, starts_line: bool) -> Option<Lead> {
        let is_long = self.length() > MARKER_MIN && self.has_word();
        if let Some(Piece::Bytes(text)) = self.pieces.first_mut()
            && (starts_line || text.starts_with(char::is_alphabetic))
        {
            text.insert(0, '\n');
        }
        (is_long || self.is_marker()).then_some(self)
    }

    fn has_word(&self) -> bool {
        let mut texts = self.pieces.iter().filter_map(Piece::text);
        texts.any(|text| text.contains(char::is_alphabetic) || !text.is_ascii())
    }

    /// Whether a value hardly contains this literal by chance, unlike an attribute.
    fn is_marker(&self) -> bool {
        let is_sign = |c: char| !(c.is_alphanumeric() || c.is_whitespace() || "\"'`".contains(c));
        let text = self.pieces.first().and_then(Piece::text);
        let text = text.unwrap_or_default().trim_start();
        self.length() >= SURE_MARKER_MIN && text.starts_with(is_sign)
    }
}

/// A damaged closer: its last byte is missing, and no word continues there.
fn cut_short(closer: Lead) -> Option<Lead> {
    let mut pieces = closer.pieces.into_vec();
    let Some(Piece::Bytes(last)) = pieces.last_mut() else {
        return None;
    };
    let byte = last.pop().filter(char::is_ascii_punctuation)?;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let then = ByteSet::matching(|other| !is_word(other) && other != byte as u8);
    if last.is_empty() {
        pieces.pop();
    }
    let lead = Lead {
        pieces: pieces.into(),
        then,
        ..closer
    };
    lead.is_marker().then(|| lead.doubts())
}

/// The literals between the one that opens a value, at `own`, and its text.
fn markers_within(nodes: &[Node], own: NodeId) -> Vec<Lead> {
    let mut found = Vec::new();
    let openers = next_literals(nodes, own).0.into_iter();
    let from: Vec<NodeId> = openers
        .flat_map(|opener| nexts(&nodes[opener as usize]).iter().copied())
        .collect();
    reach(nodes, from, |id, node| {
        if let Node::Literal { .. } | Node::Template { .. } = node {
            found.extend(leads(nodes, id).map(Lead::doubts).filter(Lead::is_marker));
        }
        !node.is_body()
    });
    found
}

/// The literals that start the entry at `node`, except words and fences.
pub(super) fn starts(nodes: &[Node], node: NodeId) -> impl Iterator<Item = String> {
    let literals = next_literals(nodes, node).0.into_iter();
    literals.filter_map(|literal| {
        let text = plain(&nodes[literal as usize]).filter(|text| text.len() >= SURE_MARKER_MIN)?;
        let is_marker = text.contains(|c: char| c.is_alphabetic())
            && text.contains(|c: char| c.is_ascii_punctuation() && c != '_' && c != '"');
        (is_marker && !text.contains('\n')).then(|| text.into())
    })
}

/// The literals at `from`, then the literals after the closers among them, and so on.
fn closer_levels(nodes: &[Node], from: NodeId) -> [Vec<NodeId>; 5] {
    let mut levels: [Vec<NodeId>; 5] = Default::default();
    levels[0] = next_literals(nodes, from).0;
    let mut seen: BTreeSet<NodeId> = levels[0].iter().copied().collect();
    for depth in 1..levels.len() {
        let closers = levels[depth - 1].iter();
        let closers = closers.filter(|&&literal| !is_opener(nodes, literal));
        let after = closers.flat_map(|&literal| nexts(&nodes[literal as usize]));
        let after = after.flat_map(|&next| next_literals(nodes, next).0);
        levels[depth] = after.filter(|&literal| seen.insert(literal)).collect();
    }
    levels
}

/// The closers after a body that are plain literals, outermost last.
fn closers(nodes: &[Node], next: NodeId) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for mut level in closer_levels(nodes, next).into_iter().take(4) {
        // Closing tags come before other literals of a level.
        let tag = |literal: NodeId| plain(&nodes[literal as usize])?.strip_prefix("</");
        level.sort_by_key(|&literal| tag(literal).is_none());
        level
            .retain(|&literal| nodes[literal as usize].is_evidence() && !is_opener(nodes, literal));
        let texts = level.iter().filter_map(|&one| plain(&nodes[one as usize]));
        for text in texts {
            if !out.iter().any(|have| have == text) {
                out.push(text.into());
            }
        }
    }
    out
}
