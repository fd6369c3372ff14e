//! The texts of pages. `texts/` has a file for each language. Readers didn't write the application, so texts have no
//! jargon and no blame, and say what to do next.
//!
//! A text is HTML with `{names}` of values. The values are escaped.

use std::{collections::BTreeMap, fmt::Write as _};

use minijinja::{Environment as Templates, Error, HtmlEscape, Value, value::Kwargs, value::Serde};
use serde_json::Value as Json;
use stead::ErrorKind;
use stead_core::product::LANGUAGES;

/// In the order of [`LANGUAGES`].
const FILES: [&str; 5] = [
    include_str!("texts/en.json"),
    include_str!("texts/de.json"),
    include_str!("texts/fr.json"),
    include_str!("texts/es.json"),
    include_str!("texts/ja.json"),
];

/// The texts of each language.
pub(super) fn all() -> BTreeMap<&'static str, Value> {
    let texts = LANGUAGES.into_iter().zip(FILES);
    texts
        .map(|(language, file)| {
            let texts: Json = serde_json::from_str(file).unwrap_or_else(|error| {
                tracing::error!(language, %error, "the texts of a language cannot be read");
                Json::Null
            });
            (language, Value::from(Serde(&texts)))
        })
        .collect()
}

/// Adds the filters that fill texts.
pub(super) fn add_filters(templates: &mut Templates<'static>) {
    templates.add_filter("fill", fill);
    templates.add_filter("count", count);
}

/// `{{ text | fill(product=…) }}`: replaces names with values.
#[expect(
    clippy::needless_pass_by_value,
    reason = "a filter takes its arguments by value"
)]
fn fill(text: &str, values: Kwargs) -> Result<Value, Error> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, (name, after))) = rest
        .split_once('{')
        .and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        let value: String = values.get(name)?;
        let _ = write!(filled, "{before}{}", HtmlEscape(&value));
        rest = after;
    }
    filled.push_str(rest);
    Ok(Value::from_safe_string(filled))
}

/// `{{ forms | count(n, language) }}`: the form of a text for a number, which it contains.
fn count(forms: &Value, number: i64, language: &str) -> Result<Value, Error> {
    let form = forms.get_attr(plural(number, language))?;
    let filled = form.to_string().replace("{n}", &number.to_string());
    Ok(Value::from_safe_string(filled))
}

/// The plural form for a number (Unicode CLDR, "Language Plural Rules").
fn plural(number: i64, language: &str) -> &'static str {
    match (language, number) {
        ("ja", _) => "other",
        ("fr", 0) | (_, 1) => "one",
        _ => "other",
    }
}

/// A link's remaining time, in the unit that people would use. It's rounded up, so a valid link never shows as expired.
pub(super) fn time_left(seconds: i64) -> (&'static str, i64) {
    let minutes = ((seconds + 59) / 60).max(1);
    match minutes {
        ..120 => ("minutes", minutes),
        _ => ("hours", minutes / 60),
    }
}

/// A message about something other than success: the names of its texts in `failed` and in `advice`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) text: &'static str,
    pub(super) advice: &'static str,
}

const fn message(text: &'static str, advice: &'static str) -> Message {
    Message { text, advice }
}

/// The message after the user went back before the product asked for anything.
pub(super) const CANCELLED: Message = message("cancelled", "link_again");

/// The message at an address that isn't a page.
pub(super) fn not_for_people(kind: ErrorKind) -> Message {
    let text = match kind {
        ErrorKind::NotFound => "no_page",
        ErrorKind::Unauthenticated | ErrorKind::MethodNotAllowed => "for_applications",
        _ => "not_here",
    };
    message(text, "start_page")
}

