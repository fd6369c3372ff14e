//! What the core of the sandbox knows of a product, and all that changes while a sandbox runs.

use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::{
    faults::{Fault, Plan},
    google::Google,
    log::Log,
    records::{Section, Values},
    request::{Purpose, Request},
    response::Response,
    shared::Shared,
    users,
    warehouse::Snowflake,
    workspace::Notion,
};

/// The products with what their users own, the plans to misbehave, the log.
pub(crate) struct State {
    pub(crate) shared: Shared,
    /// Counts the resets.
    pub(crate) reset_count: u64,
    products: Vec<Box<dyn Product>>,
    /// Planned misbehaviour.
    pub(crate) faults: Plan,
    /// What came in.
    pub(crate) log: Log,
}

impl State {
    /// The seeded beginning.
    pub(crate) fn new() -> Self {
        Self {
            shared: Shared::new(),
            reset_count: 0,
            products: products(),
            faults: Plan::default(),
            log: Log::default(),
        }
    }

    /// Back to the beginning; clients stay.
    pub(crate) fn reset(&mut self) {
        self.reset_count += 1;
        self.shared.reset();
        for product in &mut self.products {
            product.reset();
        }
        self.faults = Plan::default();
        self.log = Log::default();
    }

    /// Clock, ids, grants and tokens.
    pub(crate) fn save(&self) -> Value {
        let products: Vec<Value> = self.products.iter().map(|product| product.save()).collect();
        json!({ "shared": self.shared, "products": products })
    }

    /// Takes back what [`State::save`] gave.
    pub(crate) fn restore(&mut self, saved: &Value) -> serde_json::Result<()> {
        self.shared = Shared::deserialize(&saved["shared"])?;
        let mut products = self.products.iter_mut().enumerate();
        products.try_for_each(|(number, product)| product.restore(&saved["products"][number]))
    }

    /// The product of a host.
    pub(crate) fn product(&self, host: &str) -> Option<&dyn Product> {
        find(&self.products, host)
    }

    /// Lets the product of the host respond; nothing where there is none.
    pub(crate) fn respond(&mut self, request: &Request) -> Option<Response> {
        let mut products = self.products.iter_mut();
        let product = products.find(|product| product.serves(&request.host))?;
        Some(product.respond(&mut self.shared, request))
    }

    /// What a request is for; nothing where there is no such host.
    pub(crate) fn purpose(&self, request: &Request) -> Option<Purpose> {
        Some(self.product(&request.host)?.purpose(request))
    }

    /// The fault that strikes this request, counted down.
    pub(crate) fn take_fault(&mut self, request: &Request) -> Option<Fault> {
        let product = find(&self.products, &request.host);
        self.faults.take(request, product)
    }

    /// The extra headers of this request's response, counted down.
    pub(crate) fn extra_headers(&mut self, request: &Request) -> Vec<(String, String)> {
        let product = find(&self.products, &request.host);
        self.faults.extra_headers(request, product)
    }

    /// Registers an OAuth client at the product of a host.
    pub(crate) fn add_client(&mut self, host: &str, id: &str, secret: &str, uris: &[&str]) {
        let mut products = self.products.iter_mut();
        if let Some(product) = products.find(|product| product.serves(host)) {
            product.add_client(id, secret, uris);
        }
    }

    /// Does what a fault says at once, or plans it for coming requests.
    pub(crate) fn plan(&mut self, fault: Fault) -> Result<(), String> {
        if let Fault::Advance { seconds } = fault {
            return self.shared.advance(seconds);
        }
        if let Fault::ExpireAccessTokens { user: Some(email) } | Fault::Revoke { user: Some(email) } =
            &fault
            && users::find(email).is_none()
        {
            return Err(format!("there is no user {email}"));
        }
        if fault.is_planned() {
            self.faults.add(fault);
            return Ok(());
        }
        self.products
            .iter_mut()
            .try_for_each(|product| product.apply(&self.shared, &fault))
    }

    /// What a user owns at all products.
    pub(crate) fn sections(&mut self, user: &str) -> Vec<Section> {
        let shared = &self.shared;
        let products = self.products.iter_mut();
        products
            .flat_map(|product| product.sections(shared, user))
            .collect()
    }

