//! The signature with which a client with a key authenticates: a JWT (RFC 7523 section 2.2, RFC 7519, ES256 of RFC
//! 7518).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use toolglot_value::json;

use super::error::AuthError;
use super::secret::{Secret, base64url, random};

/// How long an assertion is valid, in seconds.
const LIFE: u64 = 120;

/// The kind of assertion, as the token endpoint expects it.
pub(super) const KIND: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// An assertion to `audience` that the request is from `client`, made at `now` in seconds of Unix.
pub(super) fn signed(
    key: &Secret,
    client: &str,
    audience: &str,
    now: u64,
) -> Result<String, AuthError> {
    let bad = |why: &str| AuthError::Client(format!("its key {why}"));
    let text = key.reveal();
    let inner = text
        .split("-----BEGIN PRIVATE KEY-----")
        .nth(1)
        .and_then(|rest| rest.split("-----END PRIVATE KEY-----").next());
    let inner: String = inner
        .ok_or_else(|| bad("is not PEM of PKCS#8 (`BEGIN PRIVATE KEY`)"))?
        .split_ascii_whitespace()
        .collect();
    let bytes = STANDARD.decode(inner).map_err(|_| bad("is not base64"))?;
    let random_bytes = SystemRandom::new();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &bytes, &random_bytes);
    let pair = pair.map_err(|_| bad("is not a key of the curve P-256, which ES256 needs"))?;
    let head = json!({"alg": "ES256", "typ": "JWT"}).to_string();
    let claims = json!({
        "iss": client, "sub": client, "aud": audience, "jti": random::<16>()?, "iat": now, "exp": now + LIFE,
    });
    let text = format!(
        "{}.{}",
        base64url(head.as_bytes()),
        base64url(claims.to_string().as_bytes())
    );
    let signature = pair
        .sign(&random_bytes, text.as_bytes())
        .map_err(|_| bad("signs nothing"))?;
    Ok(format!("{text}.{}", base64url(signature.as_ref())))
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, KeyPair, UnparsedPublicKey};
    use toolglot_value::Value;

    use super::*;

    #[test]
    fn what_is_signed_verifies_and_says_who_for_whom() {
        let random_bytes = SystemRandom::new();
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random_bytes)
            .expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            key.as_ref(),
            &random_bytes,
        )
        .expect("a key");
        let pem = format!(
            "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
            STANDARD.encode(key.as_ref())
        );
        let made = signed(&Secret::new(pem), "me", "https://issuer", 1000).expect("signed");
        let (text, signature) = made.rsplit_once('.').expect("three parts");
        let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref());
        public
            .verify(text.as_bytes(), &signature)
            .expect("it verifies");
        let claims = text.split('.').nth(1).expect("claims");
        let claims: Value =
            toolglot_value::from_slice(&URL_SAFE_NO_PAD.decode(claims).expect("base64"))
                .expect("JSON");
        let (iss, aud, exp) = (&claims["iss"], &claims["aud"], &claims["exp"]);
        assert_eq!(
            (iss, aud, exp),
            (&json!("me"), &json!("https://issuer"), &json!(1120))
        );
    }

    #[test]
    fn no_key_is_an_error_that_does_not_show_it() {
        for text in [
            "",
            "secret",
            "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----",
        ] {
            let error = signed(&Secret::new(text), "me", "https://issuer", 0).expect_err("no key");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
