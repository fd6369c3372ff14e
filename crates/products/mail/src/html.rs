//! HTML to text, for mails that have nothing else.
//!
//! It reads tokens, not a tree: time stays proportional to the length, however a mail is nested.

use html5gum::{SpanBound, StartTag, Token, Tokenizer, emitters::default::DefaultEmitter};

/// Deepest quotation that is still marked.
const DEEPEST_QUOTE: usize = 8;

/// The text of an HTML document: blocks on lines of their own, lists with their marks, quotations with `> `, links as
/// `text (address)`, images as their alternative text.
pub(crate) fn to_text(html: &str) -> String {
    let mut emitter = DefaultEmitter::<()>::default();
    // Content of <style>, <script> and <title> is then one text, and no tags.
    emitter.naively_switch_states(true);
    let mut writer = Writer::default();
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => writer.start(&tag),
            Token::EndTag(tag) => writer.end(&tag.name),
            Token::String(text) => writer.text(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    writer.text.trim().to_owned()
}

#[derive(Default)]
struct Writer {
    text: String,
    /// Line breaks due before the next text; two make an empty line.
    breaks: usize,
    /// A space is needed before the next text.
    space: bool,
    /// Text within is not for reading.
    hidden: bool,
    /// Within <pre>, where white space counts.
    preformatted: bool,
    /// Open quotations, and those of the last line with text.
    quotes: usize,
    quotes_before: usize,
    /// Next number of each open list; `None` for one without numbers.
    lists: Vec<Option<u32>>,
    /// Address and start of the open link.
    link: Option<(String, usize)>,
}

impl Writer {
    fn start<S>(&mut self, tag: &StartTag<S>)
    where
        S: SpanBound,
    {
        let attribute = |name: &[u8]| {
            tag.attributes
                .get(name)
                .map(|value| String::from_utf8_lossy(value).trim().to_owned())
        };
        match &tag.name[..] {
            b"style" | b"script" | b"title" | b"template" => self.hidden = !tag.self_closing,
            b"br" => self.breaks = (self.breaks + 1).min(2),
            b"hr" => self.block(2),
            b"img" => {
                if let Some(alternative) = attribute(b"alt").filter(|text| !text.is_empty()) {
                    self.text(&format!("[{alternative}]"));
                }
            }
            b"a" => self.link = attribute(b"href").map(|address| (address, self.text.len())),
            b"ul" => {
                self.lists.push(None);
                self.block(1);
            }
            b"ol" => {
                self.lists.push(Some(1));
                self.block(1);
            }
            b"li" => self.item(),
            b"blockquote" => {
                self.block(2);
                self.quotes += 1;
            }
            b"pre" => {
                self.block(2);
                self.preformatted = true;
            }
            b"td" | b"th" => self.space = true,
            name => self.block(lines_around(name)),
        }
    }

    fn end(&mut self, name: &[u8]) {
        match name {
            b"style" | b"script" | b"title" | b"template" => self.hidden = false,
            b"a" => self.finish_link(),
            b"ul" | b"ol" => {
                self.lists.pop();
                self.block(if self.lists.is_empty() { 2 } else { 1 });
            }
            b"blockquote" => {
                self.block(2);
                self.quotes = self.quotes.saturating_sub(1);
            }
            b"pre" => {
                self.block(2);
                self.preformatted = false;
            }
            name => self.block(lines_around(name)),
        }
    }

    fn text(&mut self, text: &str) {
        if self.hidden {
            return;
        }
        for character in text.chars() {
            match character {
                // Padding of newsletters' previews: no width, no meaning.
                '\u{ad}' | '\u{34f}' | '\u{200b}' | '\u{feff}' => {}
                '\n' if self.preformatted => self.breaks += 1,
                white if white.is_whitespace() && !self.preformatted => self.space = true,
                other => self.character(other),
            }
        }
    }

    fn character(&mut self, character: char) {
        if self.text.is_empty() {
            self.mark_quotes(self.quotes);
        } else if self.breaks > 0 {
            for _ in 1..self.breaks {
                self.text.push('\n');
                self.mark_quotes(self.quotes.min(self.quotes_before));
                self.text.truncate(self.text.trim_end_matches(' ').len());
            }
            self.text.push('\n');
            self.mark_quotes(self.quotes);
        } else if self.space {
            self.text.push(' ');
        }
        self.breaks = 0;
        self.space = false;
        self.quotes_before = self.quotes;
        self.text.push(character);
    }

    fn mark_quotes(&mut self, depth: usize) {
        self.text
            .extend(std::iter::repeat_n("> ", depth.min(DEEPEST_QUOTE)));
    }

    /// At least so many line breaks before the next text; none at the very start, unless a quotation starts there.
    fn block(&mut self, lines: usize) {
        if lines > 0 && !self.text.is_empty() {
            self.breaks = self.breaks.max(lines);
        }
    }

    fn item(&mut self) {
        self.block(1);
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number = number.saturating_add(1);
                format!("{}.", number.saturating_sub(1))
            }
            _ => String::from("*"),
        };
        self.text(&mark);
        self.space = true;
    }

    /// Adds the address of a link that has a text, unless the text is the address.
    fn finish_link(&mut self) {
        let Some((address, start)) = self.link.take() else {
            return;
        };
        let shown = self
            .text
            .get(start..)
            .unwrap_or_default()
            .trim()
            .trim_end_matches('/');
        let bare = address
            .trim_start_matches("https://")
            .trim_start_matches("http://")
            .trim_start_matches("mailto:");
        let told = shown.ends_with(bare.trim_end_matches('/'));
        let leads_somewhere = ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| address.starts_with(scheme));
        if !shown.is_empty() && !told && leads_somewhere {
            self.space = true;
            self.text(&format!("({address})"));
        }
    }
}

