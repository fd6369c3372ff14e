//! The catalogue for applications, with the tools that a user can call now.

use crate::{
    Error, ErrorKind, Result,
    catalogue::CatalogueTool,
    context::Context,
    domain::{Connection, readiness::connection_ready},
    identifier::Identifier,
    resource::{ExportedTools, Readiness, ToolDescription, ToolFilter},
    schema::ExportFormat,
    state::AccountState,
};

/// The newest version of every tool, by name.
pub(crate) async fn tools(context: &Context, filter: ToolFilter) -> Result<Vec<ToolDescription>> {
    let connection = match &filter.connection_name {
        Some(name) => Some(context.connection_row(name).await?.row),
        None => None,
    };
    let mut tools = matching(context, &filter, connection.as_ref())?
        .map(ToolDescription::of)
        .collect::<Result<Vec<_>>>()?;
    if let Some(identifier) = &filter.identifier {
        let granted = granted_by_product(context, identifier, connection).await?;
        for tool in &mut tools {
            tool.readiness = Some(readiness(tool, &granted));
        }
    }
    Ok(tools)
}

/// The same in a model vendor's format, with facts that the format can't express.
pub(crate) async fn exported(
    context: &Context,
    filter: &ToolFilter,
    format: ExportFormat,
) -> Result<ExportedTools> {
    if filter.identifier.is_some() {
        return Err(Error::new(
            ErrorKind::InvalidRequest,
            "`identifier` doesn't work together with `format`; leave one of them out",
        ));
    }
    let connection = match &filter.connection_name {
        Some(name) => Some(context.connection_row(name).await?.row),
        None => None,
    };
    matching(context, filter, connection.as_ref())?
        .map(|tool| tool.export_with(format, filter.detail))
        .collect()
}

/// The newest version of every tool that matches the filter.
fn matching<'c>(
    context: &'c Context,
    filter: &'c ToolFilter,
    connection: Option<&'c Connection>,
) -> Result<impl Iterator<Item = &'c CatalogueTool>> {
    let asked = filter.products.iter();
    let asked = asked.map(|product| Ok(context.products.endpoints(product)?.product.name));
    let asked: Vec<&str> = asked.collect::<Result<_>>()?;
    let set = filter.tool_set.as_deref();
    let set = set.map(|name| context.products.catalogue.set(name));
    let set = set.transpose()?;
    Ok(context.products.catalogue.newest().filter(move |tool| {
        let product = tool.product().name;
        connection.is_none_or(|connection| connection.product == product)
            && (asked.is_empty() || asked.contains(&product))
            && set.is_none_or(|set| set.has(tool))
            && filter
                .effect
                .is_none_or(|effect| effect == tool.entry().effect())
    }))
}

/// The newest version of one tool.
pub(crate) fn tool(context: &Context, name: &str) -> Result<ToolDescription> {
    ToolDescription::of(context.products.catalogue.find(name, None, None)?)
}

/// Product and granted scopes of every usable account of a user: through one connection, or all.
async fn granted_by_product(
    context: &Context,
    identifier: &str,
    connection: Option<Connection>,
) -> Result<Vec<(String, Vec<String>)>> {
    let identifier = Identifier::new(identifier)?;
    let connections = match connection {
        Some(one) => vec![one],
        None => context.seen_connections().await?,
    };
    let mut granted = Vec::new();
    for connection in connections {
        if connection_ready(&connection).is_err() {
            continue;
        }
        let account = context.store.account_of(connection.id, &identifier).await?;
        if let Some(account) = account.filter(|account| {
            account.row.state == AccountState::Active && account.row.is_of_client(&connection)
        }) {
            granted.push((connection.product, account.row.granted_scopes));
        }
    }
    Ok(granted)
}

fn readiness(tool: &ToolDescription, granted: &[(String, Vec<String>)]) -> Readiness {
    let mut of_product = granted
        .iter()
        .filter(|(product, _)| *product == tool.product)
        .peekable();
    if of_product.peek().is_none() {
        return Readiness::NeedsConnection;
    }
    let covered = |scopes: &[String]| {
        tool.scopes.is_empty() || tool.scopes.iter().any(|scope| scopes.contains(scope))
    };
    if of_product.any(|(_, scopes)| covered(scopes)) {
        Readiness::Ready
    } else {
        Readiness::NeedsScope
    }
}
