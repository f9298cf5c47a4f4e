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
        openers: &Arc<[String]>,
    ) -> JsonBody {
        let mut json = Transducer::new(root)
            .with_quote(quote)
            .with_closers(Arc::clone(closers));
        json.expect_openers(openers);
        JsonBody {
            node,
            json,
            out: Output::default(),
        }
    }
}
