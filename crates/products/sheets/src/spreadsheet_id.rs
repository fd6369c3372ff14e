//! Ids of spreadsheets, as such or within the product's addresses.

use stead_core::{Error, Result, error::Violation};

/// Addresses under which the product shows a spreadsheet.
const PLACES: [&str; 2] = ["docs.google.com/", "drive.google.com/"];

/// The id that `given` is or, as an address of the product, contains.
///
/// # Errors
/// A violation at `/spreadsheet_id` for an address of the product without an id.
pub(crate) fn spreadsheet_id(given: &str) -> Result<&str> {
    let given = given.trim();
    let bare = given.strip_prefix("https://").unwrap_or(given);
    let Some(rest) = PLACES.iter().find_map(|place| bare.strip_prefix(place)) else {
        return Ok(given);
    };
    id_in(rest).ok_or_else(|| {
        let message = "this address has no id of a spreadsheet; it looks like https://docs.google.com/spreadsheets/d/ID/edit";
        Error::violations(vec![Violation::new("/spreadsheet_id", "format", message)])
    })
}

/// The segment behind `d`, or the parameter `id`, of what follows the host.
fn id_in(rest: &str) -> Option<&str> {
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut segments = path.split('/');
    let in_path = segments
        .any(|segment| segment == "d")
        .then(|| segments.next());
    let in_query = || query.split('&').find_map(|pair| pair.strip_prefix("id="));
    // `/d/e/…` is a published copy: its id is another, which the API does not take.
    let id = in_path
        .flatten()
        .filter(|id| *id != "e")
        .or_else(in_query)?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (!id.is_empty() && id.bytes().all(plain)).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_product_hold_the_id() {
        for given in [
            "1AbC-d_9",
            " 1AbC-d_9\n",
            "https://docs.google.com/spreadsheets/d/1AbC-d_9",
            "https://docs.google.com/spreadsheets/d/1AbC-d_9/edit?gid=0#gid=0",
            "https://docs.google.com/spreadsheets/u/1/d/1AbC-d_9/edit#gid=17",
            "docs.google.com/spreadsheets/d/1AbC-d_9/copy",
            "https://drive.google.com/open?usp=sharing&id=1AbC-d_9",
            "https://drive.google.com/file/d/1AbC-d_9/view",
        ] {
            assert_eq!(spreadsheet_id(given).unwrap(), "1AbC-d_9", "{given}");
        }
    }

    #[test]
    fn an_address_without_an_id_is_refused() {
        for given in [
            "https://docs.google.com/spreadsheets/",
            "https://docs.google.com/spreadsheets/d/",
            "https://docs.google.com/spreadsheets/d/e/2PACX-1v/pubhtml",
            "https://docs.google.com/spreadsheets/d/a%2Fb/edit",
            "https://drive.google.com/open?id=",
        ] {
            let error = spreadsheet_id(given).unwrap_err();
            assert_eq!(error.violation_list()[0].path, "/spreadsheet_id", "{given}");
        }
    }

    #[test]
    fn what_is_no_address_of_the_product_stays_as_it_is() {
        for given in ["", "https://evil.example/d/x", "a/b", "d"] {
            assert_eq!(spreadsheet_id(given).unwrap(), given);
        }
    }
}
