//! Decides whether people can see an element, from its style and the style sheets.

use std::collections::HashMap;

use super::numbers::leading_number;

/// A colour as red, green and blue.
type Color = [u8; 3];

/// Most rules of a style sheet to keep. No ordinary mail has more.
const MOST_RULES: usize = 2_000;
/// Most classes of an element to look up.
const MOST_CLASSES: usize = 16;

/// The look of an element, including inherited styles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// Nothing in the element is visible.
    gone: bool,
    /// An element inside can override this and the following ones.
    tiny: bool,
    invisible: bool,
    color: Option<Color>,
    pub(super) background: Option<Color>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            gone: false,
            tiny: false,
            invisible: false,
            color: Some([0; 3]),
            background: Some([255; 3]),
        }
    }
}

impl Look {
    /// Whether the text is invisible to people.
    pub(super) fn hides(&self) -> bool {
        let is_same = |one: Color, other: Color| {
            one.iter()
                .zip(other)
                .all(|(one, other)| one.abs_diff(other) <= 8)
        };
        self.gone
            || self.tiny
            || self.invisible
            || matches!((self.color, self.background), (Some(color), Some(background)) if is_same(color, background))
    }

    /// The look of a child element with this style.
    pub(super) fn with(mut self, style: &Style) -> Self {
        self.gone |= style.gone;
        self.tiny = style.tiny.unwrap_or(self.tiny);
        self.invisible = style.invisible.unwrap_or(self.invisible);
        self.color = style.color.unwrap_or(self.color);
        self.background = style.background.unwrap_or(self.background);
        self
    }

    /// The look of an element that is never shown.
    pub(super) const fn gone(mut self) -> Self {
        self.gone = true;
        self
    }
}

/// The visibility that declarations set; `None` if they don't change it.
#[derive(Debug, Clone, Default)]
pub(super) struct Style {
    gone: bool,
    tiny: Option<bool>,
    invisible: Option<bool>,
    /// The inner `None` is an unknown colour.
    color: Option<Option<Color>>,
    background: Option<Option<Color>>,
}

impl Style {
    /// Parses declarations such as `display:none; color:#fff`.
    pub(super) fn read(declarations: &str) -> Self {
        let lower = declarations.to_ascii_lowercase();
        let mut style = Self::default();
        let (mut is_flat, mut is_clipped) = (false, false);
        for declaration in lower.split(';') {
            let Some((property, value)) = declaration.split_once(':') else {
                continue;
            };
            let value = value
                .trim()
                .trim_end_matches("important")
                .trim_end_matches(['!', ' ']);
            let number = leading_number(value);
            let is_far_out = number.is_some_and(|number| number <= -500.0);
            match property.trim() {
                "display" => style.gone |= value == "none",
                "visibility" => style.invisible = Some(matches!(value, "hidden" | "collapse")),
                "opacity" => style.gone |= number.is_some_and(|number| number < 0.05),
                "font-size" => style.tiny = tiny(value).or(style.tiny),
                "font" => {
                    let size = value
                        .split_whitespace()
                        .find(|word| leading_number(word).is_some_and(|number| number < 100.0));
                    style.tiny = size.and_then(tiny).or(style.tiny);
                }
                "max-height" => style.gone |= number == Some(0.0),
                "max-width" | "height" | "width" | "line-height" => is_flat |= number == Some(0.0),
                "overflow" | "overflow-x" | "overflow-y" => {
                    is_clipped |= value.starts_with("hidden")
                }
                "text-indent" | "left" | "top" | "right" | "bottom" | "margin-left"
                | "margin-top" | "margin" => {
                    style.gone |= is_far_out;
                }
                "clip" => {
                    style.gone |= value.starts_with("rect(0") || value.starts_with("rect(1px")
                }
                "clip-path" => {
                    style.gone |= value.starts_with("inset(50%") || value.starts_with("inset(100%")
                }
                "transform" => style.gone |= value.contains("scale(0)"),
                "color" => style.paint(value),
                "background-color" | "background" => style.back(value),
                _ => {}
            }
        }
        style.gone |= is_flat && is_clipped;
        style
    }

