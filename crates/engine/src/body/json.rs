//! One JSON object that is the arguments.

use alloc::string::String;
use alloc::sync::Arc;

use toolglot_json::internal::StringRun;
use toolglot_json::{Output, Root, Step, Transducer};

use super::escaped::Escaped;
use crate::Span;
use crate::program::NodeId;

/// A JSON body being read.
#[derive(Debug)]
pub(crate) struct JsonBody {
    pub(crate) node: NodeId,
    pub(crate) json: Transducer,
    pub(crate) out: Output,
    root: Root,
    escaped: Escaped,
}

impl JsonBody {
    pub(crate) fn new(
        node: NodeId,
        root: Root,
        quote: Option<&str>,
        closers: &Arc<[String]>,
        openers: &Arc<[String]>,
    ) -> JsonBody {
        let mut json = Transducer::new(root)
            .with_quote(quote)
            .with_closers(Arc::clone(closers));
        json.expect_openers(openers);
        json.stop_at_strings();
        JsonBody {
            node,
            json,
            out: Output::default(),
            root,
            escaped: Escaped::default(),
        }
    }

    /// Reads `text`, which is at `at`.
    pub(crate) fn feed(&mut self, text: &str, at: u64) -> (usize, Step) {
        let is_object = self.root == Root::Object;
        self.escaped
            .feed(is_object, &mut self.json, (text, at), &mut self.out)
    }

    /// Sets the place of repairs at the message's end, or at a byte that is not JSON.
    pub(crate) fn place(&mut self, at: u64) {
        self.escaped.place(&mut self.out.repairs, Span::empty(at));
    }

    /// How much of `text` is inside the open string.
    pub(crate) fn string_run(&self, text: &str) -> StringRun {
        if self.escaped != Escaped::No {
            return StringRun::default();
        }
        self.json.string_run(text)
    }
}
