//! The graph that rules are compiled to. It has no recursion: rules are inlined, `*` is a back edge.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::bytes::{ByteSet, Prefilter, is_blank};
use crate::grammar::lists::InList;
use crate::grammar::{Attribute, Capture, Delimiter, Envelope, Piece, QuoteStyle};
use crate::thresholds::{MARKER_MIN, MISSPELT_MIN};

pub(crate) type NodeId = u32;

/// The role that a rule's name gives its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RuleRole {
    Call,
    Think,
    #[default]
    Say,
    Stop,
}

/// One node. `next` is where a thread continues.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Bytes. `mark`: they are a marker, so that after them the name is not the only evidence for a call.
    Literal {
        bytes: Box<[u8]>,
        fold: bool,
        mark: bool,
        next: NodeId,
    },
    /// A literal with holes, filled from what the thread captured.
    Template {
        pieces: Box<[Piece]>,
        fold: bool,
        next: NodeId,
    },
    Ws {
        next: NodeId,
    },
    Nl {
        next: NodeId,
    },
    /// The entry starts at the start of a line.
    Bol {
        next: NodeId,
    },
    /// The entry starts at the start of the message.
    Start {
        next: NodeId,
    },
    End {
        next: NodeId,
    },
    /// The key before it has this value, as JSON, unless another value follows.
    Flag {
        value: &'static str,
        next: NodeId,
    },
    /// The forms of a value that are read for each [`ValueKind`](crate::tools::ValueKind), in its order.
    Forms([NodeId; 3]),
    Capture(CaptureNode),
    Attrs(AttrsNode),
    Text(Box<TextNode>),
    Json {
        quotes: Vec<String>,
        closers: Arc<[String]>,
        next: NodeId,
    },
    Object(Box<ObjectNode>),
    Xml(Box<XmlNode>),
    Py {
        next: NodeId,
    },
    Split(Vec<NodeId>),
    Enter {
        role: RuleRole,
        tool: Option<Box<str>>,
        next: NodeId,
    },
    Exit {
        role: RuleRole,
        next: NodeId,
    },
    /// The entry ends.
    Match,
    /// All openers, as one position.
    Trie,
}

#[derive(Clone, Debug)]
pub(crate) struct CaptureNode {
    pub(crate) what: Capture,
    /// The argument that the capture fills.
    pub(crate) argument: Option<String>,
    /// The only texts that fit; empty: any.
    pub(crate) one_of: Vec<String>,
    /// Bytes that end it.
    pub(crate) stop: ByteSet,
    /// The characters outside of ASCII that the next literals start with. Other characters share their first bytes.
    pub(crate) stop_chars: Vec<String>,
    pub(crate) next: NodeId,
}

impl CaptureNode {
    /// Whether it fills an argument with one of listed texts.
    pub(crate) fn is_listed_argument(&self) -> bool {
        self.argument.is_some() && !self.one_of.is_empty()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct AttrsNode {
    /// Attribute names match in any letter case.
    pub(crate) fold: bool,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) stop: ByteSet,
    pub(crate) next: NodeId,
}

/// How blanks at the ends of a value are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Trim {
    #[default]
    None,
    /// `ws`: all blanks before the closer.
    Blanks,
    /// `nl`: one line break, if one was left out at the start.
    PairedNl,
    /// `nl?`: one line break.
    OwnNl,
    /// `"\n"*`: all line breaks before the closer.
    Lines,
}

impl TextNode {
    /// Whether a value that starts with `first` is one in quotes or brackets.
    pub(crate) fn may_be_quoted(&self, first: char) -> bool {
        self.quotes.as_deref().is_some_and(|quotes| {
            "{[\"".contains(first)
                || quotes.iter().any(|quote| quote.starts_with(first))
                || self.spelt_quotes.iter().any(|quote| quote.sign == first)
        })
    }
}

impl Trim {
    /// How many of the last bytes may be trimmed: a `\r` waits for its `\n`.
    pub(crate) fn trailing(self, bytes: &[u8]) -> usize {
        let last = bytes.iter().rev();
        match (self, bytes) {
            (Trim::Blanks, _) => last.take_while(|&&byte| is_blank(byte)).count(),
            (Trim::Lines, _) => last.take_while(|byte| b"\n\r".contains(byte)).count(),
            (Trim::PairedNl | Trim::OwnNl, [.., b'\r', b'\n']) => 2,
            (Trim::PairedNl | Trim::OwnNl, [.., b'\n' | b'\r']) => 1,
            _ => 0,
        }
    }
}

