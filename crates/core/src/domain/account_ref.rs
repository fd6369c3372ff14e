//! A reference to an account, parsed once when a request arrives.

use crate::{
    Error, ErrorKind, Result,
    identifier::{ConnectionName, Identifier},
    scrub::scrub,
    similar::did_you_mean,
};

/// A user of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AccountRef {
    pub(crate) connection: ConnectionName,
    pub(crate) identifier: Identifier,
}

impl AccountRef {
    /// # Errors
    /// [`ErrorKind::UnknownConnection`] if the text can't be a connection's name, [`ErrorKind::InvalidRequest`] if the
    /// other can't be an identifier.
    pub(crate) fn new(connection: &str, identifier: &str) -> Result<Self> {
        Ok(Self {
            connection: connection_name(connection)?,
            identifier: Identifier::new(identifier)?,
        })
    }
}

/// A connection's name. If the text can't be a name, the connection is unknown.
pub(crate) fn connection_name(text: &str) -> Result<ConnectionName> {
    ConnectionName::new(text).map_err(|_| unknown_connection(text, []))
}

/// `known` has the existing names, or the first of many.
pub(crate) fn unknown_connection<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Error {
    const LISTED: usize = 10;
    let known: Vec<&str> = known.into_iter().collect();
    let hint = match did_you_mean(name, known.iter().copied()) {
        hint if hint.is_empty() && (1..=LISTED).contains(&known.len()) => {
            format!("; expected one of: {}", known.join(", "))
        }
        hint => hint,
    };
    Error::new(
        ErrorKind::UnknownConnection,
        format!("no connection has the name {:?}{hint}", scrub(name, 80)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_connection_is_refused_with_the_known_ones() {
        let told = |name: &str, known: &[&str]| {
            let error = unknown_connection(name, known.iter().copied());
            assert_eq!(error.kind(), ErrorKind::UnknownConnection);
            error.message().to_owned()
        };
        let begin = r#"no connection has the name "mail""#;
        assert_eq!(told("mail", &[]), begin);
        assert_eq!(
            told("mail", &["crm", "hr"]),
            format!("{begin}; expected one of: crm, hr")
        );
        let near = told("mail", &["mails", "hr"]);
        assert!(
            near.contains("did you mean") && !near.contains("expected"),
            "{near}"
        );
        let many: Vec<String> = (0..11).map(|number| format!("crm-{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(told("mail", &many), begin);
        assert!(told("mail", &many[..10]).ends_with("crm-9"));
    }
}
