//! An agent that acts in a user's stead: the tools go to a model as it wants them, the calls that it asks for are made,
//! and results and errors go back to it. If the user has to act, a result contains a link. The sandbox plays the
//! product, and a few lines of Rust play the model.

use std::{
    error::Error,
    io::{Write as _, stdout},
};

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use stead::{
    Callback, ExportFormat, NewConnection, Platform, Verification, View,
    resource::{Readiness, ToolDescription},
};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, Running, Sandbox};

const USER: &str = "user-42";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let sandbox = Sandbox::start().await?;
    let stead = Platform::builder("http://127.0.0.1")
        .ephemeral_key()
        .in_memory()
        .gateway(&sandbox.url)
        .verification(Verification::LinkPossession)
        .build()
        .await?;
    let mail = NewConnection::mail("mail").client(CLIENT_ID, CLIENT_SECRET);
    stead.connections().ensure(mail).await?;
    let ready = stead
        .tools()
        .product("mail")
        .identifier(USER)
        .list()
        .await?;
    let usable = |tool: &&ToolDescription| tool.readiness == Some(Readiness::Ready);
    say(&format!(
        "{} of {} tools are ready.",
        ready.iter().filter(usable).count(),
        ready.len()
    ))?;

    let tools = stead
        .tools()
        .product("mail")
        .export(ExportFormat::Anthropic)
        .await?;
    let agent = stead
        .agent(USER)
        .connection("mail")
        .view(View::Readable)
        .max_bytes(20_000)
        .authorization_links();
    let mut messages = vec![json!({ "role": "user", "content": "What is new in my mailbox?" })];
    loop {
        let turn = model(&tools, &messages)?;
        messages.push(json!({ "role": "assistant", "content": [turn] }));
        if turn["type"] == "text" {
            say(turn["text"].as_str().unwrap_or_default())?;
            return Ok(());
        }
        say(&format!("-> {} {}", turn["name"], turn["input"]))?;
        let done = agent.run(&turn).await?;
        for result in &done.results {
            let text = result["content"].as_str().unwrap_or_default();
            if result["is_error"] == true {
                say(&format!("   {}", text.replace('\n', "\n   ")))?;
            }
            // A model would show the link; its user opens it, and the model makes the call again.
            if let Some(link) = text.lines().find(|line| line.starts_with("http")) {
                consent(&stead, &sandbox, link).await?;
            }
        }
        messages.push(json!({ "role": "user", "content": done.results }));
    }
}

/// Plays a model: it chooses one of the offered tools, makes a mistake in its input, reads the error, and sums up.
fn model(tools: &[Value], messages: &[Value]) -> Result<Value, Box<dyn Error>> {
    let tool = tools
        .iter()
        .find(|tool| tool["name"] == "mail_fetch_mails")
        .ok_or("no tool reads mails")?;
    let call = |input: Value| {
        let id = format!("call_{}", messages.len());
        json!({ "type": "tool_use", "id": id, "name": tool["name"], "input": input })
    };
    let last = &messages[messages.len() - 1]["content"][0];
    if last["type"] != "tool_result" {
        return Ok(call(json!({ "query": "is:unread", "max_results": "all" })));
    }
    if last["is_error"] == true {
        return Ok(call(json!({ "query": "is:unread" })));
    }
    let data: Value = serde_json::from_str(last["content"].as_str().unwrap_or_default())?;
    let subjects: Vec<&str> = data["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|mail| mail["subject"].as_str())
        .collect();
    let text = format!("{} unread mails: {}.", subjects.len(), subjects.join("; "));
    Ok(json!({ "type": "text", "text": text }))
}

/// Plays the user's browser: opens the link, and allows everything.
async fn consent(stead: &Platform, sandbox: &Running, link: &str) -> Result<(), Box<dyn Error>> {
    let environment = stead.environment();
    let secret = link.rsplit('/').next().unwrap_or_default();
    let started = environment.start_authorization(secret, None).await?;
    let back = sandbox
        .sandbox
        .consent(&started.location, "ada@example.com", &["all"])?;
    let connection = stead.connections().read("mail").await?.id.to_string();
    let callback = Callback::from_query(back.query().unwrap_or_default());
    let cookie = |_| Some(started.browser.expose_secret().to_owned());
    environment
        .finish_authorization(&connection, callback, cookie)
        .await?;
    Ok(())
}

fn say(line: &str) -> std::io::Result<()> {
    writeln!(stdout(), "{line}")
}
