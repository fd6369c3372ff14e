//! A token, and its claims once its signature is checked.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::Value;

use super::{Algorithm, KeyName, Keys};

/// Longest token, in bytes: more than any header of a request holds.
const LONGEST: usize = 16 * 1024;

/// Members of a header that count here (RFC 7515, 4.1).
#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    /// Extensions that have to be understood: none is.
    crit: Option<Value>,
}

/// A token whose signature is not checked yet, so that no one can read what it says.
pub(crate) struct Token<'a> {
    name: KeyName,
    signed: &'a [u8],
    signature: Vec<u8>,
    claims: &'a str,
}

impl<'a> Token<'a> {
    /// Reads a token; an error says what is wrong with it.
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

    /// Which key it says that it is signed with.
    pub(crate) fn key_name(&self) -> &KeyName {
        &self.name
    }

    /// What it says, where one of these keys has signed it.
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

/// Whether a token of this type may be one of access (RFC 9068, 2.1; many issuers write JWT).
fn is_token(typ: &str) -> bool {
    let typ = typ.to_ascii_lowercase();
    let typ = typ.strip_prefix("application/").unwrap_or(&typ);
    matches!(typ, "at+jwt" | "jwt")
}
