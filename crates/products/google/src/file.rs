//! Files that callers send: their media types, and their bytes in base64.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// URL-safe, with or without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Media types of usual files by extension. A library's table has a thousand more, and takes a TypeScript file for a video.
const TYPES: [(&str, &str); 30] = [
    ("css", "text/css"),
    ("csv", "text/csv"),
    (
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    ("eml", "message/rfc822"),
    ("epub", "application/epub+zip"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ics", "text/calendar"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("odp", "application/vnd.oasis.opendocument.presentation"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    (
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    ("rtf", "application/rtf"),
    ("svg", "image/svg+xml"),
    ("tsv", "text/tab-separated-values"),
    ("txt", "text/plain"),
    ("webp", "image/webp"),
    (
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];

/// Decodes base64 with the URL-safe alphabet, the standard one, or a mixture, with or without padding and white space.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let is_plain = |byte: u8| !matches!(byte, b'+' | b'/') && !byte.is_ascii_whitespace();
    if text.bytes().all(is_plain) {
        return LENIENT.decode(text).ok();
    }
    let plain = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let plain = plain.map(|byte| match byte {
        b'+' => b'-',
        b'/' => b'_',
        other => other,
    });
    LENIENT.decode(plain.collect::<Vec<u8>>()).ok()
}

/// The media type of a file with this name, by its extension. A content that is a text only gets the type of a text.
pub fn guess_media_type(name: &str, content_is_text: bool) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    let mut types = TYPES.iter();
    let (_, kind) = types.find(|(known, _)| extension.eq_ignore_ascii_case(known))?;
    (!content_is_text || is_text(kind)).then_some(*kind)
}

/// Whether a file of this type is a text.
fn is_text(kind: &str) -> bool {
    kind.starts_with("text/")
        || ["application/json", "application/xml", "image/svg+xml"].contains(&kind)
}

/// The type and the subtype of a media type without parameters, such as `text/csv` (RFC 6838, 4.2).
pub fn type_and_subtype(text: &str) -> Option<(&str, &str)> {
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(of_name);
    text.split_once('/')
        .filter(|(kind, subtype)| is_name(kind) && is_name(subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_in_every_form() {
        for text in [
            "-_8",
            "-_8=",
            "+/8",
            "+/8=",
            "-/8=",
            " +/8=\r\n",
            "- _\n8 =",
        ] {
            assert_eq!(
                decode_base64(text).as_deref(),
                Some(&[0xfb, 0xff][..]),
                "{text:?}"
            );
        }
        assert_eq!(decode_base64("").as_deref(), Some(&[][..]));
        for bad in [
            "a",
            "/",
            "!!!!",
            "a b c d e",
            "é",
            "data:text/plain;base64,YQ==",
        ] {
            assert_eq!(decode_base64(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_media_type_follows_from_the_name() {
        for (name, is_text, kind) in [
            ("a.PNG", false, Some("image/png")),
            ("a.tar.gz", false, Some("application/gzip")),
            ("notes.md", true, Some("text/markdown")),
            ("notes.md", false, Some("text/markdown")),
            ("notes.JSON", true, Some("application/json")),
            ("notes.pdf", true, None),
            ("mail.eml", true, None),
            ("png", false, None),
            ("a.unknown", false, None),
        ] {
            assert_eq!(guess_media_type(name, is_text), kind, "{name}");
        }
        assert!(TYPES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(
            TYPES
                .iter()
                .all(|(_, kind)| type_and_subtype(kind).is_some())
        );
    }

    #[test]
    fn a_media_type_has_two_names() {
        assert_eq!(
            type_and_subtype("image/svg+xml"),
            Some(("image", "svg+xml"))
        );
        for bad in [
            "",
            "text",
            "text/",
            "/plain",
            "a/b/c",
            "a b/c",
            "a/b;c",
            "a/b\r\nx: y",
            "a/\u{e9}",
        ] {
            assert_eq!(type_and_subtype(bad), None, "{bad:?}");
        }
    }
}
