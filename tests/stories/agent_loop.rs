//! A loop around a scripted model. It makes the calls that the model asks for, and gives it the results. The loop
//! doesn't know the task. A model only knows its tools and the conversation.

use serde_json::Value;

use crate::{
    browser::Browser,
    mcp_agent::Agent,
    stage::{ADA, Stage},
};

/// Most turns of a loop. A model that needs more doesn't read the results.
const TURNS: usize = 40;

/// A scripted model: its next step, or its last words when the task is done.
///
/// It runs from the start each turn. [`Conversation::call`] returns a result that is already in the conversation, and
/// otherwise ends the turn with the call, so a script reads like a program.
pub type Model = fn(&Conversation) -> Result<String, Step>;

/// The next step of a model.
#[derive(Debug)]
pub enum Step {
    Call(Call),
    /// Asks the user, and waits for the answer.
    Ask(String),
}

/// A call of a tool.
#[derive(Debug)]
pub struct Call {
    tool: &'static str,
    arguments: Value,
}

/// The tools and messages that a model reads.
#[derive(Debug)]
pub struct Conversation {
    /// Names of the tools that it was offered.
    tools: Vec<String>,
    messages: Vec<Message>,
}

#[derive(Debug)]
enum Message {
    User(String),
    Model(String),
    /// With the text of the result, or of the error.
    Called(Call, Result<String, String>),
}

impl Conversation {
    /// The quoted words of the task, as the user wrote it.
    pub fn quoted(&self) -> Vec<&str> {
        match self.messages.first() {
            Some(Message::User(task)) => task.split('"').skip(1).step_by(2).collect(),
            _ => Vec::new(),
        }
    }

    /// The result of a call. If the user must open a link first, the model shows it and then calls again.
    pub fn call(&self, tool: &'static str, arguments: Value) -> Result<Value, Step> {
        let outcome = self.attempt(tool, arguments)?;
        Ok(outcome.unwrap_or_else(|error| panic!("{tool}: {error}")))
    }

    /// The result of a call that may be a mistake, or the text of its error.
    pub fn attempt(
        &self,
        tool: &'static str,
        arguments: Value,
    ) -> Result<Result<Value, String>, Step> {
        let mut newest_first = self.messages.iter().rev();
        let outcome = newest_first.find_map(|message| match message {
            Message::Called(call, outcome) if call.tool == tool && call.arguments == arguments => {
                Some(outcome)
            }
            _ => None,
        });
        let was_shown = |text: &String| {
            let mut messages = self.messages.iter();
            messages.any(|message| matches!(message, Message::Model(shown) if shown == text))
        };
        match outcome {
            Some(Ok(text)) => {
                let result = serde_json::from_str(text);
                Ok(Ok(result.unwrap_or_else(|error| panic!("{error}: {text}"))))
            }
            Some(Err(error)) if link(error).is_none() => Ok(Err(error.clone())),
            Some(Err(error)) if !was_shown(error) => Err(Step::Ask(error.clone())),
            _ => Err(Step::Call(Call { tool, arguments })),
        }
    }

    /// The tools whose calls failed, in order.
    pub fn failures(&self) -> Vec<&str> {
        let failed = self.messages.iter().filter_map(|message| match message {
            Message::Called(call, Err(_)) => Some(call.tool),
            _ => None,
        });
        failed.collect()
    }
}

/// Runs a model until its task is done. Returns its last words and the conversation. The user is Ada, who opens each link
/// and allows everything.
pub async fn run(
    stage: &Stage,
    agent: &Agent<'_>,
    task: &str,
    model: Model,
) -> (String, Conversation) {
    let mut conversation = Conversation {
        tools: agent.tools().await,
        messages: vec![Message::User(task.to_owned())],
    };
    for _ in 0..TURNS {
        match model(&conversation) {
            Ok(said) => return (said, conversation),
            Err(Step::Ask(question)) => {
                let link = link(&question).unwrap_or_else(|| panic!("no link: {question}"));
                let done = Browser::new().connect(stage, link, ADA).await;
                assert_eq!(done.status, 200, "{}", done.text());
                conversation.messages.push(Message::Model(question));
                let done = Message::User(String::from("Done."));
                conversation.messages.push(done);
            }
            Err(Step::Call(call)) => {
                let tools = &conversation.tools;
                let is_offered = tools.iter().any(|one| one == call.tool);
                assert!(is_offered, "{} wasn't offered: {tools:?}", call.tool);
                let outcome = outcome(agent, &call).await;
                // A model that has read an error doesn't make the same mistake again.
                let has_failed = conversation.failures().contains(&call.tool);
                assert!(!(has_failed && outcome.is_err()), "{call:?}: {outcome:?}");
                conversation.messages.push(Message::Called(call, outcome));
            }
        }
    }
    panic!("not done after {TURNS} turns: {conversation:?}");
}

/// The text of a call's result, or of its error.
async fn outcome(agent: &Agent<'_>, call: &Call) -> Result<String, String> {
    let result = agent.call(call.tool, call.arguments.clone()).await;
    let text = result["content"][0]["text"].as_str().unwrap().to_owned();
    match result["isError"] == true {
        true => Err(text),
        false => Ok(text),
    }
}

/// The link in a text, on a line of its own.
fn link(text: &str) -> Option<&str> {
    text.lines().find(|line| line.starts_with("http"))
}