/// The message after a failure.
pub(super) fn failed(kind: ErrorKind) -> Message {
    use ErrorKind as Kind;
    match kind {
        Kind::AuthorizationNotFound | Kind::NotFound | Kind::InvalidRequest => {
            message("unknown_link", "whole_link")
        }
        Kind::AuthorizationExpired => message("expired", "new_link"),
        Kind::AuthorizationConsumed => message("used", "new_link"),
        Kind::AuthorizationDenied => message("declined", "new_link"),
        Kind::AuthorizationFailed => message("failed", "new_link"),
        Kind::BrowserMismatch => message("other_browser", "that_browser"),
        Kind::OriginRejected => message("other_site", "as_given"),
        Kind::HostRejected => message("other_address", "as_given_or_tell"),
        Kind::ProductAccountMismatch => message("other_account", "same_account"),
        Kind::ScopeMissing => message("left_out", "new_link"),
        Kind::ConnectionNotReady
        | Kind::ConnectionCredentialsRejected
        | Kind::ProductNotEnabled
        | Kind::UnknownConnection => message("not_set_up", "tell"),
        Kind::StorageUnavailable
        | Kind::ShuttingDown
        | Kind::Overloaded
        | Kind::RateLimited
        | Kind::RefreshUnavailable
        | Kind::ProductUnavailable
        | Kind::ProductTimeout
        | Kind::DeadlineExceeded
        | Kind::ProductRateLimited => message("later", "few_minutes"),
        _ => message("broken", "tell"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Each text by its path.
    fn leaves(node: &Json, path: &str, found: &mut BTreeMap<String, String>) {
        match node {
            Json::Object(members) => members
                .iter()
                .for_each(|(name, child)| leaves(child, &format!("{path}/{name}"), found)),
            Json::String(text) => {
                assert!(found.insert(path.to_owned(), text.clone()).is_none());
            }
            other => panic!("{path}: {other}"),
        }
    }

    fn texts() -> Vec<(&'static str, BTreeMap<String, String>)> {
        let files = LANGUAGES.into_iter().zip(FILES);
        files
            .map(|(language, file)| {
                let mut found = BTreeMap::new();
                leaves(&serde_json::from_str(file).unwrap(), "", &mut found);
                (language, found)
            })
            .collect()
    }

    /// The names of a text's values and elements.
    fn parts(text: &str) -> BTreeSet<String> {
        let between = |open: char, close: char| {
            let texts = text.split(open).skip(1);
            texts
                .map(|rest| format!("{open}{}", rest.split(close).next().unwrap()))
                .collect::<BTreeSet<String>>()
        };
        let mut parts = between('{', '}');
        parts.extend(between('<', '>'));
        parts
    }

    #[test]
    fn all_languages_have_the_same_texts_and_none_is_a_copy() {
        let texts = texts();
        for (index, (language, own)) in texts.iter().enumerate() {
            for (other_language, other) in &texts[..index] {
                assert!(own.keys().eq(other.keys()), "{language} {other_language}");
                for (path, text) in own {
                    assert_eq!(parts(text), parts(&other[path]), "{language} {path}");
                    assert_ne!(text, &other[path], "{language} {other_language} {path}");
                }
            }
            assert!(
                own.values().all(|text| !text.trim().is_empty()),
                "{language}"
            );
        }
    }

    #[test]
    fn every_error_has_its_texts() {
        let own = &texts()[0].1;
        let messages = ErrorKind::ALL
            .iter()
            .flat_map(|kind| [failed(*kind), not_for_people(*kind)])
            .chain([CANCELLED]);
        let mut used = BTreeSet::new();
        for message in messages {
            for path in [
                format!("/failed/{}/title", message.text),
                format!("/failed/{}/body", message.text),
                format!("/advice/{}", message.advice),
            ] {
                assert!(own.contains_key(&path), "{path}");
                used.insert(path);
            }
        }
        for path in own
            .keys()
            .filter(|path| path.starts_with("/failed/") || path.starts_with("/advice/"))
        {
            assert!(used.contains(path), "{path} is not used");
        }
    }

    #[test]
    fn durations_are_in_natural_language() {
        let mut templates = Templates::new();
        add_filters(&mut templates);
        let texts = all();
        let said = |seconds: i64, language: &str| {
            let (unit, number) = time_left(seconds);
            let source = "{{ t.connect[unit] | count(number, language) }}";
            let context =
                minijinja::context! { t => texts[language].clone(), language, unit, number };
            templates.render_str(source, context).unwrap()
        };
        for (seconds, language, expected) in [
            (-1, "en", "The link works for 1 more minute."),
            (60, "en", "The link works for 1 more minute."),
            (61, "en", "The link works for 2 more minutes."),
            (540, "en", "The link works for 9 more minutes."),
            (7140, "en", "The link works for 119 more minutes."),
            (86_400, "en", "The link works for 24 more hours."),
            (60, "de", "Der Link funktioniert noch 1 Minute."),
            (540, "de", "Der Link funktioniert noch 9 Minuten."),
            (60, "fr", "Le lien fonctionne encore 1 minute."),
            (540, "fr", "Le lien fonctionne encore 9 minutes."),
            (60, "es", "El enlace funciona durante 1 minuto más."),
            (7200, "es", "El enlace funciona durante 2 horas más."),
            (60, "ja", "このリンクはあと 1 分間有効です。"),
        ] {
            assert_eq!(said(seconds, language), expected);
        }
        assert_eq!(plural(0, "fr"), "one");
        assert_eq!(plural(0, "de"), "other");
    }

    #[test]
    fn values_are_escaped_and_texts_are_not() {
        let mut templates = Templates::new();
        add_filters(&mut templates);
        let filled = templates
            .render_str(
                "{{ '<b>{a}</b> {b}' | fill(a='<i>', b='{a}') }}",
                minijinja::context! {},
            )
            .unwrap();
        assert_eq!(filled, "<b>&lt;i&gt;</b> {a}");
    }
}
