//! Webhooks with a receiver on real sockets, and a service with its own database.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac as _};
use http::{Request, Response};
use jiff::SignedDuration;
use serde_json::{Value, json};
use sha2::Sha256;
use stead::{
    resource::WebhookDelivery,
    transport::{ReqwestTransport, TransportOptions},
};
use stead_core::ports::{Body, BoxFuture, Limits, Transport, TransportError};
use tokio::sync::mpsc::{self, UnboundedReceiver};

use crate::{
    mirror::{Heard, Mirror},
    stage::{Setting, Stage},
};

const USERS: [&str; 2] = ["user-1", "user-2"];
const NAME: &str = "hooks.test";

/// The service's transport. Its requests have a short timeout, so that no story waits long for a silent receiver.
struct Impatient(ReqwestTransport);

impl Impatient {
    fn transport(private_hosts: &[&str]) -> Arc<dyn Transport> {
        let options = TransportOptions::default()
            .with_public_addresses(private_hosts)
            .with_addresses(NAME, [IpAddr::from([127, 0, 0, 1])]);
        Arc::new(Self(ReqwestTransport::new(options).unwrap()))
    }
}

impl Transport for Impatient {
    fn send(
        &self,
        mut request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        if request.headers().contains_key("webhook-id") {
            let limits = request.extensions_mut().get_mut::<Limits>().unwrap();
            assert_eq!(limits.total, Duration::from_secs(15));
            limits.total = Duration::from_millis(500);
        }
        self.0.send(request)
    }
}

async fn stage(private_hosts: Vec<&'static str>) -> Stage {
    let transport = Impatient::transport(&private_hosts);
    Stage::set(Setting {
        private_hosts,
        transport: Some(transport),
        ..Setting::default()
    })
    .await
}

/// How a receiver responds.
#[derive(Debug, Clone)]
enum Behaviour {
    Takes,
    Fails,
    IsSilent,
    Redirects(String),
}

impl Behaviour {
    fn response(&self) -> Vec<u8> {
        let text = match self {
            Self::Takes => String::from("HTTP/1.1 204 No Content\r\n\r\n"),
            Self::Fails => {
                String::from("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 5\r\n\r\nouch!")
            }
            Self::IsSilent => String::new(),
            Self::Redirects(to) => format!(
                "HTTP/1.1 307 Temporary Redirect\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"
            ),
        };
        text.into_bytes()
    }
}

/// One delivery.
struct Got {
    taken: bool,
    heard: Heard,
}

impl Got {
    fn id(&self) -> &str {
        self.heard.header("webhook-id")
    }
    fn event(&self) -> Value {
        serde_json::from_slice(&self.heard.body).unwrap()
    }
    /// Whether this secret signed exactly this delivery.
    fn is_signed_with(&self, secret: &str) -> bool {
        let key = STANDARD
            .decode(secret.strip_prefix("whsec_").unwrap())
            .unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        let timestamp = self.heard.header("webhook-timestamp");
        mac.update(format!("{}.{timestamp}.", self.id()).as_bytes());
        mac.update(&self.heard.body);
        let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        let mut signatures = self.heard.header("webhook-signature").split(' ');
        signatures.any(|signature| signature == expected)
    }
}

/// An endpoint of the application.
struct Receiver {
    mirror: Mirror,
    behaviour: Arc<Mutex<Behaviour>>,
    came: UnboundedReceiver<Got>,
    got: Vec<Got>,
}

impl Receiver {
    async fn start() -> Self {
        let behaviour = Arc::new(Mutex::new(Behaviour::Takes));
        let (sender, came) = mpsc::unbounded_channel();
        let now = Arc::clone(&behaviour);
        let mirror = Mirror::start(move |heard| {
            let now = now.lock().unwrap().clone();
            let taken = matches!(now, Behaviour::Takes);
            let heard = heard.clone();
            // The story may be over already.
            let _ = sender.send(Got { taken, heard });
            now.response()
        });
        Self {
            mirror: mirror.await,
            behaviour,
            came,
            got: Vec::new(),
        }
    }

    fn set(&self, behaviour: Behaviour) {
        *self.behaviour.lock().unwrap() = behaviour;
    }

    fn count(&self, taken: bool) -> usize {
        self.got.iter().filter(|got| got.taken == taken).count()
    }

    /// Waits until this many deliveries were accepted, or rejected.
    async fn until(&mut self, count: usize, taken: bool) {
        while self.count(taken) < count {
            let next = tokio::time::timeout(Duration::from_secs(30), self.came.recv()).await;
            self.got.push(next.expect("a delivery in time").unwrap());
        }
    }
}

async fn create(stage: &Stage, url: &str) -> Value {
    let new = json!({ "url": url, "events": ["account.suspended", "account.resumed"] });
    let made = stage.post("/v1/webhooks", &new).await;
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()
}

