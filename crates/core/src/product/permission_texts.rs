//! Descriptions of permissions, in users' languages.

use std::{borrow::Cow, collections::BTreeMap, fmt, sync::OnceLock};

use percent_encoding::percent_decode_str;
use serde::Deserialize;

use super::Product;

/// Languages for end users, as BCP 47 tags. The first one is the fallback.
pub const LANGUAGES: [&str; 5] = ["en", "de", "fr", "es", "ja"];

/// Placeholder for a part of a scope's name, in the name and in its text.
const ROLE: &str = "{role}";

/// Descriptions of permissions for the consent page, with one JSON file for each of [`LANGUAGES`].
///
/// ```
/// # use stead_core::product::{PermissionTexts, Product};
/// static TEXTS: PermissionTexts = PermissionTexts::new(&[
///     ("en", r#"{ "scopes": { "tasks.read": "See your tasks" } }"#),
///     ("de", r#"{ "scopes": { "tasks.read": "Ihre Aufgaben sehen" } }"#),
/// ]);
/// static TASKS: Product = Product { permission_texts: &[&TEXTS], ..Product::BASE };
/// assert_eq!(TASKS.describe_scope("tasks.read", "de").as_deref(), Some("Ihre Aufgaben sehen"));
/// assert_eq!(TASKS.describe_scope("tasks.read", "ja").as_deref(), Some("See your tasks"));
/// ```
pub struct PermissionTexts {
    files: &'static [(&'static str, &'static str)],
    read: OnceLock<BTreeMap<&'static str, PermissionFile>>,
}

/// Descriptions in one language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct PermissionFile {
    /// Abilities of a connected application, if the product's scopes don't describe them.
    pub abilities: Vec<String>,
    /// A note for the user, such as that they make a choice at the product.
    pub note: Option<String>,
    /// Descriptions of scopes or capabilities. `{role}` at the end of a name matches the rest of the scope's name.
    /// Stead inserts that rest into the text, after decoding percent-encoding.
    pub scopes: BTreeMap<String, String>,
}

impl PermissionTexts {
    /// Texts from these files, each a language and its JSON.
    pub const fn new(files: &'static [(&'static str, &'static str)]) -> Self {
        Self {
            files,
            read: OnceLock::new(),
        }
    }

    /// The files, each a language and its JSON.
    pub fn files(&self) -> &'static [(&'static str, &'static str)] {
        self.files
    }

    /// The fallback language.
    pub(super) fn english(&self) -> &PermissionFile {
        static NONE: PermissionFile = PermissionFile {
            abilities: Vec::new(),
            note: None,
            scopes: BTreeMap::new(),
        };
        self.read(LANGUAGES[0]).unwrap_or(&NONE)
    }

    /// An invalid file counts as empty. Every product's test suite detects it.
    fn read(&self, language: &str) -> Option<&PermissionFile> {
        let read = self.read.get_or_init(|| {
            let files = self.files.iter();
            files
                .map(|(language, text)| (*language, serde_json::from_str(text).unwrap_or_default()))
                .collect()
        });
        read.get(language)
    }
}

impl fmt::Debug for PermissionTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let languages = self.files.iter().map(|(language, _)| language);
        f.debug_list().entries(languages).finish()
    }
}

impl PermissionFile {
    fn describe(&self, scope: &str) -> Option<Cow<'_, str>> {
        if let Some(text) = self.scopes.get(scope) {
            return Some(Cow::Borrowed(text));
        }
        self.scopes.iter().find_map(|(name, text)| {
            let rest = scope.strip_prefix(name.strip_suffix(ROLE)?)?;
            let rest = percent_decode_str(rest).decode_utf8_lossy();
            Some(Cow::Owned(text.replace(ROLE, &rest)))
        })
    }
}

/// One permission in a list for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PermissionText {
    /// A description in plain words, or the scope itself if the product has no description.
    pub text: String,
    /// Whether the text is the scope itself.
    pub is_scope: bool,
}

