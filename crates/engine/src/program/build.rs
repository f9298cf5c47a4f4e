//! Rules to nodes: from the end backwards, so that every node knows its next.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::ops::Range;

use super::analyze::{may_be_empty, reach};
use super::bytes::ByteSet;
use super::node::{
    AttrsNode, CaptureNode, Node, NodeId, ObjectNode, RuleRole, TextNode, Trim, XmlNode,
};
use super::ways::leads_to_python;
use crate::grammar::{
    Alt, CDATA, Capture, Delimiter, Dialect, GrammarError, Piece, QuoteStyle, Rule, Term, TermKind,
    lists::{self, InList, Series},
};
use crate::render::holds;
use crate::thresholds::SURE_MARKER_MIN;

/// One entry of the message.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) node: NodeId,
    pub(crate) dialect: u16,
    /// Equal for two entries that are the same to the machine.
    pub(crate) signature: String,
}

struct Builder<'a> {
    graph: &'a mut Graph,
    dialect: &'a Dialect,
    index: u16,
    fold: bool,
    role: Option<RuleRole>,
    /// The term being built, for messages.
    place: Range<usize>,
    /// Values whose own opener is in the sequence being built, and its index there.
    texts_to_own: Vec<(NodeId, usize)>,
    /// Values that are a form of a choice by themselves: their openers are before the choice.
    texts_alone: Vec<NodeId>,
    /// The alternatives being built come right after a `key`, and their values start with that key.
    follows_key: bool,
    /// A single value may replace the sequence being built.
    beside_single: bool,
    /// The key of the current sequence whose values are lists only, since another form takes single values.
    lists_only: Option<usize>,
    /// A value that may be JSON may replace it.
    beside_json: bool,
    /// A loop is read as nothing: the text without items.
    is_empty: bool,
    /// The list that the values being built are items of.
    list: InList,
    /// Where the loop being built may continue after its last round, besides the node after it.
    after_last: Option<NodeId>,
}

/// A graph: its nodes, and for each its dialect and its place in that dialect's file.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) dialect: Vec<u16>,
    pub(super) span: Vec<Range<usize>>,
    pub(super) entries: Vec<Entry>,
}

pub(super) fn build(dialects: &[Dialect]) -> Result<Graph, GrammarError> {
    let mut graph = Graph::default();
    for (index, dialect) in dialects.iter().enumerate() {
        let mut builder = Builder {
            graph: &mut graph,
            dialect,
            index: index as u16,
            fold: false,
            role: None,
            place: 0..0,
            texts_to_own: Vec::new(),
            texts_alone: Vec::new(),
            follows_key: false,
            beside_single: false,
            lists_only: None,
            beside_json: false,
            is_empty: false,
            list: InList::No,
            after_last: None,
        };
        builder.dialect().map_err(|e| e.of(dialect.name()))?;
    }
    Ok(graph)
}

impl<'a> Builder<'a> {
    fn dialect(&mut self) -> Result<(), GrammarError> {
        let dialect = self.dialect;
        let used = dialect.parts(|rule| !rule.is_only_written());
        let read = || dialect.rules.iter().filter(|rule| !rule.is_only_written());
        let is_entry = |rule: &&Rule| rule.tool.is_some() || !used.contains(&rule.name.as_str());
        if !dialect.rules.is_empty() && !read().any(|rule| is_entry(&rule)) {
            return Err(GrammarError::new(
                dialect.rules[0].span.clone(),
                "every rule is used by another: no rule starts a message",
            )
            .help("an entry is a rule that no rule refers to"));
        }
        crate::grammar::extent::bounded(dialect, &is_entry)?;
        crate::grammar::check::rules(dialect)?;
        for rule in read().filter(is_entry) {
            // One entry per alternative: a long opener must not lift its short sibling.
            for seq in &rule.alt.0 {
                let end = self.push(Node::Match);
                let node = self.rule_seq(rule, seq, end)?;
                let signature = format!(
                    "{:?} {:?} {:?} {}",
                    rule.tool,
                    dialect.values,
                    dialect.ignores_case(rule),
                    self.signature(rule, seq)
                );
                self.graph.entries.push(Entry {
                    node,
                    dialect: self.index,
                    signature,
                });
            }
        }
        Ok(())
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.graph.nodes.push(node);
        self.graph.dialect.push(self.index);
        self.graph.span.push(self.place.clone());
        (self.graph.nodes.len() - 1) as NodeId
    }

