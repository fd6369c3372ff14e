//! The product of the histories: one note, and an authorization server that loses responses, responds late or twice,
//! and has outages.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{
    Arc, Body, Class, Duration, LIFE, Mutex, MutexGuard, Outage, Sent,
    ledger::{Ledger, Outcome},
    lock,
};
use crate::{
    ports::{Runtime as _, TransportError, TransportErrorKind},
    testing::{Flaky, Process, response},
};

/// How the token endpoint fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Unavailable,
    LosesRequests,
    LosesResponses,
    /// The response takes almost as long as Stead waits.
    Late,
    /// The request arrives twice. The client gets the response to the first or the second.
    TwiceFirst,
    TwiceSecond,
    /// It responds, and then the store is down for this number of seconds.
    RespondsIntoOutage(u64),
}

/// The product.
#[derive(Clone)]
pub(super) struct Server {
    class: Class,
    state: Arc<Mutex<State>>,
    runtime: Arc<Process>,
    store: Arc<Flaky>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) ledger: Ledger,
    access_tokens: BTreeMap<String, (usize, Timestamp)>,
    /// Faults of the next responses of the token endpoint.
    pub(super) faults: Vec<Fault>,
}

/// A token request in flight. It ends if its process crashes.
struct InFlight {
    server: Server,
    id: usize,
    /// The refresh token in the response.
    brings: Option<String>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.server.state();
        state.ledger.end(self.id);
        if let Some(token) = self.brings.take() {
            state.ledger.lose(&token);
        }
    }
}

impl Server {
    pub(super) fn new(class: Class, runtime: Arc<Process>, store: Arc<Flaky>) -> Self {
        Self {
            class,
            state: Arc::default(),
            runtime,
            store,
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The user consents. Returns a code for a new grant.
    pub(super) fn consent(&self, client: &str) -> String {
        format!("code-{}", self.state().ledger.consent(client))
    }

    pub(super) async fn respond(self, process: u32, request: http::Request<Body>) -> Sent {
        let (head, body) = request.into_parts();
        let body = body.collect(10_000).await?;
        let form: BTreeMap<String, String> =
            url::form_urlencoded::parse(&body).into_owned().collect();
        match head.uri.path() {
            "/token" => self.token(process, &form).await,
            "/revoke" => {
                self.runtime.sleep(Duration::from_millis(150)).await;
                self.revoke(&form["token"]);
                Ok(response(200, ""))
            }
            _ => {
                self.runtime.sleep(Duration::from_millis(20)).await;
                Ok(self.note(head.headers["authorization"].to_str().unwrap()))
            }
        }
    }

    fn note(&self, authorization: &str) -> http::Response<Body> {
        let state = self.state();
        let token = state
            .access_tokens
            .get(authorization.trim_start_matches("Bearer "));
        let good = token.is_some_and(|(grant, end)| {
            state.ledger.is_grant_alive(*grant) && *end > self.runtime.now()
        });
        response(if good { 200 } else { 401 }, "{}")
    }

    async fn token(self, process: u32, form: &BTreeMap<String, String>) -> Sent {
        let token = form.get("refresh_token");
        let id = token.map_or(0, |token| self.state().ledger.begin(token, process));
        let mut in_flight = InFlight {
            server: self.clone(),
            id,
            brings: None,
        };
        self.runtime.sleep(Duration::from_millis(150)).await;
        let fault = self.state().faults.pop();
        let cut = || Err(TransportError::new(TransportErrorKind::Cut, "cut"));
        let client = form["client_id"].as_str();
        let sent = match (fault, token) {
            (Some(Fault::Unavailable), _) => response(503, "try later"),
            (Some(Fault::LosesRequests), _) => return cut(),
            (_, Some(token)) => {
                let twice = matches!(fault, Some(Fault::TwiceFirst | Fault::TwiceSecond));
                if twice && self.class != Class::Stable {
                    self.state().ledger.excuse(token);
                }
                let present = || self.refresh(token, client, (process, id));
                let first = present();
                let second = twice.then(present);
                let (sent, brings) = match fault {
                    Some(Fault::TwiceSecond) => second.unwrap_or(first),
                    _ => first,
                };
                in_flight.brings = brings.filter(|brings| brings != token);
                sent
            }
            (_, None) => {
                let grant = form["code"].trim_start_matches("code-").parse().unwrap();
                let token = self.state().ledger.issue(grant, client, process);
                in_flight.brings = Some(token.clone());
                self.tokens(grant, Some(&token))
            }
        };
        let way_back = match fault {
            Some(Fault::Late) => 19_500,
            _ => 150,
        };
        self.runtime.sleep(Duration::from_millis(way_back)).await;
        match fault {
            Some(Fault::LosesResponses) => return cut(),
            Some(Fault::RespondsIntoOutage(seconds)) => {
                self.break_store(Outage::Writes, Duration::from_secs(seconds));
            }
            _ => {}
        }
        in_flight.brings = None;
        Ok(sent)
    }

    /// Makes the store unavailable for a while.
    pub(super) fn break_store(&self, outage: Outage, time: Duration) {
        self.state().ledger.interrupted = true;
        self.store.set_outage(Some(outage));
        let (store, over) = (Arc::clone(&self.store), self.runtime.sleep(time));
        self.runtime.spawn(Box::pin(async move {
            over.await;
            store.set_outage(None);
        }));
    }

    /// Returns the response, and the refresh token in it.
    fn refresh(
        &self,
        token: &str,
        client: &str,
        of: (u32, usize),
    ) -> (http::Response<Body>, Option<String>) {
        let now = self.runtime.now();
        let mut state = self.state();
        let outcome = state.ledger.present(self.class, token, client, now, of);
        let grant = state.ledger.grant_of(token).unwrap();
        drop(state);
        match outcome {
            Outcome::Refused => (response(400, r#"{"error":"invalid_grant"}"#), None),
            Outcome::Tokens(new) => {
                let sent = self.tokens(grant, (new != token).then_some(&*new));
                (sent, Some(new))
            }
        }
    }

    fn tokens(&self, grant: usize, refresh_token: Option<&str>) -> http::Response<Body> {
        let mut state = self.state();
        let access = format!("access-{}", state.access_tokens.len());
        let end = self.runtime.now() + LIFE;
        state.access_tokens.insert(access.clone(), (grant, end));
        let mut body = serde_json::json!({ "access_token": access, "expires_in": LIFE.as_secs() });
        if let Some(token) = refresh_token {
            body["refresh_token"] = token.into();
        }
        response(200, body.to_string())
    }

    fn revoke(&self, token: &str) {
        let mut state = self.state();
        state.ledger.revoke(token);
        let of_access = state.access_tokens.get(token).map(|(grant, _)| *grant);
        assert!(of_access.is_none(), "a refresh token ends the whole grant");
    }
}
