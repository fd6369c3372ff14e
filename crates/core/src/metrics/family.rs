//! What was counted, as it is shown.

/// Samples of one name.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Family {
    /// Name, such as `stead_calls_total`: in base units, and with `_total` where it only grows.
    pub name: &'static str,
    /// One sentence about it.
    pub help: &'static str,
    /// What kind of samples it has.
    pub kind: FamilyKind,
    /// The samples, each with labels of its own.
    pub samples: Vec<Sample>,
}

/// What kind of samples a [`Family`] has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FamilyKind {
    /// Numbers that grow from the start of the process on.
    Counter,
    /// Numbers as they are at the moment.
    Gauge,
    /// Durations in buckets.
    Histogram,
}

/// A value with its labels.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// Names and values. All are known at the start, so that no identifier can be among them.
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

/// How long things took.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Buckets {
    /// Upper bounds in seconds, and how many took no longer.
    pub bounds: Vec<(f64, u64)>,
    /// How many there were.
    pub count: u64,
    /// How long all of them took, in seconds.
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

    /// A family of numbers that grow.
    pub fn counter(name: &'static str, help: &'static str) -> Self {
        Self::new(name, FamilyKind::Counter, help)
    }

    /// A family of numbers as they are at the moment.
    pub fn gauge(name: &'static str, help: &'static str) -> Self {
        Self::new(name, FamilyKind::Gauge, help)
    }

    /// A family of durations.
    pub fn histogram(name: &'static str, help: &'static str) -> Self {
        Self::new(name, FamilyKind::Histogram, help)
    }

    /// With one more number.
    #[must_use]
    pub fn number<const N: usize>(
        self,
        labels: [(&'static str, &'static str); N],
        value: f64,
    ) -> Self {
        self.with(labels, SampleValue::Number(value))
    }

    /// With one more histogram.
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
