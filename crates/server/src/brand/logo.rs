//! The operator's logo: a small picture without active content.

use bytes::Bytes;
use http::HeaderValue;

/// Maximum size of a file in bytes.
const LONGEST: usize = 64 * 1024;
/// The beginning of every PNG, up to the name of its first chunk (PNG specification, 5.2 and 5.6).
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
/// Parts of an SVG that make it more than a picture.
const REFUSED: &[&str] = &[
    "<script",
    ":script",
    "javascript:",
    "<foreignobject",
    ":foreignobject",
    "<iframe",
    "<!entity",
    "<!doctype",
    "<?xml-stylesheet",
    "@import",
    "xml:base",
];

/// A picture and its type.
#[derive(Debug, Clone)]
pub(crate) struct Logo {
    pub(crate) file: Bytes,
    pub(crate) media_type: HeaderValue,
}

impl Logo {
    pub(crate) fn read(file: Vec<u8>) -> Result<Self, String> {
        let length = file.len();
        if length > LONGEST {
            return Err(format!(
                "the logo has {length} bytes; the maximum is {LONGEST}"
            ));
        }
        let media_type = if file.starts_with(PNG) {
            "image/png"
        } else if let Some(svg) = std::str::from_utf8(&file).ok().filter(|text| is_svg(text)) {
            if let Some(found) = active_part(svg) {
                return Err(format!(
                    "the logo is an SVG with active content ({found}); export it as a plain SVG or as a PNG"
                ));
            }
            "image/svg+xml"
        } else {
            return Err(String::from("the logo isn't a PNG or a UTF-8 SVG"));
        };
        Ok(Self {
            file: file.into(),
            media_type: HeaderValue::from_static(media_type),
        })
    }
}

fn is_svg(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('<') && text.contains("<svg") && text.trim_end().ends_with('>')
}

/// The first active part of a picture: a script, an event handler, or an address elsewhere.
fn active_part(svg: &str) -> Option<String> {
    let svg = svg.to_ascii_lowercase();
    if let Some(found) = REFUSED.iter().find(|part| svg.contains(**part)) {
        return Some(format!("{found:?}"));
    }
    for (before, value) in attributes(&svg) {
        let name = before.rsplit(|letter: char| letter.is_whitespace() || "\"'/".contains(letter));
        let name = name
            .map(str::trim)
            .find(|name| !name.is_empty())
            .unwrap_or_default();
        let local = name.rsplit(':').next().unwrap_or_default();
        let outside = local == "href" && !value.starts_with('#');
        if outside || local == "src" || (local.starts_with("on") && local.len() > 2) {
            return Some(format!("the attribute {name}"));
        }
    }
    let mut addresses = svg.split("url(").skip(1);
    let elsewhere = |address: &str| {
        let address = address.trim_start().trim_start_matches(['"', '\'']);
        !address.starts_with('#') && !address.starts_with("&quot;#")
    };
    addresses
        .any(elsewhere)
        .then(|| String::from("an address in url(…)"))
}

/// The text before each `=`, and the text after it without its opening quotation mark.
fn attributes(svg: &str) -> impl Iterator<Item = (&str, &str)> {
    svg.match_indices('=').map(|(at, _)| {
        let (before, after) = (&svg[..at], &svg[at + 1..]);
        (
            before.trim_end(),
            after.trim_start().trim_start_matches(['"', '\'']),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(inside: &str) -> Result<Logo, String> {
        Logo::read(format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>").into_bytes())
    }

    #[test]
    fn a_png_and_a_plain_svg_are_taken() {
        let png = Logo::read([PNG, b"rest"].concat()).unwrap();
        assert_eq!(png.media_type, "image/png");
        let plain = r##"<?xml version="1.0"?><!-- a logo --><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
            <desc>A description</desc><style>.a{fill:url(#g)}</style><use xlink:href="#a"/><path d="M0 0" font-family="x" fill="url('#g')"/></svg>"##;
        assert_eq!(
            Logo::read(plain.into()).unwrap().media_type,
            "image/svg+xml"
        );
        assert!(Logo::read(include_bytes!("../pages/icon.svg").to_vec()).is_ok());
    }

    #[test]
    fn an_svg_with_active_or_external_content_is_refused() {
        for inside in [
            "<script>alert(1)</script>",
            "<SCRIPT/>",
            "<s:script xmlns:s='http://www.w3.org/2000/svg'/>",
            "<g onload=\"alert(1)\"/>",
            "<g id='a'onclick = 'alert(1)'/>",
            "<a href=\"javascript:alert(1)\"/>",
            "<a href=\"java&#115;cript:alert(1)\"/>",
            "<image href='https://evil.test/x.png'/>",
            "<image xlink:href = 'data:image/svg+xml,x'/>",
            "<foreignObject/>",
            "<style>@import 'https://evil.test'</style>",
            "<rect fill='url(https://evil.test/#a)'/>",
            "<rect style=\"fill:url( 'https://evil.test' )\"/>",
        ] {
            assert!(
                svg(inside).unwrap_err().contains("active content"),
                "{inside}"
            );
        }
        let entity = "<!DOCTYPE svg [<!ENTITY x 'y'>]><svg>&x;</svg>";
        assert!(Logo::read(entity.into()).is_err());
    }

    #[test]
    fn other_files_are_refused() {
        for (file, said) in [
            (b"GIF89a".to_vec(), "isn't a PNG"),
            (Vec::new(), "isn't a PNG"),
            (b"<html><body>".to_vec(), "isn't a PNG"),
            (b"\xff\xfe<\0s\0v\0g\0".to_vec(), "isn't a PNG"),
            ([PNG, &[0; 64 * 1024]].concat(), "bytes"),
        ] {
            assert!(Logo::read(file).unwrap_err().contains(said));
        }
    }
}
