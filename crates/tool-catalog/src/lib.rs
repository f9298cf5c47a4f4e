//! The tools of a project: one answer about each.
//!
//! A [`Catalog`] holds the registry and the trust store of a project. It finds the tools that ids and patterns name,
//! and answers whether each of them runs and why it may ([`CatalogAnswer`]). It checks their files ([`CheckedFile`]),
//! and lists all tools ([`Listing`]). It signs a file in place, and writes a new one.
//!
//! It calls no tool, reads no policy file and prints nothing: the requirements of a policy are an argument, and the
//! results are values or JSON.
//!
//! ```
//! use toolglot_tool_catalog::{Catalog, CatalogAnswer, create_tool};
//! use toolglot_tool_trust::{TrustRequirements, Spaces};
//!
//! # let root = std::env::temp_dir().join(format!("toolglot-tool-catalog-example-{}", std::process::id()));
//! # std::fs::create_dir_all(&root)?;
//! create_tool(&root, "work/greet-it", "bash")?;
//! let spaces = Spaces { project: Some(root.clone()), user: None };
//! let catalog = Catalog::open(&spaces, TrustRequirements::default())?;
//! for tool in catalog.named(&["work/*".to_owned()])? {
//!     assert_eq!(CatalogAnswer::of(&catalog, &tool).to_json()["status"], "unsigned");
//! }
//! # std::fs::remove_dir_all(root)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! - `mcp`, on by default: MCP servers and their tools in the catalog.

mod answer;
mod catalog;
mod check;
mod creation;
mod error;
mod line_changes;
mod listing;
mod row_cache;
mod signing;

pub use answer::{CatalogAnswer, brief, diagnostic};
pub use catalog::Catalog;
pub use check::CheckedFile;
pub use creation::{CreatedTool, create_tool};
pub use error::CatalogError;
pub use line_changes::line_changes;
pub use listing::Listing;
pub use row_cache::{Row, RowCache};
pub use signing::{FileSigning, sign_file};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