/// Waits until an attempt has failed for each user, so that the pause has begun.
async fn all_wait(stage: &Stage, id: &str) {
    let waits = async || {
        let page = stage.platform.webhooks().deliveries(id).await.unwrap();
        let waits = |one: &&WebhookDelivery| one.state == "waiting" && one.attempts > 0;
        page.items.iter().filter(waits).count()
    };
    let all = async {
        while waits().await < USERS.len() {
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(30), all);
    in_time.await.expect("failures in time");
}

#[tokio::test]
async fn every_event_reaches_an_unreliable_receiver_in_order() {
    let stage = stage(vec!["127.0.0.1"]).await;
    let mut receiver = Receiver::start().await;
    let elsewhere = Receiver::start().await;
    let made = create(&stage, &format!("{}/hook", receiver.mirror.url)).await;
    let secret = made["secret"].as_str().unwrap();
    let id = made["id"].as_str().unwrap();
    for user in USERS {
        stage.link(user).await;
    }
    let troubles = [
        Behaviour::Fails,
        Behaviour::IsSilent,
        Behaviour::Redirects(elsewhere.mirror.url.clone()),
    ];
    for trouble in troubles {
        let (taken, refused) = (receiver.count(true), receiver.count(false));
        receiver.set(trouble);
        for user in USERS {
            let account = stage.platform.account("mail", user).unwrap();
            account.suspend().await.unwrap();
            account.resume().await.unwrap();
        }
        receiver.until(refused + USERS.len(), false).await;
        all_wait(&stage, id).await;
        receiver.set(Behaviour::Takes);
        stage.clock.advance(SignedDuration::from_hours(1));
        receiver.until(taken + 2 * USERS.len(), true).await;
    }
    assert!(elsewhere.mirror.heard().is_empty());

    let mut ids = BTreeMap::<&str, Vec<&Got>>::new();
    let mut accounts = BTreeMap::<String, Vec<String>>::new();
    for got in &receiver.got {
        assert!(got.is_signed_with(secret), "{}", got.heard.head);
        let event = got.event();
        assert_eq!(event["id"], got.id());
        ids.entry(got.id()).or_default().push(got);
        if got.taken {
            let user = event["data"]["identifier"].as_str().unwrap().to_owned();
            let of_user = accounts.entry(user).or_default();
            of_user.push(event["type"].as_str().unwrap().to_owned());
        }
    }
    for (id, attempts) in &ids {
        let taken = attempts.iter().filter(|got| got.taken).count();
        assert_eq!(taken, 1, "{id}: what is taken is not sent again");
        let bodies = attempts.iter().map(|got| &got.heard.body);
        assert!(
            bodies
                .into_iter()
                .all(|body| *body == attempts[0].heard.body)
        );
    }
    let in_order = ["account.suspended", "account.resumed"].repeat(3);
    assert_eq!(accounts.len(), USERS.len());
    for (user, types) in accounts {
        assert_eq!(types, in_order, "{user}");
    }
    let changed = receiver.got.last().unwrap();
    let mut body = changed.heard.clone();
    body.body[0] ^= 1;
    let forged = Got {
        taken: true,
        heard: body,
    };
    assert!(!forged.is_signed_with(secret));
}

#[tokio::test]
async fn a_name_that_resolves_to_this_machine_is_refused_unless_allowed() {
    let receiver = Receiver::start().await;
    let port = receiver.mirror.url.rsplit(':').next().unwrap();
    let stranger = stage(Vec::new()).await;
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("https://127.0.0.1:{port}/"),
        format!("https://[::ffff:127.0.0.1]:{port}/"),
        format!("https://localhost:{port}/"),
        format!("http://{NAME}:{port}/"),
    ] {
        let refused = stranger.post("/v1/webhooks", &json!({ "url": url })).await;
        assert_eq!(refused.kind(), "invalid_request", "{url}");
    }
    let made = create(&stranger, &format!("https://{NAME}:{port}/")).await;
    let test = format!("/v1/webhooks/{}/test", made["id"].as_str().unwrap());
    let tested = stranger.post(&test, &json!({})).await.json();
    assert_eq!(tested["state"], "failed");
    assert_eq!(tested["status"], Value::Null);
    let said = tested["message"].as_str().unwrap();
    assert!(said.contains("isn't public"), "{said}");
    assert!(receiver.mirror.heard().is_empty());

    let operator = stage(vec![NAME]).await;
    let made = create(&operator, &format!("http://{NAME}:{port}/")).await;
    let test = format!("/v1/webhooks/{}/test", made["id"].as_str().unwrap());
    let tested = operator.post(&test, &json!({})).await.json();
    assert_eq!(tested["state"], "delivered", "{tested}");
    assert_eq!(receiver.mirror.heard().len(), 1);
}
