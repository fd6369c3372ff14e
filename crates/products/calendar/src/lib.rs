#![doc = include_str!("docs.md")]

mod errors;
mod event;
mod filter;
mod meeting;
mod product;
mod recurrence;
pub mod scopes;
mod time;
mod tools;
mod zone;

pub use product::PRODUCT;
pub use tools::{
    AccessRole, CreateEvent, DeleteEvent, EventOrder, EventType, GetEventById, ListCalendars,
    ListEvents, NewEventType, Transparency, UpdateEvent, Visibility,
};
