//! Removes the mail that a reply quotes at its end. Anyone who reads the thread has it already.

/// Mark that replaces the quoted mail.
pub(super) const MARK: &str = "[quoted history left out]";

/// First word and verb of the line with which mail programs introduce a quoted mail. Other quotations stay.
const INTRODUCTIONS: [(&str, &str); 7] = [
    ("On ", "wrote"),
    ("Am ", "schrieb"),
    ("Le ", "a écrit"),
    ("El ", "escribió"),
    ("Il ", "ha scritto"),
    ("Op ", "schreef"),
    ("Em ", "escreveu"),
];
/// Most lines of an introduction, which programs wrap.
const INTRODUCTION: usize = 3;

/// Marks of forwarded mails, which the sender wants to be read.
const FORWARDS: [&str; 4] = [
    "forwarded message",
    "weitergeleitete nachricht",
    "message transféré",
    "original message",
];

/// The text of a reply without the mail that it quotes at its end; `None` if in doubt. A mail program must have introduced
/// the quotation, only quoted lines may follow, and nothing may be forwarded.
pub(super) fn without_history(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    if FORWARDS.iter().any(|forward| lower.contains(forward)) {
        return None;
    }
    let own = text.get(..own_words(text)?)?.trim_end();
    let mut lines: Vec<&str> = own
        .lines()
        .rev()
        .map(str::trim)
        .take(INTRODUCTION)
        .collect();
    lines.reverse();
    let is_introduction = (0..lines.len()).any(|first| introduces(&lines[first..].join(" ")));
    is_introduction.then(|| format!("{own}\n{MARK}"))
}

/// Whether the line introduces a mail. It needs a time, unlike "On page 4 Ada wrote:". The verb comes last, or before an
/// address.
fn introduces(line: &str) -> bool {
    let Some(line) = line.strip_suffix(':').map(str::trim_end) else {
        return false;
    };
    let ends_in = |verb: &str| {
        line.ends_with(verb) || line.ends_with('>') && line.contains(&format!(" {verb} "))
    };
    let has_words = INTRODUCTIONS
        .iter()
        .any(|(first, verb)| line.starts_with(first) && ends_in(verb));
    let bytes = line.as_bytes();
    let has_time = bytes.windows(4).any(
        |four| matches!(four, [a, b':', b, c] if [a, b, c].iter().all(|one| one.is_ascii_digit())),
    );
    has_words && has_time
}

/// The position where the quoted lines at the end of the text begin. `None` if the text ends differently, or consists only
/// of them.
fn own_words(text: &str) -> Option<usize> {
    let mut end = text.len();
    let mut is_quoted = false;
    for line in text.split_inclusive('\n').rev() {
        let words = line.trim();
        if words.starts_with('>') {
            is_quoted = true;
        } else if !words.is_empty() {
            return is_quoted.then_some(end);
        }
        end -= line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quotation_of_a_reply_is_left_out() {
        for introduction in [
            "On Mon, May 4, 2026 at 9:00 AM Ada <ada@x.org> wrote:",
            "On Mon, May 4, 2026 at 9:00 AM Ada Lovelace <\nada@example.com> wrote:",
            "On 04.05.26 09:00, Ada wrote:",
            "Am 04.05.26 um 09:00 schrieb Ada <ada@x.org>:",
            "Le lun. 4 mai 2026 à 09:00, Ada <ada@x.org> a écrit :",
        ] {
            for quotation in [
                "> Shall we?\n>> Yes.\n\n",
                "\n> Shall we?",
                "> Shall we?\r\n\r\n> Yes",
            ] {
                let own = format!("Fine.\n\n{introduction}");
                let read = without_history(&format!("{own}\n{quotation}"));
                assert_eq!(read, Some(format!("{own}\n{MARK}")), "{introduction}");
            }
        }
    }

    #[test]
    fn text_that_may_be_new_is_kept() {
        let introduction = "On Mon, May 4, 2026 at 9:00 AM Ada <ada@x.org> wrote:";
        for text in [
            "",
            "Fine.",
            "> Shall we?\n> No?\n",
            "Fine.\n> Shall we?\n",
            "Run this:\n\n>>> import os\n>>> os.getcwd()",
            "Log of 9:00:\n> npm run build",
            "On Monday at 9:00 I wrote a script that prints:\n> Hi",
            "Am Montag um 09:00 schrieb ich ein Skript:\n> Hi",
            "On page 4 Ada wrote:\n> a clause",
            "Please pay this.\n\n-----Original Message-----\nFrom: shop@example.com\n\nInvoice 77",
            "See below.\n\n> Begin forwarded message:\n> From: shop@example.com\n> Please pay 300 EUR.",
            "See below.\n\n---------- Forwarded message ---------\nFrom: Ada\n\nOn May 4, 2026 at 9:00 Ada wrote:\n> Hi",
            &format!("{introduction}\n> Shall we?\n\nTuesday at ten."),
            &format!("{introduction}\n> Shall we?\nYes.\n> When?\nAt ten."),
            &format!("{introduction}\nA letter, which follows.\n> Hi"),
        ] {
            assert_eq!(without_history(text), None, "{text}");
        }
    }
}
