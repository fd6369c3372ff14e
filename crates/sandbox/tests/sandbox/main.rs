//! The sandbox over HTTP, as a client meets it.

mod batch;
mod browsers;
mod calendar;
mod calendar_more;
mod calendar_writing;
mod client;
mod consent;
mod drive;
mod drive_writing;
mod faults;
mod fields;
mod mail;
mod mail_writing;
mod parts;
mod people;
mod records;
mod sheets;
mod strictness;
mod tokens;
mod uploads;
mod warehouse;
mod workspace;
