//! Numbers in styles and in lists.

/// The number at the beginning of a value such as `12.5px`.
pub(super) fn leading_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_part = |one: char| one.is_ascii_digit() || matches!(one, '-' | '+' | '.');
    let end = text.find(|one| !is_part(one)).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Counter of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counter {
    next: i64,
    step: i64,
    kind: u8,
}

impl Counter {
    /// A counter for these attributes; `None` if the list counts down from an unknown number.
    pub(super) fn of(start: Option<&str>, kind: Option<&str>, is_reversed: bool) -> Option<Self> {
        let start = start.and_then(|start| start.parse().ok());
        Some(Self {
            next: if is_reversed {
                start?
            } else {
                start.unwrap_or(1)
            },
            step: if is_reversed { -1 } else { 1 },
            kind: kind.and_then(|kind| kind.bytes().next()).unwrap_or(b'1'),
        })
    }

    /// The mark of the next item. The item can set its own number.
    pub(super) fn mark(&mut self, value: Option<&str>) -> String {
        let number = value
            .and_then(|value| value.parse().ok())
            .unwrap_or(self.next);
        self.next = number.saturating_add(self.step);
        let mark = match self.kind {
            b'a' => letters(number),
            b'A' => letters(number).to_ascii_uppercase(),
            b'i' => roman(number),
            b'I' => roman(number).to_ascii_uppercase(),
            _ => String::new(),
        };
        match mark.as_str() {
            "" => format!("{number}."),
            mark => format!("{mark}."),
        }
    }
}

/// `a` to `z`, then `aa`. Empty if the number has no letters.
fn letters(number: i64) -> String {
    let mut rest = u64::try_from(number).unwrap_or(0);
    let mut letters = Vec::new();
    while rest > 0 {
        rest -= 1;
        letters.push(b'a' + u8::try_from(rest % 26).unwrap_or(0));
        rest /= 26;
    }
    letters.into_iter().rev().map(char::from).collect()
}

/// Roman numerals. Empty if the number has none.
fn roman(number: i64) -> String {
    const DIGITS: [(i64, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut text = String::new();
    if !(1..4000).contains(&number) {
        return text;
    }
    let mut rest = number;
    for (value, digit) in DIGITS {
        while rest >= value {
            rest -= value;
            text.push_str(digit);
        }
    }
    text
}
