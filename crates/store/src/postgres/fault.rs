//! The meaning of PostgreSQL's errors.

use std::{fmt, io};

use stead_core::Error;

use crate::fault::Fault;

/// The reason why the database didn't respond. PostgreSQL's own messages are included if they're about the server and
/// the user. Other messages may contain values, so only their code is included (PostgreSQL, Appendix A).
pub(super) fn fault(error: sqlx::Error) -> Fault {
    let mut may_follow = false;
    let mut is_damage = false;
    let mut is_setting = false;
    let why = match &error {
        sqlx::Error::PoolTimedOut => {
            may_follow = true;
            "couldn't connect in time; its server can't be reached, is starting or is busy"
                .to_owned()
        }
        sqlx::Error::PoolClosed => "it is closed".to_owned(),
        // An invalid certificate is reported as invalid data.
        sqlx::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            is_setting = true;
            insecure(error)
        }
        sqlx::Error::Io(error) => {
            may_follow = true;
            format!("the connection to its server failed: {error}")
        }
        sqlx::Error::Tls(error) => {
            is_setting = true;
            insecure(error)
        }
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            may_follow = code.starts_with("57P") || code.starts_with("08");
            // Authentication, a missing database or schema, and permissions.
            is_setting = ["28", "3D", "3F", "42501"]
                .iter()
                .any(|class| code.starts_with(class));
            match &*code {
                "XX001" | "XX002" => {
                    is_damage = true;
                    format!("its data is damaged ({code})")
                }
                "25006" => "its server is a standby, which doesn't accept writes".to_owned(),
                "53100" => "the disk of its server is full".to_owned(),
                "55P03" => "a row is locked by another program".to_owned(),
                "57014" => "the database took too long".to_owned(),
                "25P03" => "the connection was idle for too long".to_owned(),
                "42501" => {
                    "its user doesn't have permission for this; make it the owner of the database"
                        .to_owned()
                }
                code if ["08", "28", "3D", "53", "57"]
                    .iter()
                    .any(|class| code.starts_with(class)) =>
                {
                    error.message().to_owned()
                }
                code => format!("the database failed with the code {code}"),
            }
        }
        _ => {
            may_follow = true;
            "the database failed".to_owned()
        }
    };
    // The database's own message can contain values, and a configuration error can contain the password.
    let is_plain = matches!(error, sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut);
    Fault {
        why,
        may_follow,
        is_damage,
        is_setting,
        source: is_plain.then_some(error),
    }
}

fn insecure(error: &dyn fmt::Display) -> String {
    format!(
        "no secure connection to its server: {error}; set sslrootcert to your own authority's certificate, or change sslmode"
    )
}

/// The error of a step that fails while the store opens.
pub(super) fn unavailable(error: sqlx::Error) -> Error {
    fault(error).at_opening()
}

/// Whether the transaction was rolled back in favor of others: serialization failure, deadlock.
pub(super) fn gave_way(error: &sqlx::Error) -> bool {
    matches!(code(error).as_deref(), Some("40001" | "40P01"))
}

/// Whether the server is gone, or closes this connection.
pub(super) fn is_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) => true,
        // If the server became a standby, a new connection by name finds the right one.
        _ => code(error).is_some_and(|code| {
            code.starts_with("57P") || code.starts_with("08") || code == "25006" || code == "25P03"
        }),
    }
}

fn code(error: &sqlx::Error) -> Option<String> {
    Some(error.as_database_error()?.code()?.into_owned())
}
