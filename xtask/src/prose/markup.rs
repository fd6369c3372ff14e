//! Finds the texts in pages, templates and files of strings.

use super::Text;

/// A string with at least this many words is a text and not a name.
const WORDS: usize = 4;
/// A string with at least this many sorted words is a list. A short sentence can be sorted too.
const LISTED: usize = 8;
/// Elements that can be inside a sentence.
const INLINE: [&str; 12] = [
    "a", "b", "strong", "em", "i", "code", "span", "kbd", "small", "time", "abbr", "bdi",
];
/// Attributes whose values people read.
const READ: [&str; 4] = ["title", "aria-label", "placeholder", "alt"];

/// A Markdown page. Skips generated pages, because their sources are checked. Tabs and notes lose their indentation.
pub(super) fn page(text: &str) -> Vec<Text> {
    let is_generated = |line: &str| line.contains("`cargo xtask codegen`");
    if text.lines().take(5).any(is_generated) {
        return Vec::new();
    }
    let mut plain = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("=== \"") || line.starts_with("!!! ") {
            inside = true;
        } else {
            inside &= line.is_empty() || line.starts_with("    ");
            plain.push_str(line.strip_prefix("    ").filter(|_| inside).unwrap_or(line));
        }
        plain.push('\n');
    }
    vec![Text::new(1, plain)]
}

/// The strings of a JSON file that has one on each line.
pub(super) fn strings(text: &str) -> Vec<Text> {
    let mut texts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let value = line
            .trim()
            .trim_end_matches(',')
            .split_once("\": ")
            .map_or("", |(_, value)| value);
        if let Ok(serde_json::Value::String(value)) = serde_json::from_str(value) {
            for text in template(&value) {
                texts.push(Text::new(number, text.text));
            }
        }
    }
    texts
}

/// Whether a line of the string is the header of a TOML table, as in a settings file.
fn has_toml_table(string: &str) -> bool {
    string
        .lines()
        .any(|line| line.starts_with('[') && line.ends_with(']'))
}

/// Whether the string lists words in alphabetical order, as no sentence does.
fn is_sorted_list(string: &str) -> bool {
    let words: Vec<String> = string.split_whitespace().map(str::to_lowercase).collect();
    words.len() >= LISTED && words.is_sorted()
}

/// The text of a program's string. `None` if it doesn't read like one. A placeholder counts as a word.
pub(super) fn sentence(string: &str) -> Option<String> {
    const OTHER: [&str; 8] = [
        "SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ", " WHERE ", "ALTER ", "{\"",
    ];
    let is_text = string.split_whitespace().count() >= WORDS
        && string.starts_with(|first: char| first.is_alphabetic() || "{`'".contains(first))
        && !OTHER.iter().any(|other| string.contains(other))
        && !is_sorted_list(string)
        && !has_toml_table(string);
    if !is_text {
        return None;
    }
    let mut text = String::new();
    let mut rest = string;
    while let Some((before, after)) = rest.split_once('{') {
        let (_, after) = after.split_once('}')?;
        text = text + before + "X";
        rest = after;
    }
    Some((text + rest).replace('<', "\\<"))
}

/// The texts that a template shows: its own text, the strings in its calls, and some attributes.
pub(super) fn template(source: &str) -> Vec<Text> {
    let mut reader = Template::default();
    let mut rest = source;
    reader.line = 1;
    while let Some(next) = rest.chars().next() {
        let (length, end) = match rest.get(..2) {
            Some("{#") => (0, "#}"),
            Some("{%") => (2, "%}"),
            Some("{{") => (2, "}}"),
            _ if rest.starts_with("<!--") => (0, "-->"),
            _ if rest.starts_with("<script") => (0, "</script>"),
            _ if rest.starts_with("<style") => (0, "</style>"),
            _ if next == '<' => (1, ">"),
            _ => (0, ""),
        };
        if end.is_empty() {
            reader.text.push(next);
            reader.line += usize::from(next == '\n');
            rest = &rest[next.len_utf8()..];
            continue;
        }
        let at = if next == '<' {
            end_of_tag(rest)
        } else {
            rest.find(end)
        };
        let at = at.map_or(rest.len(), |at| at + end.len());
        let piece = &rest[..at];
        match (length, next) {
            (2, _) => {
                reader.calls(piece);
                if piece.starts_with("{{") {
                    reader.text.push('X');
                }
            }
            (1, _) => reader.tag(piece),
            _ => {}
        }
        let lines = piece.matches('\n').count();
        reader.line += lines;
        reader.text.push_str(&"\n".repeat(lines));
        rest = &rest[at..];
    }
    reader.flush();
    reader.texts
}

