//! The connections that an MCP session can use, and the tools that it can call.

use super::own;
use crate::{
    Error, ErrorKind, Result,
    catalogue::{CatalogueTool, FoundTools, SearchTools, ToolSet, meta_tools, search_among},
    context::Context,
    domain::readiness::connection_ready,
    identifier::ConnectionName,
    product::Product,
    results::ResultOptions,
    schema::{ExportFormat, Exported},
    scope::ScopeName,
    similar::did_you_mean,
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
    /// The set of those that its list shows.
    pub set: ToolSet<'c>,
    /// Whether its list has output schemas.
    pub output_schemas: bool,
    /// Form and size of its results.
    pub results: &'c ResultOptions,
}

impl<'c> McpOffer<'c> {
    /// The tools that its list shows.
    pub fn listed(&self) -> impl Iterator<Item = &'c CatalogueTool> {
        self.tools.iter().copied().filter(|tool| self.set.has(tool))
    }

    /// The tool with this name, if the session can call it.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownTool`] with similar names.
    pub fn tool(&self, name: &str) -> Result<&'c CatalogueTool> {
        let known = || self.tools.iter().map(|tool| tool.entry().name());
        let mut tools = self.tools.iter().copied();
        tools
            .find(|tool| tool.entry().name() == name)
            .ok_or_else(|| {
                let (shown, hint) = (crate::scrub::scrub(name, 80), did_you_mean(name, known()));
                let message = format!("this session has no tool {shown:?}{hint}");
                Error::new(ErrorKind::UnknownTool, message)
            })
    }

    /// The tools that match a query, among those that the session can call.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a product without such a tool.
    pub fn search(&self, asked: &SearchTools) -> Result<FoundTools> {
        search_among(asked, self.tools.iter().copied())
    }

    /// The three tools to search, describe and execute the tools that its list doesn't show. None if it shows all.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if a schema is invalid. A test rules this out.
    pub fn finders(&self) -> Result<Vec<Exported>> {
        if self.tools.iter().all(|tool| self.set.has(tool)) {
            return Ok(Vec::new());
        }
        let products = self.tools.iter().map(|tool| tool.product().name);
        let mut effects = self.tools.iter().map(|tool| tool.entry().effect());
        let read_only = effects.all(|effect| effect == Effect::Read);
        meta_tools(products.collect(), read_only, ExportFormat::Mcp)
    }
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
    // Another process may have other settings. The search still finds every tool.
    let catalogue = &context.products.catalogue;
    let set = catalogue.set(&session.tool_set);
    let set = set.or_else(|_| catalogue.set(ToolSet::CORE))?;
    Ok(McpOffer {
        connections,
        tools,
        set,
        output_schemas: session.output_schemas,
        results: &session.results,
    })
}
