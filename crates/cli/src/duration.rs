//! Times on the command line, such as 45s, 30m, 24h or 90d.

/// The seconds of a time.
pub(crate) fn seconds(text: &str) -> Result<u32, String> {
    let expected = || String::from("expected a number and s, m, h or d, such as 24h or 90d");
    let (number, unit) = text
        .char_indices()
        .next_back()
        .map(|(at, _)| text.split_at(at))
        .ok_or_else(expected)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(expected()),
    };
    let number: u32 = number.parse().map_err(|_| expected())?;
    number
        .checked_mul(seconds)
        .ok_or_else(|| String::from("this time is too long"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        for (text, expected) in [
            ("0s", 0),
            ("45s", 45),
            ("30m", 1_800),
            ("24h", 86_400),
            ("90d", 7_776_000),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for wrong in [
            "",
            "24",
            "h",
            "-1h",
            "1.5h",
            "24 h",
            "1w",
            "99999999d",
            "1é",
        ] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
