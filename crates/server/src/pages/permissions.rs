//! Permissions in plain words. A scope that is in no list is shown as it is.

use serde::Serialize;
use stead::core::oauth::ConnectPage;

/// One line of the list.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Permission {
    text: String,
    /// Whether the text is the scope itself.
    code: bool,
}

/// Besides the products: who the user is (OpenID Connect Core, section 5.4; Google's names for the same).
const IDENTITY: &[(&str, &str)] = &[
    ("openid", "Know which account it is"),
    ("email", "See your e-mail address"),
    (
        "https://www.googleapis.com/auth/userinfo.email",
        "See your e-mail address",
    ),
    ("profile", "See your name and picture"),
    (
        "https://www.googleapis.com/auth/userinfo.profile",
        "See your name and picture",
    ),
];

/// What the application can do, each once: what the product says of every connection, then the scopes in their order;
/// what only says who the user is comes last.
pub(super) fn describe(page: &ConnectPage) -> Vec<Permission> {
    describe_all(page.abilities, &page.scopes, page.scope_descriptions)
}

/// `of_product` are the product's own descriptions.
fn describe_all(
    abilities: &[&str],
    scopes: &[String],
    of_product: &[(&str, &str)],
) -> Vec<Permission> {
    let abilities = abilities.iter().map(|text| Permission {
        text: (*text).to_owned(),
        code: false,
    });
    let mut described: Vec<Permission> = abilities.collect();
    let (identity, rest): (Vec<&String>, Vec<&String>) = scopes
        .iter()
        .partition(|scope| IDENTITY.iter().any(|(known, _)| known == scope));
    for scope in rest.into_iter().chain(identity) {
        let text = IDENTITY
            .iter()
            .chain(of_product)
            .find(|(known, _)| known == scope)
            .map(|(_, text)| *text);
        let permission = Permission {
            text: text.unwrap_or(scope).to_owned(),
            code: text.is_none(),
        };
        if !described.contains(&permission) {
            described.push(permission);
        }
    }
    described
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_permission_is_said_once_and_unknown_ones_as_they_are() {
        let scopes = [
            "openid",
            "email",
            "https://www.googleapis.com/auth/userinfo.email",
            "https://www.googleapis.com/auth/contacts.readonly",
            "odd.scope",
        ];
        let contacts = "https://www.googleapis.com/auth/contacts.readonly";
        let described = describe_all(
            &["Run any SQL"],
            &scopes.map(String::from),
            &[(contacts, "See your contacts")],
        );
        let lines: Vec<_> = described
            .iter()
            .map(|one| (one.text.as_str(), one.code))
            .collect();
        assert_eq!(
            lines,
            [
                ("Run any SQL", false),
                ("See your contacts", false),
                ("odd.scope", true),
                ("Know which account it is", false),
                ("See your e-mail address", false),
            ],
        );
    }
}
