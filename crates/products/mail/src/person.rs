//! A person in a result, as the product has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person (People API, `Person`). The fields that were asked for are there, as far as the product knows them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Person {
    /// Name of the product's object, such as `people/c12`.
    pub resource_name: Option<String>,
    /// Names of the person.
    #[serde(default)]
    pub names: Vec<PersonName>,
    /// Mail addresses.
    #[serde(default)]
    pub email_addresses: Vec<ContactPoint>,
    /// Phone numbers.
    #[serde(default)]
    pub phone_numbers: Vec<ContactPoint>,
    /// Where the person works.
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
    /// Whole name, as it is shown.
    pub display_name: Option<String>,
    /// Given name.
    pub given_name: Option<String>,
    /// Family name.
    pub family_name: Option<String>,
}

/// A mail address or a phone number (People API, `EmailAddress`, `PhoneNumber`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ContactPoint {
    /// The address or the number.
    pub value: Option<String>,
    /// What it is for, such as `home` or `work`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// Where a person works (People API, `Organization`).
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
    /// Whether it is the product's own picture for those who have none.
    pub default: Option<bool>,
}
