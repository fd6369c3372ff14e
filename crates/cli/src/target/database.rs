//! The options that name the database, and how commands open it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};
use stead::{ErrorKind, Platform, store::FileSpool};
use stead_core::{
    environment::{
        CallLimits, EnvironmentOptions, McpIssuer, Retention, SignInProvider, Verification,
    },
    ports::KeySource,
};

use crate::{
    failure::{Failure, Outcome},
    key_source::{KeyCommand, KeyFile},
    secrets,
    settings::{Settings, SettingsFile},
    target::refused,
};

/// The database, its key and its settings.
pub(crate) type Database = Settings<DatabaseArgs>;

#[derive(Debug, Args)]
#[command(next_help_heading = "Database")]
pub(crate) struct DatabaseArgs {
    /// Public URL: the address at which users' browsers reach this environment, such as https://stead.example.com.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,

    /// URL of the proxy host, such as https://proxy.example.com. It needs its own host name. On it, paths are the
    /// product's, and the account token identifies the user. Stead serves it for requests with this name in `Host`.
    #[arg(long, value_name = "URL")]
    proxy_url: Option<String>,

    /// SQLite database file. `connections create`, `credentials create` and `serve --create` create it if it's missing.
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,

    /// PostgreSQL database, instead of a file. For example, `postgres://stead@db.example.com/stead`. Any number of
    /// services can share it. Give a password only in the environment variable, or in a file that PGPASSFILE names.
    /// `sslmode` is `verify-full` by default, and `prefer` on this machine.
    #[arg(long, value_name = "URL", hide_env_values = true, value_parser = secrets::parse)]
    database_url: Option<SecretString>,

    /// Folder where new tokens wait, encrypted, while the database can't store them. By default, it's next to the
    /// SQLite file. With PostgreSQL there is no default, and tokens wait in memory. Give each machine its own folder,
    /// on a disk that survives a restart.
    #[arg(long, value_name = "FOLDER")]
    spool_dir: Option<PathBuf>,

    /// The key that encrypts the database's secrets, or several keys, separated by commas. Give it only in the
    /// environment, because every user of a machine can read the arguments of its processes.
    #[arg(long, value_name = "KEY", hide = true, hide_env_values = true, value_parser = secrets::parse)]
    key: Option<SecretString>,

    /// File with the key that encrypts the database's secrets. Only its owner may have access to it. Without this
    /// option, Stead reads the key from STEAD_KEY. A running service reads the file again if the database needs another
    /// key.
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// Command that prints the key: a program with its arguments, separated by spaces. Stead starts it without a shell,
    /// so quotes and variables don't work. It must finish within 30 s.
    #[arg(long, value_name = "COMMAND")]
    key_command: Option<String>,

    /// Settings file in TOML. It can have every setting except secrets. It also sets endpoints and rate limiting for
    /// each product, and hosts that may have private addresses.
    #[arg(long, value_name = "FILE", value_parser = SettingsFile::unread())]
    config: Option<SettingsFile>,

    /// Origin to which links may send the user's browser, such as https://app.example.com. Without this option, links
    /// may name any address. Repeat this option, or separate several values by commas.
    #[arg(long = "verify-origin", value_name = "ORIGIN", value_delimiter = ',')]
    verify_origins: Vec<String>,

    /// Page of your application to which a link sends the user's browser, such as https://app.example.com/connected.
    /// Your application confirms the user there. Stead uses it for every link that doesn't set a `verify_url`.
    #[arg(long, value_name = "URL")]
    verify_url: Option<String>,

    #[cfg(feature = "failpoints")]
    #[arg(long, value_name = "FILE", hide = true)]
    failpoints: Option<PathBuf>,
}

