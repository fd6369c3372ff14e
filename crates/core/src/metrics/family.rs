//! Metrics in the form that is exported.

/// All samples of one metric.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Family {
    /// Name, such as `stead_calls_total`. It uses base units, and counters end in `_total`.
    pub name: &'static str,
    /// One sentence about it.
    pub help: &'static str,
    /// Type of its samples.
    pub kind: FamilyKind,
    /// The samples, each with its own labels.
    pub samples: Vec<Sample>,
}

/// Type of a [`Family`]'s samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FamilyKind {
    /// Numbers that grow from the start of the process.
    Counter,
    /// Current numbers.
    Gauge,
    /// Durations in buckets.
    Histogram,
}

/// A value with its labels.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// Names and values. All are known at the start, so they never contain identifiers.
    pub labels: Vec<(&'static str, &'static str)>,
    /// The value.
    pub value: SampleValue,
}

/// The value of a [`Sample`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SampleValue {
    /// Of a counter or a gauge.
    Number(f64),
    /// Of a histogram.
    Buckets(Buckets),
}

/// A distribution of durations.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Buckets {
    /// Upper bounds in seconds, and the number of durations up to each.
    pub bounds: Vec<(f64, u64)>,
    /// Number of durations.
    pub count: u64,
    /// Sum of durations, in seconds.
    pub sum: f64,
}

impl Family {
    fn new(name: &'static str, kind: FamilyKind, help: &'static str) -> Self {
        Self {
            name,
            help,
            kind,
            samples: Vec::new(),
        }
    }

    /// A family of counters.
    pub fn counter(name: &'static str, help: &'static str) -> Self {
        Self::new(name, FamilyKind::Counter, help)
    }

    /// A family of gauges.
    pub fn gauge(name: &'static str, help: &'static str) -> Self {
        Self::new(name, FamilyKind::Gauge, help)
    }

    /// A family of histograms.
    pub fn histogram(name: &'static str, help: &'static str) -> Self {
        Self::new(name, FamilyKind::Histogram, help)
    }

    /// Adds a number.
    #[must_use]
    pub fn number<const N: usize>(
        self,
        labels: [(&'static str, &'static str); N],
        value: f64,
    ) -> Self {
        self.with(labels, SampleValue::Number(value))
    }

    /// Adds a histogram.
    #[must_use]
    pub fn buckets<const N: usize>(
        self,
        labels: [(&'static str, &'static str); N],
        value: Buckets,
    ) -> Self {
        self.with(labels, SampleValue::Buckets(value))
    }

    fn with<const N: usize>(
        mut self,
        labels: [(&'static str, &'static str); N],
        value: SampleValue,
    ) -> Self {
        let labels = labels.into();
        self.samples.push(Sample { labels, value });
        self
    }
}