    /// One alternative of a rule, with the acts that its name asks for.
    fn rule_seq(
        &mut self,
        rule: &'a Rule,
        seq: &'a [Term],
        next: NodeId,
    ) -> Result<NodeId, GrammarError> {
        let outer = (self.fold, self.role);
        self.fold = self.dialect.ignores_case(rule);
        let node = match role_of(rule) {
            None => self.seq(seq, next)?,
            Some(extent) => {
                self.role = Some(extent);
                let next = self.push(Node::Exit { role: extent, next });
                let next = self.seq(seq, next)?;
                let tool = rule.tool.as_deref().map(Box::from);
                self.push(Node::Enter {
                    role: extent,
                    tool,
                    next,
                })
            }
        };
        (self.fold, self.role) = outer;
        Ok(node)
    }

    /// The alternatives of a group, or of the rules of one name.
    fn choice(
        &mut self,
        alternatives: &[(Option<&'a Rule>, &'a [Term])],
        next: NodeId,
    ) -> Result<NodeId, GrammarError> {
        let dialect = self.dialect;
        let mut seqs = alternatives.iter().map(|(_, seq)| *seq);
        let has_single = seqs.clone().any(|seq| lists::is_single(dialect, seq));
        let beside_single =
            self.beside_single || seqs.clone().any(|seq| lists::has_single(dialect, seq));
        let has_bare = seqs.clone().any(|seq| lists::is_bare(dialect, seq));
        let is_json = |kind: &TermKind| matches!(kind, TermKind::Value(None, _));
        let beside_json = seqs.any(|seq| seq.iter().any(|term| holds(dialect, term, &is_json)));
        let beside_json = core::mem::replace(&mut self.beside_json, beside_json);
        let saved = core::mem::take(&mut self.texts_to_own);
        let (mut all, mut one, mut object) = (Vec::new(), Vec::new(), Vec::new());
        for &(rule, seq) in alternatives {
            self.beside_single = beside_single;
            let key_beside = |(_, other): &(_, &[Term])| lists::key_beside(dialect, seq, other);
            self.lists_only = alternatives.iter().find_map(key_beside);
            all.push(match rule {
                Some(rule) => self.rule_seq(rule, seq, next)?,
                None => self.seq(seq, next)?,
            });
            if !has_bare || !lists::opens_as_object(dialect, seq) {
                object.extend(all.last());
            }
            if !has_single || !lists::is_no_text(dialect, seq) {
                one.extend(all.last());
            } else if lists::may_be_nothing(dialect, seq) {
                // No items are an empty text.
                let is_empty = core::mem::replace(&mut self.is_empty, true);
                one.push(self.terms(seq, None, next)?);
                self.is_empty = is_empty;
            }
        }
        (self.texts_to_own, self.beside_json) = (saved, beside_json);
        if one == all && object == all {
            return Ok(self.split(all));
        }
        let forms = [all, one, object].map(|forms| self.split(forms));
        Ok(self.push(Node::Forms(forms)))
    }

    fn split(&mut self, all: Vec<NodeId>) -> NodeId {
        match all[..] {
            [one] => one,
            _ => self.push(Node::Split(all)),
        }
    }

    fn seq(&mut self, seq: &'a [Term], next: NodeId) -> Result<NodeId, GrammarError> {
        let series = lists::series_in(self.dialect, seq, self.beside_single);
        self.terms(seq, series.as_ref(), next)
    }