/// Where a database is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    /// An SQLite file.
    File(&'a Path),
    /// The URL of a PostgreSQL database, which may have a password.
    Server(&'a SecretString),
}

#[cfg(feature = "failpoints")]
impl Place<'_> {
    /// Only the store, for a store that fails on purpose.
    async fn open(
        self,
        runtime: Arc<dyn stead_core::ports::Runtime>,
    ) -> stead::Result<Arc<dyn stead_core::store::Store>> {
        use stead::store::{PostgresStore, SqliteStore};

        Ok(match self {
            Self::File(file) => Arc::new(SqliteStore::open(file, runtime).await?),
            Self::Server(url) => Arc::new(PostgresStore::open(url.expose_secret(), runtime).await?),
        })
    }
}

/// Behavior if the database doesn't exist. A misspelled name must not start an empty service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfMissing {
    /// Create it.
    Create,
    /// Refuse the command.
    Refuse,
}

/// How to open a platform.
pub(crate) struct Opening {
    pub(crate) verification: Verification,
    pub(crate) calls: CallLimits,
    /// How long the service continues without its store.
    pub(crate) store_outage: Option<Duration>,
    /// Only the service deletes expired records; other commands keep them.
    pub(crate) retention: Retention,
    pub(crate) if_missing: IfMissing,
    /// Only the service signs people in.
    pub(crate) provider: Option<SignInProvider>,
    /// Only the service accepts tokens of agents.
    pub(crate) issuer: Option<McpIssuer>,
}

impl Opening {
    /// For commands that don't serve requests.
    pub(crate) fn new(verification: Verification, if_missing: IfMissing) -> Self {
        Self {
            verification,
            calls: CallLimits::default(),
            store_outage: None,
            retention: Retention::FOREVER,
            if_missing,
            provider: None,
            issuer: None,
        }
    }
}

impl DatabaseArgs {
    /// Whether the command line or the environment names one.
    pub(crate) fn is_given(&self) -> bool {
        self.database.is_some() || self.database_url.is_some()
    }

