//! All that changes while a sandbox runs.

use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::{
    faults::Fault,
    log::Log,
    plan::Plan,
    product::Product,
    products,
    records::{Section, Values},
    request::{Purpose, Request},
    response::Response,
    shared::Shared,
    users,
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
            products: products::all(),
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
