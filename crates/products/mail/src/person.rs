//! A person, as the product returns it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person (People API, `Person`). It has the requested fields that the product knows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Person {
    /// Name of the product's object, such as `people/c12`.
    pub resource_name: Option<String>,
    /// Names of the person.
    #[serde(default)]
    pub names: Vec<PersonName>,
    /// Email addresses.
    #[serde(default)]
    pub email_addresses: Vec<ContactPoint>,
    /// Phone numbers.
    #[serde(default)]
    pub phone_numbers: Vec<ContactPoint>,
    /// The employers.
    #[serde(default)]
    pub organizations: Vec<PersonOrganization>,
    /// Pictures of the person.
    #[serde(default)]
    pub photos: Vec<PersonPhoto>,
}

/// A name of a person (People API, `Name`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PersonName {
    /// Full name, for display.
    pub display_name: Option<String>,
    /// Given name.
    pub given_name: Option<String>,
    /// Family name.
    pub family_name: Option<String>,
}

/// An email address or a phone number (People API, `EmailAddress`, `PhoneNumber`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ContactPoint {
    /// The address or the number.
    pub value: Option<String>,
    /// Kind of address or number, such as `home` or `work`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// An employer of a person (People API, `Organization`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PersonOrganization {
    /// Name of the organization.
    pub name: Option<String>,
    /// The person's position there.
    pub title: Option<String>,
}

/// A picture of a person (People API, `Photo`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PersonPhoto {
    /// Address of the picture.
    pub url: Option<String>,
    /// Whether it's the product's default picture.
    pub default: Option<bool>,
}
