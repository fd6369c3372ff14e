//! Writes an upload in one request: metadata and file (Drive API guide, "Perform a multipart upload").

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The media type and the body of an upload with these metadata and this file. `media_type` is the file's.
///
/// The same content gives the same bytes, so an approval shows the bytes that Stead sends.
pub fn related(metadata: &Value, media_type: &str, media: &[u8]) -> (String, Vec<u8>) {
    let metadata = metadata.to_string();
    let boundary = boundary([metadata.as_bytes(), media]);
    let mut body = Vec::with_capacity(metadata.len() + media.len() + 256);
    for (kind, content) in [
        ("application/json; charset=UTF-8", metadata.as_bytes()),
        (media_type, media),
    ] {
        let head = format!("--{boundary}\r\nContent-Type: {kind}\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/related; boundary={boundary}"), body)
}

/// A text between parts that they can't contain, because it's a digest of them.
pub fn boundary<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    }
    format!("stead-{}", HEXLOWER.encode(&digest.finalize()[..16]))
}

#[cfg(test)]
mod tests {
    use http::Method;
    use serde_json::json;
    use stead_core::product::SentRequest;

    use super::*;
    use crate::{Upload, upload};

    #[test]
    fn policies_read_written_multipart_bodies() {
        let other = boundary([&b"other"[..]]);
        let metadata = json!({"name": "a\r\n--b", "description": other});
        for media in [&b"\r\n--\x00\xff\r\n"[..], b"", other.as_bytes()] {
            let (content_type, body) = related(&metadata, "image/png", media);
            let read = upload(&SentRequest {
                method: &Method::POST,
                path: "/upload/drive/v3/files",
                query: Some("uploadType=multipart"),
                content_type: Some(&content_type),
                body: Some(&body),
            });
            let expected = Upload::Multipart {
                metadata: metadata.as_object().unwrap().clone(),
                media_type: "image/png".to_owned(),
                media,
            };
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn other_parts_have_another_boundary() {
        let of = |parts: &[&'static str]| boundary(parts.iter().map(|part| part.as_bytes()));
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
        assert_ne!(of(&["a", "b"]), of(&["ab", ""]));
        assert_ne!(of(&["a", "b"]), of(&["a", "c"]));
    }
}
