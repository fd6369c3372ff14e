//! Ids of files within the addresses under which a browser shows them: users copy an address, the API takes an id.

/// Hosts under which Google shows files.
const HOSTS: [&str; 2] = ["drive.google.com/", "docs.google.com/"];

/// The id that `given` is or, as an address of a file, contains: after one of the segments `markers`, or as the parameter
/// `id`. `None` for an address without an id.
///
/// What is not an address of a file stays as it is, without the blanks around it.
pub fn id_in_address<'a>(given: &'a str, markers: &[&str]) -> Option<&'a str> {
    let given = given.trim();
    let bare = given.strip_prefix("https://").unwrap_or(given);
    match HOSTS.iter().find_map(|host| bare.strip_prefix(host)) {
        Some(rest) => id_in(rest, markers),
        None => Some(given),
    }
}

fn id_in<'a>(rest: &'a str, markers: &[&str]) -> Option<&'a str> {
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut segments = path.split('/');
    let marked = segments.any(|segment| markers.contains(&segment));
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

    fn id(given: &str) -> Option<&str> {
        id_in_address(given, &["d", "folders"])
    }

    #[test]
    fn addresses_of_a_file_hold_its_id() {
        for given in [
            "1AbC-d_9",
            " 1AbC-d_9\n",
            "https://drive.google.com/file/d/1AbC-d_9/view?usp=sharing",
            "https://drive.google.com/drive/folders/1AbC-d_9",
            "https://drive.google.com/drive/u/0/folders/1AbC-d_9?resourcekey=0-x",
            "https://drive.google.com/open?usp=sharing&id=1AbC-d_9",
            "https://drive.google.com/uc?export=download&id=1AbC-d_9",
            "https://docs.google.com/document/d/1AbC-d_9/edit",
            "https://docs.google.com/spreadsheets/d/1AbC-d_9",
            "https://docs.google.com/spreadsheets/d/1AbC-d_9/edit?gid=0#gid=0",
            "https://docs.google.com/spreadsheets/u/1/d/1AbC-d_9/edit#gid=17",
            "docs.google.com/spreadsheets/d/1AbC-d_9/copy",
            "docs.google.com/presentation/d/1AbC-d_9",
        ] {
            assert_eq!(id(given), Some("1AbC-d_9"), "{given}");
        }
    }

    #[test]
    fn an_address_of_a_file_without_an_id_has_none() {
        for given in [
            "https://drive.google.com/drive/my-drive",
            "https://drive.google.com/drive/folders/",
            "https://drive.google.com/open?id=",
            "https://docs.google.com/spreadsheets/",
            "https://docs.google.com/spreadsheets/d/",
            "https://docs.google.com/document/d/e/2PACX-1v/pub",
            "https://docs.google.com/document/d/a%2Fb/edit",
        ] {
            assert_eq!(id(given), None, "{given}");
        }
    }

    #[test]
    fn what_is_not_an_address_of_a_file_stays_as_it_is() {
        for given in ["", "root", "d", "https://evil.example/d/x", "a/b"] {
            assert_eq!(id(given), Some(given));
        }
    }
}
