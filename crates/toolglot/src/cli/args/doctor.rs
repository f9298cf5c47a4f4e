//! `toolglot doctor`.

#[cfg(feature = "serve")]
use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Ask this model server how it handles tools, and write the file for `serve --config`
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,
    /// A model to try; may be repeated. Without it, the first four that the server names
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "NAME", requires = "upstream")]
    pub(crate) model: Vec<String>,
    /// A file with the key of the server; also by the variable `TOOLGLOT_UPSTREAM_KEY`
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "FILE", requires = "upstream")]
    pub(crate) upstream_key_file: Option<PathBuf>,
    /// How long the server may stay silent, in seconds
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "SECONDS", default_value_t = 300, requires = "upstream", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) upstream_timeout: u32,
}
