//! The signature line of a tool file, and the text that it covers.
//!
//! Finds the signature line of a text, signs a text with an Ed25519 key, and verifies a text against a ring of keys.
//! Version 1 is Rye's, byte for byte: Ed25519 over the hexadecimal SHA-256 of the file without its signature line.
//! Version 1 covers neither its time nor its key id, nor the place of the file.
//! Version 2 covers id, version, time and body. Two later headers of Rye are read.
//!
//! It reads and writes no file, knows no clock, and does not decide whether a signed file may run. The caller decides
//! which keys are trusted, and compares a file with those that were seen before.
//!
//! ```
//! use toolglot_tool_signature::{Keyring, PrivateKey, SignatureError, Signer, Style, sign, verify};
//!
//! let key = PrivateKey::generate()?;
//! let mut keys = Keyring::default();
//! keys.add(Signer { key: key.public(), owner: "ann".to_owned(), revoked: None });
//!
//! let binding = Some(("work/greet-it", "1.0.0"));
//! let signed = sign("print('hi')\n", Style::Hash, &key, "2026-02-23T05:24:41Z", binding);
//! assert!(signed.starts_with("# toolglot:signed:2:2026-02-23T05:24:41Z:work/greet-it:1.0.0:"));
//! assert_eq!(verify("work/greet-it", &signed, Style::Hash, &keys)?.owner, "ann");
//!
//! let edited = signed.replace("hi", "ho");
//! let refusal = verify("work/greet-it", &edited, Style::Hash, &keys).unwrap_err();
//! assert!(matches!(refusal, SignatureError::Edited { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod header;
mod keys;
mod parts;
mod style;
mod verify;

pub use body::{body, digest, hex};
pub use header::{Generation, Header, is_malformed, is_signature_like, signature_line};
pub use keys::{KeyError, PrivateKey, PublicKey};
pub use style::{BOM, Item, Style};
pub use verify::{Keyring, SignatureError, Signer, Verification, sign, verify};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
