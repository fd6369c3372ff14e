//! A service, its provider, and the people who sign in there.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use sha2::Digest as _;
use url::{Url, form_urlencoded};

use crate::{
    ErrorKind, Result,
    access::{
        FinishedAtProvider, ReturnFromProvider, SignedInMember,
        members::{begin_setup, set_up},
        sessions::{authenticate, begin_at_provider, finish_at_provider},
    },
    api::Run,
    context::{Context, SignInProvider},
    environment::Environment,
    oauth::{Callback, StartedAtProvider},
    ports::{Transport, TransportError, TransportErrorKind},
    store::MemoryStore,
    testing::{Responses, STABLE, Sent, World, response},
};

pub(super) const ISSUER: &str = "https://login.test/realm";
pub(super) const PASSWORD: &str = "a long pass phrase";

/// The provider. Everyone who comes signs in with these claims.
pub(super) struct Provider {
    /// Changed members of the discovery document.
    pub(super) document: Value,
    /// Changed claims. `null` removes one.
    pub(super) claims: Value,
    pub(super) is_down: bool,
    /// Whether the last token request had the secret in its body.
    pub(super) had_secret_in_body: bool,
    /// Nonce and challenge of the request, by code.
    codes: BTreeMap<String, (String, String)>,
    /// Number of requests, by the last segment of their path.
    pub(super) asked: BTreeMap<String, usize>,
    now: i64,
}

fn merged(mut base: Value, changes: &Value) -> Value {
    let members = base.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        members.insert(name.clone(), value.clone());
    }
    members.retain(|_, value| !value.is_null());
    base
}

impl Provider {
    fn respond(&mut self, path: &str, authorization: &str, body: &[u8]) -> Sent {
        let last = path.rsplit('/').next().unwrap().to_owned();
        *self.asked.entry(last.clone()).or_default() += 1;
        if self.is_down {
            let kind = TransportErrorKind::Unreachable;
            return Err(TransportError::new(kind, "connection refused"));
        }
        if last == "openid-configuration" {
            let document = json!({
                "issuer": ISSUER, "authorization_endpoint": "https://login.test/authorize",
                "token_endpoint": "https://login.test/token",
            });
            let document = merged(document, &self.document);
            return Ok(response(200, document.to_string()));
        }
        let form: BTreeMap<_, _> = form_urlencoded::parse(body).into_owned().collect();
        // "stead" and "s3cret", as RFC 6749, 2.3.1, writes them.
        let in_header = authorization == "Basic c3RlYWQ6czNjcmV0";
        let in_body = form
            .get("client_secret")
            .is_some_and(|secret| secret == "s3cret");
        let is_client = in_header != in_body;
        self.had_secret_in_body = in_body;
        let known = self.codes.remove(&form["code"]);
        let challenge = sha2::Sha256::digest(form["code_verifier"].as_bytes());
        let Some((nonce, _)) = known
            .filter(|(_, asked)| is_client && *asked == URL_SAFE_NO_PAD.encode(challenge))
            .filter(|_| form["redirect_uri"] == "https://stead.test/dashboard/sign-in/callback")
        else {
            return Ok(response(400, r#"{"error":"invalid_grant"}"#));
        };
        let claims = json!({
            "iss": ISSUER, "aud": "stead", "sub": "u-1", "email": "Bob@Example.com", "email_verified": true,
            "name": "Bob", "exp": self.now + 300, "iat": self.now, "nonce": nonce,
        });
        let claims = merged(claims, &self.claims);
        let token = format!("e30.{}.e30", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let tokens = json!({ "access_token": "a", "token_type": "Bearer", "id_token": token });
        Ok(response(200, tokens.to_string()))
    }
}

/// A service with its provider, and the people who use it.
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) context: Context,
    pub(super) provider: Arc<Mutex<Provider>>,
    network: Arc<dyn Transport>,
    store: Arc<MemoryStore>,
}

/// A browser's state after the provider has sent it back.
pub(super) struct Back {
    pub(super) query: String,
    pub(super) cookie: Option<SecretString>,
    pub(super) parameters: BTreeMap<String, String>,
}

fn opened(
    world: &World,
    network: &Arc<dyn Transport>,
    store: &Arc<MemoryStore>,
    set: impl FnOnce(SignInProvider) -> SignInProvider,
) -> Context {
    let own = SignInProvider::new(ISSUER, "stead", SecretString::from("s3cret")).unwrap();
    let opened = world.configured(store, &STABLE, Arc::clone(network), |options| {
        options.sign_in_provider = Some(set(own));
    });
    opened.unwrap()
}

pub(super) fn allowing_bob(provider: SignInProvider) -> SignInProvider {
    provider.allowed_emails(["bob@example.com"]).unwrap()
}

impl Scene {
    pub(super) fn new(set: impl FnOnce(SignInProvider) -> SignInProvider) -> Self {
        let world = World::new();
        let provider = Arc::new(Mutex::new(Provider {
            document: json!({}),
            claims: json!({}),
            is_down: false,
            had_secret_in_body: false,
            codes: BTreeMap::new(),
            asked: BTreeMap::new(),
            now: 0,
        }));
        let shared = Arc::clone(&provider);
        let network: Arc<dyn Transport> = Responses::by(move |request| {
            let shared = Arc::clone(&shared);
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect(u64::MAX).await?;
                let header = head.headers.get("authorization");
                let header = header.map_or("", |value| value.to_str().unwrap());
                let mut provider = shared.lock().unwrap();
                provider.respond(head.uri.path(), header, &body)
            }
        });
        let store = world.store();
        let context = opened(&world, &network, &store, set);
        Self {
            world,
            context,
            provider,
            network,
            store,
        }
    }