    fn terms(
        &mut self,
        seq: &'a [Term],
        series: Option<&Series<'a>>,
        mut next: NodeId,
    ) -> Result<NodeId, GrammarError> {
        let mut ids = alloc::vec![0; seq.len()];
        // A term that is the whole sequence inherits this from it.
        let beside_single = core::mem::take(&mut self.beside_single) && seq.len() == 1;
        let lists_only = self.lists_only.take();
        let mut n = seq.len();
        while n > 0 {
            n -= 1;
            if lists_only == Some(n) {
                // A text, or a number, has the other form.
                let nothing = self.push(Node::Split(Vec::new()));
                next = self.push(Node::Forms([next, nothing, next]));
            }
            next = if let Some(series) = series.filter(|series| series.place.end == n + 1) {
                n = series.place.start;
                self.series(series, next)?
            } else {
                self.beside_single = beside_single;
                self.term(&seq[n], seq, n, next)?
            };
            ids[n] = next;
        }
        // The opener of a value is in the same sequence.
        for (text, opener) in core::mem::take(&mut self.texts_to_own) {
            if opener < ids.len()
                && let Node::Text(node) = &mut self.graph.nodes[text as usize]
            {
                node.own = Some(ids[opener]);
            }
        }
        Ok(next)
    }

    /// A series of items; the separator may also come after the last one.
    fn series(&mut self, series: &Series<'a>, next: NodeId) -> Result<NodeId, GrammarError> {
        let outer = core::mem::replace(&mut self.list, series.list);
        let saved = core::mem::take(&mut self.texts_to_own);
        let end = self.push(Node::Ws { next });
        let after_last = self.terms(series.separator, None, end)?;
        self.after_last = (series.is_closed && after_last != end).then_some(after_last);
        let mut first = self.terms(series.terms, None, next)?;
        if series.list != InList::No
            && let [item @ .., _] = series.terms
            && !item.is_empty()
        {
            // A text, or a number, is one item: a separator in it is its own.
            let one = self.terms(item, None, next)?;
            first = self.push(Node::Forms([first, one, first]));
        }
        (self.list, self.texts_to_own) = (outer, saved);
        if series.is_optional || series.is_bracketed {
            first = self.split(alloc::vec![first, next]);
        }
        if !series.is_bracketed {
            return Ok(first);
        }
        // Blanks before a JSON value are not part of it.
        if series.is_json {
            first = self.push(Node::Ws { next: first });
        }
        Ok(self.push(Node::Flag {
            value: series.empty,
            next: first,
        }))
    }

