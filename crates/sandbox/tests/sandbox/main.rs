//! The sandbox over HTTP, as a client meets it.

mod client;
mod consent;
mod faults;
mod fields;
mod mail;
mod parts;
mod people;
mod strictness;
mod tokens;