/// The end of a tag. Expressions in its attributes may contain a `>`.
fn end_of_tag(rest: &str) -> Option<usize> {
    let count = |at: usize, mark: &str| rest[..at].matches(mark).count();
    let mut ends = rest.match_indices('>').map(|(at, _)| at);
    ends.find(|&at| count(at, "{{") + count(at, "{%") == count(at, "}}") + count(at, "%}"))
}

#[derive(Default)]
struct Template {
    /// The line of the source that has been reached.
    line: usize,
    /// The text that has been read since the last paragraph.
    text: String,
    texts: Vec<Text>,
}

impl Template {
    /// Ends a paragraph with the text that was read.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let first = self.line - text.matches('\n').count();
        let lead = text.len() - text.trim_start().len();
        let line = first + text[..lead].matches('\n').count();
        let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
        if text.split_whitespace().count() >= WORDS {
            self.texts.push(Text::new(line, lines.join("\n")));
        }
    }

    fn tag(&mut self, tag: &str) {
        let name = tag.trim_start_matches(['<', '/']);
        let name = name
            .split(|letter: char| !letter.is_alphanumeric())
            .next()
            .unwrap_or_default();
        match name {
            "code" | "kbd" => self.text.push('`'),
            _ if INLINE.contains(&name) => {}
            _ => self.flush(),
        }
        for read in READ {
            if let Some((_, value)) = tag.split_once(&format!(" {read}=\"")) {
                let value = value.split('"').next().unwrap_or_default();
                self.texts
                    .extend(sentence(value).map(|text| Text::new(self.line, text)));
            }
        }
    }

    /// Adds the strings of an expression.
    fn calls(&mut self, piece: &str) {
        for string in piece.split('"').skip(1).step_by(2) {
            self.texts
                .extend(sentence(string).map(|text| Text::new(self.line, text)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_of_a_page_is_read() {
        let text =
            "One.\n=== \"Python\"\n\n    ```python\n    x\n    ```\n\n    Two.\nThree.\n    code\n";
        let plain = "One.\n\n\n```python\nx\n```\n\nTwo.\nThree.\n    code\n";
        assert_eq!(page(text), [Text::new(1, plain)]);
        assert!(
            page("<!-- Made by `cargo xtask codegen`; do not edit by hand. -->\n\nWhere.\n")
                .is_empty()
        );
    }

    #[test]
    fn a_template_has_its_visible_texts() {
        let source = "{# why #}<h1>A page of mine</h1>\n<p class=\"a b c d\" title=\"It says what it is\">You\n have <code>two of</code> {{ x > 1 }}\
            </p>{{ notice(\"bad\", \"The call has not worked\") }}\n<script>let a = 1 < 2 and more words</script><p>{% if a %}Short{% endif %}</p>";
        assert_eq!(
            template(source),
            [
                Text::new(1, "A page of mine"),
                Text::new(2, "It says what it is"),
                Text::new(2, "You\nhave `two of` X"),
                Text::new(3, "The call has not worked"),
            ]
        );
    }

    #[test]
    fn a_string_is_read_if_it_is_a_text() {
        assert_eq!(
            sentence("the file {path:?} can't be read").unwrap(),
            "the file X can't be read"
        );
        for other in [
            "two words",
            "SELECT * FROM a WHERE b",
            "{\"a\": 1, \"b\": 2, \"c\": 3}",
            "private_hosts = [\"a\"]\n\n[products.mail]\nissuer = \"https://login.example\"",
            "batch cancel changes\n    deleteContact drafts sendAs v1 watch",
        ] {
            assert_eq!(sentence(other), None);
        }
        let json = "{\n  \"a\": \"You can <b>close</b> this window.\",\n  \"b\": {\n    \"c\": \"Short\"\n  }\n}\n";
        assert_eq!(strings(json), [Text::new(2, "You can close this window.")]);
    }
}
