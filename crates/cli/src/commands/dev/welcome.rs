//! What `stead dev` prints when it has started: what to open, what to paste, and what else there is.
//!
//! The lines are for bash and zsh, which takes no comments when it is interactive, and fit 80 columns.

use std::{env, fs, path::PathBuf};

use secrecy::ExposeSecret as _;

use crate::{
    target::{CONNECTION, SANDBOX_USER, Stack, USER},
    terminal::Terminal,
};

pub(super) fn welcome(stack: &Stack, link: &str, terminal: &Terminal) -> String {
    let bold = |text: &str| terminal.bold(text);
    let products: Vec<&str> = stack
        .platform
        .environment()
        .catalogue()
        .products()
        .iter()
        .map(|product| product.name)
        .collect();
    format!(
        include_str!("welcome.txt"),
        title = bold("Stead is running with a sandbox of the six products. Open the dashboard:"),
        dashboard = bold(&format!("{}/dashboard", stack.url)),
        url = stack.url,
        sandbox_url = stack.sandbox_url,
        proxy_url = stack.proxy_url,
        open = bold(&format!(
            "Or open this link to connect {CONNECTION} for the user \"{USER}\"; it works once:"
        )),
        link = link,
        paste =
            bold("Or paste these lines into bash or zsh, up to the subjects of the unread mails:"),
        client_id = stack.client_id,
        client_secret = stack.client_secret.expose_secret(),
        connection = CONNECTION,
        user = USER,
        sandbox_user = SANDBOX_USER,
        path = bold("Any path of the product's own API:"),
        next_link = bold(&format!(
            "The next link, for any of {}:",
            products.join(", ")
        )),
        stead = program(),
        tools = bold("The tools of a product, and a call when its link has been followed:"),
        fault = bold("Make the sandbox fail once:"),
        look = format_args!(
            "The sandbox, with its data and requests: {}\nGuides and reference: {}/tree/main/docs",
            stack.sandbox_url,
            env!("CARGO_PKG_REPOSITORY"),
        ),
    )
}

/// How this program is started again: by its name where the PATH has it, else as it was started.
fn program() -> String {
    let own = env::current_exe().and_then(fs::canonicalize).ok();
    let in_path = env::var_os("PATH").into_iter().flat_map(|path| {
        env::split_paths(&path)
            .map(|folder| folder.join("stead"))
            .collect::<Vec<PathBuf>>()
    });
    let first = in_path.into_iter().find(|file| file.is_file());
    if own.is_some() && first.and_then(|file| fs::canonicalize(file).ok()) == own {
        return String::from("stead");
    }
    env::args().next().unwrap_or_else(|| String::from("stead"))
}
