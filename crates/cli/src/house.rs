//! A whole house in one process: the service, and a sandbox in place of the products.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
};

use secrecy::{ExposeSecret as _, SecretString};
use stead::{
    ErrorKind, OsEntropy, Platform, PlatformBuilder,
    core::{environment::Verification, resource::NewConnection, seal::KeyRing},
};
use stead_sandbox::Sandbox;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::{
    failure::{Failure, Outcome},
    secrets,
};

/// The application's name for the one user of a house.
pub(crate) const USER: &str = "you";
/// The connection that is shown first; each is named like its product.
pub(crate) const CONNECTION: &str = "mail";
/// Who that user is in the sandbox.
pub(crate) const SANDBOX_USER: &str = "ada@example.com";

/// Service and sandbox, running.
pub(crate) struct House {
    pub(crate) platform: Platform,
    pub(crate) url: String,
    pub(crate) sandbox: Sandbox,
    pub(crate) sandbox_url: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: SecretString,
    tell_to_stop: oneshot::Sender<()>,
    service: JoinHandle<()>,
    sandbox_task: JoinHandle<()>,
}

impl House {
    /// Serves on these two listeners. `furnish` chooses the store and whatever else is special.
    pub(crate) async fn start(
        listener: TcpListener,
        sandbox_listener: TcpListener,
        furnish: impl FnOnce(PlatformBuilder, &str) -> Outcome<PlatformBuilder>,
    ) -> Outcome<Self> {
        let url = url_of(&listener)?;
        let sandbox_url = url_of(&sandbox_listener)?;
        let sandbox = Sandbox::new();
        let serving = sandbox.clone();
        let sandbox_task = tokio::spawn(async move {
            if let Err(error) = serving.serve(sandbox_listener).await {
                tracing::error!(%error, "the sandbox stopped");
            }
        });
        let builder = Platform::builder(&url)
            .gateway(&sandbox_url)
            .verification(Verification::LinkPossession);
        let platform = furnish(builder, &sandbox_url)?.build().await?;
        connect_products(&platform).await?;
        let credential = platform.environment().create_app_credential("dev").await?;
        let (tell_to_stop, told) = oneshot::channel::<()>();
        let router = stead_server::router(&platform);
        let service = tokio::spawn(stead_server::serve(listener, router, async {
            // A sender that is gone means the same.
            let _ = told.await;
        }));
        Ok(Self {
            platform,
            url,
            sandbox,
            sandbox_url,
            client_id: credential.client_id,
            client_secret: credential.client_secret,
            tell_to_stop,
            service,
            sandbox_task,
        })
    }

    /// Ends both: requests under way are finished first.
    pub(crate) async fn stop(self) {
        // The service may have ended by itself.
        let _ = self.tell_to_stop.send(());
        let _ = self.service.await;
        self.platform.shut_down().await;
        self.sandbox_task.abort();
    }
}

/// Keeps everything in memory, or in a folder with a key of its own.
pub(crate) fn keep(builder: PlatformBuilder, data: Option<&Path>) -> Outcome<PlatformBuilder> {
    let Some(folder) = data else {
        return Ok(builder.memory().new_key());
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::configuration(
            format!("the folder {} cannot be made: {error}", folder.display()),
            "Choose another with --data.",
        )
    })?;
    let key = folder_key(&folder.join("stead.key"))?;
    Ok(builder
        .sqlite(folder.join("stead.db"))
        .key(key.expose_secret()))
}

/// A listener at an address, which must be free.
pub(crate) async fn listen(address: SocketAddr, option: &str) -> Outcome<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let what = if error.kind() == io::ErrorKind::AddrInUse {
            format!("{address} is taken by another program")
        } else {
            format!("{address} cannot be listened on: {error}")
        };
        let free = SocketAddr::new(address.ip(), 0);
        Failure::configuration(
            what,
            format!("Choose another with {option}, or let the system choose: {option} {free}"),
        )
    })
}

/// A listener on this machine, at a port that the system chooses.
pub(crate) async fn listen_anywhere() -> Outcome<TcpListener> {
    listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), "--listen").await
}

/// Where a listener is reached from this machine.
pub(crate) fn url_of(listener: &TcpListener) -> Outcome<String> {
    let mut address = listener.local_addr().map_err(|error| {
        Failure::configuration(
            format!("a listener has no address: {error}"),
            "Look at the network of this machine.",
        )
    })?;
    if !address.ip().is_loopback() {
        address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    Ok(format!("http://{address}"))
}

/// One connection per product, named like it, with the sandbox's OAuth client of that product.
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
        let mut settings = serde_json::Map::new();
        if product.name == "warehouse" {
            settings.insert(
                String::from("account"),
                stead_sandbox::WAREHOUSE_ACCOUNT.into(),
            );
        }
        let new = NewConnection {
            connection_name: product.name.to_owned(),
            product: product.name.to_owned(),
            client_id: Some(client_id.to_owned()),
            client_secret: Some(client_secret.into()),
            settings,
            ..NewConnection::default()
        };
        match platform.environment().create_connection(new).await {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// The key in a file, which is made where it is missing: readable by its owner alone.
fn folder_key(path: &Path) -> Outcome<SecretString> {
    if path.exists() {
        return secrets::read_key(path);
    }
    let (_, key) = KeyRing::generate(&OsEntropy);
    secrets::write_key(path, &key)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_is_told_with_the_way_out() {
        let taken = listen_anywhere().await.unwrap();
        let address = taken.local_addr().unwrap();
        let failure = listen(address, "--listen").await.unwrap_err();
        let Failure::Own { what, next, .. } = failure else {
            panic!("another failure")
        };
        assert_eq!(what, format!("{address} is taken by another program"));
        assert!(next.contains("--listen 127.0.0.1:0"), "{next}");
    }
}
