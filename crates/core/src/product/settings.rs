//! Settings of a connection: those of the product, the rate limit, and scopes that Stead doesn't know.

use http::HeaderValue;
use serde_json::{Map, Value};

use super::{Permissions, Product};
use crate::{Error, Result, error::Violation};

/// Name of the setting that overrides the published quota.
const RATE_LIMIT: &str = "rate_limit";

/// Name of the setting for scopes that the product has but Stead doesn't know.
pub(crate) const MORE_SCOPES: &str = "more_scopes";

/// Effects of a connection's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DerivedSettings {
    /// Host that replaces `{host}` in the product's URLs.
    pub host: Option<String>,
    /// Scopes that every link requests.
    pub scopes: Vec<String>,
    /// Quota of the connection's users, if it differs from the published one.
    pub quota: Option<Quota>,
    /// Default headers of raw requests, instead of the product's. Names are in lower case.
    pub headers: Vec<(&'static str, HeaderValue)>,
}

/// Quota of one user, as published by the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Units in any 60 seconds. 0 means no limit. Only for reads if writes are counted separately.
    pub units_per_minute: u32,
    /// The same for writes, if the product counts them separately.
    pub writes_per_minute: Option<u32>,
    /// Maximum number of parallel requests.
    pub concurrency: u16,
}

impl Quota {
    /// No published limit, and 8 parallel requests.
    pub const UNLIMITED: Self = Self {
        units_per_minute: 0,
        writes_per_minute: None,
        concurrency: 8,
    };
}

impl Product {
    /// Reads a connection's settings: the product's own, `rate_limit`, and `more_scopes` if users grant scopes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) with all violations.
    pub fn derived(&self, settings: &Map<String, Value>) -> Result<DerivedSettings> {
        // Most connections have neither, and every raw request runs this.
        if !settings.contains_key(RATE_LIMIT) && !settings.contains_key(MORE_SCOPES) {
            return (self.settings)(settings);
        }
        let mut own = settings.clone();
        let rate_limit = own.remove(RATE_LIMIT);
        let more_scopes = match self.oauth.permissions {
            Permissions::Scopes { .. } => own.remove(MORE_SCOPES),
            _ => None,
        };
        let mut derived = (self.settings)(&own)?;
        if let Some(rate_limit) = rate_limit {
            derived.quota = Some(quota(self.quota, &rate_limit)?);
        }
        if let Some(scopes) = more_scopes {
            derived.scopes.extend(scopes_of(&scopes)?);
        }
        Ok(derived)
    }
}

