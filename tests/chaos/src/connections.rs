//! The connections that every run has, what they are set to, and their users.

use crate::books::Class;

/// A connection of every stage.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) name: &'static str,
    pub(crate) product: &'static str,
    pub(crate) client: &'static str,
    /// Beginning of the paths that its product takes.
    base: &'static str,
    /// First segment at the product.
    pub(crate) host: &'static str,
    pub(crate) class: Class,
}

/// The host to which the connection `stable` is pointed.
pub(crate) const FIRST_HOST: &str = "orga-one.snowflakecomputing.com";

/// One of each class; `learned` rotates, although the description of its product says that it does not.
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

/// The names of all.
pub(crate) const NAMES: [&str; 5] = ["stable", "signed-in", "rotating", "learned", "strict"];

/// A user whose account is connected.
#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(crate) connection: &'static Connection,
    pub(crate) identifier: String,
    /// Its grant at the product.
    pub(crate) grant: usize,
}

impl User {
    pub(crate) fn account(&self) -> String {
        format!("/v1/accounts/{}/{}", self.connection.name, self.identifier)
    }

    /// The proxy's path to something of the product's API.
    pub(crate) fn path(&self, rest: &str) -> String {
        let Connection { name, base, .. } = self.connection;
        format!("/proxy/{name}/{}{base}/{rest}", self.identifier)
    }
}

/// The connection of this name.
pub(crate) fn connection(name: &str) -> &'static Connection {
    let found = CONNECTIONS
        .iter()
        .find(|connection| connection.name == name);
    found.unwrap_or(&CONNECTIONS[0])
}

/// The settings file of a service: where the products are, and where they know it by its number when it asks for tokens.
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
        // Of webhooks.
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
