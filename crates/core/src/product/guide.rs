//! Texts and test calls that help people set up and test a connection.

use std::collections::BTreeSet;

use super::{Permissions, Product};

/// A setting of a product's connections, as a form asks for it. Every value is a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingField {
    /// Name in the settings.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Instructions for its value.
    pub about: &'static str,
    /// Whether a connection needs it.
    pub is_required: bool,
}

/// A call that tests a connection. It's read-only and uses little quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestCall {
    /// Name of the tool.
    pub tool: &'static str,
    /// Its input, in JSON.
    pub input: &'static str,
    /// Its purpose, as a sentence: `Reads one mail.`
    pub about: &'static str,
    /// Whether `product_not_found` is the expected result, because it shows that the product accepted the token.
    pub finds_nothing: bool,
}

/// A permission that a connection can have, as a list offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PermissionChoice {
    /// The scope or capability.
    pub name: String,
    /// Its meaning for an application, in plain words.
    pub text: String,
    /// Whether a connection usually has it: one of the product's default scopes, or a capability that a tool needs.
    pub is_usual: bool,
    /// Whether a preset has only this permission.
    pub is_preset: bool,
    /// The vendor's condition for public applications, as a sentence.
    pub review: Option<&'static str>,
    /// Names of the tools that need no other permission.
    pub tools: Vec<&'static str>,
}

/// A named set of permissions, which a connection or a link can name instead of scopes: `send`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name. No scope of the product has it.
    pub name: &'static str,
    /// Its purpose, as a sentence: `Send mails.`
    pub about: &'static str,
    /// Its scopes.
    pub scopes: &'static [&'static str],
}

impl Product {
    /// The preset with this name.
    pub fn preset(&self, name: &str) -> Option<&'static Preset> {
        self.presets.iter().find(|preset| preset.name == name)
    }

    fn review(&self, scope: &str) -> Option<&'static str> {
        let mut reviews = self.reviews.iter();
        let (review, _) = reviews.find(|(_, scopes)| scopes.contains(&scope))?;
        Some(review)
    }

    /// The permissions that a connection can have, described in English. The usual ones come first, then those
    /// with a preset, then those that enable tools, then the rest. Empty if connections take no permissions.
    pub fn permission_choices(&self) -> Vec<PermissionChoice> {
        let (always, default) = match self.oauth.permissions {
            Permissions::Scopes { always, default } => (always, Some(default)),
            Permissions::Capabilities => (&[][..], None),
            Permissions::None => return Vec::new(),
        };
        // Permissions of the product family only identify the user.
        let own = self.permission_texts.first().map(|texts| texts.english());
        let own = own.into_iter().flat_map(|file| &file.scopes);
        let mut choices: Vec<PermissionChoice> = own
            .filter(|(name, _)| !always.contains(&name.as_str()))
            .map(|(name, text)| {
                let tools = self.tools_enabled_by(name);
                PermissionChoice {
                    is_usual: match default {
                        Some(default) => default.contains(&name.as_str()),
                        None => !tools.is_empty(),
                    },
                    is_preset: self
                        .presets
                        .iter()
                        .any(|preset| preset.scopes == [name.as_str()]),
                    review: self.review(name),
                    name: name.clone(),
                    text: text.clone(),
                    tools,
                }
            })
            .collect();
        choices
            .sort_by_key(|choice| (!choice.is_usual, !choice.is_preset, choice.tools.is_empty()));
        choices
    }

    /// The tools that need only this scope or capability.
    fn tools_enabled_by(&self, permission: &str) -> Vec<&'static str> {
        let of_capability = self.capabilities.iter();
        let of_capability = of_capability.filter(|(name, _)| *name == permission);
        let of_scope = self.tools.iter();
        let of_scope = of_scope.filter(|tool| tool.scopes().0.contains(&permission));
        let names: BTreeSet<&'static str> = of_capability
            .flat_map(|(_, tools)| tools.iter().copied())
            .chain(of_scope.map(|tool| tool.name()))
            .collect();
        names.into_iter().collect()
    }

    /// The call to test a connection whose user has granted these scopes. If they cover none of the calls, the first
    /// one.
    pub fn test_call(&self, granted: &[String]) -> Option<&'static TestCall> {
        let is_covered = |call: &&TestCall| {
            let mut tools = self.tools.iter();
            tools.any(|tool| tool.name() == call.tool && tool.scopes().covered_by(granted))
        };
        let covered = self.test_calls.iter().find(is_covered);
        covered.or(self.test_calls.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::product::{OAuth, PermissionTexts};

    static TEXTS: PermissionTexts = PermissionTexts::new(&[(
        "en",
        r#"{ "scopes": { "me": "Know you", "a": "See a", "b": "See b", "z": "See z" } }"#,
    )]);

    fn names(product: &Product) -> Vec<(String, bool)> {
        let choices = product.permission_choices().into_iter();
        choices.map(|one| (one.name, one.is_usual)).collect()
    }

    #[test]
    fn usual_permissions_come_first_without_the_mandatory_ones() {
        static SCOPES: Product = Product {
            permission_texts: &[&TEXTS],
            oauth: OAuth {
                permissions: Permissions::Scopes {
                    always: &["me"],
                    default: &["z"],
                },
                ..OAuth::BASE
            },
            presets: &[Preset {
                name: "write",
                about: "Write.",
                scopes: &["b"],
            }],
            reviews: &[("Someone looks.", &["z"])],
            ..Product::BASE
        };
        let named = |name: &str, is_usual| (name.to_owned(), is_usual);
        let expected = [named("z", true), named("b", false), named("a", false)];
        assert_eq!(names(&SCOPES), expected);
        let choices = SCOPES.permission_choices();
        assert_eq!(
            [choices[0].review, choices[1].review],
            [Some("Someone looks."), None]
        );
        static CAPABILITIES: Product = Product {
            permission_texts: &[&TEXTS],
            capabilities: &[("b", &["demo_read"])],
            oauth: OAuth {
                permissions: Permissions::Capabilities,
                ..OAuth::BASE
            },
            ..Product::BASE
        };
        assert_eq!(names(&CAPABILITIES)[0], named("b", true));
        let choices = CAPABILITIES.permission_choices();
        assert_eq!(choices[0].tools, ["demo_read"]);
        assert!(names(&Product::BASE).is_empty());
    }
}
