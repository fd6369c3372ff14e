//! A token, and its claims once its signature is checked.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::Value;

use super::{Algorithm, KeyName, Keys};

/// Maximum length of a token in bytes. No request header is longer.
const LONGEST: usize = 16 * 1024;

/// The members of a header that Stead needs (RFC 7515, 4.1).
#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    /// Extensions that a reader must understand. Stead supports none.
    crit: Option<Value>,
}

/// A token whose signature isn't checked yet. Its claims are private until then.
pub(crate) struct Token<'a> {
    name: KeyName,
    signed: &'a [u8],
    signature: Vec<u8>,
    claims: &'a str,
}

impl<'a> Token<'a> {
    /// Parses a token. An error says what is wrong with it.
    pub(crate) fn read(text: &'a str) -> Result<Self, &'static str> {
        const UNREADABLE: &str = "it isn't a signed JWT";
        if text.len() > LONGEST {
            return Err("it is too long");
        }
        let (signed, signature) = text.rsplit_once('.').ok_or(UNREADABLE)?;
        let (header, claims) = signed.split_once('.').ok_or(UNREADABLE)?;
        let header = URL_SAFE_NO_PAD.decode(header).map_err(|_| UNREADABLE)?;
        let header: Header = serde_json::from_slice(&header).map_err(|_| UNREADABLE)?;
        let algorithm = Algorithm::named(&header.alg)
            .ok_or("it isn't signed with RS256, PS256, ES256 or EdDSA")?;
        if header.crit.is_some() {
            return Err("its header needs an extension that Stead doesn't support");
        }
        if !header.typ.as_deref().is_none_or(is_token) {
            return Err("its type isn't at+jwt or JWT");
        }
        Ok(Self {
            name: KeyName {
                algorithm,
                kid: header.kid,
            },
            signed: signed.as_bytes(),
            signature: URL_SAFE_NO_PAD.decode(signature).map_err(|_| UNREADABLE)?,
            claims,
        })
    }

    /// The key that the token names.
    pub(crate) fn key_name(&self) -> &KeyName {
        &self.name
    }

    /// Returns the claims, if one of these keys signed the token.
    pub(crate) fn claims(&self, keys: &Keys) -> Result<Value, &'static str> {
        let key = keys
            .find(&self.name)
            .ok_or("the issuer doesn't publish the key that signed it")?;
        if !key.has_signed(self.name.algorithm, self.signed, &self.signature) {
            return Err("its signature is wrong");
        }
        let claims = URL_SAFE_NO_PAD.decode(self.claims).ok();
        claims
            .and_then(|claims| serde_json::from_slice(&claims).ok())
            .filter(Value::is_object)
            .ok_or("its claims can't be read")
    }
}

/// Whether a token's type can be that of an access token (RFC 9068, 2.1). Many issuers write `JWT`.
fn is_token(typ: &str) -> bool {
    let typ = typ.to_ascii_lowercase();
    let typ = typ.strip_prefix("application/").unwrap_or(&typ);
    matches!(typ, "at+jwt" | "jwt")
}