    /// Restarts the service with a different provider.
    pub(super) fn restarted(self, set: impl FnOnce(SignInProvider) -> SignInProvider) -> Self {
        let context = opened(&self.world, &self.network, &self.store, set);
        Self { context, ..self }
    }

    /// A scene whose owner has a password.
    pub(super) fn owned(set: impl FnOnce(SignInProvider) -> SignInProvider) -> Self {
        let scene = Self::new(set);
        scene.owner();
        scene
    }

    pub(super) fn send<O: Run<Environment>>(&self, operation: O) -> O::Output {
        self.world.send(&self.context, operation)
    }

    /// A session of the first owner.
    pub(super) fn owner(&self) -> String {
        let link = self.world.ok(begin_setup(&self.context)).unwrap();
        let (_, token) = link.expose_secret().split_once("token=").unwrap();
        let who = ("ada@example.com", "Ada");
        let made = set_up(&self.context, token, who, SecretString::from(PASSWORD));
        let started = self.world.ok(made);
        started.id.expose_secret().to_owned()
    }

    pub(super) fn claims(&self, claims: Value) -> &Self {
        self.provider.lock().unwrap().claims = claims;
        self
    }

    pub(super) fn begin(&self, session: Option<&str>) -> Result<StartedAtProvider> {
        let begun = begin_at_provider(&self.context, "/dashboard/tools", session);
        self.world.run(begun)
    }

    /// Signs in at the provider.
    pub(super) fn at_provider(&self, started: &StartedAtProvider) -> Back {
        let location = Url::parse(&started.location).unwrap();
        let parameters: BTreeMap<_, _> = location.query_pairs().into_owned().collect();
        let mut provider = self.provider.lock().unwrap();
        provider.now = self.context.host.now().as_second();
        let code = format!("code-{}", provider.asked.len() + provider.codes.len());
        let asked = (
            parameters["nonce"].clone(),
            parameters["code_challenge"].clone(),
        );
        provider.codes.insert(code.clone(), asked);
        Back {
            query: format!("code={code}&state={}", parameters["state"]),
            cookie: Some(started.cookie.clone()),
            parameters,
        }
    }

    pub(super) fn finish(&self, back: &Back, session: Option<&str>) -> Result<FinishedAtProvider> {
        let callback = Callback::from_query(&back.query);
        let (cookie, session) = (back.cookie.clone(), session.map(SecretString::from));
        let given = ReturnFromProvider::new(callback, cookie, session, "192.0.2.1");
        self.world.run(finish_at_provider(&self.context, given))
    }

    /// Signs in, from the start to the session.
    pub(super) fn sign_in(&self) -> Result<FinishedAtProvider> {
        let back = self.at_provider(&self.begin(None)?);
        self.finish(&back, None)
    }

    /// The member of a session.
    pub(super) fn signed_in(&self, finished: FinishedAtProvider) -> SignedInMember {
        let id = finished.session.unwrap().id;
        self.world
            .ok(authenticate(&self.context, id.expose_secret()))
    }

    #[track_caller]
    pub(super) fn assert_refused<T>(&self, result: Result<T>, kind: ErrorKind, why: &str) {
        let error = result.err().expect("an error");
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(why), "{error}");
        let members = self.world.ok(self.context.store.members(None, 10));
        assert_eq!(members.len(), 1, "no one was made");
    }

    /// Checks that someone with these claims can't sign in.
    #[track_caller]
    pub(super) fn assert_kept_out(&self, claims: Value, kind: ErrorKind, why: &str) {
        let result = self.claims(claims).sign_in();
        self.assert_refused(result, kind, why);
    }
}
