//! Content of a part: a text unchanged, a file decoded, everything else as JSON.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::handle::Reference;
use crate::{
    Error, ErrorKind, Result,
    resource::{Execution, ResultFile},
};

/// Standard base64, padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Extracts the referenced part from the result of its call.
pub(in crate::call) fn content(reference: Reference, execution: &Execution) -> Result<ResultFile> {
    let mut data: Value = execution.json()?;
    let found = data.pointer_mut(&reference.pointer).map(Value::take);
    let found =
        found.ok_or_else(|| changed("the result no longer has this part; call the tool again"))?;
    let other = || changed("the content of this part has changed; call the tool again");
    let (content, media_type, name) = match (found, reference.file) {
        (Value::String(text), Some((name, kind))) => {
            (decoded(&text).ok_or_else(other)?, kind, name)
        }
        (_, Some(_)) => return Err(other()),
        (Value::String(text), None) => {
            let kind = String::from("text/plain; charset=utf-8");
            (text.into_bytes(), kind, None)
        }
        (value, None) => {
            let kind = String::from("application/json");
            (value.to_string().into_bytes(), kind, None)
        }
    };
    let digest = Sha256::digest(&content);
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut file = ResultFile::new(Bytes::from(content), media_type, execution.execution_id);
    file.name = name;
    file.etag = format!("\"{digits}\"");
    Ok(file)
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    match text.contains(['-', '_']) {
        true => BASE64.decode(text.replace('-', "+").replace('_', "/")).ok(),
        false => BASE64.decode(text).ok(),
    }
}

fn changed(message: &str) -> Error {
    Error::new(ErrorKind::NotFound, message)
}
