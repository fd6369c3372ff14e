//! A service and a sandbox in this process.

use std::{fs, future::pending, io::Write as _, path::Path, sync::Arc};

use secrecy::{ExposeSecret as _, SecretString};
use stead::{ErrorKind, OsEntropy, Platform, PlatformBuilder};
use stead_core::{
    api::Paging,
    environment::Verification,
    oauth::Callback,
    product::{Permissions, Product},
    resource::{DeleteAppCredential, ListAppCredentials, NewAppCredential, NewConnection},
    scope::Scopes,
    seal::KeyRing,
};
use stead_sandbox::Sandbox;
use stead_server::{Server, ServerOptions, Workers};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    listener, process, secrets,
};

/// The identifier of the first user.
pub(crate) const USER: &str = "you";
/// The connection that examples use. Each connection has the name of its product.
pub(crate) const CONNECTION: &str = "mail";
/// The sandbox's user behind that identifier.
pub(crate) const SANDBOX_USER: &str = "ada@example.com";

/// Client ID and secret of an application.
pub(crate) type AppCredential = (String, SecretString);

/// The listeners of a stack.
pub(crate) struct Listeners {
    pub(crate) service: TcpListener,
    pub(crate) sandbox: TcpListener,
    /// The proxy host.
    pub(crate) proxy: TcpListener,
}

impl Listeners {
    /// Listeners on free ports of this machine.
    pub(crate) async fn free() -> Outcome<Self> {
        Ok(Self {
            service: listener::bind_free_port().await?,
            sandbox: listener::bind_free_port().await?,
            proxy: listener::bind_free_port().await?,
        })
    }
}

/// Service and sandbox, running.
pub(crate) struct Stack {
    pub(crate) platform: Platform,
    pub(crate) url: String,
    pub(crate) sandbox: Sandbox,
    pub(crate) sandbox_url: String,
    /// The proxy host.
    pub(crate) proxy_url: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: SecretString,
    stop: oneshot::Sender<()>,
    service: JoinHandle<()>,
    sandbox_task: JoinHandle<()>,
    /// Dropped last, because connections may have been opened on them.
    _workers: Arc<Workers>,
}

impl Stack {
    /// Serves on these listeners. Reuses the application's credential of an earlier run if it still works. `configure`
    /// sets the store and other options.
    pub(crate) async fn start(
        listeners: Listeners,
        sandbox: Sandbox,
        credential: Option<AppCredential>,
        configure: impl FnOnce(PlatformBuilder, &str) -> Outcome<PlatformBuilder>,
    ) -> Outcome<Self> {
        let options = ServerOptions::default();
        Self::start_with(listeners, sandbox, credential, &options, configure).await
    }

    /// The same as `start`, with options of the service.
    pub(crate) async fn start_with(
        Listeners {
            service: listener,
            sandbox: sandbox_listener,
            proxy: proxy_listener,
        }: Listeners,
        sandbox: Sandbox,
        credential: Option<AppCredential>,
        options: &ServerOptions,
        configure: impl FnOnce(PlatformBuilder, &str) -> Outcome<PlatformBuilder>,
    ) -> Outcome<Self> {
        let workers = process::workers()?;
        let url = listener::url(&listener)?;
        let sandbox_url = listener::url(&sandbox_listener)?;
        let proxy_url = listener::url(&proxy_listener)?;
        let serving = sandbox.clone();
        let sandbox_task = tokio::spawn(async move {
            if let Err(error) = serving.serve(sandbox_listener).await {
                tracing::error!(%error, "the sandbox stopped");
            }
        });
        let builder = Platform::builder(&url)
            .proxy_url(&proxy_url)
            .gateway(&sandbox_url)
            .verification(Verification::LinkPossession);
        let platform = configure(builder, &sandbox_url)?.build().await?;
        connect_products(&platform).await?;
        // The sandbox accepts every redirect URI, and the port changes each time.
        platform.environment().accept_public_url().await?;
        let (client_id, client_secret) = app_credential(&platform, credential).await?;
        let (stop, stopped) = oneshot::channel::<()>();
        let routers = stead_server::routers(&platform, options);
        let mut server = Server::new(routers.server).on(Arc::clone(&workers));
        if let Some(proxy) = routers.proxy {
            server = server.also(proxy_listener, proxy);
        }
        let service = tokio::spawn(async move {
            // A dropped sender means the same.
            let stopped = async { drop(stopped.await) };
            server.serve(listener, stopped, pending()).await;
        });
        Ok(Self {
            platform,
            url,
            sandbox,
            sandbox_url,
            proxy_url,
            client_id,
            client_secret,
            stop,
            service,
            sandbox_task,
            _workers: workers,
        })
    }

    /// Opens an authorization link as the sandbox's user, who allows everything.
    pub(crate) async fn consent(&self, link: &str) -> Outcome {
        let environment = self.platform.environment();
        let token = link.rsplit('/').next().unwrap_or_default();
        let started = environment.start_authorization(token, None).await?;
        let back = self
            .sandbox
            .consent(&started.location, SANDBOX_USER, &["all"])
            .map_err(|page| {
                let what = format!("the sandbox's user couldn't give consent: {page}");
                Failure::new(
                    Exit::Failed,
                    what,
                    "This is a bug in Stead. Please report it.",
                )
            })?;
        // `/sso/v1/oauth/{connection_id}/callback`
        let connection_id = back.path().split('/').nth(4).unwrap_or_default();
        let callback = Callback::from_query(back.query().unwrap_or_default());
        let cookie = |_| Some(started.browser.expose_secret().to_owned());
        environment
            .finish_authorization(connection_id, callback, cookie)
            .await?;
        Ok(())
    }

