//! Paths with variables: `{x}` is one segment, `{+x}` is any number of them (RFC 6570, "Simple String Expansion" and
//! "Reserved Expansion").

use anyhow::{Result, bail};

pub(crate) struct Template {
    text: String,
    pieces: Vec<Piece>,
}

enum Piece {
    Literal(String),
    /// A segment has no slash. If it's `plain`, it has no colon either, because simple expansion encodes colons.
    Segment {
        name: String,
        plain: bool,
    },
    Reserved(String),
}

impl Template {
    /// With `plain`, values encode their colons, so a colon after a variable belongs to the template.
    pub(crate) fn parse(text: &str, plain: bool) -> Result<Self> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                bail!("a brace is not closed in {text}");
            };
            if !literal.is_empty() {
                pieces.push(Piece::Literal(literal.to_owned()));
            }
            pieces.push(match name.strip_prefix('+') {
                Some(name) => Piece::Reserved(name.to_owned()),
                None => Piece::Segment {
                    name: name.to_owned(),
                    plain,
                },
            });
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Literal(rest.to_owned()));
        }
        Ok(Self {
            text: text.to_owned(),
            pieces,
        })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How many characters of the path are fixed. If two templates fit, the one with more fixed characters is meant.
    pub(crate) fn fixed(&self) -> usize {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Literal(literal) => literal.len(),
                Piece::Segment { .. } | Piece::Reserved(_) => 0,
            })
            .sum()
    }

    /// The variables of a path, still encoded. `None` if the path doesn't fit.
    pub(crate) fn fit<'a>(&'a self, path: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
        let mut variables = Vec::new();
        fit(&self.pieces, path, &mut variables).then(|| {
            variables.reverse();
            variables
        })
    }
}

/// Matches the pieces in order. Each variable takes as much as possible, as long as the rest still fits. Collects the
/// variables in reverse order.
fn fit<'a>(pieces: &'a [Piece], path: &'a str, variables: &mut Vec<(&'a str, &'a str)>) -> bool {
    let Some((piece, others)) = pieces.split_first() else {
        return path.is_empty();
    };
    let (name, longest) = match piece {
        Piece::Literal(literal) => {
            return path
                .strip_prefix(literal.as_str())
                .is_some_and(|rest| fit(others, rest, variables));
        }
        Piece::Segment { name, plain } => {
            let ends = |character: char| character == '/' || (*plain && character == ':');
            (name, path.find(ends).unwrap_or(path.len()))
        }
        Piece::Reserved(name) => (name, path.len()),
    };
    for end in (1..=longest).rev() {
        if path.is_char_boundary(end) && fit(others, &path[end..], variables) {
            variables.push((name, &path[..end]));
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits<'a>(template: &'a Template, path: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
        template.fit(path)
    }

    #[test]
    fn a_segment_ends_at_a_slash_and_a_colon() {
        let template = Template::parse("/v1/boxes/{box}/things/{thing}", true).unwrap();
        assert_eq!(
            fits(&template, "/v1/boxes/a%2Fb/things/7"),
            Some(vec![("box", "a%2Fb"), ("thing", "7")])
        );
        for path in [
            "/v1/boxes/a/b/things/7",
            "/v1/boxes//things/7",
            "/v1/boxes/a/things/7/",
            "/v1/boxes/a/things/7:copy",
            "/v1/Boxes/a/things/7",
            "/v1/boxes/a/things/",
        ] {
            assert_eq!(fits(&template, path), None, "{path}");
        }
        let copy = Template::parse("/v1/boxes/{box}:copy", true).unwrap();
        assert_eq!(fits(&copy, "/v1/boxes/a:copy"), Some(vec![("box", "a")]));
        assert_eq!(fits(&copy, "/v1/boxes/a"), None);
    }

    #[test]
    fn a_reserved_variable_spans_segments() {
        let template = Template::parse("/v1/{+name}/things", true).unwrap();
        assert_eq!(
            fits(&template, "/v1/boxes/a/things"),
            Some(vec![("name", "boxes/a")])
        );
        assert_eq!(fits(&template, "/v1//things"), None);
    }

    #[test]
    fn a_template_with_more_fixed_text_is_more_exact() {
        let fixed = |text| Template::parse(text, true).unwrap().fixed();
        assert!(fixed("/v1/people:search") > fixed("/v1/{+name}"));
        assert!(Template::parse("/v1/{box", true).is_err());
    }
}
