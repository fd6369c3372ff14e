//! `stead policy`: allows calls, denies them or requires approval, at a service or in the database.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::Value;
use stead::{
    Stead,
    resource::{Policy, PolicyDecision, PolicyOutcome, PolicyTest},
};
use stead_core::resource::{DeletePolicy, ListPolicies, ReadPolicy, SetPolicy};

use crate::{
    failure::{Failure, Flags, Outcome},
    target::Target,
    terminal::Terminal,
};

const FLAGS: Flags = &[
    ("/policies", "--policy", ""),
    ("/caller", "--caller", ""),
    ("/connection_name", "--connection", ""),
    ("/product", "--product", ""),
    ("/path", "--path", ""),
];

/// Policies: allow or deny calls, or require a person's approval.
#[derive(Debug, Args)]
pub(crate) struct Policies {
    #[command(subcommand)]
    command: PoliciesCommand,
    #[command(flatten)]
    target: Target,
}

#[derive(Debug, Subcommand)]
enum PoliciesCommand {
    /// Create a policy from a JSON file, or replace the policy with its name. It takes effect within a second.
    Set {
        /// JSON file with the policy and its name.
        file: PathBuf,
    },
    /// List all policies.
    List,
    /// Print a policy as JSON.
    Show {
        /// Name of the policy.
        name: String,
    },
    /// Delete a policy that no credential or MCP session uses.
    Delete {
        /// Name of the policy.
        name: String,
    },
    /// Explain the decision on a call, without making the call. Stead uses the environment's policies, and the policies
    /// of --policy or of the caller.
    Test(Box<Test>),
}

#[derive(Debug, Args)]
struct Test {
    /// Policy to use. You can repeat this option.
    #[arg(long = "policy", value_name = "NAME")]
    policies: Vec<String>,
    /// Caller, instead of policies: the client ID of a credential, or the ID of an MCP session. Its scopes and limits
    /// count too.
    #[arg(long, value_name = "ID", conflicts_with = "policies")]
    caller: Option<String>,
    /// Connection of the call. The requests that it allows count too.
    #[arg(long, value_name = "NAME")]
    connection: Option<String>,
    /// Tool to call. For a raw request, use the other options instead.
    #[arg(long, required_unless_present = "method", conflicts_with = "method")]
    tool: Option<String>,
    /// Input of the tool, as JSON.
    #[arg(long, value_name = "JSON", requires = "tool")]
    input: Option<String>,
    /// HTTP method of a raw request.
    #[arg(long, requires_all = ["product", "path"])]
    method: Option<String>,
    /// Product of the raw request.
    #[arg(long)]
    product: Option<String>,
    /// Path of the raw request, with its query.
    #[arg(long)]
    path: Option<String>,
    /// JSON body of the raw request.
    #[arg(long, value_name = "JSON")]
    body: Option<String>,
}

impl Policies {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let target = self.target.open().await?;
        let outcome = self.command.run(&target.stead, terminal).await;
        target.close().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }
}

impl PoliciesCommand {
    async fn run(self, stead: &Stead, terminal: &Terminal) -> Outcome {
        match self {
            Self::Set { file } => {
                let text = std::fs::read_to_string(&file).map_err(|error| {
                    let what = format!("can't read {}: {error}", file.display());
                    Failure::usage(what, "Give a JSON file with a policy.")
                })?;
                let policy: Policy = serde_json::from_str(&text).map_err(|error| {
                    let what = format!("{} isn't a policy: {error}", file.display());
                    Failure::usage(what, "See docs/run/policies.md for every rule.")
                })?;
                let set = stead.send(SetPolicy::from(policy)).await?;
                terminal.either(&set, || format!("Set the policy {}.", set.name));
            }
            Self::List => list(&stead.list(ListPolicies::new()).all().await?, terminal),
            Self::Show { name } => terminal.result_json(&stead.send(ReadPolicy::new(&name)).await?),
            Self::Delete { name } => {
                stead.send(DeletePolicy::new(&name)).await?;
                terminal.note(format_args!("Deleted {name}."));
            }
            Self::Test(test) => {
                let decision = stead.send(test.read()?).await?;
                terminal.either(&decision, || explained(&decision));
            }
        }
        Ok(())
    }
}

impl Test {
    fn read(self) -> Result<PolicyTest, Failure> {
        let json = |flag: &str, text: Option<String>| match text {
            None => Ok(Value::Null),
            Some(text) => serde_json::from_str(&text).map_err(|error| {
                Failure::usage(
                    format!("{flag} isn't JSON: {error}"),
                    "Put it into quotes for your shell.",
                )
            }),
        };
        let mut test = PolicyTest::default();
        test.policies = self.policies;
        test.caller = self.caller;
        test.connection_name = self.connection;
        test.tool = self.tool;
        test.input = json("--input", self.input)?;
        test.method = self.method;
        test.product = self.product;
        test.path = self.path;
        test.body = json("--body", self.body)?;
        Ok(test)
    }
}

fn explained(decision: &PolicyDecision) -> String {
    let outcome = match decision.outcome {
        PolicyOutcome::Allowed => "allowed",
        PolicyOutcome::NeedsApproval => "needs an approval",
        _ => "refused",
    };
    let mut lines = vec![format!("{outcome}: {}", decision.message)];
    if let (Some(policy), Some(rule)) = (&decision.policy, &decision.rule) {
        lines.push(format!("  policy {policy}, rule {rule}"));
    }
    for request in &decision.requests {
        let (method, path, effect) = (&request.method, &request.path, request.effect.name());
        let known = if request.known {
            ""
        } else {
            ", unknown in the product's API description"
        };
        lines.push(format!("  {method} {path}: {effect}{known}"));
        for fact in &request.facts {
            let value = fact.value.as_deref().unwrap_or("unknown");
            lines.push(format!("    {}: {value}", fact.kind));
        }
        if let Some(kind) = &request.allowed_request {
            lines.push(format!("    the connection has to allow: {kind}"));
        }
    }
    lines.join("\n")
}

fn list(all: &[Policy], terminal: &Terminal) {
    if terminal.json() {
        terminal.result_json(&all);
    } else if all.is_empty() {
        terminal.note("There are no policies, so every call is allowed.");
    } else {
        let yes = |is: bool| String::from(if is { "yes" } else { "no" });
        let rows = all.iter().map(|policy| {
            [
                policy.name.clone(),
                yes(policy.environment),
                yes(policy.read_only),
                yes(policy.requires_approval.is_some()),
                policy
                    .updated_at
                    .map(|at| at.to_string())
                    .unwrap_or_default(),
            ]
        });
        let titles = ["NAME", "EVERY CALL", "READ ONLY", "APPROVALS", "SET"];
        terminal.table(titles, rows.collect());
    }
}
