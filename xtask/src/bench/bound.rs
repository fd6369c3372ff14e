//! What a figure must not pass. It is said next to the figure, and no run fails by it: a figure depends on its machine.

/// A bound.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

/// Figures with their bounds, as a list.
#[derive(Debug, Default)]
pub(crate) struct Bounds(Vec<String>);

impl Bounds {
    /// Adds a figure, and prints it.
    pub(crate) fn add(&mut self, what: &str, bound: Bound, figure: f64) {
        let line = format!("- {what}: {}", bound.said(figure));
        println!("{line}");
        self.0.push(line);
    }

    pub(crate) fn list(&self) -> String {
        self.0.join("\n")
    }
}

impl Bound {
    fn said(self, figure: f64) -> String {
        let (word, bound, holds) = match self {
            Self::AtMost(bound) => ("at most", bound, figure <= bound),
            Self::AtLeast(bound) => ("at least", bound, figure >= bound),
        };
        let what = if holds { "reached" } else { "**missed**:" };
        format!("bound {word} {bound}, {what} {}", shown(figure))
    }
}

/// As many digits as tell it from its bound.
pub(crate) fn shown(figure: f64) -> String {
    let digits = if figure.abs() >= 100.0 {
        0
    } else if figure.abs() >= 10.0 {
        1
    } else {
        2
    };
    format!("{figure:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_names_bound_and_figure() {
        let at_most = Bound::AtMost(2.0);
        assert_eq!(at_most.said(1.8), "bound at most 2, reached 1.80");
        assert_eq!(at_most.said(20.04), "bound at most 2, **missed**: 20.0");
        assert_eq!(
            Bound::AtLeast(0.65).said(0.7),
            "bound at least 0.65, reached 0.70"
        );
        assert_eq!(at_most.said(f64::NAN), "bound at most 2, **missed**: NaN");
    }
}
