//! Everything that changes while a sandbox runs: the products, the planned faults, and the log.

use std::collections::VecDeque;

use axum::http::Method;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::{
    faults::Fault,
    google::{self, Google},
    log::Log,
    product::Product,
    records::{Section, Values},
    request::{Purpose, Request},
    response::Response,
    shared::Shared,
    users,
    warehouse::{self, Snowflake},
    workspace::{self, Notion},
};

/// The products with their users' data, the planned faults, and the log.
pub(crate) struct State {
    pub(crate) shared: Shared,
    /// The number of resets.
    pub(crate) reset_count: u64,
    products: Vec<Box<dyn Product>>,
    /// Planned faults.
    pub(crate) faults: Plan,
    /// The log of requests.
    pub(crate) log: Log,
}

impl State {
    /// The initial state.
    pub(crate) fn new() -> Self {
        Self {
            shared: Shared::new(),
            reset_count: 0,
            products: products(),
            faults: Plan::default(),
            log: Log::default(),
        }
    }

    /// Restores the initial state. Clients stay.
    pub(crate) fn reset(&mut self) {
        self.reset_count += 1;
        self.shared.reset();
        for product in &mut self.products {
            product.reset();
        }
        self.faults = Plan::default();
        self.log = Log::default();
    }

    /// The clock, IDs, grants and tokens.
    pub(crate) fn save(&self) -> Value {
        let products: Vec<Value> = self.products.iter().map(|product| product.save()).collect();
        json!({ "shared": self.shared, "products": products })
    }

    /// Restores what [`State::save`] returned.
    pub(crate) fn restore(&mut self, saved: &Value) -> serde_json::Result<()> {
        self.shared = Shared::deserialize(&saved["shared"])?;
        let mut products = self.products.iter_mut().enumerate();
        products.try_for_each(|(number, product)| product.restore(&saved["products"][number]))
    }

    /// The product of a host.
    pub(crate) fn product(&self, host: &str) -> Option<&dyn Product> {
        find(&self.products, host)
    }

    /// Lets the product of the host respond. `None` if there's no such host.
    pub(crate) fn respond(&mut self, request: &Request) -> Option<Response> {
        let mut products = self.products.iter_mut();
        let product = products.find(|product| product.serves(&request.host))?;
        Some(product.respond(&mut self.shared, request))
    }

    /// The purpose of a request. `None` if there's no such host.
    pub(crate) fn purpose(&self, request: &Request) -> Option<Purpose> {
        Some(self.product(&request.host)?.purpose(request))
    }

    /// The fault that applies to this request. Counts it down.
    pub(crate) fn take_fault(&mut self, request: &Request) -> Option<Fault> {
        let product = find(&self.products, &request.host);
        self.faults.take(request, product)
    }

    /// The extra headers for the response to this request. Counts them down.
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

    /// Applies a fault immediately, or plans it for the next requests.
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

/// Faults that wait for a request.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    waiting: VecDeque<(Fault, u32)>,
    headers: Vec<(Fault, Option<u32>)>,
}

impl Plan {
    /// Plans a fault.
    pub(crate) fn add(&mut self, fault: Fault) {
        match fault {
            Fault::RawHeaders { times, .. } => self.headers.push((fault, times)),
            other => {
                let times = other.times();
                self.waiting.push_back((other, times));
            }
        }
    }

    /// The fault that applies to this request. Counts it down.
    pub(crate) fn take(
        &mut self,
        request: &Request,
        product: Option<&dyn Product>,
    ) -> Option<Fault> {
        let index = self
            .waiting
            .iter()
            .position(|(fault, left)| *left > 0 && applies_to(fault, request, product))?;
        let (fault, left) = self.waiting.get_mut(index)?;
        *left -= 1;
        let (fault, left) = (fault.clone(), *left);
        if left == 0 {
            self.waiting.remove(index);
        }
        Some(fault)
    }

    /// The extra headers for the response to this request. Counts them down.
    pub(crate) fn extra_headers(
        &mut self,
        request: &Request,
        product: Option<&dyn Product>,
    ) -> Vec<(String, String)> {
        let mut extra = Vec::new();
        for (fault, left) in &mut self.headers {
            if *left == Some(0) || !applies_to(fault, request, product) {
                continue;
            }
            if let Fault::RawHeaders { headers, .. } = fault {
                extra.extend(headers.clone());
            }
            *left = left.map(|left| left - 1);
        }
        extra
    }

    /// The waiting faults, each with the number of requests that it still applies to.
    pub(crate) fn waiting(&self) -> Vec<Value> {
        self.waiting
            .iter()
            .map(|(fault, left)| serde_json::json!({"fault": fault, "left": left}))
            .collect()
    }
}

/// Whether a fault applies to a request to this product.
fn applies_to(fault: &Fault, request: &Request, product: Option<&dyn Product>) -> bool {
    let purpose = product.map(|product| product.purpose(request));
    let is_api = purpose == Some(Purpose::Api);
    let (host, path) = fault.target();
    let at_host = match fault {
        Fault::TokenError { .. } => purpose == Some(Purpose::Token),
        Fault::SavedButUnavailable { .. } => {
            let says_so = product.is_some_and(Product::says_what_was_saved);
            is_api && says_so && request.method != Method::GET
        }
        _ => host.map_or(is_api, |host| host == request.host),
    };
    at_host && path.is_none_or(|part| request.path.contains(part))
}

/// All products in their initial state.
pub(crate) fn products() -> Vec<Box<dyn Product>> {
    vec![
        Box::new(Google::new()),
        Box::new(Notion::new()),
        Box::new(Snowflake::new()),
    ]
}

/// The reference page in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut page = String::from(
        "<!-- Made by `cargo xtask codegen`; do not edit by hand. -->\n\n\
         # What the sandbox plays\n\n\
         The sandbox plays the methods of this page. If you call another method of these products, it returns 501 and\n\
         says that the product has the method. An address that the product doesn't have returns the product's own error.\n",
    );
    let apis = google::played()
        .into_iter()
        .chain([workspace::played(), warehouse::played()]);
    for api in apis {
        page += &format!("\n## {}\n\n| Method | Request |\n|---|---|\n", api.title);
        for [name, verb, path] in api.played {
            page += &format!("| {name} | `{verb} {path}` |\n");
        }
        if api.others > 0 {
            page += &format!("\n501 for {} other methods.\n", api.others);
        }
    }
    page + "\n## Next\n\n- [Test against the sandbox](../build/sandbox.md): change its data, or let it fail.\n"
}
