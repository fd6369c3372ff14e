//! End-to-end stories: the real service over a real socket, the sandbox over another, a real database file.
//!
//! Each file has one subject, and each test tells one story. No request leaves this machine.

#![expect(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a story ends where something is not as it should be"
)]

mod agent_loop;
mod browser;
mod clock;
mod http_client;
mod mirror;
mod notes;
mod place;
mod products;
mod stage;

mod accounts;
mod agents;
mod allowed_requests;
mod audit;
mod bad_input;
mod both_doors;
mod copy;
mod credentials;
mod cut_off;
mod dry_run;
mod erasure;
mod errors;
mod events;
mod faults;
mod forged_rows;
mod golden;
mod held_mail;
mod history;
mod hostile;
mod idempotency;
mod identifiers;
mod import;
mod journey;
mod keys;
mod links;
mod mcp_agent;
mod old_database;
mod permissions;
mod policy;
mod proxy;
mod proxy_pass;
mod refresh;
mod results;
mod revocation;
mod several_servers;
mod six_products;
mod tampering;
mod three_agents;
mod unreachable;
mod verification;
mod versions;
mod webhooks;
