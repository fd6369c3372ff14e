//! The connections that an MCP session can use, and the tools that it can call.

use super::own;
use crate::{
    Result, catalogue::CatalogueTool, context::Context, domain::readiness::connection_ready,
    identifier::ConnectionName, product::Product, results::ResultOptions, scope::ScopeName,
    tool::Effect,
};

/// The connections and tools that an MCP session can use now.
#[derive(Debug)]
#[non_exhaustive]
pub struct McpOffer<'c> {
    /// Its usable connections, by name.
    pub connections: Vec<McpConnection>,
    /// The newest version of every tool that it can call, by name.
    pub tools: Vec<&'c CatalogueTool>,
    /// Form and size of its results.
    pub results: &'c ResultOptions,
}

/// A connection of an MCP session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct McpConnection {
    /// Name.
    pub name: ConnectionName,
    /// Product.
    pub product: &'static Product,
}

/// The usable connections of the caller's session. Drafts and disabled connections have neither links nor tools.
pub(crate) async fn usable_connections(context: &Context) -> Result<Vec<McpConnection>> {
    own(context)?;
    let rows = context.known_connections().await?;
    let seen = rows
        .iter()
        .filter(|row| context.caller.sees(row.name.as_str()));
    let usable = seen.filter(|row| connection_ready(row).is_ok());
    let connections = usable.filter_map(|row| {
        let product = context.products.catalogue.product(&row.product)?;
        let name = row.name.clone();
        Some(McpConnection { name, product })
    });
    Ok(connections.collect())
}

/// The offer for the caller's session. Tools that a policy denies aren't included.
pub(crate) async fn offer(context: &Context) -> Result<McpOffer<'_>> {
    let session = own(context)?;
    let connections = usable_connections(context).await?;
    let policies = context
        .policies()
        .await?
        .applying_to(&context.caller, &[])?;
    let is_refused = |name: &str| {
        let mut rules = policies.iter().filter_map(|policy| policy.tools.as_ref());
        rules.any(|rules| rules.refuse(name).is_some())
    };
    let tools = context.products.catalogue.newest().filter(|tool| {
        let product = tool.product().name;
        let mut of_product = connections.iter().map(|connection| connection.product.name);
        let executes = context.caller.check_for(ScopeName::ToolsExecute, product);
        session.has(tool.entry().name(), tool.entry().effect() == Effect::Read)
            && of_product.any(|name| name == product)
            && executes.is_ok()
            && !is_refused(tool.entry().name())
    });
    let tools = tools.collect();
    Ok(McpOffer {
        connections,
        tools,
        results: &session.results,
    })
}
