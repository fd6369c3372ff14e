//! IDs: UUIDs that are the same in every run.

use sha2::{Digest as _, Sha256};

use crate::shared::hex;

/// The ID for a name.
pub(crate) fn id_of(name: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(b"stead-sandbox notion");
    digest.update(name.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.finalize()[..16]);
    // RFC 9562, section 5.4: the version and the variant of a random UUID.
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    hyphenated(&hex(&bytes))
}

/// The stored form of an ID. Accepts both spellings.
pub(crate) fn read(text: &str) -> Option<String> {
    let digits = match text.len() {
        32 => text.to_owned(),
        36 => {
            let groups: Vec<&str> = text.split('-').collect();
            let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
            if lengths != [8, 4, 4, 4, 12] {
                return None;
            }
            groups.concat()
        }
        _ => return None,
    };
    let digits = digits.to_ascii_lowercase();
    digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| hyphenated(&digits))
}

/// The ID in a link.
pub(crate) fn compact(id: &str) -> String {
    id.replace('-', "")
}

fn hyphenated(digits: &str) -> String {
    let groups: Vec<&str> = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)]
        .iter()
        .filter_map(|(start, end)| digits.get(*start..*end))
        .collect();
    groups.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_repeat_and_are_read_in_both_forms() {
        let id = id_of("page");
        assert_eq!(id, id_of("page"));
        assert_ne!(id, id_of("other"));
        assert_eq!(read(&compact(&id).to_uppercase()), Some(id.clone()));
        assert_eq!(read(&id), Some(id.clone()));
        for bad in [
            "",
            "page",
            &id[1..],
            &id.replace('-', "_"),
            &format!("{id}0"),
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
