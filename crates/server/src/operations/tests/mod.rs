//! Operations through the router, by resource.

mod accounts;
mod app_credentials;
mod audit;
mod authorizations;
mod connections;
mod executions;
mod keys;
mod members;
mod webhooks;
