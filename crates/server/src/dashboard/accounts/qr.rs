//! A QR code as a path of an SVG picture.

use qrcodegen::{QrCode as Modules, QrCodeEcc};
use serde::Serialize;

/// Modules of the light border. Cameras need it to find the code.
const BORDER: i32 = 4;

/// A picture: its size, and the dark modules as a path, a unit each.
#[derive(Debug, Serialize)]
pub(super) struct QrCode {
    size: i32,
    path: String,
}

impl QrCode {
    /// The code of a text. `None` if the text is too long for a code.
    pub(super) fn of(text: &str) -> Option<Self> {
        let modules = Modules::encode_text(text, QrCodeEcc::Medium).ok()?;
        let mut path = String::new();
        for y in 0..modules.size() {
            let mut x = 0;
            while x < modules.size() {
                let run = (x..modules.size()).take_while(|x| modules.get_module(*x, y));
                // A code has at most 177 modules in a row.
                let length = run.count() as i32;
                if length > 0 {
                    let (left, top) = (x + BORDER, y + BORDER);
                    path += &format!("M{left} {top}h{length}v1h-{length}z");
                }
                x += length + 1;
            }
        }
        Some(Self {
            size: modules.size() + 2 * BORDER,
            path,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a module is dark, by the path.
    fn dark(code: &QrCode) -> Vec<(i32, i32)> {
        let mut found = Vec::new();
        for run in code.path.split('M').skip(1) {
            let (place, rest) = run.split_once('h').unwrap();
            let (x, y) = place.split_once(' ').unwrap();
            let length: i32 = rest.split_once('v').unwrap().0.parse().unwrap();
            let (x, y): (i32, i32) = (x.parse().unwrap(), y.parse().unwrap());
            found.extend((x..x + length).map(|x| (x, y)));
        }
        found
    }

    #[test]
    fn the_path_has_the_modules_of_the_code_within_a_border() {
        let link = "https://stead.example.com/connect/0123456789abcdef0123456789abcdef";
        let code = QrCode::of(link).unwrap();
        let modules = Modules::encode_text(link, QrCodeEcc::Medium).unwrap();
        assert_eq!(code.size, modules.size() + 8);
        let dark = dark(&code);
        for y in 0..code.size {
            for x in 0..code.size {
                let expected = modules.get_module(x - BORDER, y - BORDER);
                assert_eq!(dark.contains(&(x, y)), expected, "{x} {y}");
            }
        }
        // The corner by which cameras find it.
        assert!((4..11).all(|x| dark.contains(&(x, 4))) && !dark.contains(&(5, 5)));
        assert!(QrCode::of(&"x".repeat(5_000)).is_none());
    }
}
