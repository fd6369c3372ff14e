//! The sandbox over HTTP, as a client uses it.

mod batch;
mod calendar;
mod calendar_more;
mod calendar_writing;
mod client;
mod consent;
mod drive;
mod drive_writing;
mod faults;
mod mail;
mod mail_writing;
mod people;
mod sheets;
mod strictness;
mod tokens;
mod uploads;
mod warehouse;
mod workspace;
