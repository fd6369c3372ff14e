//! All that changes while a sandbox runs.

use jiff::{SignedDuration, Timestamp};

use crate::{
    faults::{Fault, Plan},
    google::grants::Grants,
    ids::Ids,
    log::Log,
    oauth::Clients,
    people::IndexState,
    warehouse::Warehouse,
    workspace::{Capability, Workspace},
    world::World,
};

/// Where every sandbox's clock starts: 2026-05-04T09:00:00Z, a Monday.
const START_SECOND: i64 = 1_777_885_200;

/// The world, the grants and tokens, the plans to misbehave, the log.
pub(crate) struct State {
    /// The sandbox's own clock; only [`Fault::Advance`] moves it.
    pub(crate) now: Timestamp,
    /// Counts the resets.
    pub(crate) reset_count: u64,
    /// Source of codes, tokens and opaque ids.
    pub(crate) ids: Ids,
    /// Registered OAuth clients.
    pub(crate) clients: Clients,
    /// Consents, grants and tokens.
    pub(crate) grants: Grants,
    /// Scopes that the next consent at Google loses.
    pub(crate) lost_scopes: Vec<String>,
    /// Users and what they own.
    pub(crate) world: World,
    /// Integrations, grants and tokens of Notion.
    pub(crate) workspace: Workspace,
    /// Integrations, tokens and statements of Snowflake.
    pub(crate) warehouse: Warehouse,
    /// Attachment ids minted under an older number are refused.
    pub(crate) attachment_generation: u64,
    /// Which search indexes have been warmed up.
    pub(crate) index_state: IndexState,
    /// Planned misbehaviour.
    pub(crate) faults: Plan,
    /// What came in.
    pub(crate) log: Log,
}

impl State {
    /// The seeded beginning.
    pub(crate) fn new() -> Self {
        let world = World::seeded();
        Self {
            warehouse: Warehouse::new(&world.warehouse, start()),
            now: start(),
            reset_count: 0,
            ids: Ids::default(),
            clients: Clients::built_in(),
            grants: Grants::empty(),
            lost_scopes: Vec::new(),
            world,
            workspace: Workspace::new(),
            attachment_generation: 0,
            index_state: IndexState::default(),
            faults: Plan::default(),
            log: Log::default(),
        }
    }

    /// Back to the beginning. The source of ids goes on, so that a token from before cannot come to life
    /// again; clients stay, because they are configuration.
    pub(crate) fn reset(&mut self) {
        let reset_count = self.reset_count + 1;
        let ids = std::mem::take(&mut self.ids);
        let clients = std::mem::take(&mut self.clients);
        let workspace = self.workspace.reset();
        let warehouse_clients = std::mem::take(&mut self.warehouse.clients);
        *self = Self {
            reset_count,
            ids,
            clients,
            workspace,
            ..Self::new()
        };
        self.warehouse.clients = warehouse_clients;
    }

    /// Does what a fault says at once, or plans it for coming requests.
    pub(crate) fn plan(&mut self, fault: Fault) -> Result<(), String> {
        match fault {
            Fault::ExpireAccessTokens { user } => {
                self.check_user(user.as_deref())?;
                self.grants.expire_access_tokens(user.as_deref(), self.now);
                self.workspace
                    .grants
                    .expire_access_tokens(user.as_deref(), self.now);
                self.warehouse
                    .grants
                    .expire_access_tokens(user.as_deref(), self.now);
            }
            Fault::Revoke { user } => {
                self.check_user(user.as_deref())?;
                self.grants.revoke_user(user.as_deref());
                self.workspace.grants.revoke_user(user.as_deref());
                self.warehouse.grants.revoke_user(user.as_deref());
            }
            Fault::Rotation { mode } => {
                self.grants.rotation = mode;
                self.warehouse.grants.rotation = mode;
            }
            Fault::DropScope { scope } => self.lost_scopes.push(scope),
            Fault::TokenLifetime { seconds } => {
                self.grants.lifetime = Some(i64::from(seconds));
                self.warehouse.grants.lifetime = Some(i64::from(seconds));
            }
            Fault::Advance { seconds } => {
                self.now = self
                    .now
                    .checked_add(SignedDuration::from_secs(i64::from(seconds)))
                    .map_err(|error| error.to_string())?;
            }
            Fault::DeleteMessage { id } => {
                if !self.world.delete_message(&id) {
                    return Err(format!("there is no message {id}"));
                }
            }
            Fault::StaleAttachments => self.attachment_generation += 1,
            Fault::LoseCapability { capability } => {
                let lost = Capability::named(&capability)
                    .ok_or_else(|| format!("there is no capability {capability}"))?;
                self.workspace.lost_capabilities.insert(lost);
            }
            planned => self.faults.add(planned),
        }
        Ok(())
    }

    fn check_user(&self, user: Option<&str>) -> Result<(), String> {
        match user {
            Some(email) if self.world.user(email).is_none() => {
                Err(format!("there is no user {email}"))
            }
            _ => Ok(()),
        }
    }
}

fn start() -> Timestamp {
    Timestamp::from_second(START_SECOND).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_starts_where_documented() {
        assert_eq!(start().to_string(), "2026-05-04T09:00:00Z");
    }
}
