//! Revocations that the products haven't confirmed yet.

use stead_core::environment::Examination;

use super::Finding;

const CHECK: &str = "outbox";
/// After an hour, the operator should look at the product.
const LONG: i64 = 60 * 60;

pub(super) fn look(examination: &Examination) -> Finding {
    let outbox = &examination.outbox;
    let age = outbox.age.map_or(0, |age| age.as_secs());
    if age < LONG {
        let message = format!("{} pending revocations", outbox.entries);
        return Finding::ok(CHECK, message);
    }
    let (hours, failures) = (age / 3600, outbox.failures);
    Finding::warning(
        CHECK,
        format!(
            "{} pending revocations; the oldest has waited {hours} hours, and one has had {failures} attempts",
            outbox.entries
        ),
        "A running service retries them. Its log has the product's reason: stead serve --log info",
    )
}
