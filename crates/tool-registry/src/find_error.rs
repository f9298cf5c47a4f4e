//! Why a tool cannot be found or read.

use std::io;

use thiserror::Error;
use toolglot_tool_files::MAX_BYTES;

/// Why a tool cannot be found or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FindError {
    /// No file has that id.
    #[error("unknown tool `{id}`{}", .nearest.as_ref().map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default())]
    NotFound {
        /// The id.
        id: String,
        /// The nearest id of a tool.
        nearest: Option<String>,
    },
    /// Two files have that id, and neither may replace the other.
    #[error("`{id}` is defined twice: in {} and in {}", .places[0], .places[1])]
    Ambiguous {
        /// The id.
        id: String,
        /// Where.
        places: [String; 2],
    },
    /// A link leads out of the directory of tools.
    #[error("`{path}` is below a symbolic link that leads out of `.ai/tools`, or is one")]
    Escapes {
        /// The file.
        path: String,
    },
    /// The path is not a regular file.
    #[error("`{path}` is not a regular file")]
    NotRegular {
        /// The file.
        path: String,
    },
    /// The file is larger than a tool may be.
    #[error("`{path}` has {bytes} bytes; {MAX_BYTES} are the most")]
    TooLarge {
        /// The file.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// The bytes are not UTF-8.
    #[error("`{path}` is not UTF-8 text")]
    NotText {
        /// The file.
        path: String,
    },
    /// An error of the operating system.
    #[error("cannot read `{path}`: {}", reason(source))]
    Io {
        /// The file.
        path: String,
        /// The system's error.
        #[source]
        source: io::Error,
    },
}

/// Why a file cannot be read, in plain words.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is a link to what is not there".to_owned(),
        _ if error.raw_os_error() == Some(40) => "its links lead in a circle".to_owned(),
        _ => error.to_string(),
    }
}