    /// Adds a record to a section.
    pub(crate) fn add_record(
        &mut self,
        user: &str,
        section: &str,
        values: &Values,
    ) -> Result<(), String> {
        let shared = &mut self.shared;
        let mut products = self.products.iter_mut();
        let done = products.find_map(|product| product.add_record(shared, user, section, values));
        done.unwrap_or_else(|| Err(format!("there is no section {section}")))
    }

    /// Deletes a record of a section.
    pub(crate) fn delete_record(
        &mut self,
        user: &str,
        section: &str,
        id: &str,
    ) -> Result<(), String> {
        let mut products = self.products.iter_mut();
        let done = products.find_map(|product| product.delete_record(user, section, id));
        done.unwrap_or_else(|| Err(format!("there is no section {section}")))
    }

    /// The world in readable JSON.
    pub(crate) fn describe(&self) -> Value {
        let users = users::all()
            .iter()
            .map(|user| json!({"email": user.email, "name": user.name, "subject": user.subject}));
        let mut world = json!({"users": users.collect::<Vec<_>>()});
        for product in &self.products {
            product.describe(&mut world);
        }
        world
    }
}

fn find<'a>(products: &'a [Box<dyn Product>], host: &str) -> Option<&'a dyn Product> {
    let product = products.iter().find(|product| product.serves(host))?;
    Some(product.as_ref())
}

/// Every product, as it is at the beginning.
pub(crate) fn products() -> Vec<Box<dyn Product>> {
    vec![
        Box::new(Google::new()),
        Box::new(Notion::new()),
        Box::new(Snowflake::new()),
    ]
}

/// A product with its authorization server: its hosts, its clients, and all that its users own there.
pub(crate) trait Product: Send {
    /// Whether the product is at this host.
    fn serves(&self, host: &str) -> bool;

    /// What a request to one of its hosts is for.
    fn purpose(&self, request: &Request) -> Purpose;

    /// Processes a request to one of its hosts.
    fn respond(&mut self, shared: &mut Shared, request: &Request) -> Response;

    /// The response to a request that is refused without being processed, in the product's shape.
    fn refuse(&self, request: &Request, refusal: &Refusal<'_>) -> Response;

    /// Whether an error of the product can say that a write was saved.
    fn says_what_was_saved(&self) -> bool {
        false
    }

    /// What [`Fault::SavedButUnavailable`] makes of the response to a write, where
    /// [`Product::says_what_was_saved`].
    fn saved_but_unavailable(&self, _: &Request, response: Response) -> Response {
        response
    }

    /// Whether responses are compressed for a client that asks for it.
    fn compresses_on_request(&self) -> bool {
        true
    }

    /// Does what a fault says at once, as far as it concerns the product.
    fn apply(&mut self, shared: &Shared, fault: &Fault) -> Result<(), String>;

    /// Registers an OAuth client.
    fn add_client(&mut self, id: &str, secret: &str, redirect_uris: &[&str]);

    /// Back to the seeded beginning. Clients stay, because they are configuration.
    fn reset(&mut self);

    /// Grants and tokens, to be restored after a restart. What the users own is not kept.
    fn save(&self) -> Value;

    /// Takes back what [`Product::save`] gave.
    fn restore(&mut self, saved: &Value) -> serde_json::Result<()>;

    /// Adds what the users own to the world in readable JSON: `{"users": [{"email": …}]}`.
    fn describe(&self, world: &mut Value);

    /// What a user owns, to be looked at and changed by hand.
    fn sections(&mut self, _: &Shared, _: &str) -> Vec<Section> {
        Vec::new()
    }

    /// Adds a record to a section; nothing where the section is another product's.
    fn add_record(
        &mut self,
        _: &mut Shared,
        _user: &str,
        _section: &str,
        _: &Values,
    ) -> Option<Result<(), String>> {
        None
    }

    /// Deletes a record, in the same way.
    fn delete_record(
        &mut self,
        _user: &str,
        _section: &str,
        _id: &str,
    ) -> Option<Result<(), String>> {
        None
    }
}

/// Why a request is refused without being processed.
#[derive(Debug)]
pub(crate) enum Refusal<'fault> {
    /// A good access token is refused.
    Unauthorized,
    /// An error of the API.
    Error {
        status: u16,
        reason: &'fault str,
        message: Option<&'fault str>,
        retry_after: Option<&'fault str>,
    },
    /// An error of the token endpoint.
    TokenError { status: u16, error: &'fault str },
}
