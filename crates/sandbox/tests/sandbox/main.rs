//! The sandbox over HTTP, as a client meets it.

mod calendar;
mod calendar_writing;
mod client;
mod consent;
mod drive;
mod faults;
mod fields;
mod mail;
mod parts;
mod people;
mod sheets;
mod strictness;
mod tokens;
mod warehouse;
mod workspace;
