//! Webhooks over a store, with simulated time and receivers that behave as the test says.

mod flow;
mod lanes;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value as Json, json};
use sha2::Sha256;

use super::*;
use crate::{
    api::{Paging, Run},
    caller::{Application, Caller, Connections},
    context::change::Change,
    domain::NewEvent,
    environment::Environment,
    identifier::{AccountId, ConnectionId, ConnectionName},
    ports::{TransportError, TransportErrorKind},
    resource::{
        ListWebhookDeliveries, NewConnection, NewWebhook, ReadWebhook, WebhookChange, WebhookReplay,
    },
    scope::Scopes,
    testing::{Clock, Flaky, Machine, Responses, STABLE, World, open_spooled, response},
};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// How the receiver behaves.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Receiver {
    Takes,
    Responds(u16),
    /// 500 with a page.
    IsWordy,
    IsSilent,
    IsPrivate,
}

/// A request that a receiver got, and whether it was accepted.
#[derive(Debug, Clone)]
struct Got {
    taken: bool,
    host: String,
    id: String,
    timestamp: i64,
    signatures: String,
    body: String,
}

impl Got {
    fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap()
    }
    fn number(&self) -> u64 {
        self.json()["data"]["number"].as_u64().unwrap_or_default()
    }
    fn account(&self) -> String {
        self.json()["data"]["account_id"].to_string()
    }
    /// The number of its signatures that were made with a secret.
    fn signed_with(&self, secret: &SecretString) -> usize {
        let text = secret.expose_secret().strip_prefix("whsec_").unwrap();
        let key = STANDARD.decode(text).unwrap();
        let signatures = self.signatures.split(' ');
        let good = signatures.filter(|signature| {
            let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
            mac.update(format!("{}.{}.{}", self.id, self.timestamp, self.body).as_bytes());
            let sent = STANDARD.decode(signature.strip_prefix("v1,").unwrap());
            mac.verify_slice(&sent.unwrap()).is_ok()
        });
        good.count()
    }
}

struct Stage {
    world: World,
    store: Arc<Flaky>,
    context: Context,
    receivers: Arc<Mutex<BTreeMap<String, Receiver>>>,
    got: Arc<Mutex<Vec<Got>>>,
    /// Knows which processes have ended.
    machine: Arc<Machine>,
    /// How far the clocks were set forward.
    ahead: Mutex<jiff::SignedDuration>,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let rows = world.store();
        let store = Flaky::over(rows, true);
        let machine = Arc::default();
        let mut stage = Self {
            context: opened(
                &world,
                0,
                &store,
                &machine,
                &Arc::default(),
                &Arc::default(),
            ),
            world,
            store,
            receivers: Arc::default(),
            got: Arc::default(),
            machine,
            ahead: Mutex::default(),
        };
        stage.context = stage.process(1);
        stage
    }

    fn send<O: Run<Environment>>(&self, operation: O) -> O::Output {
        self.world.send(&self.context, operation)
    }

    /// Sets the clocks forward, and runs the work that is then due. Advancing second by second would take too long.
    fn jump(&self, by: Duration) {
        self.set_on(by);
        self.world.advance(Duration::from_secs(3));
    }

    /// Sets the clocks forward, including the store's (process 0).
    fn set_on(&self, by: Duration) {
        let mut ahead = self.ahead.lock().unwrap();
        *ahead += jiff::SignedDuration::try_from(by).unwrap();
        for process in [0, 1, 2] {
            let clock = Clock {
                ahead: *ahead,
                drift: 0,
            };
            self.world.set_clock(process, clock);
        }
    }

    /// Ends a process between two of its steps.
    fn kill(&self, number: u32) {
        self.world.kill(number);
        self.machine.end(number);
    }

    /// The process that has a webhook's delivery queue.
    fn holder(&self, id: WebhookId) -> String {
        let lane = self.world.ok(self.context.store.lane(id));
        lane.unwrap().row.holder.unwrap().process
    }

    /// Starts a process that delivers.
    fn process(&self, number: u32) -> Context {
        let (receivers, got) = (&self.receivers, &self.got);
        let context = opened(
            &self.world,
            number,
            &self.store,
            &self.machine,
            receivers,
            got,
        );
        start(&context);
        context
    }

    fn set(&self, host: &str, receiver: Receiver) {
        let mut receivers = self.receivers.lock().unwrap();
        receivers.insert(host.to_owned(), receiver);
    }

    fn create(&self, host: &str, events: &[&str]) -> crate::resource::WebhookWithSecret {
        let new = NewWebhook::new(format!("https://{host}/hook")).events(events.iter().copied());
        self.send(new)
    }

    /// Emits an event of an account, with a number.
    fn emit(&self, account: u128, number: u64) {
        let event = NewEvent::new("account.refreshed", json!({ "number": number }));
        let event = match account {
            0 => event,
            id => {
                let [id, of] = [id, 1].map(uuid::Uuid::from_u128);
                event.of_account(AccountId::from_uuid(id), ConnectionId::from_uuid(of))
            }
        };
        let exists = Error::new(ErrorKind::Internal, "exists");
        let change = Change::none()
            .event(event)
            .audit(crate::domain::NewAudit::new("test.event", "test", number));
        self.world.ok(self.context.add("test", change, exists));
    }

    /// The requests that a receiver accepted or refused.
    fn got(&self, host: &str, taken: bool) -> Vec<Got> {
        let got = self.got.lock().unwrap();
        let of_host = got
            .iter()
            .filter(|got| got.host == host && got.taken == taken);
        of_host
            .filter(|got| got.json()["type"] == "account.refreshed")
            .cloned()
            .collect()
    }

    fn numbers(&self, host: &str) -> Vec<u64> {
        self.got(host, true).iter().map(Got::number).collect()
    }

    fn webhook(&self, id: &WebhookId) -> crate::resource::Webhook {
        self.send(ReadWebhook::new(id))
    }

    fn deliveries(&self, id: &WebhookId) -> Vec<crate::resource::WebhookDelivery> {
        let id = id.to_string();
        self.send(ListWebhookDeliveries::new(&id).page(Paging::new(None, 100)))
            .items
    }

    fn events(&self) -> Vec<(String, Json)> {
        let events = self
            .world
            .ok(self.context.store.events(None, None, 1000))
            .into_iter();
        events
            .map(|event| (event.row.name, event.row.data))
            .collect()
    }
}

