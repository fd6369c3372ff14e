//! Kinds of objects that have grants, and how to write their names.

use crate::sql::{self, Name, Unusable};

/// A kind of object with privileges, and how to write its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ObjectType {
    words: &'static str,
    place: Place,
}

/// The container of an object, which determines how many names precede its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The account itself, which has no name.
    Whole,
    /// In the account. The name can have any characters.
    Account,
    /// In a database or an application.
    Database,
    /// In a schema.
    Schema,
    /// In a schema, distinguished by the types of its arguments.
    Routine,
}

/// The kinds that SHOW GRANTS ON accepts (SQL reference, "SHOW GRANTS" and "GRANT <privileges>").
const KNOWN: &[(Place, &[&str])] = &[
    (Place::Whole, &["ACCOUNT"]),
    (
        Place::Account,
        &[
            "APPLICATION",
            "APPLICATION PACKAGE",
            "COMPUTE POOL",
            "CONNECTION",
            "DATABASE",
            "EXTERNAL VOLUME",
            "FAILOVER GROUP",
            "INTEGRATION",
            "NETWORK POLICY",
            "REPLICATION GROUP",
            "RESOURCE MONITOR",
            "ROLE",
            "SHARE",
            "USER",
            "WAREHOUSE",
        ],
    ),
    (
        Place::Database,
        &["APPLICATION ROLE", "DATABASE ROLE", "SCHEMA"],
    ),
    (
        Place::Schema,
        &[
            "AGGREGATION POLICY",
            "ALERT",
            "AUTHENTICATION POLICY",
            "CORTEX SEARCH SERVICE",
            "DYNAMIC TABLE",
            "EVENT TABLE",
            "EXTERNAL TABLE",
            "FILE FORMAT",
            "GIT REPOSITORY",
            "HYBRID TABLE",
            "ICEBERG TABLE",
            "IMAGE REPOSITORY",
            "JOIN POLICY",
            "MASKING POLICY",
            "MATERIALIZED VIEW",
            "MODEL",
            "NETWORK RULE",
            "NOTEBOOK",
            "PACKAGES POLICY",
            "PASSWORD POLICY",
            "PIPE",
            "PRIVACY POLICY",
            "PROJECTION POLICY",
            "ROW ACCESS POLICY",
            "SECRET",
            "SEMANTIC VIEW",
            "SEQUENCE",
            "SERVICE",
            "SESSION POLICY",
            "STAGE",
            "STREAM",
            "STREAMLIT",
            "TABLE",
            "TAG",
            "TASK",
            "VIEW",
        ],
    ),
    (Place::Routine, &["FUNCTION", "PROCEDURE"]),
];

impl ObjectType {
    /// The kind with this name. The case is ignored, and underscores can replace spaces.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let meant = text.replace('_', " ").to_ascii_uppercase();
        KNOWN.iter().find_map(|(place, kinds)| {
            let words = kinds.iter().find(|words| **words == meant)?;
            Some(Self {
                words,
                place: *place,
            })
        })
    }

    /// All kinds, for a message.
    pub(crate) fn known() -> String {
        let mut all: Vec<&str> = KNOWN
            .iter()
            .flat_map(|(_, kinds)| kinds.iter().copied())
            .collect();
        all.sort_unstable();
        format!("expected one of {}", all.join(", "))
    }

    /// The kind in SQL.
    pub(crate) fn words(self) -> &'static str {
        self.words
    }

    /// Whether objects of this kind have a name.
    pub(crate) fn has_name(self) -> bool {
        self.place != Place::Whole
    }

    /// An object of this kind as an identifier, with its database and schema if they are given.
    pub(crate) fn object(self, name: &str) -> Result<String, Unusable> {
        match self.place {
            Place::Whole | Place::Account => Ok(Name::read(name)?.quoted()),
            Place::Database => path(name, 2, IN_DATABASE),
            Place::Schema => path(name, 3, IN_SCHEMA),
            Place::Routine => routine(name),
        }
    }
}

const IN_DATABASE: Unusable =
    "expected name, or database.name; put a name that contains a dot in double quotes: \"a.b\"";
const IN_SCHEMA: Unusable = "expected name, schema.name, or database.schema.name; put a name that contains a dot in double quotes: \"a.b\"";

/// A path of at most this many names, separated by dots.
fn path(text: &str, most: usize, expected: Unusable) -> Result<String, Unusable> {
    let parts = split(text);
    if parts.len() > most || parts.iter().any(|part| part.is_empty()) {
        return Err(expected);
    }
    let names: Vec<Name> = parts
        .into_iter()
        .map(Name::read)
        .collect::<Result<_, _>>()?;
    Ok(sql::path(&names))
}

