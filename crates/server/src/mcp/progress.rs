//! Progress messages during a long call.

use std::{pin::pin, time::Duration};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use stead_core::environment::{Environment, McpConnection};

use super::client::Client;

/// Time between two messages.
const TELL: Duration = Duration::from_secs(5);

/// Sends progress messages to the client of a call, if it asked for them.
pub(super) struct Progress<'c> {
    client: &'c Client<'c>,
    token: Option<ProgressToken>,
    /// Seconds in the last message. Progress must increase.
    told: Duration,
}

impl<'c> Progress<'c> {
    pub(super) fn of(client: &'c Client<'c>) -> Self {
        Self {
            client,
            token: client.meta.get_progress_token(),
            told: Duration::ZERO,
        }
    }

    /// Reports what the call is waiting for, if it has waited longer than the last message said.
    pub(super) async fn tell(&mut self, waited: Duration, message: &str) {
        let Some(token) = self.token.clone().filter(|_| waited >= self.told + TELL) else {
            return;
        };
        self.told = waited;
        let progress = ProgressNotificationParam::new(token, waited.as_secs_f64());
        self.client.notify(progress.with_message(message)).await;
    }

    /// Reports every few seconds that a call is still running.
    pub(super) async fn during<T>(
        &mut self,
        environment: &Environment,
        connection: &McpConnection,
        call: impl Future<Output = T>,
    ) -> T {
        let mut call = pin!(call);
        let message = format!("Waiting for {}", connection.product.title);
        let mut waited = self.told;
        loop {
            tokio::select! {
                result = &mut call => return result,
                () = environment.runtime().sleep(TELL), if self.token.is_some() => {
                    waited += TELL;
                    self.tell(waited, &message).await;
                }
            }
        }
    }
}
