//! Scopes of applications' credentials and tokens: what an application can do with Stead. They aren't the permissions
//! that a user grants at a product.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result, error::Violation, similar::unknown, state::Role};

macro_rules! names {
    ($( $(#[doc = $doc:literal])+ $variant:ident = $name:literal $(, $products:ident)?; )+) => {
        /// Name of a scope. The variants' documentation is the public reference.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ScopeName { $( $(#[doc = $doc])+ $variant, )+ }

        impl ScopeName {
            /// Every one, in the order of the reference.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// Name that credentials and token requests use.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }
            /// One sentence about the scope.
            pub fn summary(self) -> &'static str {
                match self { $( Self::$variant => concat!($($doc, " "),+).trim(), )+ }
            }
            /// Whether it can be limited to one product, as in `tools:execute:mail`.
            pub const fn has_products(self) -> bool {
                match self { $( Self::$variant => false $(|| { stringify!($products); true })?, )+ }
            }
        }
    };
}

names! {
    /// Call tools. `tools:execute:mail` allows only the tools of one product.
    ToolsExecute = "tools:execute", products;
    /// Send raw requests that only read. `proxy:read:mail` allows only requests to one product.
    ProxyRead = "proxy:read", products;
    /// Send any raw request. `proxy:write:mail` allows only requests to one product.
    ProxyWrite = "proxy:write", products;
    /// Create authorization links, and confirm which user came back.
    LinksCreate = "links:create";
    /// See accounts and their state.
    AccountsRead = "accounts:read";
    /// See, suspend, resume, refresh and disconnect accounts.
    AccountsManage = "accounts:manage";
    /// Import accounts with their tokens, for any user.
    AccountsImport = "accounts:import";
    /// See connections.
    ConnectionsRead = "connections:read";
    /// See, create, change and delete connections.
    ConnectionsManage = "connections:manage";
    /// Create account tokens.
    AccountTokensCreate = "account-tokens:create";
    /// See, create and revoke MCP sessions.
    McpSessionsManage = "mcp-sessions:manage";
    /// Read events.
    EventsRead = "events:read";
    /// Read the history of calls.
    ExecutionsRead = "executions:read";
    /// See, create, change and delete webhooks, and see their deliveries.
    WebhooksManage = "webhooks:manage";
    /// See policies.
    PoliciesRead = "policies:read";
    /// See, set, test and delete policies.
    PoliciesManage = "policies:manage";
    /// See calls that wait for approval, with their exact arguments.
    ApprovalsRead = "approvals:read";
    /// See, approve and deny other callers' calls.
    ApprovalsManage = "approvals:manage";
    /// Read the audit log.
    AuditRead = "audit:read";
    /// Create, change, rotate and revoke applications' credentials, within the caller's own scopes.
    CredentialsManage = "credentials:manage";
    /// Invite, change, disable and delete members of the dashboard, including owners. This gives full control.
    MembersManage = "members:manage";
    /// See, add, activate, replace and destroy data keys.
    KeysManage = "keys:manage";
}

impl ScopeName {
    /// Whether this includes the other.
    const fn includes(self, other: Self) -> bool {
        self as u8 == other as u8
            || matches!(
                (self, other),
                (Self::ProxyWrite, Self::ProxyRead)
                    | (Self::AccountsManage, Self::AccountsRead)
                    | (Self::ConnectionsManage, Self::ConnectionsRead)
                    | (Self::PoliciesManage, Self::PoliciesRead)
                    | (Self::ApprovalsManage, Self::ApprovalsRead)
            )
    }

    /// The scope for all products.
    pub fn scope(self) -> Scope {
        Scope {
            name: self,
            product: None,
        }
    }

    /// The scope for one product, if it can be limited to one.
    pub fn of(self, product: &str) -> Scope {
        Scope {
            name: self,
            product: self.has_products().then(|| product.to_owned()),
        }
    }
}

/// One scope, for one product or for all.
///
/// ```
/// use stead_core::scope::{Scope, ScopeName};
///
/// let scope: Scope = "tools:execute:mail".parse().unwrap();
/// assert_eq!(scope, ScopeName::ToolsExecute.of("mail"));
/// assert!("tools:run".parse::<Scope>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Scope {
    /// The permission that it gives.
    pub name: ScopeName,
    /// The product that it's limited to.
    pub product: Option<String>,
}

