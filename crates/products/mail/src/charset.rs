//! Decodes text whose declared character set may be wrong.

use encoding_rs::{Encoding, ISO_2022_JP, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Decodes a text part.
///
/// The product converts text to UTF-8 but doesn't change the part's `charset`. So valid UTF-8 is read as UTF-8, whatever is
/// declared. Two other character sets can also be valid UTF-8: ISO-2022-JP, recognised by its escape sequences, and UTF-16,
/// recognised by its zero bytes. Everything else is decoded as declared, or as windows-1252, and never fails.
pub(crate) fn decode_text(bytes: &[u8], declared: Option<&str>) -> String {
    let declared = declared.and_then(|label| Encoding::for_label_no_replacement(label.as_bytes()));
    if let Ok(text) = std::str::from_utf8(bytes)
        && !declared.is_some_and(|encoding| hides_in_utf8(encoding, bytes))
    {
        return text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
    }
    let (text, _, _) = declared.unwrap_or(WINDOWS_1252).decode(bytes);
    text.into_owned()
}

fn hides_in_utf8(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    if encoding == ISO_2022_JP {
        return bytes
            .windows(2)
            .any(|pair| matches!(pair, [0x1b, b'$' | b'(']));
    }
    (encoding == UTF_16LE || encoding == UTF_16BE) && bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_wins_over_a_false_declaration() {
        let text = "日本 Grüße";
        for lie in [
            "iso-2022-jp",
            "iso-8859-1",
            "windows-1251",
            "utf-8",
            "no-such-set",
        ] {
            assert_eq!(decode_text(text.as_bytes(), Some(lie)), text, "{lie}");
        }
        assert_eq!(decode_text("\u{feff}x".as_bytes(), None), "x");
    }

    #[test]
    fn bytes_that_are_not_utf8_follow_the_declaration() {
        assert_eq!(decode_text(b"Gr\xfc\xdfe", Some("ISO-8859-1")), "Grüße");
        assert_eq!(
            decode_text(b"\xcf\xf0\xe8\xe2\xe5\xf2", Some("windows-1251")),
            "Привет"
        );
        assert_eq!(decode_text(b"Gr\xfc\xdfe \x80", None), "Grüße €");
        assert_eq!(decode_text(b"Gr\xfc\xdfe", Some("nonsense")), "Grüße");
        assert_eq!(
            decode_text(b"half \xe6\x97", Some("utf-8")),
            "half \u{fffd}"
        );
    }

    #[test]
    fn seven_bit_japanese_and_utf16_are_found_behind_valid_utf8() {
        assert_eq!(
            decode_text(b"\x1b$BF|K\\\x1b(B", Some("iso-2022-jp")),
            "日本"
        );
        assert_eq!(
            decode_text(b"plain ascii", Some("iso-2022-jp")),
            "plain ascii"
        );
        assert_eq!(decode_text(b"H\0i\0", Some("utf-16le")), "Hi");
    }
}
