//! Fields of a person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::tool::Call;

/// A field of a person (People API, `people.connections.list`, `personFields`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "the names are the product's, and a text for each would fill every model's context"
)]
#[schemars(extend("x-brief" = "Such as `names`, `emailAddresses`, `addresses`, `birthdays`, `biographies` or `urls`."))]
pub enum PersonField {
    Addresses,
    AgeRanges,
    Biographies,
    Birthdays,
    CalendarUrls,
    ClientData,
    CoverPhotos,
    EmailAddresses,
    Events,
    ExternalIds,
    Genders,
    ImClients,
    Interests,
    Locales,
    Locations,
    Memberships,
    Metadata,
    MiscKeywords,
    Names,
    Nicknames,
    Occupations,
    Organizations,
    PhoneNumbers,
    Photos,
    Relations,
    SipAddresses,
    Skills,
    Urls,
    UserDefined,
}

impl PersonField {
    /// Default fields. The readable view has no use for a picture's address.
    pub(crate) const fn defaults(call: &Call) -> &'static [Self] {
        const WITH_PHOTOS: &[PersonField] = &[
            PersonField::Names,
            PersonField::EmailAddresses,
            PersonField::PhoneNumbers,
            PersonField::Organizations,
            PersonField::Photos,
        ];
        match WITH_PHOTOS {
            [texts @ .., _] if call.is_readable => texts,
            all => all,
        }
    }

    /// Fields that a search of other contacts allows (People API, `otherContacts.search`, `readMask`).
    pub(crate) const OF_OTHER_CONTACTS: &'static [Self] = &[
        Self::EmailAddresses,
        Self::Metadata,
        Self::Names,
        Self::PhoneNumbers,
    ];

    /// The field mask: names separated by commas, as one query parameter.
    pub(crate) fn mask(fields: &[Self]) -> String {
        let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
        names.join(",")
    }

    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Addresses => "addresses",
            Self::AgeRanges => "ageRanges",
            Self::Biographies => "biographies",
            Self::Birthdays => "birthdays",
            Self::CalendarUrls => "calendarUrls",
            Self::ClientData => "clientData",
            Self::CoverPhotos => "coverPhotos",
            Self::EmailAddresses => "emailAddresses",
            Self::Events => "events",
            Self::ExternalIds => "externalIds",
            Self::Genders => "genders",
            Self::ImClients => "imClients",
            Self::Interests => "interests",
            Self::Locales => "locales",
            Self::Locations => "locations",
            Self::Memberships => "memberships",
            Self::Metadata => "metadata",
            Self::MiscKeywords => "miscKeywords",
            Self::Names => "names",
            Self::Nicknames => "nicknames",
            Self::Occupations => "occupations",
            Self::Organizations => "organizations",
            Self::PhoneNumbers => "phoneNumbers",
            Self::Photos => "photos",
            Self::Relations => "relations",
            Self::SipAddresses => "sipAddresses",
            Self::Skills => "skills",
            Self::Urls => "urls",
            Self::UserDefined => "userDefined",
        }
    }
}