impl Scope {
    /// Whether this includes the other.
    fn covers(&self, other: &Self) -> bool {
        self.name.includes(other.name) && (self.product.is_none() || self.product == other.product)
    }

    /// The scope that both include.
    fn and(&self, other: &Self) -> Option<Self> {
        let name = match (self.name, other.name) {
            (one, other) if one.includes(other) => other,
            (one, other) if other.includes(one) => one,
            _ => return None,
        };
        let product = match (&self.product, &other.product) {
            (None, product) | (product, None) => product,
            (one, other) if one == other => one,
            _ => return None,
        };
        let product = product.clone();
        Some(Self { name, product })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.name())?;
        match &self.product {
            Some(product) => write!(f, ":{product}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Scope {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let named = |name: &ScopeName| {
            let rest = text.strip_prefix(name.name())?;
            let product = match rest.strip_prefix(':') {
                None if rest.is_empty() => None,
                Some(product) if name.has_products() && is_word(product) => {
                    Some(product.to_owned())
                }
                _ => return None,
            };
            Some(Self {
                name: *name,
                product,
            })
        };
        let found = ScopeName::ALL.iter().find_map(named);
        found.ok_or_else(|| {
            let known = ScopeName::ALL.iter().map(|name| name.name());
            Error::new(
                ErrorKind::InvalidRequest,
                format!("the scope {}", unknown(text, known)),
            )
        })
    }
}

fn is_word(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !text.is_empty() && text.len() <= 64 && text.chars().all(is_plain)
}

