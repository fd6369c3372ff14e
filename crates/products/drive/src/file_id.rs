//! Ids of files, as such or within the product's addresses.

use stead_core::{Error, Result, error::Violation};

/// Addresses under which the product shows files.
const PLACES: [&str; 2] = ["drive.google.com/", "docs.google.com/"];

/// The id that `given` is or, as an address of the product, contains.
///
/// # Errors
/// A violation at `/file_id` for an address of the product without an id.
pub(crate) fn file_id(given: &str) -> Result<&str> {
    let given = given.trim();
    let bare = given.strip_prefix("https://").unwrap_or(given);
    let Some(rest) = PLACES.iter().find_map(|place| bare.strip_prefix(place)) else {
        return Ok(given);
    };
    id_in(rest).ok_or_else(|| {
        let message = "this address has no id of a file; it looks like https://drive.google.com/file/d/ID/view";
        Error::violations(vec![Violation::new("/file_id", "format", message)])
    })
}

/// The segment behind `d` or `folders`, or the parameter `id`, of what follows the host.
fn id_in(rest: &str) -> Option<&str> {
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut segments = path.split('/');
    let marked = segments.any(|segment| matches!(segment, "d" | "folders"));
    let in_path = marked.then(|| segments.next()).flatten();
    let in_query = || query.split('&').find_map(|pair| pair.strip_prefix("id="));
    // `/d/e/…` is a published copy: its id is another, which the API does not take.
    let id = in_path.filter(|id| *id != "e").or_else(in_query)?;
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
            " 1AbC-d_9 ",
            "https://drive.google.com/file/d/1AbC-d_9/view?usp=sharing",
            "https://drive.google.com/drive/folders/1AbC-d_9",
            "https://drive.google.com/drive/u/0/folders/1AbC-d_9?resourcekey=0-x",
            "https://drive.google.com/open?id=1AbC-d_9",
            "https://drive.google.com/uc?export=download&id=1AbC-d_9",
            "https://docs.google.com/document/d/1AbC-d_9/edit",
            "https://docs.google.com/spreadsheets/u/1/d/1AbC-d_9/edit#gid=0",
            "docs.google.com/presentation/d/1AbC-d_9",
        ] {
            assert_eq!(file_id(given).unwrap(), "1AbC-d_9", "{given}");
        }
    }

    #[test]
    fn an_address_without_an_id_is_refused() {
        for given in [
            "https://drive.google.com/drive/my-drive",
            "https://drive.google.com/drive/folders/",
            "https://docs.google.com/document/d/e/2PACX-1v/pub",
            "https://docs.google.com/document/d/a%2Fb/edit",
        ] {
            let error = file_id(given).unwrap_err();
            assert_eq!(error.violation_list()[0].path, "/file_id", "{given}");
        }
    }

    #[test]
    fn what_is_no_address_of_the_product_stays_as_it_is() {
        for given in ["", "root", "https://evil.example/d/x", "a/b"] {
            assert_eq!(file_id(given).unwrap(), given);
        }
    }
}