/// Line breaks around a block: two for a paragraph, one for a box, none for what stands within a line.
fn lines_around(name: &[u8]) -> usize {
    match name {
        b"p" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"table" | b"dl" => 2,
        b"div" | b"tr" | b"li" | b"dt" | b"dd" | b"section" | b"article" | b"header"
        | b"footer" | b"center" | b"address" | b"figure" | b"figcaption" | b"form" | b"main"
        | b"nav" | b"aside" | b"caption" => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(to_text(html), expected, "{html}");
    }

    #[test]
    fn blocks_and_lines() {
        check("<p>One</p><p>Two</p>", "One\n\nTwo");
        check("<div>One</div><div>Two<br>Three</div>", "One\nTwo\nThree");
        check("  a \n  b&nbsp;c  ", "a b c");
        check("a<b>b</b>c <i> d</i>", "abc d");
        check("<pre>a\n  b</pre>c", "a\n  b\n\nc");
        check("", "");
    }

    #[test]
    fn what_is_not_for_reading_is_left_out() {
        check(
            "<html><head><title>T</title><style>p{color:red}</style></head><body>x<script>if (a<b) {}</script>y</body>",
            "xy",
        );
        check("a<!-- <p>b</p> -->c<![if !mso]>d<![endif]>", "acd");
        check(
            "x<img src='https://t.example/p.gif' width=1 height=1>y",
            "xy",
        );
        check("z&#8203;&shy;&#847;z", "zz");
    }

    #[test]
    fn links_keep_their_address() {
        check(
            "see <a href='https://e.com/a?b=c&amp;d'>this</a>.",
            "see this (https://e.com/a?b=c&d).",
        );
        check("<a href='https://e.com/'>e.com</a>", "e.com");
        check("<a href='mailto:a@b.c'>a@b.c</a>", "a@b.c");
        check("<a href='https://e.com'><img src=x></a>.", ".");
        check("<a href='javascript:x()'>x</a>", "x");
        check(
            "<a href='https://e.com'><img src=x alt=Logo></a>",
            "[Logo] (https://e.com)",
        );
    }

    #[test]
    fn lists_tables_and_quotations() {
        check("<ul><li>One<li>Two</ul>after", "* One\n* Two\n\nafter");
        check("<ol><li>One</li><li>Two</li></ol>", "1. One\n2. Two");
        check(
            "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
            "a b\nc",
        );
        check(
            "Hi<blockquote>old<br>mail</blockquote>bye",
            "Hi\n\n> old\n> mail\n\nbye",
        );
        check(
            "<blockquote>a<p>b</p><blockquote>c</blockquote></blockquote>",
            "> a\n>\n> b\n>\n> > c",
        );
    }

    #[test]
    fn hostile_documents_take_linear_time() {
        for html in [
            "<div>".repeat(40_000),
            "<table><tr><td>".repeat(20_000),
            "<blockquote><ul><li>".repeat(10_000),
            format!(
                "<a {}>",
                (0..20_000)
                    .map(|number| format!("a{number} "))
                    .collect::<String>()
            ),
            "<font a=1><p>".repeat(20_000),
            "<!--".repeat(40_000),
            "&".repeat(100_000),
            "<br>x".repeat(40_000),
        ] {
            assert!(to_text(&html).len() <= 20 * html.len());
        }
    }
}
