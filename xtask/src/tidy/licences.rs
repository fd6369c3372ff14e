//! Licences of the crates that we build upon, against the list in `deny.toml`.

use std::collections::BTreeSet;

/// Crates whose licence cannot be met by what `deny.toml` allows.
pub(crate) fn allowed(licences: &BTreeSet<(String, String)>, deny: &str) -> Vec<String> {
    let allowed = list(deny);
    let mut faults = Vec::new();
    if allowed.is_empty() {
        faults.push("deny.toml has no list `allow = [` under [licenses]".to_owned());
    }
    for (name, licence) in licences {
        if !is_met(licence, &allowed) {
            faults.push(format!("{name} is under {licence:?}"));
        }
    }
    faults
}

/// The quoted words of `allow = [ … ]` in the table `[licenses]`.
fn list(deny: &str) -> Vec<&str> {
    let Some((_, table)) = deny.split_once("\n[licenses]\n") else {
        return Vec::new();
    };
    let Some((_, list)) = table.split_once("\nallow = [") else {
        return Vec::new();
    };
    let list = list.split_once(']').map_or(list, |(list, _)| list);
    list.lines()
        .filter_map(|line| line.split('"').nth(1))
        .collect()
}

/// Whether an SPDX expression can be met: one of its alternatives, with all its parts. Older crates write `/` for `OR`.
fn is_met(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace(" WITH ", "\u{a0}WITH\u{a0}");
    let mut words = expression
        .split(' ')
        .filter(|word| !word.is_empty())
        .peekable();
    let met = alternatives(&mut words, allowed);
    met == Some(true) && words.next().is_none()
}

fn alternatives<'a>(
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    allowed: &[&str],
) -> Option<bool> {
    let mut met = parts(words, allowed)?;
    while words.next_if_eq(&"OR").is_some() {
        met |= parts(words, allowed)?;
    }
    Some(met)
}

fn parts<'a>(
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    allowed: &[&str],
) -> Option<bool> {
    let mut met = one(words, allowed)?;
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed)?;
    }
    Some(met)
}

fn one<'a>(
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    allowed: &[&str],
) -> Option<bool> {
    match words.next()? {
        "(" => {
            let met = alternatives(words, allowed)?;
            words.next_if_eq(&")")?;
            Some(met)
        }
        name => Some(
            allowed
                .iter()
                .any(|licence| licence.replace(" WITH ", "\u{a0}WITH\u{a0}") == name),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = "[graph]\nall-features = true\n\n[licenses]\n# Why.\nallow = [\n    \"MIT\",\n    # Of some.\n    \"ISC\",\n    \"Apache-2.0 WITH LLVM-exception\",\n]\n\n[bans]\nallow = [\"GPL-3.0-only\"]\n";

    #[test]
    fn expressions_are_read() {
        let allowed = list(DENY);
        assert_eq!(allowed, ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"]);
        for met in [
            "MIT",
            "MIT OR GPL-3.0-only",
            "GPL-3.0-only/MIT",
            "MIT AND ISC",
            "(GPL-3.0-only OR MIT) AND ISC",
            "Apache-2.0 WITH LLVM-exception OR X",
        ] {
            assert!(is_met(met, &allowed), "{met}");
        }
        for unmet in [
            "",
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "MIT OR",
            "(MIT",
            "MIT)",
            "Apache-2.0",
            "MIT ISC",
        ] {
            assert!(!is_met(unmet, &allowed), "{unmet}");
        }
    }

    #[test]
    fn a_licence_that_is_not_on_the_list_is_found() {
        let licences = [("a", "MIT"), ("b", "GPL-3.0-only"), ("c", "")]
            .map(|(name, licence)| (name.to_owned(), licence.to_owned()));
        assert_eq!(
            allowed(&licences.into(), DENY),
            ["b is under \"GPL-3.0-only\"", "c is under \"\""]
        );
        assert_eq!(allowed(&BTreeSet::new(), "").len(), 1);
    }
}
