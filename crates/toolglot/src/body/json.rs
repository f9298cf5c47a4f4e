//! One JSON object that is the arguments.

use alloc::string::String;
use alloc::sync::Arc;

use toolglot_json::{Output, Root, Transducer};

use crate::program::NodeId;

/// A JSON body being read.
#[derive(Debug)]
pub(crate) struct JsonBody {
    pub(crate) node: NodeId,
    pub(crate) json: Transducer,
    pub(crate) out: Output,
}

impl JsonBody {
    pub(crate) fn new(
        node: NodeId,
        root: Root,
        quote: Option<&str>,
        closers: &Arc<[String]>,
    ) -> JsonBody {
        JsonBody {
            node,
            json: Transducer::new(root)
                .with_quote(quote)
                .with_closers(Arc::clone(closers)),
            out: Output::default(),
        }
    }
}