/// A raw value, and all that decides where it ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextNode {
    pub(crate) role: RuleRole,
    /// The argument it is, where no key was captured.
    pub(crate) argument: Option<Box<str>>,
    /// Whether it is an item of a list.
    pub(crate) list: InList,
    /// It may be JSON, or be inside one of these quotes.
    pub(crate) quotes: Option<Box<[String]>>,
    /// Or it may be a string in one of these styles.
    pub(crate) spelt_quotes: Box<[QuoteStyle]>,
    /// Nothing in it is escaped: it is a section of CDATA.
    pub(crate) is_cdata: bool,
    /// It is a text where the schema allows one.
    pub(crate) is_string: bool,
    /// The escapes in it: the written form, then its meaning.
    pub(crate) escapes: Arc<[(String, String)]>,
    /// What ends it.
    pub(crate) delimiter: Delimiter,
    pub(crate) next: NodeId,
    /// The node after the trimming part.
    pub(crate) follow: NodeId,
    pub(crate) trim: Trim,
    /// Closers of the enclosing terms, reached from `follow` by skipping one to four closers.
    pub(crate) enclosing: Vec<NodeId>,
    /// Nothing follows its closer.
    pub(crate) is_last: bool,
    /// The literal that starts a value like this one.
    pub(crate) own: Option<NodeId>,
    /// That literal is always at the start of its line.
    pub(crate) own_starts_line: bool,
    /// Where the literal right before it ends with a blank: the second bytes of the literals that start with one and may
    /// end it. That blank is theirs if the value is empty.
    pub(crate) after_blank: ByteSet,
    /// The literal right before it, if that is optional.
    pub(crate) lead_in: Option<Box<[u8]>>,
    /// The closer holds the key: only the same key nests.
    pub(crate) own_needs_same_key: bool,
    /// The first three bytes of the literals that the lookahead looks for.
    pub(crate) prefilter: Prefilter,
    /// It ends with its line where it is not in quotes or brackets.
    pub(crate) may_end_line: bool,
    pub(crate) leads: Vec<Lead>,
    /// The entry may end here without a closer.
    pub(crate) open_ended: bool,
    /// The closer is a stop string: if the model stopped at it, the message ends without it.
    pub(crate) stop_string: bool,
    /// A closer is a run of backticks.
    pub(crate) fence: bool,
}

/// A literal that may end a value, or nest another in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lead {
    pub(crate) pieces: Box<[Piece]>,
    pub(crate) fold: bool,
    /// The bytes that may follow it.
    pub(crate) then: ByteSet,
    pub(crate) role: LeadRole,
}

/// What a literal inside a value does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeadRole {
    /// It may end the value, or nest another in it.
    Ends,
    /// It ends and nests nothing, but puts the value that holds it in doubt.
    Doubts,
    /// The same, unless the call has the argument of `value`, which it opens, perhaps only at the start of a line.
    Opens { value: NodeId, starts_line: bool },
    /// It stands for another text, and nothing in it ends the value.
    Escape,
}

/// How bytes fit a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fits {
    Not,
    /// They fit as far as they go: more bytes decide.
    SoFar,
    Whole,
}

/// How `bytes` fit `wanted`; `fold`: letter case does not count.
pub(crate) fn fits(wanted: &[u8], bytes: &[u8], fold: bool) -> Fits {
    let length = wanted.len().min(bytes.len());
    let same = if fold {
        wanted[..length].eq_ignore_ascii_case(&bytes[..length])
    } else {
        wanted[..length] == bytes[..length]
    };
    match same {
        false => Fits::Not,
        true if length < wanted.len() => Fits::SoFar,
        true => Fits::Whole,
    }
}

/// How a literal may be damaged in one place: characters that are missing, and characters in their place.
const EDITS: [(usize, usize); 8] = [
    (0, 1),
    (1, 0),
    (1, 1),
    (2, 0),
    (0, 2),
    (2, 1),
    (1, 2),
    (2, 2),
];

/// How `bytes` start with `wanted`, damaged by one of [`EDITS`], and the length of the match.
pub(crate) fn near(wanted: &[u8], bytes: &[u8], (fold, eof): (bool, bool)) -> (Fits, usize) {
    let same = |(a, b): &(&u8, &u8)| a == b || fold && a.eq_ignore_ascii_case(b);
    let starts_char =
        |bytes: &[u8], at: usize| bytes.get(at).is_none_or(|byte| byte & 0xC0 != 0x80);
    let n = wanted.iter().zip(bytes).take_while(same).count();
    let n = (0..=n).rfind(|&at| starts_char(wanted, at)).unwrap_or(0);
    // Where `count` characters after `n` end.
    let skip = |bytes: &[u8], count| {
        (n..=bytes.len())
            .filter(|&at| starts_char(bytes, at))
            .nth(count)
    };
    // A line of a text is not a damage.
    let is_line = |all: &[u8]| all.contains(&b'\n') && all.iter().any(u8::is_ascii_alphanumeric);
    for (missing, extra) in EDITS {
        let Some(rest) = skip(wanted, missing).map(|at| &wanted[at..]) else {
            continue;
        };
        if n + rest.len() < MISSPELT_MIN {
            continue;
        }
        // If its end is missing, no word continues there.
        let continues = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        match skip(bytes, extra).map(|at| (at, &bytes[at..])) {
            Some((_, &[byte, ..])) if rest.is_empty() && continues(byte) => {}
            None | Some((_, [])) if !eof => return (Fits::SoFar, 0),
            None => {}
            Some((at, _)) if is_line(&bytes[n..at]) => {}
            Some((at, found)) => match fits(rest, found, fold) {
                Fits::Whole => return (Fits::Whole, at + rest.len()),
                Fits::SoFar if !eof => return (Fits::SoFar, 0),
                _ => {}
            },
        }
    }
    (Fits::Not, 0)
}