    /// Sets the colour of the text.
    pub(super) fn paint(&mut self, value: &str) {
        match value {
            "transparent" => self.invisible = Some(true),
            "inherit" => {}
            value => self.color = Some(color(value)),
        }
    }

    /// Sets the background.
    pub(super) fn back(&mut self, value: &str) {
        if !matches!(value, "" | "none" | "transparent" | "inherit" | "initial") {
            self.background = Some(
                value
                    .split_whitespace()
                    .find_map(color)
                    .filter(|_| !value.contains("url(")),
            );
        }
    }

    /// Adds declarations with a higher priority.
    pub(super) fn and(&mut self, more: &Self) {
        self.gone |= more.gone;
        self.tiny = more.tiny.or(self.tiny);
        self.invisible = more.invisible.or(self.invisible);
        self.color = more.color.or(self.color);
        self.background = more.background.or(self.background);
    }
}

/// Whether a font size is too small to read; `None` if it's relative to the parent's.
fn tiny(value: &str) -> Option<bool> {
    let is_absolute = !value.ends_with(|one: char| one.is_ascii_alphabetic() || one == '%')
        || value.ends_with("px")
        || value.ends_with("pt");
    match leading_number(value) {
        Some(number) if number < 0.1 => Some(true),
        Some(number) => is_absolute.then_some(number < 2.0),
        None => (!matches!(value, "inherit" | "smaller" | "larger")).then_some(false),
    }
}

fn color(value: &str) -> Option<Color> {
    let value = value.trim();
    if let Some(digits) = value.strip_prefix('#') {
        let number = u32::from_str_radix(digits, 16).ok()?;
        let [_, red, green, blue] = number.to_be_bytes();
        return match digits.len() {
            6 => Some([red, green, blue]),
            3 => Some([8, 4, 0].map(|shift| u8::try_from(number >> shift & 15).unwrap_or(0) * 17)),
            _ => None,
        };
    }
    if let Some(list) = value
        .strip_prefix("rgb(")
        .or_else(|| value.strip_prefix("rgba("))
    {
        let mut parts = list
            .trim_end_matches(')')
            .split(',')
            .map(|part| part.trim().parse().ok());
        return Some([parts.next()??, parts.next()??, parts.next()??]);
    }
    match value {
        "white" => Some([255; 3]),
        "black" => Some([0; 3]),
        _ => None,
    }
}

/// Style sheet rules for classes, ids and tags. Rules for certain screens only are ignored.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    rules: HashMap<String, Style>,
    /// Whether it sets backgrounds.
    pub(super) paints: bool,
}

impl Sheet {
    /// Adds the rules of a `<style>` element.
    pub(super) fn add(&mut self, text: &str) {
        self.paints |= text.contains("background");
        let text = text.replace("<!--", "");
        let mut rest = text.as_str();
        while let Some((selectors, after)) = rest.split_once('{') {
            if selectors.contains('@') {
                rest = after_block(after);
                continue;
            }
            let (declarations, after) = after.split_once('}').unwrap_or((after, ""));
            let style = Style::read(declarations);
            for selector in selectors.rsplit("*/").next().unwrap_or_default().split(',') {
                let selector = selector.trim();
                let is_simple = selector
                    .bytes()
                    .all(|one| one.is_ascii_alphanumeric() || b"-_.#".contains(&one));
                if is_simple && self.rules.len() < MOST_RULES {
                    self.rules
                        .entry(selector.to_owned())
                        .or_default()
                        .and(&style);
                }
            }
            rest = after;
        }
    }

    /// The style for an element.
    pub(super) fn of(&self, tag: &str, id: Option<&str>, classes: &str) -> Style {
        let mut style = Style::default();
        if self.rules.is_empty() {
            return style;
        }
        let mut see = |selector: &str| {
            if let Some(rule) = self.rules.get(selector) {
                style.and(rule);
            }
        };
        see(tag);
        for class in classes.split_whitespace().take(MOST_CLASSES) {
            see(&format!(".{class}"));
            see(&format!("{tag}.{class}"));
        }
        if let Some(id) = id {
            see(&format!("#{id}"));
        }
        style
    }
}

/// The rest after a block whose opening brace was already read.
fn after_block(text: &str) -> &str {
    let mut depth = 1;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[index + 1..];
        }
    }
    ""
}
