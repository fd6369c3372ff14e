//! The catalogue as an application sees it.

use serde::Deserialize;

use crate::{
    ErrorKind, Result,
    environment::Environment,
    resource::{AccountState, Readiness, ToolDescription},
};

/// Which tools are listed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolFilter {
    /// Only this product's.
    pub product: Option<String>,
    /// Adds whether this user can call each tool, through any connection of the product.
    pub identifier: Option<String>,
}

impl Environment {
    /// The newest version of every tool, by name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an unknown product.
    pub async fn tools(&self, filter: ToolFilter) -> Result<Vec<ToolDescription>> {
        if let Some(product) = &filter.product {
            self.endpoints(product)?;
        }
        let mut tools = self
            .catalogue()
            .newest()
            .filter(|tool| {
                filter
                    .product
                    .as_deref()
                    .is_none_or(|product| tool.product().name == product)
            })
            .map(ToolDescription::of)
            .collect::<Result<Vec<_>>>()?;
        if let Some(identifier) = &filter.identifier {
            let granted = self.granted_by_product(identifier).await?;
            for tool in &mut tools {
                tool.readiness = Some(readiness(tool, &granted));
            }
        }
        Ok(tools)
    }

    /// The newest version of one tool.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownTool`].
    pub fn tool(&self, name: &str) -> Result<ToolDescription> {
        ToolDescription::of(self.catalogue().find(name, None, None)?)
    }

    /// Product and granted scopes of every usable account of a user.
    async fn granted_by_product(&self, identifier: &str) -> Result<Vec<(String, Vec<String>)>> {
        let mut granted = Vec::new();
        let mut page_token: Option<String> = None;
        loop {
            let page = self.connections(page_token.as_deref(), 100).await?;
            for connection in page.items {
                match self
                    .account(connection.connection_name.as_str(), identifier)
                    .await
                {
                    Ok(account) if account.state == AccountState::Active => {
                        granted.push((account.product, account.granted_scopes))
                    }
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::AccountNotFound => {}
                    Err(error) => return Err(error),
                }
            }
            page_token = page.next_page_token;
            if page_token.is_none() {
                return Ok(granted);
            }
        }
    }
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