    /// The database that the options name, if any.
    pub(crate) fn place(&self) -> Outcome<Option<Place<'_>>> {
        match (&self.database, &self.database_url) {
            (Some(_), Some(_)) => Err(Failure::usage(
                "both a database file and a database URL are set",
                "Omit --database and STEAD_DATABASE, or --database-url and STEAD_DATABASE_URL.",
            )),
            (Some(file), None) => Ok(Some(Place::File(file))),
            (None, Some(url)) => Ok(Some(Place::Server(url))),
            (None, None) => Ok(None),
        }
    }

    /// Whether links may send browsers anywhere.
    pub(crate) fn takes_any_verify_url(&self) -> bool {
        self.verify_origins.iter().all(String::is_empty)
    }

    /// Whether new tokens would be lost if the process ends during a database outage.
    pub(crate) fn lacks_spool(&self) -> bool {
        self.database_url.is_some() && self.spool_dir.is_none()
    }

    /// Opens the platform for commands that create links or show redirect URIs.
    pub(crate) async fn open(&self, opening: Opening) -> Outcome<Platform> {
        let public_url = self.public_url.as_deref();
        let missing_url = public_url.is_none().then_some(MISSING_URL);
        let public_url = public_url.unwrap_or(NOWHERE);
        self.open_at(public_url, missing_url, opening).await
    }

    /// Opens the platform for commands without links and redirect URIs.
    pub(crate) async fn open_without_links(&self, if_missing: IfMissing) -> Outcome<Platform> {
        let public_url = self.public_url.as_deref().unwrap_or(NOWHERE);
        let opening = Opening::new(Verification::Application, if_missing);
        self.open_at(public_url, None, opening).await
    }

    /// Opens the platform to examine it, even if the public URL is invalid.
    pub(crate) async fn open_to_examine(
        &self,
        provider: Option<SignInProvider>,
    ) -> Outcome<Platform> {
        let opening = Opening {
            provider,
            ..Opening::new(Verification::Application, IfMissing::Refuse)
        };
        let usable = self.public_url.as_deref();
        let usable = usable.filter(|url| EnvironmentOptions::new(url).is_ok());
        self.open_at(usable.unwrap_or(NOWHERE), None, opening).await
    }

    /// The public URL, if given.
    pub(crate) fn public_url(&self) -> Option<&str> {
        self.public_url.as_deref()
    }

    /// The default `verify_url`.
    pub(super) fn verify_url(&self) -> Option<&str> {
        self.verify_url.as_deref().filter(|url| !url.is_empty())
    }

    /// The database file. Fails if it's missing or the database isn't a file.
    pub(crate) fn file(&self) -> Outcome<&Path> {
        match self.place()? {
            Some(Place::File(file)) => {
                check(file, IfMissing::Refuse)?;
                refused::place_of(file)?;
                Ok(file)
            }
            Some(Place::Server(_)) => Err(Failure::usage(
                "the database isn't a file on this machine",
                "Back it up with PostgreSQL's tools: pg_dump, or a base backup of the server.",
            )),
            None => Err(missing(&[MISSING_DATABASE])),
        }
    }

    /// Fails if there is no key, or if others can read the key file.
    pub(crate) fn check_key(&self) -> Outcome {
        match self.key_source()?.is_some() || self.key.is_some() {
            true => Ok(()),
            false => Err(missing(&[MISSING_KEY])),
        }
    }

    /// Writes a copy of the database into a new file.
    pub(crate) async fn back_up(&self, to: &Path) -> Outcome {
        let database = self.file()?;
        if let Some((what, next)) = refused::missing_folder(to) {
            return Err(Failure::usage(what, next));
        }
        let copied = stead::store::backup(database, to).await;
        copied.map_err(|error| match error.kind() {
            ErrorKind::InvalidRequest => Failure::usage(
                error.message().to_owned(),
                "Give the name of a file that doesn't exist yet.",
            ),
            ErrorKind::StorageUnavailable => refused::stored(error, database),
            _ => error.into(),
        })
    }

    async fn open_at(
        &self,
        public_url: &str,
        missing_url: Option<Missing>,
        opening: Opening,
    ) -> Outcome<Platform> {
        let source = self.key_source()?;
        let (key, origin) = match &source {
            Some(source) => (Some(source.read().await?), self.key_origin()),
            None => (self.key.clone(), String::from("STEAD_KEY")),
        };
        if let Some(key) = &key {
            refused::key(key, &origin)?;
        }
        let (Some(key), Some(place), None) = (key, self.place()?, missing_url) else {
            let no_key = source.is_none() && self.key.is_none();
            let all = [
                missing_url,
                (!self.is_given()).then_some(MISSING_DATABASE),
                no_key.then_some(MISSING_KEY),
            ];
            return Err(missing(&all.into_iter().flatten().collect::<Vec<_>>()));
        };
        let mut builder = Platform::builder(public_url);
        builder = match place {
            Place::File(file) => {
                check(file, opening.if_missing)?;
                refused::place_of(file)?;
                builder.sqlite(file)
            }
            Place::Server(url) => builder.postgres(url.expose_secret()),
        };
        let spool = self.spool_dir.as_ref().map(FileSpool::new);
        if let Some(spool) = spool.clone() {
            builder = builder.spool(Arc::new(spool));
        }
        builder = builder
            .key(key.expose_secret())
            .verification(opening.verification)
            .verify_origins(&self.verify_origins)
            .call_limits(opening.calls)
            .retention(opening.retention);
        if let Some(outage) = opening.store_outage {
            builder = builder.store_outage(outage);
        }
        if let Some(provider) = opening.provider {
            builder = builder.sign_in_provider(provider);
        }
        if let Some(issuer) = opening.issuer {
            builder = builder.mcp_issuer(issuer);
        }
        if let Some(proxy_url) = &self.proxy_url {
            builder = builder.proxy_url(proxy_url);
        }
        if let Some(source) = source {
            builder = builder.key_source(source);
        }
        if let Some(file) = &self.config {
            for (name, options) in &file.own().products {
                builder = builder.product(name, options.clone());
            }
            for host in &file.own().private_hosts {
                builder = builder.private_host(host);
            }
            for (name, tools) in &file.own().tool_sets {
                builder = builder.tool_set(name, tools);
            }
        }
        if let Some(url) = self.verify_url() {
            builder = builder.verify_url(url);
        }
        #[cfg(feature = "failpoints")]
        if let Some(file) = self.failpoints.clone() {
            let spool = match place {
                Place::File(database) => spool.or_else(|| Some(FileSpool::next_to(database))),
                Place::Server(_) => spool,
            };
            let open = async |runtime| place.open(runtime).await;
            builder = crate::failpoints::install(builder, open, spool, file).await?;
        }
        let file = match place {
            Place::File(file) => Some(file),
            Place::Server(_) => None,
        };
        let built = builder.build().await;
        built.map_err(|error| {
            let setting = error
                .context()
                .get("setting")
                .and_then(|setting| setting.as_str());
            match (&self.config, setting) {
                (Some(file), Some(setting)) => file.refused(setting, error.message()),
                _ => refused::platform(error, file),
            }
        })
    }

    /// The source of the key, in words.
    fn key_origin(&self) -> String {
        match &self.key_file {
            Some(file) => file.display().to_string(),
            None => String::from("the output of the key command"),
        }
    }

    /// The source of the key, which can be read again.
    fn key_source(&self) -> Outcome<Option<Arc<dyn KeySource>>> {
        match (&self.key_file, &self.key_command) {
            (Some(_), Some(_)) => Err(Failure::usage(
                "both a key file and a key command are set",
                "Omit --key-file and STEAD_KEY_FILE, or --key-command and STEAD_KEY_COMMAND.",
            )),
            (Some(path), None) => {
                // Reading it here gives an error with a remedy.
                secrets::read_key(path)?;
                Ok(Some(Arc::new(KeyFile(path.clone()))))
            }
            (None, Some(line)) => Ok(Some(Arc::new(KeyCommand::new(line)))),
            (None, None) => Ok(None),
        }
    }
}

