//! `stead dev`: a service and a sandbox to try things out, with lines to paste.

mod data;
mod drawer;
mod happenings;
mod live;
mod printer;
mod trial;
mod welcome;

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use clap::Args;
use secrecy::ExposeSecret as _;
use serde_json::json;
use stead::PlatformBuilder;
use stead_core::resource::NewAuthorizationLink;
use tokio::net::TcpListener;

use data::Data;
use live::Happenings;
use printer::Printer;

use crate::{
    failure::Outcome,
    listener,
    logs::More,
    signals,
    target::{CONNECTION, Listeners, Stack, USER, with_storage},
    terminal::Terminal,
};

/// A day, so the first link works for a whole session.
const LINK_SECONDS: u32 = 86_400;
/// Hosts where the application under trial may have webhooks.
const THIS_MACHINE: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// The port of the proxy host, if it's free.
const PROXY_PORT: u16 = 8486;

/// Start Stead with a sandbox to try it out. You don't need to register anything, and no data leaves this machine.
///
/// The sandbox plays the six products, including their consent pages. Stead treats anyone who opens a link as the user,
/// so never use `dev` with real users.
#[derive(Debug, Args)]
pub(crate) struct Dev {
    /// Address of the service.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8484", value_parser = listener::address)]
    listen: SocketAddr,

    /// Address of the sandbox.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8485", value_parser = listener::address)]
    sandbox_listen: SocketAddr,

    /// Address of the proxy host, for account tokens. The default is 127.0.0.1:8486, or a free port if that one is in
    /// use.
    #[arg(long, value_name = "ADDRESS", value_parser = listener::address)]
    proxy_listen: Option<SocketAddr>,

    /// Folder for the database, its key, the client ID and secret, and the sandbox's grants. Without it, nothing is
    /// kept when `dev` stops.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,

    /// Calls and events since the log started.
    #[arg(skip)]
    happenings: Option<Happenings>,
}

impl Dev {
    /// Reads what happens, to print it.
    pub(crate) fn layer(&mut self) -> More {
        let (layer, happenings) = live::channel();
        self.happenings = Some(happenings);
        Box::new(layer.filtered())
    }

    pub(crate) async fn run(mut self, terminal: &Terminal) -> Outcome {
        let listeners = Listeners {
            service: listener::bind(self.listen, "--listen").await?,
            sandbox: listener::bind(self.sandbox_listen, "--sandbox-listen").await?,
            proxy: match self.proxy_listen {
                Some(address) => listener::bind(address, "--proxy-listen").await?,
                None => bind_or_free_port(PROXY_PORT).await?,
            },
        };
        let data = Data(self.data.as_deref());
        let (sandbox, credential) = (data.sandbox(), data.credential());
        let options = trial::options(&sandbox, &listener::url(&listeners.sandbox)?);
        let storage = |builder: PlatformBuilder, _: &str| {
            let builder = THIS_MACHINE
                .iter()
                .fold(builder, |builder, host| builder.private_host(host));
            with_storage(builder, data.0)
        };
        let stack = Stack::start_with(listeners, sandbox, credential, &options, storage).await?;
        data.keep_credential(&stack)?;
        trial::seed(&stack).await?;
        let mut new = NewAuthorizationLink::new(CONNECTION, USER);
        new.expires_in = Some(LINK_SECONDS);
        let actions = stack.platform.actions();
        let link = actions.authorization_link_with(new).await?.link;
        let facts = json!({
            "dashboard_url": format!("{}/dashboard", stack.url),
            "url": stack.url,
            "sandbox_url": stack.sandbox_url,
            "proxy_url": stack.proxy_url,
            "client_id": stack.client_id,
            "client_secret": stack.client_secret.expose_secret(),
            "connection_name": CONNECTION,
            "identifier": USER,
            "link": link,
        });
        // Calls and events of the preparation aren't printed.
        while self
            .happenings
            .as_mut()
            .is_some_and(|happenings| happenings.try_recv().is_ok())
        {}
        terminal.either(&facts, || welcome::welcome(&stack, &link, terminal));
        match data.0 {
            None => terminal.note("Press Ctrl-C to stop. Nothing is kept.\n"),
            Some(folder) => terminal.note(format_args!(
                "Press Ctrl-C to stop. {} keeps accounts and grants, but not the sandbox's data.\n",
                folder.display()
            )),
        }
        let mut printer = Printer::start(terminal.json());
        // Stored after every change, so nothing is lost if the process is killed.
        let keep = || data.keep_sandbox(&stack.sandbox);
        let outcome = tokio::select! {
            () = signals::stop() => keep(),
            outcome = happenings::print(self.happenings, &stack.platform, terminal, &mut printer, keep) => outcome,
        };
        if terminal.notes() {
            printer.print(String::from("\nStopping."));
        }
        stack.stop().await;
        printer.end().await;
        outcome
    }
}

/// A listener on this machine, at this port or, if it's in use, at a free one.
async fn bind_or_free_port(port: u16) -> Outcome<TcpListener> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
        Ok(listener) => Ok(listener),
        Err(_) => listener::bind_free_port().await,
    }
}