/// The parts between dots outside double quotes.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut in_quotes) = (0, false);
    for (place, letter) in text.char_indices() {
        match letter {
            '"' => in_quotes = !in_quotes,
            '.' if !in_quotes => {
                parts.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    // A quote that isn't closed doesn't protect dots.
    if in_quotes {
        return text.split('.').collect();
    }
    parts.push(&text[start..]);
    parts
}

/// A path with the types of the arguments: `db.schema.area(NUMBER, NUMBER)`.
fn routine(text: &str) -> Result<String, Unusable> {
    const WANTED: Unusable =
        "write a function or procedure with the types of its arguments: area(NUMBER, NUMBER)";
    let inner = text.trim_end().strip_suffix(')').ok_or(WANTED)?;
    let opening = opening(inner).ok_or(WANTED)?;
    let (name, types) = (&inner[..opening], &inner[opening + 1..]);
    let types = types.trim();
    if !types.is_empty() && !arguments(types).iter().all(|one| is_type(one.trim())) {
        return Err(WANTED);
    }
    Ok(format!("{}({types})", path(name, 3, IN_SCHEMA)?))
}

/// The opening parenthesis that matches a closing one after the end of `text`.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (place, letter) in text.char_indices().rev() {
        match letter {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(place);
        }
    }
    None
}

/// The parts between commas outside parentheses.
fn arguments(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    })
    .collect()
}

/// Whether the text is a type, optionally with a size: `DOUBLE PRECISION`, `NUMBER(38, 0)`.
fn is_type(text: &str) -> bool {
    let (words, size) = match text.strip_suffix(')') {
        Some(rest) => match rest.split_once('(') {
            Some((words, size)) => (words, Some(size)),
            None => return false,
        },
        None => (text, None),
    };
    let is_number = |text: &str| {
        let text = text.trim();
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    words.starts_with(|first: char| first.is_ascii_alphabetic())
        && words
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b' '))
        && size.is_none_or(|size| size.split(',').all(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(kind: &str, name: &str) -> Result<String, Unusable> {
        ObjectType::read(kind).unwrap().object(name)
    }

    #[test]
    fn kinds_are_known_in_any_spelling() {
        for (text, words) in [
            ("table", "TABLE"),
            ("Database_Role", "DATABASE ROLE"),
            ("FILE FORMAT", "FILE FORMAT"),
        ] {
            assert_eq!(ObjectType::read(text).unwrap().words(), words);
        }
        for other in ["", "TABLE x; DROP", "TABLES", " TABLE"] {
            assert_eq!(ObjectType::read(other), None, "{other}");
        }
    }

    #[test]
    fn a_path_has_as_many_names_as_its_kind() {
        for (kind, name, path) in [
            ("TABLE", "orders", "\"ORDERS\""),
            (
                "TABLE",
                "sales.public.orders",
                "\"SALES\".\"PUBLIC\".\"ORDERS\"",
            ),
            ("TABLE", "sales.\"a.b\"", "\"SALES\".\"a.b\""),
            ("TABLE", "a\".b", "\"a\"\"\".\"B\""),
            ("SCHEMA", "sales.public", "\"SALES\".\"PUBLIC\""),
            ("USER", "ada@example.com", "\"ada@example.com\""),
            ("WAREHOUSE", "a.b", "\"a.b\""),
        ] {
            assert_eq!(object(kind, name).as_deref(), Ok(path), "{kind} {name}");
        }
        for (kind, name, expected) in [
            ("TABLE", "a.b.c.d", IN_SCHEMA),
            ("TABLE", "a..b", IN_SCHEMA),
            ("TABLE", ".a", IN_SCHEMA),
            ("FUNCTION", "a.b.c.d()", IN_SCHEMA),
            ("SCHEMA", "a.b.c", IN_DATABASE),
            ("DATABASE_ROLE", "a.", IN_DATABASE),
        ] {
            assert_eq!(object(kind, name), Err(expected), "{kind} {name}");
        }
        assert_eq!(object("TABLE", "\"a.b.c.d\"").as_deref(), Ok("\"a.b.c.d\""));
    }

    #[test]
    fn a_routine_has_the_types_of_its_arguments() {
        for (name, path) in [
            ("area()", "\"AREA\"()"),
            (
                "db.s.area(NUMBER(38, 0), DOUBLE PRECISION)",
                "\"DB\".\"S\".\"AREA\"(NUMBER(38, 0), DOUBLE PRECISION)",
            ),
            ("\"f(x)\"(VARCHAR)", "\"f(x)\"(VARCHAR)"),
        ] {
            assert_eq!(object("FUNCTION", name).as_deref(), Ok(path), "{name}");
        }
        for name in [
            "area",
            "area)",
            "area(x; DROP TABLE t)",
            "area('x')",
            "area(NUMBER(1))(x",
            "area(NUMBER,)",
            "area(NUMBER())",
        ] {
            assert!(object("PROCEDURE", name).is_err(), "{name}");
        }
    }
}
