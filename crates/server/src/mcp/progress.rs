//! What the client of a long call hears meanwhile.

use std::{pin::pin, time::Duration};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use stead::core::environment::{Environment, McpConnection};

use super::client::Client;

/// How often it hears of the call.
const TELL: Duration = Duration::from_secs(5);

/// What the client of a call hears while it waits, where it asked for that.
pub(super) struct Progress<'c> {
    client: &'c Client<'c>,
    token: Option<ProgressToken>,
    /// Seconds so far: only what is more is told.
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

    /// Says what the call is waiting for, once it has waited longer than was said before.
    pub(super) async fn tell(&mut self, waited: Duration, message: &str) {
        let Some(token) = self.token.clone().filter(|_| waited >= self.told + TELL) else {
            return;
        };
        self.told = waited;
        let progress = ProgressNotificationParam::new(token, waited.as_secs_f64());
        self.client.notify(progress.with_message(message)).await;
    }

    /// Says every few seconds that a call goes on.
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
