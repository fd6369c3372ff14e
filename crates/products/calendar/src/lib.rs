#![doc = include_str!("docs.md")]

mod bounds;
mod choices;
mod classify;
mod errors;
mod event;
mod filter;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod guards;
mod ids;
mod join;
mod kind;
mod meeting;
mod page;
mod product;
mod readable;
mod recurrence;
mod reschedule;
mod resource;
pub mod scopes;
mod time;
mod tools;
mod when;
mod zone;

pub use choices::{
    AccessRole, AttendeeResponse, EventOrder, EventType, NewEventType, Transparency, Visibility,
};
pub use product::PRODUCT;
pub use resource::{Event, EventPerson, EventTime};
pub use tools::*;