/// Refuses a URL, or a file that doesn't exist.
fn check(database: &Path, if_missing: IfMissing) -> Outcome {
    if let Some((scheme, _)) = database.to_string_lossy().split_once("://") {
        return Err(Failure::configuration(
            format!("expected a database file, but got an address with {scheme}://"),
            "Set --database or STEAD_DATABASE to a file, such as stead.db. For PostgreSQL, use STEAD_DATABASE_URL or --database-url.",
        ));
    }
    // If this can't be determined, opening the file gives the reason.
    let is_missing = database.try_exists().is_ok_and(|exists| !exists);
    if is_missing && if_missing == IfMissing::Refuse {
        return Err(Failure::configuration(
            format!("there is no database {}", database.display()),
            "Check --database or STEAD_DATABASE. To create a database, run `stead connections create`, \
             `stead credentials create` or `stead serve --create`.",
        ));
    }
    Ok(())
}

/// A placeholder for commands that create no links.
const NOWHERE: &str = "http://127.0.0.1";

/// A missing setting: its name, and how to set it.
type Missing = (&'static str, &'static str);

const MISSING_URL: Missing = (
    "the public URL",
    "Set --public-url or the environment variable STEAD_PUBLIC_URL. Links and redirect URIs start with it.",
);
const MISSING_DATABASE: Missing = (
    "the database",
    "Set --database or STEAD_DATABASE to an SQLite file, or --database-url or STEAD_DATABASE_URL to a PostgreSQL database.",
);
const MISSING_KEY: Missing = (
    "the key that encrypts the database's secrets",
    "Generate one with `stead keys generate`, and keep it safe. Then set STEAD_KEY, --key-file or --key-command.",
);

/// One failure for all missing settings.
fn missing(settings: &[Missing]) -> Failure {
    let (names, ways): (Vec<_>, Vec<_>) = settings.iter().copied().unzip();
    let verb = if names.len() == 1 { "is" } else { "are" };
    Failure::configuration(
        format!("{} {verb} missing", names.join(", ")),
        ways.join("\n  "),
    )
}
