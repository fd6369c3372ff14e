//! Prometheus's text format.

use std::fmt::Write as _;

use stead_core::metrics::{Family, FamilyKind, SampleValue};

/// Families as a text, without empty ones.
pub(super) fn written(families: &[Family]) -> String {
    let mut text = String::new();
    for family in families.iter().filter(|family| !family.samples.is_empty()) {
        // Writing to a `String` can't fail.
        let _ = write(&mut text, family);
    }
    text
}

fn write(text: &mut String, family: &Family) -> std::fmt::Result {
    let name = family.name;
    let kind = match family.kind {
        FamilyKind::Counter => "counter",
        FamilyKind::Gauge => "gauge",
        FamilyKind::Histogram => "histogram",
        _ => "untyped",
    };
    let help = family.help.replace('\\', r"\\").replace('\n', r"\n");
    writeln!(text, "# HELP {name} {help}")?;
    writeln!(text, "# TYPE {name} {kind}")?;
    for sample in &family.samples {
        match &sample.value {
            SampleValue::Number(number) => line(text, name, "", &sample.labels, None, *number)?,
            SampleValue::Buckets(buckets) => {
                for (bound, count) in &buckets.bounds {
                    let bound = bound.to_string();
                    let (labels, count) = (&sample.labels, *count as f64);
                    line(text, name, "_bucket", labels, Some(&bound), count)?;
                }
                let (labels, count) = (&sample.labels, buckets.count as f64);
                line(text, name, "_bucket", labels, Some("+Inf"), count)?;
                line(text, name, "_sum", labels, None, buckets.sum)?;
                line(text, name, "_count", labels, None, count)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn line(
    text: &mut String,
    name: &str,
    suffix: &str,
    labels: &[(&str, &str)],
    bound: Option<&str>,
    value: f64,
) -> std::fmt::Result {
    write!(text, "{name}{suffix}")?;
    let labels = labels.iter().copied();
    let mut before = '{';
    for (label, value) in labels.chain(bound.map(|bound| ("le", bound))) {
        let value = value.replace('\\', r"\\").replace('"', "\\\"");
        write!(text, "{before}{label}=\"{}\"", value.replace('\n', r"\n"))?;
        before = ',';
    }
    if before == ',' {
        text.push('}');
    }
    writeln!(text, " {value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use stead_core::metrics::Histogram;

    #[test]
    fn names_labels_and_values_are_written_as_the_format_wants_them() {
        let counter = Family::counter("a_total", "Back\\slash\nand line.");
        let counter = counter.number([("x", "a\"b\\c\nd"), ("y", "")], 3.0);
        let gauge = Family::gauge("b", "Bytes.").number([], 1.5);
        let histogram = Histogram::default();
        histogram.observe(std::time::Duration::from_millis(300));
        let histogram = Family::histogram("c", "Time.").buckets([("z", "1")], histogram.read());
        let empty = Family::gauge("d", "Nothing.");
        let text = written(&[counter, gauge, histogram, empty]);
        let begins = "# HELP a_total Back\\\\slash\\nand line.\n# TYPE a_total counter\n\
            a_total{x=\"a\\\"b\\\\c\\nd\",y=\"\"} 3\n# HELP b Bytes.\n# TYPE b gauge\nb 1.5\n";
        assert!(text.starts_with(begins), "{text}");
        for line in [
            "c_bucket{z=\"1\",le=\"0.25\"} 0\n",
            "c_bucket{z=\"1\",le=\"0.5\"} 1\n",
            "c_bucket{z=\"1\",le=\"+Inf\"} 1\n",
            "c_sum{z=\"1\"} 0.3\n",
            "c_count{z=\"1\"} 1\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
        assert!(!text.contains("# TYPE d"), "{text}");
    }
}
