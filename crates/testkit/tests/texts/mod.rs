//! The good product's texts for its permission, in every language.

use stead_core::product::PermissionTexts;

pub(crate) static TEXTS: PermissionTexts = PermissionTexts::new(&[
    ("en", r#"{ "scopes": { "notes": "Read your notes" } }"#),
    ("de", r#"{ "scopes": { "notes": "Ihre Notizen lesen" } }"#),
    ("fr", r#"{ "scopes": { "notes": "Lire vos notes" } }"#),
    ("es", r#"{ "scopes": { "notes": "Leer sus notas" } }"#),
    ("ja", r#"{ "scopes": { "notes": "メモを読む" } }"#),
]);
