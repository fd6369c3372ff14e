//! Writes names and texts into SQL. No input can break out of its quotes.
//!
//! Source: SQL reference, "Identifier requirements" and "String constants".

/// Longest name that the product allows, in characters.
const LONGEST: usize = 255;

/// Why a text can't be part of a statement.
pub(crate) type Unusable = &'static str;

/// The name of an object, in its stored form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Name(String);

impl Name {
    /// Reads a name like SQL: a plain name is upper-cased, a name in double quotes is exact. Any other text, which SQL
    /// would only allow in quotes, is also exact.
    pub(crate) fn read(text: &str) -> Result<Self, Unusable> {
        let stored = match unquoted(text) {
            Some(inner) => inner,
            None if is_plain(text) => text.to_ascii_uppercase(),
            None => text.to_owned(),
        };
        Self::stored_as(&stored)
    }

    /// A name that the product returned, which is exact.
    pub(crate) fn stored_as(stored: &str) -> Result<Self, Unusable> {
        if stored.is_empty() {
            return Err("a name can't be empty");
        }
        if stored.chars().count() > LONGEST {
            return Err("a name can have at most 255 characters");
        }
        if stored.chars().any(char::is_control) {
            return Err("a name can't contain control characters");
        }
        Ok(Self(stored.to_owned()))
    }

    /// The name in its stored form, for members of a request and for comparisons.
    pub(crate) fn stored(&self) -> &str {
        &self.0
    }

    /// The name as an identifier in SQL. It's always in double quotes, which keep its case and special characters.
    pub(crate) fn quoted(&self) -> String {
        format!("\"{}\"", self.0.replace('"', "\"\""))
    }
}

/// Names as a path: `"DB"."SCHEMA"."TABLE"`.
pub(crate) fn path<'a>(names: impl IntoIterator<Item = &'a Name>) -> String {
    let quoted: Vec<String> = names.into_iter().map(Name::quoted).collect();
    quoted.join(".")
}

/// A text as a string constant. A backslash is an escape character there, so it's doubled before the quotes are.
pub(crate) fn literal(text: &str) -> Result<String, Unusable> {
    if text.contains('\0') {
        return Err("a text can't contain NUL characters");
    }
    let escaped = text.replace('\\', "\\\\").replace('\'', "''");
    Ok(format!("'{escaped}'"))
}

/// The text between the double quotes of a well-formed quoted identifier.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let well_formed = !inner.replace("\"\"", "").contains('"');
    well_formed.then(|| inner.replace("\"\"", "\""))
}

/// Whether SQL allows the text as an identifier without quotes.
fn is_plain(text: &str) -> bool {
    let mut letters = text.bytes();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quoted(text: &str) -> String {
        Name::read(text).unwrap().quoted()
    }

    #[test]
    fn names_are_read_as_sql_reads_them() {
        for (text, identifier) in [
            ("mydb", "\"MYDB\""),
            ("\"mydb\"", "\"mydb\""),
            ("my db", "\"my db\""),
            ("a.b", "\"a.b\""),
            ("x\"; DROP TABLE t; --", "\"x\"\"; DROP TABLE t; --\""),
            ("\"a\"\"b\"", "\"a\"\"b\""),
            ("1abc", "\"1abc\""),
            ("MY_DB$1", "\"MY_DB$1\""),
            ("größe", "\"größe\""),
            ("\"a\"b\"", "\"\"\"a\"\"b\"\"\""),
            ("\"", "\"\"\"\""),
        ] {
            assert_eq!(quoted(text), identifier, "{text}");
        }
        assert_eq!(Name::read("\"a\"\"b\"").unwrap().stored(), "a\"b");
    }

    #[test]
    fn invalid_object_names_are_refused() {
        for text in ["", "\"\"", "a\0b", "a\nb", &"x".repeat(256)] {
            assert!(Name::read(text).is_err(), "{text:?}");
        }
        assert!(Name::read(&"ü".repeat(255)).is_ok());
    }

    #[test]
    fn texts_stay_in_their_quotes() {
        for (text, constant) in [
            ("a'b", "'a''b'"),
            ("x' OR 1=1 --", "'x'' OR 1=1 --'"),
            ("x\\' OR 1=1 --", "'x\\\\'' OR 1=1 --'"),
            ("\\", "'\\\\'"),
            ("\u{ff07}", "'\u{ff07}'"),
            ("$$", "'$$'"),
        ] {
            assert_eq!(literal(text).unwrap(), constant, "{text}");
        }
        assert!(literal("a\0").is_err());
    }

    proptest! {
        #[test]
        fn a_quoted_name_is_read_back_as_itself(text in "\\PC{1,80}") {
            let name = Name::read(&text).unwrap();
            prop_assert_eq!(Name::read(&name.quoted()).unwrap(), name);
        }
    }
}
