//! Writes an upload in one request: metadata and file (Drive API guide, "Perform a multipart upload").

use serde_json::Value;
use stead_core::tool::Call;

/// The media type and the body of an upload with these metadata and this file. `media_type` is the file's.
///
/// The boundary follows from the call, so a repeat sends the same bytes.
pub fn related(call: &Call, metadata: &Value, media_type: &str, media: &[u8]) -> (String, Vec<u8>) {
    let metadata = metadata.to_string();
    let boundary = boundary(call, &[metadata.as_bytes(), media]);
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

/// A boundary that doesn't occur in the parts.
fn boundary(call: &Call, parts: &[&[u8]]) -> String {
    let mut count = 0_u32;
    loop {
        let boundary = call.derive_id(format_args!("boundary {count}"));
        let boundary = boundary.simple().to_string();
        let is_in = |part: &&[u8]| {
            let mut windows = part.windows(boundary.len());
            windows.any(|window| window == boundary.as_bytes())
        };
        if !parts.iter().any(is_in) {
            return boundary;
        }
        count += 1;
    }
}

#[cfg(test)]
mod tests {
    use http::Method;
    use jiff::Timestamp;
    use serde_json::json;
    use stead_core::product::SentRequest;

    use super::*;
    use crate::{Upload, upload};

    fn call() -> Call {
        Call::new(Default::default(), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn policies_read_what_is_written() {
        let taken = boundary(&call(), &[]);
        let metadata = json!({"name": "a\r\n--b", "description": taken});
        for media in [&b"\r\n--\x00\xff\r\n"[..], b"", taken.as_bytes()] {
            let (content_type, body) = related(&call(), &metadata, "image/png", media);
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
            assert!(!content_type.contains(&taken));
        }
    }
}
