//! `personFields` and `readMask`.

use crate::google::{ApiError, Call};

/// Fields of a person that a mask may name (people.connections.list, `personFields`).
pub(super) const PERSON_FIELDS: [&str; 29] = [
    "addresses",
    "ageRanges",
    "biographies",
    "birthdays",
    "calendarUrls",
    "clientData",
    "coverPhotos",
    "emailAddresses",
    "events",
    "externalIds",
    "genders",
    "imClients",
    "interests",
    "locales",
    "locations",
    "memberships",
    "metadata",
    "miscKeywords",
    "names",
    "nicknames",
    "occupations",
    "organizations",
    "phoneNumbers",
    "photos",
    "relations",
    "sipAddresses",
    "skills",
    "urls",
    "userDefined",
];

/// Fields of a person who is not a contact (otherContacts.search, `readMask`).
pub(super) const OTHER_CONTACT_FIELDS: [&str; 4] =
    ["emailAddresses", "metadata", "names", "phoneNumbers"];

/// The fields that the call's mask names; a mask is required.
pub(super) fn fields(call: &Call, name: &str, allowed: &[&str]) -> Result<Vec<String>, ApiError> {
    let mask = call.text(name).unwrap_or_default();
    read(mask, name, allowed)
}

/// The fields that `personFields` names, or the older parameter in its place.
pub(super) fn either(call: &Call) -> Result<Vec<String>, ApiError> {
    match (
        call.text("personFields"),
        call.text("requestMask.includeField"),
    ) {
        (None, Some(older)) => older_fields(older),
        _ => fields(call, "personFields", &PERSON_FIELDS),
    }
}

/// The fields of the older `requestMask.includeField`, with `person.` before each name.
fn older_fields(mask: &str) -> Result<Vec<String>, ApiError> {
    let name = "requestMask.includeField";
    let mut plain = Vec::new();
    for path in mask.split(',') {
        plain.push(
            path.strip_prefix("person.")
                .ok_or_else(|| invalid_mask(name, path))?,
        );
    }
    read(&plain.join(","), name, &PERSON_FIELDS)
}

fn read(mask: &str, name: &str, allowed: &[&str]) -> Result<Vec<String>, ApiError> {
    if mask.is_empty() {
        return Err(ApiError::invalid(format!(
            "{name} mask is required. Please specify one or more valid paths. Valid paths are documented at https://developers.google.com/people/api/rest."
        )));
    }
    mask.split(',')
        .map(|path| {
            if allowed.contains(&path) {
                Ok(path.to_owned())
            } else {
                Err(invalid_mask(name, path))
            }
        })
        .collect()
}

fn invalid_mask(name: &str, path: &str) -> ApiError {
    ApiError::invalid(format!(
        "Invalid {name} mask path: \"{path}\". Valid paths are documented at https://developers.google.com/people/api/rest."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::google::fields::Selection;

    #[test]
    fn the_schema_has_every_field_of_the_mask() {
        for name in PERSON_FIELDS {
            assert!(Selection::parse(name, "Person").is_ok(), "{name}");
        }
    }

    #[test]
    fn masks_are_exact() {
        assert!(read("names,emailAddresses", "m", &PERSON_FIELDS).is_ok());
        for mask in [
            "",
            "names, emailAddresses",
            "Names",
            "names.displayName",
            "names,",
        ] {
            assert!(read(mask, "m", &PERSON_FIELDS).is_err(), "{mask}");
        }
        assert!(older_fields("person.names,person.photos").is_ok());
        assert!(older_fields("names").is_err());
    }
}
