//! Checks the product's texts for the users who connect their accounts.

use std::collections::BTreeSet;

use stead_core::product::{LANGUAGES, PermissionFile, PermissionTexts, Permissions, Product};

use super::{Faults, Subject};

/// If a tool needs a scope, or a connection can ask for it, the scope has a text in every language.
pub(super) fn scopes_are_described_in_every_language(subject: &Subject, faults: &mut Faults) {
    let product = subject.product;
    for scope in scopes_of(product) {
        for language in LANGUAGES {
            let said = product.permission_texts.iter().any(|texts| {
                read(texts, language).is_ok_and(|file| file.scopes.contains_key(scope))
            });
            if !said {
                faults.add(format_args!("{scope}: no text in {language}"));
            }
        }
    }
}

/// The files of all languages have the same members, and none is a copy of the English one.
pub(super) fn texts_are_translated(subject: &Subject, faults: &mut Faults) {
    let texts = subject.product.permission_texts.iter();
    faults.extend(texts.flat_map(|texts| faults_of(texts)));
}

fn scopes_of(product: &'static Product) -> BTreeSet<&'static str> {
    let (always, default) = match product.oauth.permissions {
        Permissions::Scopes { always, default } => (always, default),
        _ => (&[][..], &[][..]),
    };
    let of_tools = product.tools.iter().flat_map(|tool| tool.scopes().0);
    let aliased = product.oauth.scope_aliases.iter().map(|(_, scope)| scope);
    let asked = always.iter().chain(default);
    of_tools.chain(aliased).chain(asked).copied().collect()
}

fn read(texts: &PermissionTexts, language: &str) -> Result<PermissionFile, String> {
    let mut files = texts.files().iter().filter(|(of, _)| *of == language);
    match (files.next(), files.next()) {
        (Some((_, text)), None) => {
            serde_json::from_str(text).map_err(|error| format!("{language}: {error}"))
        }
        _ => Err(format!("{language}: expected one file")),
    }
}

fn faults_of(texts: &PermissionTexts) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen: Vec<(&str, Vec<(String, String)>)> = Vec::new();
    for language in LANGUAGES {
        let lines = match read(texts, language) {
            Ok(file) => lines(file),
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        for (other, others) in &seen {
            if lines.len() != others.len() {
                faults.push(format!("{language} and {other}: not the same members"));
            }
            for ((name, text), (other_name, other_text)) in lines.iter().zip(others) {
                let roles = |text: &str| text.matches("{role}").count();
                if name != other_name || roles(text) != roles(other_text) {
                    faults.push(format!("{language} and {other}: {name}, {other_name}"));
                } else if text == other_text {
                    faults.push(format!("{language} and {other} say the same: {text}"));
                }
            }
        }
        seen.push((language, lines));
    }
    faults
}

/// Each text with its name.
fn lines(file: PermissionFile) -> Vec<(String, String)> {
    let abilities = file.abilities.into_iter().enumerate();
    let abilities = abilities.map(|(index, text)| (format!("abilities/{index}"), text));
    let note = file.note.map(|note| (String::from("note"), note));
    abilities.chain(note).chain(file.scopes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_that_is_missing_or_a_copy_or_incomplete_is_found() {
        static TEXTS: PermissionTexts = PermissionTexts::new(&[
            ("en", r#"{ "note": "N", "scopes": { "a": "See {role}" } }"#),
            ("de", r#"{ "note": "N", "scopes": { "a": "Sehen" } }"#),
            ("fr", r#"{ "scopes": { "a": "Voir {role}" } }"#),
            ("es", r#"{ "scope": {} }"#),
        ]);
        let faults = faults_of(&TEXTS).join("\n");
        for expected in [
            "de and en say the same: N",
            "de and en: a, a",
            "fr and en: not the same members",
            "es: unknown field",
            "ja: expected one file",
        ] {
            assert!(faults.contains(expected), "{expected} in {faults}");
        }
    }
}
