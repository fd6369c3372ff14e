//! What has to be done from time to time: ending what is overdue, and working off the outbox.

use std::time::Duration;

use crate::{
    Result,
    environment::Environment,
    store::{AuthorizationState, Commit},
};

const PERIOD: Duration = Duration::from_secs(30);
/// Authorizations that are ended together.
const ROUND: u32 = 100;

/// Starts the rounds; they end with the environment.
pub(crate) fn start(environment: &Environment) {
    let weak = environment.downgrade();
    let first = environment.runtime().sleep(PERIOD);
    environment.runtime().spawn(Box::pin(async move {
        let mut pause = first;
        loop {
            pause.await;
            let Some(environment) = weak.upgrade() else { return };
            if environment.tasks().open().is_err() {
                return;
            }
            if let Err(error) = environment.maintain().await {
                tracing::warn!(kind = %error.kind(), "maintenance could not finish its round");
            }
            pause = environment.runtime().sleep(PERIOD);
        }
    }));
}

impl Environment {
    /// One round: authorizations past their time end and their quarantined tokens are shredded; the outbox is worked off.
    /// Runs by itself every 30 seconds.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`](crate::ErrorKind::StorageUnavailable).
    pub async fn maintain(&self) -> Result<()> {
        loop {
            let overdue = self.store().overdue_authorizations(self.now(), ROUND).await?;
            let last = overdue.len() < ROUND as usize;
            let mut ended = 0;
            for authorization in overdue {
                let id = authorization.row.id;
                match self.end_authorization(authorization, AuthorizationState::Expired, "timeout").await {
                    // A conflict means that it has moved on meanwhile.
                    Ok(Commit::Committed | Commit::Conflict) => ended += 1,
                    // One row that cannot be ended must not keep the others.
                    Err(error) => tracing::warn!(authorization = %id, kind = %error.kind(), "an overdue authorization could not be ended"),
                }
            }
            if last || ended == 0 {
                break;
            }
        }
        self.work_off_outbox();
        Ok(())
    }
}