    fn term(
        &mut self,
        term: &'a Term,
        seq: &'a [Term],
        n: usize,
        next: NodeId,
    ) -> Result<NodeId, GrammarError> {
        let fold = self.fold;
        self.place = term.span.clone();
        Ok(match &term.kind {
            TermKind::Literal(pieces) => match pieces.as_slice() {
                [Piece::Bytes(bytes)] => {
                    let mark = self.is_marker(bytes, next);
                    self.push(Node::Literal {
                        bytes: bytes.as_bytes().into(),
                        fold,
                        mark,
                        next,
                    })
                }
                _ => self.push(Node::Template {
                    pieces: pieces.as_slice().into(),
                    fold,
                    next,
                }),
            },
            TermKind::Rule(name) => {
                let of = |rule: &'a Rule| rule.alt.0.iter().map(move |seq| (Some(rule), &seq[..]));
                let seqs: Vec<_> = self.dialect.rules_named(name).flat_map(of).collect();
                self.choice(&seqs, next)?
            }
            TermKind::Group(alt) => {
                let before = seq[..n].iter().rfind(|term| !is_blank(term));
                let follows = match before {
                    Some(term) => matches!(term.kind, TermKind::Capture(Capture::Key, _)),
                    None => self.follows_key,
                };
                let follows = core::mem::replace(&mut self.follows_key, follows);
                let seqs = alt.0.iter().map(|seq| (None, &seq[..]));
                let outer = core::mem::take(&mut self.texts_alone);
                let node = self.choice(&seqs.collect::<Vec<_>>(), next)?;
                let texts = core::mem::replace(&mut self.texts_alone, outer);
                if let Some(opener) = own_opener(seq, n) {
                    self.texts_to_own
                        .extend(texts.into_iter().map(|text| (text, opener)));
                }
                self.follows_key = follows;
                node
            }
            TermKind::Optional(inner, _) => {
                let inside = self.term(inner, seq, n, next)?;
                self.push(Node::Split(alloc::vec![inside, next]))
            }
            TermKind::Many(_) if self.is_empty => self.push(Node::Flag { value: "", next }),
            TermKind::Many(inner) => {
                let split = self.push(Node::Split(Vec::new()));
                let after_last = self.after_last.take();
                let inside = self.term(inner, seq, n, split)?;
                let ways = [inside, next].into_iter().chain(after_last);
                self.graph.nodes[split as usize] = Node::Split(ways.collect());
                if leads_by_nothing(&self.graph.nodes, inside, split) {
                    return Err(GrammarError::new(
                        term.span.clone(),
                        "a loop over what may be nothing",
                    )
                    .help("leave the `?`, `*` or `ws` inside it out, or put a literal beside it"));
                }
                if self.list != InList::No || !lists::is_loop_of_values(self.dialect, term) {
                    return Ok(split);
                }
                // A text, or a number, is one item here, too.
                let mut one = next;
                if !lists::follows_value(self.dialect, &seq[..n]) {
                    one = self.term(inner, seq, n, next)?;
                    one = self.split(alloc::vec![one, next]);
                }
                self.push(Node::Forms([split, one, split]))
            }
            TermKind::Ws(_) => self.push(Node::Ws { next }),
            TermKind::Nl => self.push(Node::Nl { next }),
            TermKind::LineStart => self.push(Node::Bol { next }),
            TermKind::MessageStart => self.push(Node::Start { next }),
            TermKind::False => self.push(Node::Flag {
                value: "false",
                next,
            }),
            TermKind::MessageEnd => self.push(Node::End { next }),
            TermKind::Capture(what, one_of) => self.capture(*what, one_of.clone(), None, next),
            TermKind::Argument(name, one_of) => {
                self.capture(Capture::Any, one_of.clone(), Some(name.clone()), next)
            }
            TermKind::Raw(argument, _) | TermKind::Value(argument, _) => {
                let quotes = match &term.kind {
                    TermKind::Value(_, quotes) => Some(quotes),
                    _ => None,
                };
                let delimiter = match &term.kind {
                    TermKind::Raw(_, delimiter) => delimiter.clone(),
                    _ => Delimiter::default(),
                };
                let is_counted = matches!(delimiter, Delimiter::Length | Delimiter::Line);
                let before = n.checked_sub(1).map(|n| seq[n].kind.pieces());
                let before = before.and_then(|pieces| pieces.last()?.text());
                let is_cdata = before.is_some_and(|text| text.ends_with(CDATA));
                let is_plain = |text: &&String| QuoteStyle::of(text).is_none();
                let node = self.push(Node::Text(Box::new(TextNode {
                    is_cdata,
                    // Beside a form that may be JSON, one with an opener of its own holds a text.
                    is_string: self.beside_json && n > 0 && quotes.is_none(),
                    role: self.role.unwrap_or(RuleRole::Say),
                    argument: argument.as_deref().map(Box::from),
                    list: self.list,
                    quotes: quotes.map(|all| all.iter().filter(is_plain).cloned().collect()),
                    spelt_quotes: { quotes.into_iter().flatten() }
                        .filter_map(|text| QuoteStyle::of(text))
                        .collect(),
                    escapes: if is_cdata {
                        Arc::default()
                    } else {
                        Arc::clone(&self.dialect.values.escapes)
                    },
                    delimiter,
                    next,
                    follow: next,
                    trim: match n.checked_sub(1).map(|before| &seq[before].kind) {
                        _ if is_counted => Trim::None,
                        Some(TermKind::Nl) => Trim::PairedNl,
                        _ => Trim::OwnNl,
                    },
                    lead_in: lead_in(seq, n),
                    ..TextNode::default()
                })));
                if let Some(opener) = own_opener(seq, n)
                    // Brackets and quotes of JSON already nest.
                    && matches!(term.kind, TermKind::Raw(..))
                    && !is_counted
                    && !(self.follows_key && seq[..opener].iter().all(is_blank))
                {
                    self.texts_to_own.push((node, opener));
                } else if n + 1 == seq.len()
                    && seq[..n].iter().all(|one| is_blank(one) || is_sign(one))
                    && matches!(term.kind, TermKind::Raw(..))
                    && !is_counted
                {
                    self.texts_alone.push(node);
                }
                node
            }
            TermKind::Json(quotes) => self.push(Node::Json {
                quotes: quotes.clone(),
                closers: Arc::default(),
                next,
            }),
            TermKind::Object(envelope) => {
                let keys = envelope.roles.iter().flat_map(|(_, keys)| keys);
                self.push(Node::Object(Box::new(ObjectNode {
                    envelope: envelope.clone(),
                    keys: keys.filter(|key| !key.contains('.')).cloned().collect(),
                    closers: Arc::default(),
                    next,
                })))
            }
            TermKind::Xml(prefix) => self.push(Node::Xml(Box::new(XmlNode {
                prefix: prefix.as_deref().map(Box::from),
                closers: Arc::default(),
                next,
            }))),
            TermKind::Python(_) => self.push(Node::Py { next }),
            TermKind::Attrs(attributes) => self.push(Node::Attrs(AttrsNode {
                fold,
                attributes: attributes.clone(),
                stop: ByteSet::default(),
                next,
            })),
        })
    }

