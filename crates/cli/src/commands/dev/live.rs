//! Follows the platform through its traces, so other commands don't pay for it.

use std::fmt::Debug;

use serde_json::Value;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tracing::{Event, Level, Subscriber, field::Field, field::Visit};
use tracing_subscriber::{Layer, filter::Targets, layer::Context, registry::LookupSpan};

/// Targets of the platform's traces: calls, and events of accounts and authorizations.
const CALLS: &str = "stead_core::call::record";
const EVENTS: &str = "stead_core::context::change";

/// Calls and events, in order.
pub(crate) type Happenings = UnboundedReceiver<Happening>;

/// Something that happened.
#[derive(Debug, PartialEq)]
pub(crate) enum Happening {
    /// A call of a tool or of the proxy ended.
    Call(Call),
    /// An event of an account, an authorization or a connection.
    Event { name: String, data: Value },
}

/// A call that ended.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Call {
    pub(crate) tool: String,
    /// For the proxy the method.
    pub(crate) version: String,
    pub(crate) connection: String,
    pub(crate) identifier: String,
    /// `ok`, or the error's kind.
    pub(crate) outcome: String,
    pub(crate) micros: u64,
}

/// Reads the platform's traces.
#[derive(Debug)]
pub(crate) struct LiveLayer(UnboundedSender<Happening>);

/// The layer, and what it reads.
pub(crate) fn channel() -> (LiveLayer, Happenings) {
    let (sender, happenings) = mpsc::unbounded_channel();
    (LiveLayer(sender), happenings)
}

impl LiveLayer {
    /// Only for the traces that it reads.
    pub(crate) fn filtered<S>(self) -> impl Layer<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let targets = [(CALLS, Level::TRACE), (EVENTS, Level::DEBUG)];
        self.with_filter(Targets::new().with_targets(targets))
    }
}

impl<S: Subscriber> Layer<S> for LiveLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        // Sending fails if `dev` is stopping and no longer reads.
        let _ = self.0.send(match event.metadata().target() {
            CALLS => Happening::Call(fields.call),
            _ => Happening::Event {
                name: fields.event,
                data: serde_json::from_str(&fields.data).unwrap_or_default(),
            },
        });
    }
}

#[derive(Default)]
struct Fields {
    call: Call,
    event: String,
    data: String,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let to = match field.name() {
            "tool" => &mut self.call.tool,
            "version" => &mut self.call.version,
            "connection" => &mut self.call.connection,
            "identifier" => &mut self.call.identifier,
            "event" => &mut self.event,
            "data" => &mut self.data,
            _ => return,
        };
        *to = format!("{value:?}");
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "outcome" {
            value.clone_into(&mut self.call.outcome);
        }
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "micros" {
            self.call.micros = value;
        }
    }
}