/// Reads a list of full scope names. Stead doesn't check whether the product has them. If one doesn't exist, the
/// product rejects the link.
fn scopes_of(given: &Value) -> Result<Vec<String>> {
    let visible = |scope: &&str| {
        (1..=200).contains(&scope.len()) && scope.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let scopes = given.as_array().map(|list| {
        let each = list.iter().map(|scope| scope.as_str().filter(visible));
        each.map(|scope| scope.map(str::to_owned))
            .collect::<Option<Vec<_>>>()
    });
    scopes.flatten().ok_or_else(|| {
        let place = ["settings", MORE_SCOPES];
        let expected =
            "expected a list of complete scopes, such as https://example.com/auth/notes.read";
        Error::invalid(vec![Violation::at(&place, "type", expected)])
    })
}

/// Settings of a product without its own settings.
pub(super) fn none(settings: &Map<String, Value>) -> Result<DerivedSettings> {
    match settings.keys().next() {
        None => Ok(DerivedSettings::default()),
        Some(name) => {
            let violation = Violation::at(
                &["settings", name],
                "additionalProperties",
                "this setting doesn't exist; use rate_limit, or more_scopes if users grant scopes",
            );
            Err(Error::invalid(vec![violation]))
        }
    }
}

/// The published quota with the changes from the setting.
fn quota(published: Quota, given: &Value) -> Result<Quota> {
    let at = |name: &str, keyword: &str, message: &str| {
        let place: Vec<&str> = ["settings", RATE_LIMIT, name]
            .into_iter()
            .filter(|segment| !segment.is_empty())
            .collect();
        Violation::at(&place, keyword, message)
    };
    let Some(given) = given.as_object() else {
        let expected = "expected an object with units_per_minute, writes_per_minute, concurrency";
        return Err(Error::invalid(vec![at("", "type", expected)]));
    };
    let mut quota = published;
    let mut violations = Vec::new();
    for (name, value) in given {
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        match (name.as_str(), number) {
            ("units_per_minute", Some(units)) => quota.units_per_minute = units,
            ("writes_per_minute", Some(units)) => quota.writes_per_minute = Some(units),
            ("concurrency", Some(number @ 1..=1000)) => {
                quota.concurrency = u16::try_from(number).unwrap_or(u16::MAX);
            }
            ("units_per_minute" | "writes_per_minute", None) => {
                violations.push(at(name, "type", "expected a number of units; 0 for no limit"));
            }
            ("concurrency", _) => {
                violations.push(at(name, "range", "expected a number from 1 to 1000"));
            }
            _ => violations.push(at(
                name,
                "additionalProperties",
                "this setting doesn't exist; use units_per_minute, writes_per_minute or concurrency",
            )),
        }
    }
    if violations.is_empty() {
        Ok(quota)
    } else {
        Err(Error::invalid(violations))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::product::OAuth;

    static PRODUCT: Product = Product {
        quota: Quota {
            units_per_minute: 60,
            writes_per_minute: Some(60),
            concurrency: 4,
        },
        ..Product::BASE
    };

    fn derived(settings: Value) -> Result<DerivedSettings, Vec<String>> {
        let settings: Map<String, Value> = serde_json::from_value(settings).unwrap();
        PRODUCT.derived(&settings).map_err(|error| {
            let places = error.violation_list().iter();
            places.map(|violation| violation.path.clone()).collect()
        })
    }

    #[test]
    fn a_connection_may_have_another_quota() {
        assert_eq!(derived(json!({})).unwrap().quota, None);
        let quota = derived(json!({ "rate_limit": { "units_per_minute": 600, "concurrency": 9 } }));
        assert_eq!(
            quota.unwrap().quota,
            Some(Quota {
                units_per_minute: 600,
                writes_per_minute: Some(60),
                concurrency: 9,
            })
        );
        let quota = derived(json!({ "rate_limit": { "writes_per_minute": 0 } }));
        assert_eq!(quota.unwrap().quota.unwrap().writes_per_minute, Some(0));
    }

    #[test]
    fn scopes_that_stead_does_not_know_are_asked_for() {
        let mut product = Product {
            oauth: OAuth {
                permissions: Permissions::Scopes {
                    always: &[],
                    default: &[],
                },
                ..OAuth::BASE
            },
            ..Product::BASE
        };
        let derived = |product: &Product, scopes: Value| {
            let settings = Map::from_iter([(MORE_SCOPES.to_owned(), scopes)]);
            product
                .derived(&settings)
                .map(|derived| derived.scopes)
                .map_err(|error| error.violation_list()[0].path.clone())
        };
        let scopes = json!(["https://scopes.test/new", "b"]);
        assert_eq!(
            derived(&product, scopes.clone()).unwrap(),
            ["https://scopes.test/new", "b"]
        );
        for wrong in [json!("a"), json!(["a b"]), json!([""]), json!([1])] {
            let place = derived(&product, wrong).unwrap_err();
            assert_eq!(place, "/settings/more_scopes");
        }
        product.oauth.permissions = Permissions::None;
        assert_eq!(
            derived(&product, scopes).unwrap_err(),
            "/settings/more_scopes"
        );
    }

    #[test]
    fn an_invalid_quota_is_refused_with_the_place() {
        for (rate_limit, places) in [
            (json!(7), &["/settings/rate_limit"][..]),
            (json!({ "units": 7 }), &["/settings/rate_limit/units"]),
            (
                json!({ "concurrency": 0, "units_per_minute": -1 }),
                &[
                    "/settings/rate_limit/concurrency",
                    "/settings/rate_limit/units_per_minute",
                ],
            ),
        ] {
            assert_eq!(
                derived(json!({ "rate_limit": rate_limit })).unwrap_err(),
                places
            );
        }
        assert_eq!(derived(json!({ "a": 1 })).unwrap_err(), ["/settings/a"]);
    }
}
