//! Builds text with the right white space.

/// Deepest quotation level that is marked.
const DEEPEST_QUOTE: usize = 8;

/// Text, with the white space to insert before the next character.
#[derive(Default)]
pub(super) struct Flow {
    pub(super) text: String,
    /// Line breaks to insert before the next text; two make an empty line.
    breaks: usize,
    /// A space is needed before the next text.
    pub(super) space: bool,
    /// Quotation level now; `quotes_before` is the level of the last line with text.
    pub(super) quotes: usize,
    quotes_before: usize,
}

impl Flow {
    pub(super) fn text(&mut self, text: &str, is_preformatted: bool) {
        for character in text.chars() {
            match character {
                '\n' if is_preformatted => self.breaks += 1,
                white if white.is_whitespace() && !is_preformatted => self.space = true,
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

    pub(super) fn line_break(&mut self) {
        self.breaks = (self.breaks + 1).min(2);
    }

    /// Requests at least this many line breaks before the next text. At the very start there are none, unless a quotation
    /// starts there.
    pub(super) fn block(&mut self, lines: usize) {
        if lines > 0 && !self.text.is_empty() {
            self.breaks = self.breaks.max(lines);
        }
    }
}
