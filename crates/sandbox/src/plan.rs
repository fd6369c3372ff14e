//! Faults that wait for their request.

use std::collections::VecDeque;

use axum::http::Method;

use crate::{
    faults::Fault,
    product::Product,
    request::{Purpose, Request},
};

/// Faults that wait for their request.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    waiting: VecDeque<(Fault, u32)>,
    headers: Vec<(Fault, Option<u32>)>,
}

impl Plan {
    /// Waits for a request.
    pub(crate) fn add(&mut self, fault: Fault) {
        match fault {
            Fault::RawHeaders { times, .. } => self.headers.push((fault, times)),
            other => {
                let times = other.times();
                self.waiting.push_back((other, times));
            }
        }
    }

    /// The fault that strikes this request, counted down.
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

    /// The extra headers of this request's response, counted down.
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

    /// What still waits, with the number of requests that it will strike.
    pub(crate) fn waiting(&self) -> Vec<serde_json::Value> {
        self.waiting
            .iter()
            .map(|(fault, left)| serde_json::json!({"fault": fault, "left": left}))
            .collect()
    }
}

/// Whether a fault strikes a request to this product.
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
