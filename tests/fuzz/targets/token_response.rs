//! Responses of token endpoints. The first byte selects the status.

#![no_main]

use libfuzzer_sys::fuzz_target;

const STATUSES: [u16; 8] = [200, 400, 401, 429, 500, 503, 201, 302];

fuzz_target!(|input: &[u8]| {
    if let Some((first, body)) = input.split_first() {
        let status = STATUSES[usize::from(*first) % STATUSES.len()];
        stead_core::fuzzing::token_response(status, body);
    }
});