    fn capture(
        &mut self,
        what: Capture,
        one_of: Vec<String>,
        argument: Option<String>,
        next: NodeId,
    ) -> NodeId {
        self.push(Node::Capture(CaptureNode {
            what,
            argument,
            one_of,
            stop: ByteSet::default(),
            stop_chars: Vec::new(),
            next,
        }))
    }

    /// Whether the literal marks a call, and not only the name after it. These are not markers: code around a call
    /// (`print(`), a name space, a list item, a one-letter tag, which is HTML's, and a fence. Nor are a phrase
    /// (`Tool call:`) and a word that introduces a Python call (`Answer:`). Blanks around it make no difference.
    fn is_marker(&self, literal: &str, next: NodeId) -> bool {
        let text = match literal.strip_prefix("```") {
            Some(fence) => fence.split_once('\n').map_or("", |(_, after)| after),
            None => literal,
        };
        let text = text.trim();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_words = |text: &str| text.chars().all(|c| is_word(c) || c == ' ');
        let is_label = |label: &str| {
            label.chars().all(|c| c.is_ascii_lowercase())
                || is_words(label)
                    && (label.contains(' ') || leads_to_python(&self.graph.nodes, next))
        };
        let is_name = |name: &str| name.chars().all(is_word);
        let is_code = text.ends_with('(')
            || text.strip_suffix('.').is_some_and(is_name)
            || text.strip_suffix(':').is_some_and(is_label)
            || matches!(text.as_bytes(), [b'<', name, b'>'] if name.is_ascii_alphabetic());
        // Brackets, quotes and dashes of ordinary text: `【`, `“`, `—`.
        let is_common = |c| matches!(c, '\u{2010}'..='\u{203a}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}');
        let is_short = text.chars().count() < 3 && text.chars().all(is_common);
        text.len() >= 3 && !is_code && !is_short
    }

    /// The expanded alternative as text: equal for rules that read the same.
    fn signature(&self, rule: &Rule, seq: &[Term]) -> String {
        let mut out = format!("{:?}:", role_of(rule));
        self.sign(seq, &mut out);
        out
    }

    fn sign(&self, seq: &[Term], out: &mut String) {
        for term in seq {
            match &term.kind {
                TermKind::Rule(name) => {
                    for rule in self.dialect.rules_named(name) {
                        self.sign_all(role_of(rule), &rule.alt, out);
                    }
                }
                TermKind::Group(alt) => self.sign_all(None, alt, out),
                TermKind::Optional(inner, _) | TermKind::Many(inner) => {
                    let is_many = matches!(term.kind, TermKind::Many(_));
                    out.push(if is_many { '*' } else { '?' });
                    self.sign(core::slice::from_ref(inner), out);
                }
                // The written form does not change the reading.
                TermKind::Ws(_) => out.push_str("Ws "),
                TermKind::Python(_) => out.push_str("Python "),
                kind => _ = write!(out, "{kind:?} "),
            }
        }
    }

    fn sign_all(&self, role: Option<RuleRole>, alt: &Alt, out: &mut String) {
        for seq in &alt.0 {
            let _ = write!(out, "({role:?}");
            self.sign(seq, out);
            out.push_str(")|");
        }
    }
}

