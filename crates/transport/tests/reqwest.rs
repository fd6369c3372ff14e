//! Requests that reqwest sends.

#![expect(clippy::unwrap_used, reason = "a test fails by its panic")]

mod loopback;

use stead_core::ports::Purpose;

const PURPOSE: Purpose = Purpose::Other;
