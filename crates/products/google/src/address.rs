//! Files by id, or by their link in a browser: users copy a link, but the API needs an id.

/// Hosts of links to files.
const HOSTS: [&str; 6] = [
    "drive.google.com",
    "docs.google.com",
    "sheets.google.com",
    "spreadsheets.google.com",
    "drive.usercontent.google.com",
    "lh3.googleusercontent.com",
];
/// Query parameters that contain an id.
const PARAMETERS: [&str; 3] = ["id=", "key=", "srcid="];

/// A file that the caller named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedFile<'a> {
    /// Its id.
    pub id: &'a str,
    /// The resource key in its link. Some shared files can't be found without it.
    pub resource_key: Option<&'a str>,
}

/// Reads an id, or a link with the id after one of the path segments `markers` or in a query parameter. `None` if it's
/// neither.
pub fn named_file<'a>(given: &'a str, markers: &[&str]) -> Option<NamedFile<'a>> {
    let given = given.trim();
    let (scheme, bare) = given.split_once("://").unwrap_or(("", given));
    let end = bare.find(['/', '?', '#']).unwrap_or(bare.len());
    let (host, rest) = bare.split_at(end);
    let mut hosts = HOSTS.iter();
    let is_web = ["", "http", "https"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web));
    if is_web && hosts.any(|known| host.eq_ignore_ascii_case(known)) {
        return in_link(rest, markers);
    }
    is_plain(given).then_some(NamedFile {
        id: given,
        resource_key: None,
    })
}

fn in_link<'a>(rest: &'a str, markers: &[&str]) -> Option<NamedFile<'a>> {
    let parts = || rest.split(['/', '?', '&', '#']);
    let mut segments = parts();
    let marked = segments.any(|segment| markers.contains(&segment));
    let in_path = marked.then(|| segments.next()).flatten();
    let parameter = |name: &str| parts().find_map(|part| part.strip_prefix(name));
    let in_query = || PARAMETERS.iter().find_map(|name| parameter(name));
    // `/d/e/…` is a published copy, whose id the API doesn't know.
    let id = in_path.filter(|id| *id != "e").or_else(in_query)?;
    let resource_key = parameter("resourcekey=").filter(|key| !key.is_empty());
    (is_plain(id) && resource_key.is_none_or(is_plain)).then_some(NamedFile { id, resource_key })
}

fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !id.is_empty() && id.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(given: &str) -> Option<&str> {
        Some(named_file(given, &["d", "folders"])?.id)
    }

    #[test]
    fn links_of_a_file_hold_its_id() {
        for given in [
            "1AbC-d_9",
            " 1AbC-d_9\n",
            "https://drive.google.com/file/d/1AbC-d_9/view?usp=sharing",
            "http://drive.google.com/file/d/1AbC-d_9",
            "HTTPS://Drive.Google.com/file/d/1AbC-d_9",
            "https://drive.google.com/drive/folders/1AbC-d_9",
            "https://drive.google.com/drive/#folders/1AbC-d_9",
            "https://drive.google.com/drive/u/0/folders/1AbC-d_9?resourcekey=0-x",
            "https://drive.google.com/open?usp=sharing&id=1AbC-d_9",
            "https://drive.google.com/uc?export=download&id=1AbC-d_9",
            "https://drive.google.com/a/example.org/file/d/1AbC-d_9/view",
            "https://drive.usercontent.google.com/download?id=1AbC-d_9&export=download",
            "https://lh3.googleusercontent.com/d/1AbC-d_9",
            "https://docs.google.com/document/d/1AbC-d_9/edit",
            "https://docs.google.com/viewer?srcid=1AbC-d_9&pid=explorer",
            "https://docs.google.com/spreadsheets/d/1AbC-d_9",
            "https://docs.google.com/spreadsheets/d/1AbC-d_9/edit?gid=0#gid=0",
            "https://docs.google.com/spreadsheets/u/1/d/1AbC-d_9/edit#gid=17",
            "https://spreadsheets.google.com/ccc?key=1AbC-d_9",
            "docs.google.com/spreadsheets/d/1AbC-d_9/copy",
            "docs.google.com/presentation/d/1AbC-d_9",
        ] {
            assert_eq!(id(given), Some("1AbC-d_9"), "{given}");
        }
    }

    #[test]
    fn input_that_is_no_id_and_no_file_link_is_refused() {
        for given in [
            "https://drive.google.com/drive/my-drive",
            "https://drive.google.com/drive/folders/",
            "https://drive.google.com/open?id=",
            "https://docs.google.com/spreadsheets/",
            "https://docs.google.com/spreadsheets/d/",
            "https://docs.google.com/document/d/e/2PACX-1v/pub",
            "https://docs.google.com/document/d/a%2Fb/edit",
            "https://drive.google.com/file/d/1AbC/view?resourcekey=0%2Cx",
            "ftp://drive.google.com/file/d/1AbC-d_9",
            "https://evil.example/d/x",
            "https://drive.google.com.evil.example/file/d/1AbC-d_9",
            "Budget 2026.xlsx",
            "a/b",
            "..",
            "",
        ] {
            assert_eq!(id(given), None, "{given}");
        }
        for given in ["root", "d"] {
            assert_eq!(id(given), Some(given));
        }
    }

    #[test]
    fn a_link_may_hold_a_resource_key() {
        for (given, key) in [
            (
                "https://drive.google.com/file/d/1AbC/view?resourcekey=0-x_Y",
                Some("0-x_Y"),
            ),
            (
                "https://drive.google.com/open?id=1AbC&resourcekey=0-x_Y#a",
                Some("0-x_Y"),
            ),
            (
                "https://drive.google.com/file/d/1AbC/view?resourcekey=",
                None,
            ),
            (
                "https://drive.google.com/file/d/1AbC/view?usp=sharing",
                None,
            ),
            ("1AbC", None),
        ] {
            let file = named_file(given, &["d"]).unwrap();
            assert_eq!((file.id, file.resource_key), ("1AbC", key), "{given}");
        }
    }
}
