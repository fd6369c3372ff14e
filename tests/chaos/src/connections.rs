//! The connections of every run, their settings, and their users.

use crate::books::Class;

#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) name: &'static str,
    pub(crate) product: &'static str,
    pub(crate) client: &'static str,
    /// The prefix of the product's API paths.
    base: &'static str,
    /// The host, which is the first segment of paths at the test product.
    pub(crate) host: &'static str,
    pub(crate) class: Class,
}

/// The host of the connection `stable`.
pub(crate) const FIRST_HOST: &str = "orga-one.snowflakecomputing.com";

/// The product of `learned` rotates refresh tokens, although its description says that it doesn't.
pub(crate) const CONNECTIONS: [Connection; 5] = [
    Connection {
        name: "stable",
        product: "warehouse",
        client: "stable-client",
        base: "/api/v2",
        host: FIRST_HOST,
        class: Class::Stable,
    },
    Connection {
        name: "signed-in",
        product: "mail",
        client: "signed-in-client",
        base: "/gmail/v1",
        host: "google",
        class: Class::Stable,
    },
    Connection {
        name: "rotating",
        product: "workspace",
        client: "rotating-client",
        base: "/v1",
        host: "notion",
        class: Class::Rotating,
    },
    Connection {
        name: "learned",
        product: "warehouse",
        client: "learned-client",
        base: "/api/v2",
        host: "orgl-one.snowflakecomputing.com",
        class: Class::Rotating,
    },
    Connection {
        name: "strict",
        product: "workspace",
        client: "strict-client",
        base: "/v1",
        host: "notion",
        class: Class::Strict,
    },
];

/// The names of all connections.
pub(crate) const NAMES: [&str; 5] = ["stable", "signed-in", "rotating", "learned", "strict"];

/// A user with a connected account.
#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(crate) connection: &'static Connection,
    pub(crate) identifier: String,
    /// The number of the grant at the product.
    pub(crate) grant: usize,
}

impl User {
    pub(crate) fn account(&self) -> String {
        format!("/v1/accounts/{}/{}", self.connection.name, self.identifier)
    }

    /// The path of a raw request.
    pub(crate) fn path(&self, rest: &str) -> String {
        let Connection { name, base, .. } = self.connection;
        format!("/proxy/{name}/{}{base}/{rest}", self.identifier)
    }
}

pub(crate) fn connection(name: &str) -> &'static Connection {
    let found = CONNECTIONS
        .iter()
        .find(|connection| connection.name == name);
    found.unwrap_or(&CONNECTIONS[0])
}

/// A service's settings file. The token URL contains the service's number, so that the product knows who asked.
pub(crate) fn settings(product: &str, service: usize) -> String {
    let of = |name: &str, host: &str, origins: &[&str]| {
        let mut text = format!(
            "[products.{name}]\nrate_limited = false\nauthorize_url = \"{product}/{host}/oauth/authorize\"\n\
             token_url = \"{product}/{host}/{service}/oauth/token\"\nrevoke_url = \"{product}/{host}/oauth/revoke\"\n\
             [products.{name}.origins]\n"
        );
        for origin in origins {
            text += &format!("{origin} = \"{product}/{host}\"\n");
        }
        text
    };
    [
        // For webhooks.
        String::from("private_hosts = [\"127.0.0.1\"]\n"),
        of("warehouse", "{host}", &["sql_api"]).replace(
            &format!("revoke_url = \"{product}/{{host}}/oauth/revoke\"\n"),
            "",
        ),
        of("workspace", "notion", &["notion"]),
        of("mail", "google", &["gmail", "people"]),
    ]
    .concat()
}
