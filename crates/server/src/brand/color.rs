//! The operator's color on light and on dark pages, with readable text on it (WCAG 2.2, 1.4.3 and 1.4.11).

use std::fmt;

/// Minimum contrast of a button to the page around it.
const BUTTON: f64 = 3.0;
/// Minimum contrast of text.
const TEXT: f64 = 4.5;
const WHITE: Color = Color([0xff; 3]);
const BLACK: Color = Color([0; 3]);
/// Background of the card on dark pages, as in the style sheet.
const DARK: Color = Color([0x1a, 0x21, 0x25]);

/// A color as red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Color([u8; 3]);

/// A button's colors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Colors {
    pub(crate) light: Button,
    pub(crate) dark: Button,
}

/// Background and text, as CSS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Button {
    pub(crate) ground: String,
    pub(crate) text: String,
}

impl Colors {
    pub(crate) fn of(text: &str) -> Result<Self, String> {
        let color = Color::read(text.trim())
            .ok_or_else(|| format!("expected a color such as #0d5f5a, found {text:?}"))?;
        let found = contrast(color, WHITE);
        if found < BUTTON {
            return Err(format!(
                "the color {color} has a contrast of {found:.1} : 1 to the white page, but a button needs {BUTTON} : 1; choose a darker color"
            ));
        }
        // At 100 percent, the color is white.
        let lightened = (0..=100_u16)
            .map(|percent| color.lightened(percent))
            .find(|color| contrast(*color, DARK) >= BUTTON)
            .unwrap_or(WHITE);
        Ok(Self {
            light: Button::of(color),
            dark: Button::of(lightened),
        })
    }
}

impl Button {
    /// Chooses white or black text for a background. One of them always has a contrast of at least 4.58 : 1.
    fn of(ground: Color) -> Self {
        let text = match contrast(ground, WHITE) >= TEXT {
            true => WHITE,
            false => BLACK,
        };
        Self {
            ground: ground.to_string(),
            text: text.to_string(),
        }
    }

    /// Contrast of the text to the background.
    #[cfg(feature = "dashboard")]
    pub(crate) fn contrast(&self) -> f64 {
        let read = |text: &str| Color::read(text).unwrap_or(BLACK);
        contrast(read(&self.ground), read(&self.text))
    }
}

impl Color {
    fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| {
            digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        })?;
        let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some(Self([part(0)?, part(2)?, part(4)?]))
    }

    /// Mixed with white.
    fn lightened(self, percent: u16) -> Self {
        Self(self.0.map(|part| {
            let added = (u16::from(u8::MAX - part) * percent) / 100;
            part.saturating_add(u8::try_from(added).unwrap_or(u8::MAX))
        }))
    }

    /// Relative luminance (WCAG 2.2).
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|part| {
            let part = f64::from(part) / 255.0;
            match part <= 0.04045 {
                true => part / 12.92,
                false => ((part + 0.055) / 1.055).powf(2.4),
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// Contrast ratio (WCAG 2.2).
fn contrast(one: Color, other: Color) -> f64 {
    let (one, other) = (one.luminance(), other.luminance());
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Color {
        Color::read(text).unwrap()
    }

    #[test]
    fn contrasts_are_those_of_the_standard() {
        for (one, other, expected) in [
            (WHITE, BLACK, 21.0),
            (WHITE, read("#777777"), 4.48),
            (read("#ff0000"), WHITE, 4.0),
        ] {
            let found = contrast(one, other);
            assert!((found - expected).abs() < 0.01, "{found} {expected}");
        }
    }

    #[test]
    fn text_and_button_can_be_read_on_light_and_dark_pages() {
        for text in [
            "#0d5f5a", "#003366", "#000000", "#e2001a", "#0099cc", "#777777", "#FF6600",
        ] {
            let Ok(colors) = Colors::of(text) else {
                assert!(contrast(read(text), WHITE) < BUTTON, "{text}");
                continue;
            };
            assert_eq!(colors.light.ground, text.to_lowercase());
            for (button, page) in [(&colors.light, WHITE), (&colors.dark, DARK)] {
                let ground = read(&button.ground);
                assert!(contrast(ground, page) >= BUTTON, "{text} {button:?}");
                assert!(
                    contrast(ground, read(&button.text)) >= TEXT,
                    "{text} {button:?}"
                );
            }
        }
        assert_eq!(Colors::of("#0099cc").unwrap().light.text, "#000000");
        assert_eq!(Colors::of("#0d5f5a").unwrap().light.text, "#ffffff");
    }

    #[test]
    fn other_texts_and_pale_colors_are_refused_with_the_reason() {
        for text in [
            "",
            "red",
            "#fff",
            "0d5f5a",
            "#0d5f5g",
            "#0d5f5a;}",
            "#0é5f5",
        ] {
            assert!(
                Colors::of(text).unwrap_err().contains("such as #0d5f5a"),
                "{text}"
            );
        }
        let pale = Colors::of("#ffee00").unwrap_err();
        assert!(
            pale.contains("1.2 : 1") && pale.contains("darker"),
            "{pale}"
        );
    }
}