    /// Stops both, after requests in progress have finished.
    pub(crate) async fn stop(self) {
        // The service may have ended already.
        let _ = self.stop.send(());
        let _ = self.service.await;
        self.platform.shut_down().await;
        self.sandbox_task.abort();
    }
}

/// Stores everything in memory, or in a folder with its own key.
pub(crate) fn with_storage(
    builder: PlatformBuilder,
    data: Option<&Path>,
) -> Outcome<PlatformBuilder> {
    let Some(folder) = data else {
        return Ok(builder.in_memory().ephemeral_key());
    };
    fs::create_dir_all(folder).map_err(|error| {
        Failure::configuration(
            format!("can't create the folder {}: {error}", folder.display()),
            "Choose another folder with --data.",
        )
    })?;
    let key = folder_key(&folder.join("stead.key"))?;
    Ok(builder
        .sqlite(folder.join("stead.db"))
        .key(key.expose_secret()))
}

/// This credential if the store has it, otherwise a new one.
async fn app_credential(
    platform: &Platform,
    kept: Option<AppCredential>,
) -> Outcome<AppCredential> {
    let environment = platform.environment();
    if let Some((id, secret)) = kept
        && environment
            .issue_access_token(&id, secret.expose_secret(), None)
            .await
            .is_ok()
    {
        return Ok((id, secret));
    }
    // The secrets of earlier credentials were lost with their file.
    let mut page = None;
    loop {
        let before = environment
            .send(ListAppCredentials::new().page(Paging::new(page.as_deref(), 100)))
            .await?;
        for lost in before.items.iter().filter(|one| one.name == "dev") {
            environment
                .send(DeleteAppCredential::new(&lost.client_id))
                .await?;
        }
        page = before.next_page_token;
        if page.is_none() {
            break;
        }
    }
    let new = NewAppCredential::new("dev").scopes(Scopes::all().words());
    let made = environment.send(new).await?;
    Ok((made.credential.client_id, made.client_secret))
}

/// One connection per product, with the product's name and the sandbox's OAuth client.
async fn connect_products(platform: &Platform) -> Outcome {
    for product in platform.environment().catalogue().products() {
        let (client_id, client_secret) = match product.name {
            "workspace" => (
                stead_sandbox::WORKSPACE_CLIENT_ID,
                stead_sandbox::WORKSPACE_CLIENT_SECRET,
            ),
            "warehouse" => (
                stead_sandbox::WAREHOUSE_CLIENT_ID,
                stead_sandbox::WAREHOUSE_CLIENT_SECRET,
            ),
            _ => (stead_sandbox::CLIENT_ID, stead_sandbox::CLIENT_SECRET),
        };
        let mut new =
            NewConnection::new(product.name, product.name).client(client_id, client_secret);
        new = new.permissions(all_permissions(product));
        if product.name == "warehouse" {
            new = new.setting("account", stead_sandbox::WAREHOUSE_ACCOUNT);
        }
        match platform.environment().send(new).await {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// The usual scopes and those of every preset, so that every tool works in the sandbox.
fn all_permissions(product: &Product) -> Vec<&'static str> {
    let Permissions::Scopes { default, .. } = product.oauth.permissions else {
        return Vec::new();
    };
    let presets = product.presets.iter().flat_map(|preset| preset.scopes);
    default.iter().chain(presets).copied().collect()
}

/// The key in a file that only its owner may read; created if missing.
fn folder_key(path: &Path) -> Outcome<SecretString> {
    if path.exists() {
        return secrets::read_key(path);
    }
    let (_, key) = KeyRing::generate(&OsEntropy);
    write_key(path, &key)?;
    Ok(key)
}

/// Writes a key to a new file that only its owner may read.
fn write_key(path: &Path, key: &SecretString) -> Outcome {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .and_then(|mut file| writeln!(file, "{}", key.expose_secret()))
        .map_err(|error| {
            Failure::configuration(
                format!("can't write {}: {error}", path.display()),
                "Check its folder and permissions.",
            )
        })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_the_owner_reads_a_new_key_file_and_an_open_one_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let path = std::env::temp_dir().join(format!("stead-cli-key-{}", std::process::id()));
        let key = SecretString::from("k1:hush");
        write_key(&path, &key).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        let read_back = secrets::read_key(&path).unwrap();
        let again = write_key(&path, &key);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let open = secrets::read_key(&path);
        fs::remove_file(&path).unwrap();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(read_back.expose_secret(), "k1:hush");
        assert!(again.is_err(), "an existing key is never overwritten");
        let Err(Failure::CommandLine { next, .. }) = open else {
            panic!("an open key file was accepted")
        };
        assert!(next.starts_with("Run: chmod 600 "), "{next}");
    }
}
