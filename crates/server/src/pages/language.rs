//! The language that a browser's user prefers.

use http::{HeaderMap, header};
use stead_core::product::LANGUAGES;

/// One of [`LANGUAGES`], as a tag of BCP 47.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Language(&'static str);

impl Default for Language {
    fn default() -> Self {
        Self(LANGUAGES[0])
    }
}

impl Language {
    /// The available language that `Accept-Language` prefers (RFC 9110, 12.5.4): the one with the greatest weight, or
    /// the first of several. Regions and scripts make no difference.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let ranges = headers
            .get_all(header::ACCEPT_LANGUAGE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','));
        let mut best = (Self::default(), 0);
        for (language, weight) in ranges.filter_map(read) {
            if weight > best.1 {
                best = (language, weight);
            }
        }
        best.0
    }

    pub(crate) fn tag(self) -> &'static str {
        self.0
    }
}

/// A language and its weight in thousandths. `None` if Stead doesn't have it. `*` is the default language.
fn read(range: &str) -> Option<(Language, u16)> {
    let mut parts = range.split(';').map(str::trim);
    let primary = parts.next()?.split('-').next()?;
    let language = match primary {
        "*" => Language::default(),
        _ => LANGUAGES
            .into_iter()
            .find(|tag| tag.eq_ignore_ascii_case(primary))
            .map(Language)?,
    };
    let weight = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
    });
    let weight = match weight {
        None => 1000,
        Some(weight) => thousandths(weight)?,
    };
    Some((language, weight))
}

/// `0.8` is 800.
fn thousandths(weight: &str) -> Option<u16> {
    let (whole, rest) = weight.split_once('.').unwrap_or((weight, ""));
    let digits = format!("{rest:0<3}");
    let weight = format!("{whole}{digits}").parse().ok()?;
    (digits.len() == 3 && weight <= 1000).then_some(weight)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_preferred_available_language_is_chosen() {
        for (accepted, expected) in [
            ("", "en"),
            ("de", "de"),
            ("de-CH", "de"),
            ("DE-latn-at", "de"),
            ("ja-JP,ja;q=0.9,en;q=0.8", "ja"),
            ("en;q=0.5, fr;q=0.9, de;q=0.7", "fr"),
            ("pt-BR,pt;q=0.9,es;q=0.5,en;q=0.3", "es"),
            ("pt, it", "en"),
            ("fr;q=0, es;q=0.001", "es"),
            ("fr;q=0", "en"),
            ("*, de;q=0.9", "en"),
            ("pt, *;q=0.5, de;q=0.9", "de"),
            ("de;q=x, fr;q=0.1", "fr"),
            ("de;q=9, fr ; Q = 1.0", "fr"),
            ("de, fr", "de"),
            ("deu, frr", "en"),
        ] {
            let headers = HeaderMap::from_iter([(
                header::ACCEPT_LANGUAGE,
                HeaderValue::from_static(accepted),
            )]);
            assert_eq!(Language::of(&headers).tag(), expected, "{accepted}");
        }
        assert_eq!(Language::of(&HeaderMap::new()).tag(), "en");
    }
}