/// The role that the rule's name gives its text, if any.
fn role_of(rule: &Rule) -> Option<RuleRole> {
    Some(match rule.name.as_str() {
        "call" => RuleRole::Call,
        "think" => RuleRole::Think,
        "say" => RuleRole::Say,
        "stop" => RuleRole::Stop,
        _ => return None,
    })
}

/// The index of the opener of the value at `text`: its earliest literal with no other body between, or the `line_start`
/// before it. A value that starts with a capture has no opener.
fn own_opener<'s>(seq: &'s [Term], text: usize) -> Option<usize> {
    let (mut found, mut is_past_group) = (None, false);
    let is_sign = |n: usize| is_sign(&seq[n]);
    for (n, term) in seq[..text].iter().enumerate().rev() {
        match &term.kind {
            TermKind::Literal(pieces) => {
                is_past_group = true;
                let is_opener = |text: &str| !text.trim().is_empty() && !text.starts_with("```");
                if pieces.first().and_then(Piece::text).is_some_and(is_opener) {
                    found = Some(n);
                }
            }
            kind if kind.captures() => found = None,
            TermKind::LineStart if found == Some(n + 1) => found = Some(n),
            _ if is_blank(term) => {}
            TermKind::Attrs(_) | TermKind::LineStart | TermKind::MessageStart => {}
            TermKind::Group(_) | TermKind::Optional(..) if !is_past_group => {}
            // A sign after a part that may be missing is only a piece of the opener.
            TermKind::Group(_) | TermKind::Optional(..) if found.is_some_and(is_sign) => {
                return None;
            }
            // A literal that ends the value before this one does not open this one.
            TermKind::Raw(..) | TermKind::Value(..) => return None,
            _ => break,
        }
    }
    let is_bracket = |n: usize| matches!(lists::literal(&seq[n]), Some(text) if text.trim().ends_with(lists::opens_bracket));
    // A sign alone opens nothing unless it is a bracket.
    found = found
        .filter(|&found| (found..text).any(|n| is_bracket(n) || !is_blank(&seq[n]) && !is_sign(n)));
    // A closer that an opener starts with would be taken for that opener.
    let first = |term: &'s Term| term.kind.pieces().first();
    let mut after = seq[text + 1..].iter();
    let closer = after.find(|term| !is_blank(term)).and_then(first);
    let opener = seq[found?..text].iter().find_map(first);
    let pair = opener
        .and_then(Piece::text)
        .zip(closer.and_then(Piece::text));
    let is_closer = |(opener, closer): (&str, &str)| {
        opener.starts_with(closer) || opener.trim() == closer.trim()
    };
    found.filter(|_| !pair.is_some_and(is_closer))
}

/// Whether the term is a literal without letters and digits.
fn is_sign(term: &Term) -> bool {
    lists::literal(term).is_some_and(|text| !text.contains(char::is_alphanumeric))
}

/// Whether the term reads blanks.
fn is_blank(term: &Term) -> bool {
    matches!(term.kind, TermKind::Ws(_) | TermKind::Nl)
}

/// The literal right before the value at `text`, if it is optional.
fn lead_in(seq: &[Term], text: usize) -> Option<Box<[u8]>> {
    let TermKind::Optional(before, _) = &seq[text.checked_sub(1)?].kind else {
        return None;
    };
    let text = lists::literal(before).filter(|text| text.len() >= SURE_MARKER_MIN)?;
    Some(text.as_bytes().into())
}

/// Whether `to` can be reached from `from` without reading a byte.
fn leads_by_nothing(nodes: &[Node], from: NodeId, to: NodeId) -> bool {
    let mut found = false;
    reach(nodes, [from], |id, node| {
        found |= id == to;
        match node {
            Node::Capture(capture) => may_be_empty(capture.what),
            Node::Literal { .. } | Node::Template { .. } | Node::Match | Node::Trie => false,
            // A value may be empty, and there may be no elements and no attributes.
            node => !node.is_body() || matches!(node, Node::Text(_) | Node::Xml(_)),
        }
    });
    found
}
