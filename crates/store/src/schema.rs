//! Versions of a database's schema: the migrations, which databases are refused, and the messages about that.
//!
//! After a migration that only expands, the previous Stead can still use the database, so both versions can run during
//! an upgrade. The table `stead_schema` has the versions that a Stead must know, and `stead_schema_expansion` has the
//! others.

use crate::fault::Fault;

/// One version of the schema. A released one never changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Migration {
    pub(crate) sql: &'static str,
    /// Whether a Stead that doesn't know it can still use the database.
    expands: bool,
}

impl Migration {
    /// A migration that only adds: tables, indexes that aren't unique, and columns that can be absent. An older Stead
    /// leaves these columns empty. So a column to find rows by is added in one version, and read in the next.
    pub(crate) const fn expands(sql: &'static str) -> Self {
        Self { sql, expands: true }
    }

    /// A migration that removes or changes something that an older Stead reads or writes. It's released one version
    /// after the last Stead that needs it.
    pub(crate) const fn contracts(sql: &'static str) -> Self {
        Self {
            sql,
            expands: false,
        }
    }

    /// The table that records that it was applied.
    pub(crate) const fn noted_in(&self) -> &'static str {
        if self.expands {
            EXPANSIONS
        } else {
            "stead_schema"
        }
    }
}

/// The table of versions that only expand.
pub(crate) const EXPANSIONS: &str = "stead_schema_expansion";

/// The versions of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Versions {
    /// The last version that was applied.
    pub(crate) last: usize,
    /// The lowest version that a Stead must know.
    pub(crate) needed: usize,
}

impl Versions {
    /// Computes them from the last entries of the two tables of versions.
    pub(crate) fn new(needed: Option<i64>, expansion: Option<i64>) -> Result<Self, Fault> {
        let number = |last: Option<i64>| {
            usize::try_from(last.unwrap_or(0))
                .map_err(|_| Fault::new("its schema version can't be read"))
        };
        let needed = number(needed)?;
        Ok(Self {
            last: needed.max(number(expansion)?),
            needed,
        })
    }

    /// Refuses a database that a newer Stead has changed, unless it only added to it.
    pub(crate) fn check_at_opening(self, known: usize) -> stead_core::Result<()> {
        let needed = self.needed;
        if needed <= known {
            return Ok(());
        }
        Err(stead_core::Error::new(
            stead_core::ErrorKind::StorageUnavailable,
            format!(
                "a newer Stead wrote the store (schema version {needed}, this Stead supports up to {known}); run the newer Stead"
            ),
        )
        .with_retryable(false))
    }

    /// A newer Stead may upgrade the schema while this one runs. This one must not write in a format that it doesn't
    /// know.
    pub(crate) fn check_while_running(self, known: usize) -> Result<(), Fault> {
        let needed = self.needed;
        if needed <= known {
            return Ok(());
        }
        Err(Fault::new(format!(
            "a newer Stead changed the store's schema to version {needed}, but this Stead supports up to {known}; run the newer Stead"
        )))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Checks that a Stead that doesn't know these statements loses nothing.
    fn only_adds(sql: &str) -> Result<(), String> {
        let plain: Vec<&str> = sql
            .lines()
            .map(|line| line.split("--").next().unwrap_or_default())
            .collect();
        let plain = plain.join(" ");
        for statement in plain.split(';').map(str::trim).filter(|s| !s.is_empty()) {
            let upper = statement.to_uppercase();
            let words: Vec<&str> = upper.split_whitespace().collect();
            let adds = match words.as_slice() {
                ["CREATE", "TABLE", ..] | ["CREATE", "INDEX", ..] => true,
                ["ALTER", "TABLE", _, "ADD", "COLUMN", rest @ ..] => {
                    !rest.windows(2).any(|two| two == ["NOT", "NULL"]) || rest.contains(&"DEFAULT")
                }
                _ => false,
            };
            if !adds {
                return Err(statement.to_owned());
            }
        }
        Ok(())
    }

    /// Checks that migrations that are declared as expansions do nothing else.
    pub(crate) fn expand_as_they_say(migrations: &[Migration]) {
        for migration in migrations.iter().filter(|one| one.expands) {
            only_adds(migration.sql).unwrap_or_else(|statement| {
                panic!("a migration that expands has the statement {statement}")
            });
        }
    }

    #[test]
    fn statements_that_remove_or_require_something_do_not_expand() {
        for (sql, adds) in [
            ("CREATE TABLE \"a\" (\"b\" TEXT NOT NULL)", true),
            ("-- why\nCREATE INDEX \"c\" ON \"a\" (\"b\");\n", true),
            ("ALTER TABLE \"a\" ADD COLUMN \"d\" TEXT", true),
            (
                "ALTER TABLE \"a\" ADD COLUMN \"d\" BIGINT NOT NULL DEFAULT 0",
                true,
            ),
            ("ALTER TABLE \"a\" ADD COLUMN \"d\" TEXT NOT NULL", false),
            ("CREATE UNIQUE INDEX \"c\" ON \"a\" (\"b\")", false),
            ("CREATE TABLE \"e\" (\"f\" TEXT); DROP TABLE \"a\"", false),
            ("ALTER TABLE \"a\" DROP COLUMN \"b\"", false),
            ("ALTER TABLE \"a\" RENAME COLUMN \"b\" TO \"c\"", false),
            ("UPDATE \"a\" SET \"b\" = ''", false),
        ] {
            assert_eq!(only_adds(sql).is_ok(), adds, "{sql}");
        }
    }

    #[test]
    fn an_older_version_accepts_unknown_expanding_migrations() {
        let expanded = Versions::new(Some(3), Some(5)).unwrap();
        assert_eq!((expanded.last, expanded.needed), (5, 3));
        assert!(expanded.check_at_opening(3).is_ok() && expanded.check_while_running(3).is_ok());
        let contracted = Versions::new(Some(6), Some(5)).unwrap();
        assert_eq!((contracted.last, contracted.needed), (6, 6));
        assert!(contracted.check_at_opening(5).is_err());
        assert!(contracted.check_while_running(5).is_err());
        assert!(Versions::new(Some(-1), None).is_err());
    }
}
