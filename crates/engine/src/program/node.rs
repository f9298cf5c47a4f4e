//! The graph that rules are compiled to. It has no recursion: rules are inlined, `*` is a back edge.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::bytes::{ByteSet, Finder};
use crate::grammar::{Capture, Envelope, Piece};

pub(crate) type NodeId = u32;

/// What a rule's name makes of its extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleRole {
    Call,
    Think,
    Say,
    Stop,
}

/// One node. `next` is where a thread goes on.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Bytes. `mark`: a thread that read it stands behind a marker, so that not only the name marks the call.
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
    /// The entry's begin stands at a line's begin.
    Bol {
        next: NodeId,
    },
    /// The entry's begin stands at the message's begin.
    Start {
        next: NodeId,
    },
    End {
        next: NodeId,
    },
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
    /// The only texts that fit; empty: any.
    pub(crate) one_of: Box<[Box<str>]>,
    /// Bytes that end it.
    pub(crate) stop: ByteSet,
    pub(crate) next: NodeId,
}

#[derive(Clone, Debug)]
pub(crate) struct AttrsNode {
    /// Letter case of attributes' names does not count.
    pub(crate) fold: bool,
    pub(crate) attributes: Box<[AttributeNode]>,
    pub(crate) stop: ByteSet,
    pub(crate) next: NodeId,
}

#[derive(Clone, Debug)]
pub(crate) struct AttributeNode {
    pub(crate) capture: Option<Capture>,
    pub(crate) argument: Option<Box<str>>,
    pub(crate) keys: Box<[Box<str>]>,
}

/// How blanks at the ends of a value are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trim {
    None,
    /// `ws`: all blanks before the closer.
    Blanks,
    /// `nl`: one line break, if one was left out at the begin.
    PairedNl,
    /// `nl?`: one line break.
    OwnNl,
    /// `"\n"*`: all line breaks before the closer.
    Lines,
}

/// A raw value, and all that tells where it ends.
#[derive(Clone, Debug)]
pub(crate) struct TextNode {
    pub(crate) role: RuleRole,
    /// The argument it is, where no key was captured.
    pub(crate) argument: Option<Box<str>>,
    pub(crate) next: NodeId,
    /// Behind the trimming part.
    pub(crate) follow: NodeId,
    pub(crate) trim: Trim,
    /// Closers of what encloses the value, reached from `follow` by leaving out one to four closers.
    pub(crate) enclosing: Vec<NodeId>,
    /// The literal that begins a value like this one.
    pub(crate) own: Option<NodeId>,
    /// The literal right before it, where that may be left out.
    pub(crate) lead_in: Option<Box<[u8]>>,
    /// The closer holds the key: only the same key nests.
    pub(crate) own_needs_same_key: bool,
    /// The first bytes of what a probe looks for, and the literals that begin with them.
    pub(crate) first: Finder,
    /// What may stand in the two places behind that byte.
    pub(crate) behind: [ByteSet; 2],
    pub(crate) leads: Vec<Lead>,
    /// The entry may end here without a closer.
    pub(crate) open_ended: bool,
    /// The closer is a stop string: where the model stopped at it, the message ends without it.
    pub(crate) stop_string: bool,
    /// A closer is a run of backticks.
    pub(crate) fence: bool,
}

/// A literal that may end a value, or nest another in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lead {
    pub(crate) pieces: Box<[Piece]>,
    pub(crate) fold: bool,
    /// What may stand behind it.
    pub(crate) then: ByteSet,
}

/// How bytes fit a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fits {
    Not,
    /// As far as they are here: more of them decide.
    SoFar,
    Whole,
}

impl Lead {
    /// Whether `bytes` begin with it, and with what may stand behind it; `captured` fills its holes.
    #[inline]
    pub(crate) fn fits<'a>(&self, bytes: &[u8], captured: impl Fn(Capture) -> &'a str) -> Fits {
        let mut rest = bytes;
        for piece in &self.pieces {
            let wanted = match piece {
                Piece::Bytes(text) => text.as_bytes(),
                Piece::Hole(what) => captured(*what).as_bytes(),
            };
            let length = wanted.len().min(rest.len());
            let (begin, behind) = rest.split_at(length);
            let same = if self.fold {
                wanted[..length].eq_ignore_ascii_case(begin)
            } else {
                wanted[..length] == *begin
            };
            if !same {
                return Fits::Not;
            }
            if length < wanted.len() {
                return Fits::SoFar;
            }
            rest = behind;
        }
        match rest.first() {
            Some(&byte) if !self.then.has(byte) => Fits::Not,
            None if self.then != ByteSet::ALL => Fits::SoFar,
            _ => Fits::Whole,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ObjectNode {
    pub(crate) envelope: Envelope,
    /// The keys of its roles, those of paths aside.
    pub(crate) keys: Arc<[String]>,
    pub(crate) closers: Arc<[String]>,
    pub(crate) next: NodeId,
}

#[derive(Clone, Debug)]
pub(crate) struct XmlNode {
    /// What precedes every tag.
    pub(crate) prefix: Option<Box<str>>,
    /// The caller's closers, in order.
    pub(crate) closers: Arc<[String]>,
    pub(crate) next: NodeId,
}

impl Node {
    pub(crate) fn is_body(&self) -> bool {
        matches!(
            self,
            Node::Text(_) | Node::Json { .. } | Node::Object(_) | Node::Xml(_) | Node::Py { .. }
        )
    }
}
