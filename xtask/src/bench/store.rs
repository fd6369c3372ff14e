//! A database as an operator has one: made by the commands of the binary itself, with accounts that were imported.

use std::{
    fs::{self, File},
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{free_port, programs, responses};

/// A product whose accounts are called.
pub(crate) struct Product {
    pub(crate) name: &'static str,
    origins: &'static [&'static str],
    scopes: &'static [&'static str],
    settings: Option<&'static str>,
    /// Something to read there.
    pub(crate) path: &'static str,
}

/// All six; their connections have their names.
pub(crate) const PRODUCTS: [Product; 6] = [
    Product {
        name: "mail",
        origins: &["gmail", "people"],
        scopes: &["https://mail.google.com/"],
        settings: None,
        path: "/gmail/v1/users/me/profile",
    },
    Product {
        name: "workspace",
        origins: &["notion"],
        scopes: &[],
        settings: None,
        path: "/v1/users/me",
    },
    Product {
        name: "warehouse",
        origins: &["sql_api"],
        scopes: &["session:role:PUBLIC"],
        settings: Some(r#"{"account":"bench-one"}"#),
        path: "/api/v2/databases",
    },
    Product {
        name: "sheets",
        origins: &["sheets"],
        scopes: &["https://www.googleapis.com/auth/spreadsheets"],
        settings: None,
        path: "/v4/spreadsheets/one",
    },
    Product {
        name: "drive",
        origins: &["drive"],
        scopes: &["https://www.googleapis.com/auth/drive"],
        settings: None,
        path: "/drive/v3/about",
    },
    Product {
        name: "calendar",
        origins: &["calendar"],
        scopes: &["https://www.googleapis.com/auth/calendar"],
        settings: None,
        path: "/calendar/v3/users/me/calendarList",
    },
];

/// The one that stalls where a product stalls.
pub(crate) const STALLING: &str = "calendar";

/// A database, and all that a service needs besides.
pub(crate) struct Store {
    pub(crate) folder: PathBuf,
    /// Accounts of mail; every other product has one.
    pub(crate) accounts: usize,
    /// Of its services, one at a time.
    pub(crate) port: u16,
    /// Two applications: client id and secret.
    pub(crate) applications: [(String, String); 2],
    binary: PathBuf,
    key: String,
    /// Of PostgreSQL.
    url: Option<String>,
}

impl Store {
    /// Makes a database whose products are at `stub`.
    pub(crate) fn make(
        binary: &Path,
        folder: &Path,
        url: Option<String>,
        (stub, accounts): (u16, usize),
    ) -> Result<Self> {
        // What a run before has left.
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        let mut store = Self {
            folder: folder.to_owned(),
            accounts,
            port: free_port()?,
            applications: Default::default(),
            binary: binary.to_owned(),
            key: String::new(),
            url,
        };
        store.direct(stub, stub)?;
        store.key = text(&store.json(&["keys", "generate"])?, "key")?;
        for product in &PRODUCTS {
            let mut command = vec!["connections", "create", product.name, "--product"];
            command.extend([product.name, "--client-id", "bench"]);
            command.extend(
                product
                    .settings
                    .iter()
                    .flat_map(|json| ["--settings", json]),
            );
            store.json(&command)?;
        }
        for application in 0..2 {
            let made = ["credentials", "create", "--rate", "0", "--name", "bench"];
            let made = store.json(&made)?;
            store.applications[application] =
                (text(&made, "client_id")?, text(&made, "client_secret")?);
        }
        store.import()?;
        Ok(store)
    }

    /// The user of this number.
    pub(crate) fn user(number: usize) -> String {
        format!("user-{number}@example.com")
    }

    /// The database file.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join("stead.db")
    }

    /// A command of the binary on this database.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(arguments)
            .env(
                "STEAD_PUBLIC_URL",
                format!("http://127.0.0.1:{}", self.port),
            )
            .env("STEAD_LISTEN", format!("127.0.0.1:{}", self.port))
            .env("STEAD_CONFIG", self.folder.join("stead.toml"))
            .env("STEAD_PRODUCT_CLIENT_SECRET", "secret")
            .env("STEAD_KEY", &self.key);
        match &self.url {
            Some(url) => command
                .env("STEAD_DATABASE_URL", url)
                .env("STEAD_SPOOL_DIR", self.folder.join("spool")),
            None => command.env("STEAD_DATABASE", self.file()),
        };
        command
    }

    /// Says where the products are: all at `stub`, but one at `stalling`. A service reads it when it starts.
    pub(crate) fn direct(&self, stub: u16, stalling: u16) -> Result<()> {
        let mut settings = String::from("private_hosts = [\"127.0.0.1\"]\n");
        for Product { name, origins, .. } in &PRODUCTS {
            let port = if *name == STALLING { stalling } else { stub };
            // A response of the stub says nothing of the product's quota, and the bench is not held to it.
            settings += &format!("\n[products.{name}]\nrate_limited = false\n\n");
            settings += &format!("[products.{name}.origins]\n");
            for origin in *origins {
                settings += &format!("{origin} = \"http://127.0.0.1:{port}\"\n");
            }
        }
        fs::write(self.folder.join("stead.toml"), settings)?;
        Ok(())
    }

    /// What a command prints as JSON.
    fn json(&self, arguments: &[&str]) -> Result<Value> {
        let mut command = self.command(&[&["--json"], arguments].concat());
        let text = programs::output(&mut command)?;
        serde_json::from_str(&text).with_context(|| format!("{arguments:?} prints no JSON"))
    }

    fn import(&self) -> Result<()> {
        let path = self.folder.join("accounts.jsonl");
        let mut file = BufWriter::new(File::create(&path)?);
        for product in &PRODUCTS {
            let count = if product.name == "mail" {
                self.accounts
            } else {
                1
            };
            for number in 0..count {
                let mut line = json!({
                    "connection_name": product.name,
                    "identifier": Self::user(number),
                    "access_token": responses::token(),
                });
                if !product.scopes.is_empty() {
                    line["scopes"] = json!(product.scopes);
                }
                writeln!(file, "{line}")?;
            }
        }
        file.flush()?;
        println!("importing {} accounts", self.accounts);
        self.json(&["accounts", "import", &path.to_string_lossy()])?;
        fs::remove_file(path)?;
        Ok(())
    }
}

/// A member of what a command or a service gives.
pub(crate) fn text(value: &Value, name: &str) -> Result<String> {
    let text = value[name].as_str();
    Ok(text
        .with_context(|| format!("there is no {name}"))?
        .to_owned())
}
