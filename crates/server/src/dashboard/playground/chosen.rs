//! The connection, user and tool of a call, and the other choices.

use serde::Serialize;
use stead::ErrorKind;
use stead_core::{
    api::Paging,
    resource::{
        Account, AccountFilter, AccountState, Connection, ConnectionState, ListAccounts,
        ListConnections, ReadAccount, ReadConnection, ToolDescription, ToolFilter,
    },
    tool::Effect,
};

use super::asked::Asked;
use crate::{dashboard::page::Page, options::Sample, problem::Result};

/// The most connections and accounts to choose from. The user types others.
const MOST: u32 = 50;

/// The choice, as far as it exists, and the options.
#[derive(Debug, Serialize)]
pub(super) struct Chosen {
    pub(super) connections: Vec<Connection>,
    pub(super) connection: Option<Connection>,
    title: &'static str,
    /// Users who are connected.
    users: Vec<String>,
    pub(super) identifier: String,
    pub(super) account: Option<Account>,
    tools: Vec<(String, &'static str)>,
    #[serde(skip)]
    pub(super) tool: Option<ToolDescription>,
}

impl Chosen {
    /// The requested choice, or otherwise the first usable one.
    pub(super) async fn of(page: &Page, asked: &Asked) -> Result<Self> {
        let environment = &page.environment;
        let mut connections = environment
            .send(ListConnections::new().page(Paging::new(None, MOST)))
            .await?
            .items;
        let tool = asked
            .tool
            .as_deref()
            .map(|name| environment.tool(name))
            .transpose()?;
        let connection = match &asked.connection_name {
            Some(name) => Some(environment.send(ReadConnection::new(name)).await?),
            None => first(
                &connections,
                tool.as_ref().map(|tool| tool.product.as_str()),
            ),
        };
        if let Some(own) = &connection
            && connections
                .iter()
                .all(|one| one.connection_name != own.connection_name)
        {
            connections.insert(0, own.clone());
        }
        let name = connection
            .as_ref()
            .map(|one| one.connection_name.to_string());
        let users = match &name {
            Some(name) => users(page, name).await?,
            None => Vec::new(),
        };
        let tools = match &connection {
            Some(connection) => {
                let mut filter = ToolFilter::default();
                filter.products = vec![connection.product.clone()];
                environment.tools(filter).await?
            }
            None => Vec::new(),
        };
        // Another connection needs a tool of its own product.
        let tool = tool
            .filter(|tool| {
                connection
                    .as_ref()
                    .is_none_or(|one| one.product == tool.product)
            })
            .or_else(|| begin_with(&tools, name.as_deref().and_then(|name| sample(page, name))));
        let identifier = asked.identifier.clone().or_else(|| own_user(page, &users));
        let identifier = identifier
            .or_else(|| users.first().cloned())
            .unwrap_or_default();
        let account = match &name {
            Some(name) if !identifier.is_empty() => {
                match environment.send(ReadAccount::new(name, &identifier)).await {
                    Ok(account) => Some(account),
                    Err(error)
                        if matches!(
                            error.kind(),
                            ErrorKind::AccountNotFound | ErrorKind::InvalidRequest
                        ) =>
                    {
                        None
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            _ => None,
        };
        let catalogue = environment.catalogue();
        let product = connection
            .as_ref()
            .and_then(|one| catalogue.product(&one.product));
        Ok(Self {
            connections,
            connection,
            title: product.map_or("", |product| product.title),
            users,
            identifier,
            account,
            tools: tools
                .iter()
                .map(|tool| (tool.name.clone(), tool.effect.name()))
                .collect(),
            tool,
        })
    }
}

/// The first usable connection, of this product if one is given.
fn first(connections: &[Connection], product: Option<&str>) -> Option<Connection> {
    let mut fitting = connections
        .iter()
        .filter(|one| product.is_none_or(|product| one.product == product));
    let ready = fitting
        .clone()
        .find(|one| one.state == ConnectionState::Ready);
    ready.or_else(|| fitting.next()).cloned()
}

async fn users(page: &Page, connection_name: &str) -> Result<Vec<String>> {
    let mut filter = AccountFilter::default();
    filter.connection_name = Some(connection_name.to_owned());
    filter.state = Some(AccountState::Active);
    let accounts = page
        .environment
        .send(
            ListAccounts::new()
                .filter(filter.clone())
                .page(Paging::new(None, MOST)),
        )
        .await?
        .items;
    Ok(accounts
        .into_iter()
        .map(|account| account.identifier.to_string())
        .collect())
}

/// The test user of a trial environment, if connected.
fn own_user(page: &Page, users: &[String]) -> Option<String> {
    let own = &page.trial()?.identifier;
    users.contains(own).then(|| own.clone())
}

/// The sample call of a connection in a trial environment.
pub(super) fn sample<'p>(page: &'p Page, connection_name: &str) -> Option<&'p Sample> {
    let mut samples = page.trial()?.samples.iter();
    samples.find(|sample| sample.connection_name == connection_name)
}

/// The initial tool: one that reads, if possible without required input.
fn begin_with(tools: &[ToolDescription], sample: Option<&Sample>) -> Option<ToolDescription> {
    let sampled = tools
        .iter()
        .find(|tool| sample.is_some_and(|sample| sample.tool == tool.name));
    let reads = || tools.iter().filter(|tool| tool.effect == Effect::Read);
    let needs_nothing = |tool: &&ToolDescription| {
        tool.input_schema["required"]
            .as_array()
            .is_none_or(Vec::is_empty)
    };
    let found = sampled
        .or_else(|| reads().find(needs_nothing))
        .or_else(|| reads().next());
    found.or_else(|| tools.first()).cloned()
}
