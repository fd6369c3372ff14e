//! Quoted history at the end of a mail: what the readers of a thread have read before.

/// What stands where it was.
const MARK: &str = "[quoted history left out]";
/// Lines with which mail programs begin the mail that is replied to, where they quote without `>`.
const BEGINNINGS: [&str; 2] = [
    "-----Original Message-----",
    "-----Ursprüngliche Nachricht-----",
];

/// The text without the quotations that end it. Quotations with words of the sender below them stay, and so does a text
/// that is nothing else.
pub(super) fn without_history(text: &str) -> String {
    let mut end = own_words(text);
    for beginning in BEGINNINGS {
        end = end.min(text.find(beginning).unwrap_or(text.len()));
    }
    let own = text[..end].trim_end();
    if end == text.len() || own.trim().is_empty() {
        return text.to_owned();
    }
    format!("{own}\n{MARK}")
}

/// Where the quoted lines that end the text begin; its length where it ends with other words.
fn own_words(text: &str) -> usize {
    let mut end = text.len();
    let mut quoted = false;
    for line in text.split_inclusive('\n').rev() {
        let words = line.trim();
        if words.starts_with('>') {
            quoted = true;
        } else if !words.is_empty() {
            break;
        }
        end -= line.len();
    }
    if quoted { end } else { text.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_at_the_end_are_left_out() {
        let cut = [
            (
                "Fine.\n\nOn Monday Ada wrote:\n> Shall we?\n>> Yes.\n\n",
                "Fine.\n\nOn Monday Ada wrote:\n[quoted history left out]",
            ),
            (
                "Fine.\r\n> Shall we?\r\n",
                "Fine.\n[quoted history left out]",
            ),
            (
                "Fine.\n\n-----Original Message-----\nFrom: Ada\n\nShall we?",
                "Fine.\n[quoted history left out]",
            ),
        ];
        for (text, expected) in cut {
            assert_eq!(without_history(text), expected);
        }
    }

    #[test]
    fn what_is_not_history_stays() {
        for text in [
            "",
            "Fine.",
            "> Shall we?\nYes.",
            "> Shall we?\n> No?\n",
            "-----Original Message-----\nFrom: Ada",
            "3 > 2",
        ] {
            assert_eq!(without_history(text), text);
        }
    }
}
