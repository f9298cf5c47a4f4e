//! Tool files: where they are, and how an id finds one.
//!
//! A [`Registry`] searches three spaces in this order: `.ai/tools` of the project, `.ai/tools` of the user, and the set
//! that comes with toolglot. Servers of `.mcp.json` and the tools of approved servers are files in it too.
//! It finds a [`ToolSource`]: a text that is read once, and values that are computed from the text on first use.
//!
//! It runs nothing, and does not decide which tools may run: `toolglot-tool-trust` does. `toolglot-tool-files` reads
//! the text of a file, and `toolglot-tool-runner` calls it. No link and no `..` leads out of a directory of tools.
//!
//! ```
//! use toolglot_tool_registry::{ItemId, Registry, Space, Spaces};
//!
//! # let root = std::env::temp_dir().join(format!("toolglot-tool-registry-example-{}", std::process::id()));
//! # std::fs::create_dir_all(root.join(".ai/tools/work"))?;
//! std::fs::write(root.join(".ai/tools/work/greet-it.sh"), "#!/bin/bash\necho hi\n")?;
//! let spaces = Spaces { project: Some(root.clone()), user: None };
//! let registry = Registry::open(&spaces)?;
//!
//! let found = registry.find(&ItemId::new("work/greet-it")?)?;
//! assert_eq!((found.space, found.extension), (Space::Project, "sh"));
//! let wrong = registry.find(&ItemId::new("work/greet-its")?).unwrap_err();
//! assert_eq!(wrong.to_string(), "unknown tool `work/greet-its`; did you mean `work/greet-it`?");
//! # std::fs::remove_dir_all(root)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chain;
mod entry;
mod find_error;
mod registry;
mod servers;
mod stamp;
mod system;
mod tool_source;

pub use chain::{Link, LinkError, validate as validate_chain};
pub use entry::Entry;
pub use find_error::FindError;
pub use registry::Registry;
pub use stamp::FileStamp;
pub use system::system_file;
pub use tool_source::{Sibling, ToolSource};

// The types in the signatures of this crate. The other items of those crates keep their own paths.
pub use toolglot_tool_files::{IdError, ItemId, Language, ToolFile};
pub use toolglot_tool_trust::{Space, Spaces, Trust};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
