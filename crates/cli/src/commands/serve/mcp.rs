//! Options of `stead serve` for your own issuer of agents' tokens.

use clap::Args;
use stead_core::environment::McpIssuer;

use crate::failure::{Failure, Outcome};

/// An issuer, and what its tokens allow. An empty variable counts as unset.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Agent tokens (JWT)")]
pub(super) struct McpArgs {
    /// Issuer of an authorization server, exactly as the server publishes it. Agents may use its JWTs at /mcp, in
    /// addition to tokens of MCP sessions. The JWT identifies the user.
    #[arg(long, value_name = "URL")]
    mcp_issuer: Option<String>,

    /// Audience that a JWT must have. By default, it's the URL of /mcp.
    #[arg(long, value_name = "AUDIENCE")]
    mcp_audience: Option<String>,

    /// Claim of a JWT with your application's ID of the user. The default is sub. Choose a claim that users can't set
    /// themselves. Stead accepts email only together with email_verified.
    #[arg(long, value_name = "NAME")]
    mcp_identifier_claim: Option<String>,

    /// Scope that a JWT must have.
    #[arg(long, value_name = "SCOPE")]
    mcp_required_scope: Option<String>,

    /// Connections that agents with a JWT may use, separated by commas. The default is all connections.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    mcp_connections: Vec<String>,

    /// Tools that agents with a JWT may call, separated by commas. The default is all tools.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    mcp_tools: Vec<String>,

    /// Set of the tools that the list of an agent with a JWT shows: core, read, all, search, a product, or one of your
    /// own. The agent finds the others by a search. The default is core, or all with --mcp-tools.
    #[arg(long, value_name = "NAME")]
    mcp_tool_set: Option<String>,

    /// Show each tool's output schema in the list of an agent with a JWT.
    #[arg(long)]
    mcp_output_schemas: bool,

    /// Allow agents with a JWT to call only tools that read.
    #[arg(long)]
    mcp_read_only: bool,

    /// Policy for the calls of agents with a JWT. Until a policy with this name exists, they can't call anything.
    #[arg(long, value_name = "NAME")]
    mcp_policy: Option<String>,

    /// Page of your application to which a link sends the user's browser. Your application confirms the user there. The
    /// default is --verify-url. With --mcp-issuer you need one of them, or --trust-whoever-has-the-link.
    #[arg(long, value_name = "URL")]
    mcp_verify_url: Option<String>,
}

impl McpArgs {
    /// The issuer, if one is set.
    pub(super) fn issuer(&self) -> Outcome<Option<McpIssuer>> {
        let Some(issuer) = given(self.mcp_issuer.as_ref()) else {
            return match self.has_more() {
                true => Err(missing("ISSUER", "the other options of the issuer need it")),
                false => Ok(None),
            };
        };
        let mut issuer =
            McpIssuer::new(issuer).map_err(|error| refused("ISSUER", error.message()))?;
        if let Some(audience) = given(self.mcp_audience.as_ref()) {
            issuer = issuer.audience(audience);
        }
        if let Some(claim) = given(self.mcp_identifier_claim.as_ref()) {
            issuer = issuer.identifier_claim(claim);
        }
        if let Some(scope) = given(self.mcp_required_scope.as_ref()) {
            issuer = issuer.required_scope(scope);
        }
        let connections = list(&self.mcp_connections);
        if !connections.is_empty() {
            issuer = issuer
                .connections(connections)
                .map_err(|error| refused("CONNECTIONS", error.message()))?;
        }
        let tools = list(&self.mcp_tools);
        if !tools.is_empty() {
            issuer = issuer.tools(tools);
        }
        if let Some(set) = given(self.mcp_tool_set.as_ref()) {
            issuer = issuer.tool_set(set);
        }
        if self.mcp_output_schemas {
            issuer = issuer.output_schemas();
        }
        if self.mcp_read_only {
            issuer = issuer.read_only();
        }
        if let Some(policy) = given(self.mcp_policy.as_ref()) {
            issuer = issuer.policy(policy);
        }
        if let Some(url) = given(self.mcp_verify_url.as_ref()) {
            issuer = issuer.verify_url(url);
        }
        Ok(Some(issuer))
    }

    fn has_more(&self) -> bool {
        let texts = [
            &self.mcp_audience,
            &self.mcp_identifier_claim,
            &self.mcp_required_scope,
            &self.mcp_policy,
            &self.mcp_tool_set,
            &self.mcp_verify_url,
        ];
        let lists = [&self.mcp_connections, &self.mcp_tools];
        self.mcp_read_only
            || self.mcp_output_schemas
            || texts.into_iter().any(|text| given(text.as_ref()).is_some())
            || lists.into_iter().any(|names| !list(names).is_empty())
    }
}

fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn list(names: &[String]) -> Vec<&str> {
    names.iter().filter_map(|name| given(Some(name))).collect()
}

fn option(name: &str) -> String {
    format!("--mcp-{}", name.to_lowercase().replace('_', "-"))
}

fn missing(name: &str, because: &str) -> Failure {
    let option = option(name);
    Failure::configuration(
        format!("{option} is missing; {because}"),
        format!("Set {option} or the environment variable STEAD_MCP_{name}."),
    )
}

fn refused(name: &str, why: &str) -> Failure {
    Failure::configuration(
        format!("{}: {why}", option(name)),
        format!("Change the option, or the environment variable STEAD_MCP_{name}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn an_issuer_exists_only_if_its_options_are_set() {
        let none = McpArgs {
            mcp_issuer: text(" "),
            mcp_tools: vec![String::new()],
            ..McpArgs::default()
        };
        assert!(none.issuer().unwrap().is_none());
        let all = McpArgs {
            mcp_issuer: text("https://login.example.com"),
            mcp_audience: text("stead"),
            mcp_identifier_claim: text("email"),
            mcp_required_scope: text("tools"),
            mcp_connections: vec![String::from("mail"), String::from(" calendar")],
            mcp_tools: vec![String::from("mail_fetch_mails")],
            mcp_tool_set: text("read"),
            mcp_output_schemas: true,
            mcp_read_only: true,
            mcp_policy: text("agents"),
            mcp_verify_url: text("https://app.example.com/connected"),
        };
        let issuer = all.issuer().unwrap().unwrap();
        assert_eq!(issuer.issuer(), "https://login.example.com");
        assert_eq!(issuer.scope(), Some("tools"));
        let said = format!("{issuer:?}");
        for part in [
            "stead",
            "email",
            "calendar",
            "mail_fetch_mails",
            "tool_set: Some(\"read\")",
            "output_schemas: true",
            "read_only: true",
            "agents",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }

    #[test]
    fn a_wrong_or_missing_option_is_named() {
        let needs = |args: McpArgs, expected: &str| {
            let said = format!("{:?}", args.issuer().unwrap_err());
            assert!(said.contains(expected), "{expected}: {said}");
        };
        let lone = McpArgs {
            mcp_read_only: true,
            ..McpArgs::default()
        };
        needs(lone, "--mcp-issuer is missing");
        let plain = McpArgs {
            mcp_issuer: text("http://login.example.com"),
            ..McpArgs::default()
        };
        needs(plain, "--mcp-issuer: ");
        let names = McpArgs {
            mcp_issuer: text("https://login.example.com"),
            mcp_connections: vec![String::from("no name")],
            ..McpArgs::default()
        };
        needs(names, "--mcp-connections: ");
    }
}
