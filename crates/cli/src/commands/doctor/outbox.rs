//! What is still to be done at products: revocations that wait.

use stead::core::environment::Examination;

use super::Finding;

const CHECK: &str = "outbox";
/// A product that is away for so long is worth a look.
const LONG: i64 = 60 * 60;

pub(super) fn look(examination: &Examination) -> Finding {
    let outbox = &examination.outbox;
    let age = outbox.age.map_or(0, |age| age.as_secs());
    if age < LONG {
        let message = format!("{} revocations wait", outbox.entries);
        return Finding::ok(CHECK, message);
    }
    let (hours, failures) = (age / 3600, outbox.failures);
    Finding::warning(
        CHECK,
        format!(
            "{} revocations wait, the oldest for {hours} hours; the most attempts of one are {failures}",
            outbox.entries
        ),
        "A running service retries them. Its log says why a product refuses them: stead serve --log info",
    )
}