/// A literal with its holes filled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literal<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) fold: bool,
    pub(crate) mark: bool,
    pub(crate) next: NodeId,
}

impl Literal<'_> {
    /// Whether `byte` fits at `off`.
    pub(crate) fn takes(&self, off: u16, byte: u8) -> bool {
        let wanted = self.bytes[usize::from(off)];
        wanted == byte || (self.fold && wanted.eq_ignore_ascii_case(&byte))
    }

    /// Whether `bytes` start with it.
    pub(crate) fn fits(&self, bytes: &[u8]) -> Fits {
        fits(self.bytes, bytes, self.fold)
    }
}

impl Lead {
    /// Whether it starts with the end of a line, perhaps after blanks, and ends a value.
    pub(crate) fn breaks_line(&self) -> bool {
        let text = self.pieces.first().and_then(Piece::text);
        let line = text.unwrap_or_default().trim_start_matches(' ');
        self.role == LeadRole::Ends && line.starts_with(['\n', '\r'])
    }

    /// How many bytes it has at least: one for each hole.
    pub(crate) fn length(&self) -> usize {
        let length = |piece: &Piece| match piece {
            Piece::Bytes(text) => text.len(),
            Piece::Hole(_) => 1,
        };
        self.pieces.iter().map(length).sum()
    }

    /// Whether `bytes` start with it and a byte that may follow it; `captured` fills its holes.
    pub(crate) fn fits<'a>(&self, bytes: &[u8], captured: impl Fn(Capture) -> &'a str) -> Fits {
        let mut rest = bytes;
        for piece in &self.pieces {
            let wanted = match piece {
                Piece::Bytes(text) => text.as_bytes(),
                Piece::Hole(what) => captured(*what).as_bytes(),
            };
            match fits(wanted, rest, self.fold) {
                Fits::Whole => rest = &rest[wanted.len()..],
                other => return other,
            }
        }
        let is_skipped = |byte: u8| byte == b' ' && self.then == ByteSet::LINE_END;
        match rest.iter().find(|&&byte| !is_skipped(byte)) {
            Some(&byte) if !self.then.has(byte) => Fits::Not,
            None if self.then != ByteSet::ALL => Fits::SoFar,
            _ => Fits::Whole,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ObjectNode {
    pub(crate) envelope: Envelope,
    /// The keys of its roles, except those of paths.
    pub(crate) keys: Arc<[String]>,
    pub(crate) closers: Arc<[String]>,
    pub(crate) next: NodeId,
}

#[derive(Clone, Debug)]
pub(crate) struct XmlNode {
    /// The text before every tag.
    pub(crate) prefix: Option<Box<str>>,
    /// The caller's closers, in order.
    pub(crate) closers: Arc<[String]>,
    pub(crate) next: NodeId,
}

impl Node {
    /// The bytes of a literal without holes.
    pub(crate) fn literal(&self) -> Option<&[u8]> {
        match self {
            Node::Literal { bytes, .. } => Some(bytes),
            _ => None,
        }
    }

    /// Whether it is a literal that is long enough to be evidence.
    pub(crate) fn is_evidence(&self) -> bool {
        (self.literal()).is_some_and(|bytes| bytes.len() >= MARKER_MIN)
    }

    /// Whether it reads nothing, and something may follow: an edge without a byte.
    pub(crate) fn is_epsilon(&self) -> bool {
        matches!(
            self,
            Node::Split(_)
                | Node::Bol { .. }
                | Node::Start { .. }
                | Node::Flag { .. }
                | Node::Forms(_)
                | Node::Enter { .. }
                | Node::Exit { .. }
        )
    }

    /// Whether it reads blanks, which may be missing.
    pub(crate) fn is_blank(&self) -> bool {
        matches!(self, Node::Ws { .. } | Node::Nl { .. })
    }

    pub(crate) fn is_body(&self) -> bool {
        matches!(
            self,
            Node::Text(_) | Node::Json { .. } | Node::Object(_) | Node::Xml(_) | Node::Py { .. }
        )
    }
}
