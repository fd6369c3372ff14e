//! Malicious names, and how SQL reads them.

/// Names with quotes, ends of statements, comments, escapes and SQL keywords. They are the same in every run.
pub(crate) fn hostile() -> Vec<String> {
    const PIECES: &[&str] = &[
        "'",
        "\"",
        "\"\"",
        "''",
        ";",
        "--",
        "//",
        "/*",
        "*/",
        "\\",
        "\\'",
        "\\\"",
        "$$",
        ".",
        ",",
        "(",
        ")",
        "?",
        ":x",
        "%",
        "_",
        "\u{ff07}",
        "\u{ff02}",
        "\u{2019}",
        "\u{a0}",
        "\u{202e}",
        "ü",
        "日本",
        "🦀",
        " ",
        " OR 1=1 ",
        "DROP TABLE t",
        "UNION SELECT",
        "IN ACCOUNT",
        "LIKE",
        "a",
        "Z",
        "x1",
        "@",
        "#",
        "{}",
        "[]",
        "`",
        "&",
        "|",
        "!",
        "->>",
        "\0",
        "\n",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("a small number")
    };
    let known = [
        "x' OR 1=1 --",
        "x\\' OR 1=1 --",
        "x\"; DROP TABLE t; --",
        "\"a\"\"b\"",
        "\"",
        "a.b",
        "$$",
        "ACCOUNTADMIN\" UNION",
        "DB\".PUBLIC.T --",
        "TABLE x; DROP",
        "\\",
        "'",
        "plain_name",
    ];
    let mut names: Vec<String> = known.map(str::to_owned).into();
    while names.len() < 1000 {
        let pieces = 1 + next(7);
        // One name in a dozen can contain a control character, which isn't allowed.
        let among = if next(12) == 0 {
            PIECES.len()
        } else {
            PIECES.len() - 2
        };
        names.push((0..pieces).map(|_| PIECES[next(among)]).collect());
    }
    names
}

/// Reads a name like SQL, according to its reference.
pub(crate) fn stored(text: &str) -> String {
    if let Some(inner) = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        && inner.split("\"\"").all(|part| !part.contains('"'))
    {
        return inner.split("\"\"").collect::<Vec<_>>().join("\"");
    }
    let first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let plain = text.starts_with(first)
        && text
            .chars()
            .all(|letter| first(letter) || letter.is_ascii_digit() || letter == '$');
    if plain {
        text.to_ascii_uppercase()
    } else {
        text.to_owned()
    }
}

pub(crate) fn is_a_name(text: &str) -> bool {
    let stored = stored(text);
    !stored.is_empty() && !stored.chars().any(char::is_control)
}
