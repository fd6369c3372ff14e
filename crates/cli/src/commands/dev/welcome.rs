//! The text that `stead dev` prints after its start.
//!
//! The lines work in bash and zsh, and fit 80 columns. They have no comments, because an interactive zsh refuses them.

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
            "Or connect {CONNECTION} for the user \"{USER}\" with this link, which works once:"
        )),
        link = link,
        paste = bold("Or paste these lines into bash or zsh to list unread mail:"),
        client_id = stack.client_id,
        client_secret = stack.client_secret.expose_secret(),
        connection = CONNECTION,
        user = USER,
        sandbox_user = SANDBOX_USER,
        path = bold("Send a raw request to any path of the product's own API:"),
        next_link = bold(&format!(
            "Create another link, for {}:",
            products.join(", ")
        )),
        stead = program(),
        tools = bold("List the tools of a product, and run one after you have opened its link:"),
        fault = bold("Make the sandbox's next response an error:"),
        look = format_args!(
            "Sandbox, with its data and requests: {}\nDocumentation: {}/tree/main/docs",
            stack.sandbox_url,
            env!("CARGO_PKG_REPOSITORY"),
        ),
    )
}

/// The command that starts this program again: its name if it's in the PATH, otherwise the path that started it.
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