fn opened(
    world: &World,
    number: u32,
    store: &Arc<Flaky>,
    machine: &Arc<Machine>,
    receivers: &Arc<Mutex<BTreeMap<String, Receiver>>>,
    got: &Arc<Mutex<Vec<Got>>>,
) -> Context {
    let (receivers, got) = (Arc::clone(receivers), Arc::clone(got));
    let process = world.process(number);
    let runtime = world.process(number);
    let transport = Responses::by(move |request| {
        let (receivers, got) = (Arc::clone(&receivers), Arc::clone(&got));
        let runtime = Arc::clone(&runtime);
        async move {
            use crate::ports::Runtime as _;
            let (head, body) = request.into_parts();
            let host = head.uri.host().unwrap_or_default().to_owned();
            let receiver = receivers.lock().unwrap().get(&host).copied();
            let receiver = receiver.unwrap_or(Receiver::Takes);
            let header = |name: &str| head.headers[name].to_str().unwrap().to_owned();
            let body = body.collect(u64::MAX).await.unwrap();
            got.lock().unwrap().push(Got {
                taken: receiver == Receiver::Takes,
                host,
                id: header("webhook-id"),
                timestamp: header("webhook-timestamp").parse().unwrap(),
                signatures: header("webhook-signature"),
                body: String::from_utf8(body.to_vec()).unwrap(),
            });
            match receiver {
                Receiver::Takes => Ok(response(204, "")),
                Receiver::Responds(status) => {
                    let mut said = response(status, "no: stead_secret_0123456789abcdef");
                    let elsewhere = "https://elsewhere.example/".parse().unwrap();
                    said.headers_mut().insert("location", elsewhere);
                    Ok(said)
                }
                Receiver::IsWordy => {
                    Ok(response(500, format!("out of {}", "order ".repeat(5_000))))
                }
                Receiver::IsSilent => {
                    runtime.sleep(Duration::from_secs(15)).await;
                    let late = "no response arrived in time";
                    Err(TransportError::new(TransportErrorKind::TimedOut, late))
                }
                Receiver::IsPrivate => Err(TransportError::new(
                    TransportErrorKind::Unreachable,
                    "the name resolves to an address that isn't public",
                )),
            }
        }
    });
    let spool = machine.spool(number, || {});
    let store = Arc::clone(store) as _;
    world.run(open_spooled(process, &STABLE, transport, store, spool))
}
