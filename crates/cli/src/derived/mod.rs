//! Commands that follow from the declarations of operations.
//!
//! `stead members show ID` exists because [`ReadMember`](stead_core::resource::ReadMember) does: the path names the
//! noun, the declaration names the verb, and its schemas name the arguments. A command stays by hand, in `commands/`, if
//! it formats its result for people, asks for other arguments, or sends several operations.

mod arguments;
mod by_hand;
mod print;
#[cfg(test)]
mod tests;

use std::{mem, sync::OnceLock};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use serde_json::Value;
use stead::{ErrorKind, Stead};
use stead_core::{
    api::{Info, Paging, Run},
    environment::{Environment, Visit, visit},
    ports::BoxFuture,
};

use self::arguments::Arguments;
use crate::{
    failure::Outcome,
    target::{IfMissing, Target},
    terminal::Terminal,
};

/// Nouns that have another name than in paths: the name in the path, and that of the command.
const NOUNS: &[(&str, &str)] = &[("app-credentials", "credentials"), ("policies", "policy")];

/// An option of every [`Target`].
const TARGET: &str = "app_client_id";

/// An operation as a command.
#[derive(Debug)]
struct Derived {
    noun: &'static str,
    verb: String,
    info: Info,
    arguments: Arguments,
    send: Send,
}

/// Sends the operation of a command, and returns its result. A list is read to its end.
type Send = for<'a> fn(&'a Arguments, &'a ArgMatches, &'a Stead) -> BoxFuture<'a, Outcome<Value>>;

/// A command line that names an operation.
#[derive(Debug)]
pub(crate) struct Given {
    command: &'static Derived,
    matches: ArgMatches,
    target: Target,
}

/// Every derived command, in the order of the reference.
fn all() -> &'static [Derived] {
    static ALL: OnceLock<Vec<Derived>> = OnceLock::new();
    ALL.get_or_init(|| {
        struct Collect(Vec<Derived>);
        impl Visit for Collect {
            fn operation<O: Run<Environment>>(&mut self) {
                if !by_hand::sends::<O>() {
                    self.0.push(Derived::of::<O>());
                }
            }
        }
        let mut all = Collect(Vec::new());
        visit(&mut all);
        all.0
    })
}

/// Adds the derived commands to those that are written by hand.
pub(crate) fn add(by_hand: &Command) -> Command {
    let mut command = by_hand.clone();
    for derived in all() {
        let noun = by_hand.find_subcommand(derived.noun);
        let verb = derived.command(!noun.is_some_and(has_target));
        if command.find_subcommand(derived.noun).is_none() {
            command = command.subcommand(new_noun(derived.noun));
        }
        // `mut_subcommand` would move the noun to the end of the help.
        if let Some(noun) = command.find_subcommand_mut(derived.noun) {
            *noun = mem::take(noun).subcommand(verb);
        }
    }
    command
}

/// A noun that has no command by hand.
fn new_noun(noun: &'static str) -> Command {
    let verbs = all().iter().filter(|one| one.noun == noun);
    let verbs: Vec<&str> = verbs.map(|one| one.verb.as_str()).collect();
    Command::new(noun)
        .about(format!(
            "Commands for {}: {}",
            noun.replace('-', " "),
            verbs.join(", ")
        ))
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// Whether a noun's own options choose the service or the database for all its verbs.
fn has_target(noun: &Command) -> bool {
    let mut options = noun.get_arguments();
    noun.has_subcommands() && options.any(|one| one.get_id() == TARGET)
}

/// Whether a derived command has this noun.
pub(crate) fn has(noun: &str) -> bool {
    all().iter().any(|one| one.noun == noun)
}

/// Takes the derived command that a command line names, if it names one.
pub(crate) fn take(matches: &mut ArgMatches) -> Result<Option<Given>, clap::Error> {
    let named = matches.subcommand().and_then(|(noun, inner)| {
        let verb = inner.subcommand_name()?;
        all()
            .iter()
            .find(|one| one.noun == noun && one.verb == verb)
    });
    let Some(command) = named else {
        return Ok(None);
    };
    let Some((_, mut of_noun)) = matches.remove_subcommand() else {
        return Ok(None);
    };
    let Some((_, mut matches)) = of_noun.remove_subcommand() else {
        return Ok(None);
    };
    let target = match matches.try_contains_id(TARGET).is_ok() {
        true => Target::from_arg_matches_mut(&mut matches)?,
        false => Target::from_arg_matches_mut(&mut of_noun)?,
    };
    Ok(Some(Given {
        command,
        matches,
        target,
    }))
}

impl Given {
    /// Sends the operation and prints its result.
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let command = self.command;
        let target = match command.info.method {
            "GET" => self.target.open().await?,
            _ => self.target.open_without_links(IfMissing::Refuse).await?,
        };
        let sent = (command.send)(&command.arguments, &self.matches, &target.stead).await;
        target.close().await;
        let result =
            sent.map_err(|failure| failure.with_arguments(command.arguments.by_pointer()))?;
        print::result(&result, terminal);
        Ok(())
    }
}

impl Derived {
    fn of<O: Run<Environment>>() -> Self {
        let info = O::INFO;
        let mut segments = info.path.trim_start_matches("/v1/").split('/');
        let segment = segments.next().unwrap_or_default();
        let noun = NOUNS.iter().find(|(path, _)| *path == segment);
        Self {
            noun: noun.map_or(segment, |(_, noun)| noun),
            verb: match info.verb {
                "read" => String::from("show"),
                verb => verb.replace('_', "-"),
            },
            arguments: Arguments::of::<O>(),
            send: |arguments, matches, stead| Box::pin(send::<O>(arguments, matches, stead)),
            info,
        }
    }

    fn command(&self, with_target: bool) -> Command {
        let command = Command::new(&self.verb);
        let command = match with_target {
            true => Target::augment_args(command),
            false => command,
        };
        command
            .about(imperative(self.info.summary))
            .args(self.arguments.to_clap())
    }
}

/// The summary of an operation as the help of a command: "Reads a webhook." becomes "Read a webhook".
fn imperative(summary: &str) -> String {
    let summary = summary.trim().trim_end_matches('.');
    let (verb, rest) = summary.split_once(' ').unwrap_or((summary, ""));
    let (stem, end) = match verb {
        _ if verb.ends_with("ies") => (verb.trim_end_matches("ies"), "y"),
        _ if verb.ends_with("shes") || verb.ends_with("ches") => (&verb[..verb.len() - 2], ""),
        _ => (verb.strip_suffix('s').unwrap_or(verb), ""),
    };
    format!("{stem}{end} {rest}").trim_end().to_owned()
}

async fn send<O: Run<Environment>>(
    arguments: &Arguments,
    matches: &ArgMatches,
    stead: &Stead,
) -> Outcome<Value> {
    let (mut items, mut token) = (Vec::new(), None);
    loop {
        let mut operation = arguments.read::<O>(matches)?;
        let is_list = match operation.paging() {
            Some(page) => {
                *page = Paging::new(token.as_deref(), Paging::MOST);
                true
            }
            None => false,
        };
        let mut result = serde_json::to_value(stead.send(operation).await?)
            .map_err(|error| stead::Error::new(ErrorKind::Internal, error.to_string()))?;
        if !is_list {
            return Ok(result);
        }
        if let Value::Array(page) = result["items"].take() {
            items.extend(page);
        }
        match result["next_page_token"].as_str() {
            Some(next) => token = Some(next.to_owned()),
            None => return Ok(Value::Array(items)),
        }
    }
}
