//! Keys in the formats of their files. RFC 8410: the DER around an Ed25519 key is always the same bytes.

use std::fmt;

use base64::Engine as _;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::body::hex;
use crate::header::STANDARD;

/// SubjectPublicKeyInfo of an Ed25519 key, up to the key.
const SPKI: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];
/// PKCS#8 version 1, up to the seed.
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];
/// Version 2 differs in two bytes and has the public key after the seed.
const PKCS8_V2: [u8; 16] = [
    0x30, 0x51, 0x02, 0x01, 0x01, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// Why a key cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The text is not a PEM block of that kind.
    #[error("no PEM block `{0}` is in it")]
    NoPem(&'static str),
    /// The bytes are not an Ed25519 key.
    #[error("it holds no Ed25519 key")]
    NoKey,
}

/// The public half of a key.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads `-----BEGIN PUBLIC KEY-----`.
    ///
    /// # Errors
    /// If it is invalid or weak.
    pub fn from_pem(pem: &str) -> Result<PublicKey, KeyError> {
        let der = unwrap(pem, "PUBLIC KEY")?;
        let raw = der.strip_prefix(&SPKI).ok_or(KeyError::NoKey)?;
        PublicKey::from_bytes(raw)
    }

    /// Reads `ed25519:<base64>`, the form of later trust files.
    ///
    /// # Errors
    /// If it is invalid or weak.
    pub fn from_text(text: &str) -> Result<PublicKey, KeyError> {
        let encoded = text
            .trim()
            .strip_prefix("ed25519:")
            .ok_or(KeyError::NoKey)?;
        let raw = STANDARD.decode(encoded).map_err(|_| KeyError::NoKey)?;
        PublicKey::from_bytes(&raw)
    }

    fn from_bytes(raw: &[u8]) -> Result<PublicKey, KeyError> {
        let raw: &[u8; 32] = raw.try_into().map_err(|_| KeyError::NoKey)?;
        let key = VerifyingKey::from_bytes(raw).map_err(|_| KeyError::NoKey)?;
        if key.is_weak() {
            return Err(KeyError::NoKey);
        }
        Ok(PublicKey(key))
    }

    /// The PEM block, with its final line break: what the fingerprint covers.
    pub fn to_pem(&self) -> String {
        let mut der = SPKI.to_vec();
        der.extend_from_slice(self.0.as_bytes());
        wrap(&der, "PUBLIC KEY")
    }

    /// 16 digits of the hash of the PEM block: the name of the key in version 1.
    pub fn fingerprint(&self) -> String {
        let mut digits = hex(&Sha256::digest(self.to_pem().as_bytes()));
        digits.truncate(16);
        digits
    }

    /// 64 digits of the hash of the raw key: the name of the key in Rye's rewrite.
    pub fn long_fingerprint(&self) -> String {
        hex(&Sha256::digest(self.0.as_bytes()))
    }

    /// Whether `signature` is this key's signature of `message`. The check is strict: each message has one valid
    /// signature.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.0.verify_strict(message, &signature).is_ok())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.fingerprint())
    }
}

/// The private half of a key.
pub struct PrivateKey(SigningKey);

impl PrivateKey {
    /// A new key.
    ///
    /// # Errors
    /// If the system gives no random bytes.
    pub fn generate() -> Result<PrivateKey, getrandom::Error> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        Ok(PrivateKey(SigningKey::from_bytes(&seed)))
    }

    /// Reads `-----BEGIN PRIVATE KEY-----`, PKCS#8 of either version.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn from_pem(pem: &str) -> Result<PrivateKey, KeyError> {
        let der = unwrap(pem, "PRIVATE KEY")?;
        let seed = der
            .strip_prefix(&PKCS8)
            .or_else(|| der.strip_prefix(&PKCS8_V2))
            .and_then(|rest| rest.first_chunk::<32>())
            .ok_or(KeyError::NoKey)?;
        Ok(PrivateKey(SigningKey::from_bytes(seed)))
    }

    /// The PEM block: a secret.
    pub fn to_pem(&self) -> String {
        let mut der = PKCS8.to_vec();
        der.extend_from_slice(self.0.as_bytes());
        wrap(&der, "PRIVATE KEY")
    }

    /// The public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey({})", self.public().fingerprint())
    }
}

fn wrap(der: &[u8], kind: &str) -> String {
    let encoded = STANDARD.encode(der);
    let mut pem = format!("-----BEGIN {kind}-----\n");
    for line in encoded.as_bytes().chunks(64) {
        pem.extend(line.iter().map(|byte| char::from(*byte)));
        pem.push('\n');
    }
    pem.push_str("-----END ");
    pem.push_str(kind);
    pem.push_str("-----\n");
    pem
}

fn unwrap(pem: &str, kind: &'static str) -> Result<Vec<u8>, KeyError> {
    let begin = format!("-----BEGIN {kind}-----");
    let end = format!("-----END {kind}-----");
    let body = pem
        .split_once(&begin)
        .and_then(|(_, rest)| rest.split_once(&end))
        .map(|(body, _)| body)
        .ok_or(KeyError::NoPem(kind))?;
    let encoded: String = body.split_whitespace().collect();
    STANDARD.decode(encoded).map_err(|_| KeyError::NoKey)
}
