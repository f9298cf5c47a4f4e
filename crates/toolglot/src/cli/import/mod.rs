//! Templates of checkpoints, by `toolglot-import`: the cargo feature `import`. Without it, each command says so.

#[cfg(feature = "import")]
mod detect;
#[cfg(not(feature = "import"))]
mod left_out;
#[cfg(feature = "import")]
mod response_template;

#[cfg(feature = "import")]
pub(crate) use {
    detect::{detect, draft, match_template},
    response_template::imported,
};

#[cfg(not(feature = "import"))]
pub(crate) use left_out::{detect, draft, imported, match_template};