impl Product {
    /// Description of a scope in plain words. Falls back to the first of [`LANGUAGES`].
    pub fn describe_scope(&self, scope: &str, language: &str) -> Option<String> {
        [language, LANGUAGES[0]].into_iter().find_map(|language| {
            let mut files = self.permission_files(language);
            files.find_map(|file| file.describe(scope).map(Cow::into_owned))
        })
    }

    /// Descriptions of these scopes, without repetitions.
    pub fn describe_scopes(&self, scopes: &[String], language: &str) -> Vec<PermissionText> {
        let mut lines = Vec::new();
        for scope in scopes {
            let text = self.describe_scope(scope, language);
            let line = PermissionText {
                is_scope: text.is_none(),
                text: text.unwrap_or_else(|| scope.clone()),
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    /// Abilities of a connected application, if the product's scopes don't describe them.
    pub fn abilities(&self, language: &str) -> &[String] {
        self.in_language(language, |file| {
            Some(file.abilities.as_slice()).filter(|abilities| !abilities.is_empty())
        })
        .unwrap_or_default()
    }

    /// A note for the user to read before they connect.
    pub fn permission_note(&self, language: &str) -> Option<&str> {
        self.in_language(language, |file| file.note.as_deref())
    }

    /// The scopes that have a text.
    #[cfg(feature = "platform")]
    pub(crate) fn described_scopes(&self) -> impl Iterator<Item = &str> {
        let files = self.permission_files(LANGUAGES[0]);
        files.flat_map(|file| file.scopes.keys().map(String::as_str))
    }

    fn permission_files(&self, language: &str) -> impl Iterator<Item = &'static PermissionFile> {
        let texts = self.permission_texts.iter();
        texts.filter_map(move |texts| texts.read(language))
    }

    fn in_language<T>(
        &self,
        language: &str,
        member: impl Fn(&'static PermissionFile) -> Option<T>,
    ) -> Option<T> {
        [language, LANGUAGES[0]]
            .into_iter()
            .find_map(|language| self.permission_files(language).find_map(&member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static OWN: PermissionTexts = PermissionTexts::new(&[
        (
            "en",
            r#"{ "abilities": ["Do all"], "scopes": { "a": "See a", "role:{role}": "Act as {role}" } }"#,
        ),
        (
            "de",
            r#"{ "abilities": ["Alles tun"], "note": "Na so was", "scopes": { "a": "A sehen" } }"#,
        ),
        ("fr", "no JSON"),
    ]);
    static FAMILY: PermissionTexts = PermissionTexts::new(&[(
        "en",
        r#"{ "scopes": { "who": "Know you", "me": "Know you" } }"#,
    )]);
    static PRODUCT: Product = Product {
        permission_texts: &[&OWN, &FAMILY],
        ..Product::BASE
    };

    fn lines(scopes: &[&str], language: &str) -> Vec<(String, bool)> {
        let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let lines = PRODUCT.describe_scopes(&scopes, language).into_iter();
        lines.map(|line| (line.text, line.is_scope)).collect()
    }

    #[test]
    fn each_scope_is_described_once_and_unknown_ones_are_named() {
        let said = |text: &str| (text.to_owned(), false);
        assert_eq!(
            lines(&["a", "who", "odd", "me", "role:R%241"], "de"),
            [
                said("A sehen"),
                said("Know you"),
                ("odd".to_owned(), true),
                said("Act as R$1"),
            ],
        );
        assert_eq!(lines(&["a"], "fr"), [said("See a")]);
        assert_eq!(lines(&["role:"], "en"), [said("Act as ")]);
    }

    #[test]
    fn permission_texts_are_translated_or_in_english() {
        assert_eq!(PRODUCT.abilities("de"), ["Alles tun"]);
        assert_eq!(PRODUCT.abilities("ja"), ["Do all"]);
        assert_eq!(PRODUCT.permission_note("de"), Some("Na so was"));
        assert_eq!(PRODUCT.permission_note("en"), None);
        assert!(Product::BASE.abilities("en").is_empty());
    }
}
