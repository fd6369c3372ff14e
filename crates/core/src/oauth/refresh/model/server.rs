//! The authorization server of the model: it rotates, loses responses, and is down.

use jiff::Timestamp;

use super::*;

/// How the token endpoint goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Unavailable,
    LosesRequests,
    LosesResponses,
    /// It answers, and then the store is down for a while.
    RespondsIntoOutage,
}

/// The product: its authorization server and one note.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) rotation: Rotation,
    state: Arc<Mutex<State>>,
    runtime: Arc<Process>,
    store: Arc<Flaky>,
}

#[derive(Default)]
pub(super) struct State {
    grants: Vec<Grant>,
    /// Every refresh token ever issued, to its grant.
    refresh_tokens: BTreeMap<String, usize>,
    access_tokens: BTreeMap<String, (usize, Timestamp)>,
    /// Refresh tokens that are on their way.
    in_flight: BTreeSet<String>,
    /// Of the next answers of the token endpoint.
    pub(super) faults: Vec<Fault>,
    pub(super) refreshes: u32,
    pub(super) refusals: u32,
    pub(super) lost_responses: u32,
    revocations: u32,
    /// Whether a process may have lost a response.
    pub(super) cut: bool,
    /// Whether a process was killed, and whether the store was down.
    pub(super) killed: bool,
    pub(super) outage: bool,
    /// Whether a process stood still, perhaps for longer than its lease.
    pub(super) froze: bool,
}

#[derive(Default)]
struct Grant {
    dead: bool,
    refresh_token: String,
}

/// One refresh on its way; a process that dies ends it.
struct InFlight(Server, String);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.state().in_flight.remove(&self.1);
    }
}

impl Server {
    pub(super) fn new(rotation: Rotation, runtime: Arc<Process>, store: Arc<Flaky>) -> Self {
        Self {
            rotation,
            state: Arc::default(),
            runtime,
            store,
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The user consents: a code for a new grant.
    pub(super) fn consent(&self) -> String {
        let mut state = self.state();
        state.grants.push(Grant::default());
        format!("code-{}", state.grants.len() - 1)
    }

    /// The user takes everything back.
    pub(super) fn revoke_all(&self) {
        let mut state = self.state();
        state.revocations += 1;
        state.grants.iter_mut().for_each(|grant| grant.dead = true);
    }

    /// Whether a refresh token would be taken.
    pub(super) fn lives(&self, refresh_token: &str) -> bool {
        let state = self.state();
        let grant = state
            .refresh_tokens
            .get(refresh_token)
            .map(|grant| &state.grants[*grant]);
        grant.is_some_and(|grant| !grant.dead && grant.refresh_token == refresh_token)
    }

    /// Whether something happened after which an account may need its user again.
    pub(super) fn is_excuse(&self) -> bool {
        let state = self.state();
        let lost = state.cut || state.froze || state.lost_responses > 0;
        state.revocations > 0 || (self.rotation != Rotation::Stable && lost)
    }

    pub(super) async fn respond(self, request: http::Request<Body>) -> Sent {
        let (head, body) = request.into_parts();
        let body = body.collect(10_000).await?;
        let form: BTreeMap<String, String> =
            url::form_urlencoded::parse(&body).into_owned().collect();
        match head.uri.path() {
            "/token" => self.token(&form).await,
            "/revoke" => Ok(self.revoke(&form["token"])),
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
        let good = token
            .is_some_and(|(grant, end)| !state.grants[*grant].dead && *end > self.runtime.now());
        response(if good { 200 } else { 401 }, "{}")
    }

    async fn token(self, form: &BTreeMap<String, String>) -> Sent {
        let token = form.get("refresh_token").cloned();
        let in_flight = token.clone().map(|token| self.take_off(token));
        self.runtime.sleep(Duration::from_millis(150)).await;
        let fault = self.state().faults.pop();
        let cut = || Err(TransportError::new(TransportErrorKind::Cut, "cut"));
        let sent = match (fault, token) {
            (Some(Fault::Unavailable), _) => response(503, "try later"),
            (Some(Fault::LosesRequests), _) => return cut(),
            (_, Some(token)) => self.refresh(&token),
            (_, None) => self.issue(form["code"].trim_start_matches("code-").parse().unwrap()),
        };
        self.runtime.sleep(Duration::from_millis(150)).await;
        drop(in_flight);
        match fault {
            Some(Fault::LosesResponses) => {
                self.state().lost_responses += 1;
                return cut();
            }
            Some(Fault::RespondsIntoOutage) => self.break_store(),
            _ => {}
        }
        Ok(sent)
    }

    fn take_off(&self, token: String) -> InFlight {
        let mut state = self.state();
        let is_only = state.in_flight.insert(token.clone());
        assert!(
            is_only || state.froze,
            "two refreshes with one token at the same time"
        );
        InFlight(self.clone(), token)
    }

    fn break_store(&self) {
        self.state().outage = true;
        self.store.set_down(true);
        let (store, over) = (
            Arc::clone(&self.store),
            self.runtime.sleep(Duration::from_secs(10)),
        );
        self.runtime.spawn(Box::pin(async move {
            over.await;
            store.set_down(false);
        }));
    }

    fn refresh(&self, token: &str) -> http::Response<Body> {
        let mut state = self.state();
        state.refreshes += 1;
        let number = state.refresh_tokens[token];
        let grant = &mut state.grants[number];
        let current = grant.refresh_token == token;
        grant.dead |= !current && self.rotation == Rotation::Strict;
        if current && !grant.dead {
            drop(state);
            return self.issue(number);
        }
        state.refusals += 1;
        response(400, r#"{"error":"invalid_grant"}"#)
    }

    fn issue(&self, grant: usize) -> http::Response<Body> {
        let mut state = self.state();
        let number = state.access_tokens.len();
        let access = format!("access-{number}");
        state
            .access_tokens
            .insert(access.clone(), (grant, self.runtime.now() + LIFE));
        let mut body = serde_json::json!({ "access_token": access, "expires_in": LIFE.as_secs() });
        if self.rotation != Rotation::Stable || state.grants[grant].refresh_token.is_empty() {
            let token = format!("refresh-{number}");
            body["refresh_token"] = token.as_str().into();
            state.grants[grant].refresh_token.clone_from(&token);
            state.refresh_tokens.insert(token, grant);
        }
        response(200, body.to_string())
    }

    fn revoke(&self, token: &str) -> http::Response<Body> {
        let mut state = self.state();
        state.revocations += 1;
        let of_access = state.access_tokens.get(token).map(|(grant, _)| *grant);
        if let Some(grant) = state.refresh_tokens.get(token).copied().or(of_access) {
            state.grants[grant].dead = true;
        }
        response(200, "")
    }
}
