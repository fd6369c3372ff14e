//! The calendar product of Stead: six tools over Google Calendar.