/// The scopes of a credential or a token. A `manage` includes its `read`, and `proxy:write` includes `proxy:read`.
///
/// ```
/// use stead_core::scope::{ScopeName, Scopes};
///
/// let scopes = Scopes::parse(["tools:execute:mail", "accounts:manage"]).unwrap();
/// assert!(scopes.opens_for(ScopeName::ToolsExecute, "mail"));
/// assert!(!scopes.opens_for(ScopeName::ToolsExecute, "drive"));
/// assert!(scopes.opens(ScopeName::AccountsRead));
/// assert_eq!(scopes.to_string(), "tools:execute:mail accounts:manage");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// Every scope, for all products.
    pub fn all() -> Self {
        ScopeName::ALL.iter().map(|name| name.scope()).collect()
    }

    /// Default scopes of a credential: everything that an application needs. Imports, credentials, members, keys, the
    /// audit log, policies and approvals are for operators.
    pub fn usual() -> Self {
        let of_operators = [
            ScopeName::AccountsImport,
            ScopeName::CredentialsManage,
            ScopeName::MembersManage,
            ScopeName::KeysManage,
            ScopeName::AuditRead,
            ScopeName::PoliciesRead,
            ScopeName::PoliciesManage,
            ScopeName::ApprovalsRead,
            ScopeName::ApprovalsManage,
        ];
        let all = ScopeName::ALL.iter();
        all.filter(|name| !of_operators.contains(name))
            .map(|name| name.scope())
            .collect()
    }

    /// Scopes of a credential from before scopes existed. This list never grows, so an upgrade never gives anyone a new
    /// scope.
    #[cfg(feature = "platform")]
    pub(crate) fn before_scopes() -> Self {
        let names = [
            ScopeName::ToolsExecute,
            ScopeName::ProxyRead,
            ScopeName::ProxyWrite,
            ScopeName::LinksCreate,
            ScopeName::AccountsRead,
            ScopeName::AccountsManage,
            ScopeName::ConnectionsRead,
            ScopeName::ConnectionsManage,
        ];
        names.into_iter().map(ScopeName::scope).collect()
    }

    /// Scopes of a member with this role.
    pub fn of_role(role: Role) -> Self {
        let may = |name: &&ScopeName| match role {
            Role::Owner => true,
            Role::Operator => !matches!(
                name,
                ScopeName::AccountsImport
                    | ScopeName::CredentialsManage
                    | ScopeName::MembersManage
                    | ScopeName::KeysManage
            ),
            Role::Viewer => matches!(
                name,
                ScopeName::AccountsRead
                    | ScopeName::ConnectionsRead
                    | ScopeName::EventsRead
                    | ScopeName::ExecutionsRead
                    | ScopeName::AuditRead
                    | ScopeName::PoliciesRead
            ),
        };
        let names = ScopeName::ALL.iter().filter(may);
        names.map(|name| name.scope()).collect()
    }

    /// Parses scopes from their words.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] with a violation for each word that isn't a scope.
    pub fn parse<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let (mut scopes, mut violations) = (Vec::new(), Vec::new());
        for (index, word) in words.into_iter().enumerate() {
            match word.parse() {
                Ok(scope) => scopes.push(scope),
                Err(error) => {
                    let error: Error = error;
                    let place = format!("/scopes/{index}");
                    violations.push(Violation::new(place, "enum", error.message()));
                }
            }
        }
        if violations.is_empty() {
            Ok(scopes.into_iter().collect())
        } else {
            Err(Error::invalid(violations))
        }
    }

    /// Scopes from stored words. Unknown words are ignored, so they allow nothing.
    #[cfg(feature = "platform")]
    pub(crate) fn known<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let words = words.into_iter();
        words.filter_map(|word| word.parse().ok()).collect()
    }

    /// Whether one of them allows this for at least one product.
    pub fn opens(&self, name: ScopeName) -> bool {
        self.0.iter().any(|scope| scope.name.includes(name))
    }

    /// Whether one of them allows this for a product.
    pub fn opens_for(&self, name: ScopeName, product: &str) -> bool {
        self.0.iter().any(|scope| {
            let for_it = scope.product.as_deref().is_none_or(|only| only == product);
            for_it && scope.name.includes(name)
        })
    }

    /// The first of the other scopes that these don't include.
    pub fn lacks<'a>(&self, others: &'a Self) -> Option<&'a Scope> {
        let has = |other: &Scope| self.0.iter().any(|scope| scope.covers(other));
        others.0.iter().find(|other| !has(other))
    }

    /// The scope that both include.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let pairs = self
            .0
            .iter()
            .flat_map(|one| other.0.iter().map(move |two| (one, two)));
        let both: Vec<Scope> = pairs.filter_map(|(one, two)| one.and(two)).collect();
        // Skip scopes that another one includes.
        let covered = |scope: &Scope| {
            both.iter()
                .any(|other| other != scope && other.covers(scope))
        };
        both.iter()
            .filter(|scope| !covered(scope))
            .cloned()
            .collect()
    }

    /// These without all scopes of one name.
    #[cfg(feature = "platform")]
    pub(crate) fn without(self, name: ScopeName) -> Self {
        self.0
            .into_iter()
            .filter(|scope| scope.name != name)
            .collect()
    }

    /// Iterates over the scopes.
    pub fn iter(&self) -> impl Iterator<Item = &Scope> {
        self.0.iter()
    }

    /// Names of the scopes.
    pub fn words(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let mut scopes: Vec<Scope> = scopes.into_iter().collect();
        scopes.sort();
        scopes.dedup();
        Self(scopes)
    }
}

impl fmt::Display for Scopes {
    /// The names with spaces between them, as in a token request (RFC 6749, section 3.3).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().join(" "))
    }
}

impl Serialize for Scopes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Scopes {
    /// Ignores words from a newer service.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        Ok(words.iter().filter_map(|word| word.parse().ok()).collect())
    }
}

#[cfg(test)]
mod tests;
