//! Faults on demand.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

/// A fault of the products, or a change of the sandbox's world.
///
/// Add one with [`crate::Sandbox::fault`], or as JSON with `POST /sandbox/faults`. In JSON, `kind` is the name in
/// snake_case: `{"kind": "error", "status": 429, "reason": "rateLimitExceeded", "times": 2}`.
///
/// `times` is the number of requests that the fault applies to. The default in JSON is 1, except for
/// [`RawHeaders`](Self::RawHeaders). `host` is a real host name. Without it, the fault applies to every host that
/// accepts access tokens, but not to the authorization server. `path_contains` narrows it further. Planned faults apply
/// in the order in which you added them, one per request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Fault {
    /// Live access tokens, of one user or of all, expire immediately.
    ExpireAccessTokens {
        /// Email address.
        #[serde(default)]
        user: Option<String>,
    },
    /// The user, or every user, revokes all permissions.
    Revoke {
        /// Email address.
        #[serde(default)]
        user: Option<String>,
    },
    /// How refresh tokens behave from now on.
    Rotation {
        /// The mode.
        mode: RotationMode,
    },
    /// The next consent loses this scope, even if it is ticked.
    DropScope {
        /// The scope's full name.
        scope: String,
    },
    /// Lifetime of access tokens that are issued from now on.
    TokenLifetime {
        /// Seconds, given to the client as `expires_in`.
        seconds: u32,
    },
    /// Valid access tokens are refused with 401.
    Unauthorized {
        /// How many requests.
        #[serde(default = "once")]
        times: u32,
    },
    /// An error in the product's own shape. The product doesn't process the request.
    Error {
        /// The host. Every product if absent.
        #[serde(default)]
        host: Option<String>,
        /// Part of the path.
        #[serde(default)]
        path_contains: Option<String>,
        /// HTTP status.
        status: u16,
        /// The product's reason, such as `rateLimitExceeded`, `backendError` or, in the newer style,
        /// `RATE_LIMIT_EXCEEDED`.
        reason: String,
        /// The product's message. If absent, one that fits the reason.
        #[serde(default)]
        message: Option<String>,
        /// Value of the header `Retry-After`: seconds or an HTTP date. JSON may also give a number.
        #[serde(default, deserialize_with = "text_or_number")]
        retry_after: Option<String>,
        /// How many requests.
        #[serde(default = "once")]
        times: u32,
    },
    /// An error of the token endpoint, which doesn't process the request.
    TokenError {
        /// OAuth error code, such as `temporarily_unavailable`.
        error: String,
        /// HTTP status.
        status: u16,
        /// How many requests.
        #[serde(default = "once")]
        times: u32,
    },
    /// The request is processed, but its response waits until the sandbox is reset.
    Stall {
        /// The host. Every product if absent.
        #[serde(default)]
        host: Option<String>,
        /// Part of the path.
        #[serde(default)]
        path_contains: Option<String>,
        /// How many requests.
        #[serde(default = "once")]
        times: u32,
    },
    /// The request is processed, but the connection closes after half of the response's body.
    Cut {
        /// The host. Every product if absent.
        #[serde(default)]
        host: Option<String>,
        /// Part of the path.
        #[serde(default)]
        path_contains: Option<String>,
        /// How many requests.
        #[serde(default = "once")]
        times: u32,
    },
    /// The request is processed, but the connection closes without a response.
    #[serde(alias = "cut_before_answer")]
    CutBeforeResponse {
        /// The host. Every product if absent.
        #[serde(default)]
        host: Option<String>,
        /// Part of the path.
        #[serde(default)]
        path_contains: Option<String>,
        /// How many requests.
        #[serde(default = "once")]
        times: u32,
    },
    /// A message disappears, as if its owner had deleted it permanently.
    DeleteMessage {
        /// The message's ID.
        id: String,
    },
    /// All attachment IDs that the sandbox has given out are refused from now on.
    StaleAttachments,
    /// A redirect (302) instead of the product's response.
    Redirect {
        /// The host. Every product if absent.
        #[serde(default)]
        host: Option<String>,
        /// Part of the path.
        #[serde(default)]
        path_contains: Option<String>,
        /// Value of the header `Location`.
        location: String,
        /// How many requests.
        #[serde(default = "once")]
        times: u32,
    },
    /// A response of `bytes` bytes of valid JSON, generated while it is sent.
    HugeBody {
        /// The host. Every product if absent.
        #[serde(default)]
        host: Option<String>,
        /// Part of the path.
        #[serde(default)]
        path_contains: Option<String>,
        /// Size of the body in bytes.
        bytes: u64,
        /// How many requests.
        #[serde(default = "once")]
        times: u32,
    },
    /// A page of HTML with status 200 instead of the product's response.
    NotJson {
        /// The host. Every product if absent.
        #[serde(default)]
        host: Option<String>,
        /// Part of the path.
        #[serde(default)]
        path_contains: Option<String>,
        /// How many requests.
        #[serde(default = "once")]
        times: u32,
    },
    /// The sandbox's clock advances.
    Advance {
        /// Seconds.
        seconds: u32,
    },
    /// Responses also carry these headers, even if another fault applies to the same request.
    RawHeaders {
        /// Names and values.
        headers: BTreeMap<String, String>,
        /// The host. Every product if absent.
        #[serde(default)]
        host: Option<String>,
        /// Part of the path.
        #[serde(default)]
        path_contains: Option<String>,
        /// How many requests. All until the reset if absent.
        #[serde(default)]
        times: Option<u32>,
    },
    /// Notion's integrations lose a capability, such as `insert_comments`, until the reset.
    LoseCapability {
        /// Name in snake_case.
        capability: String,
    },
    /// Notion saves a write, but responds 503 and says what it saved.
    SavedButUnavailable {
        /// Part of the path.
        #[serde(default)]
        path_contains: Option<String>,
        /// How many requests.
        #[serde(default = "once")]
        times: u32,
    },
    /// The token endpoint processes requests, but holds its responses.
    HoldTokenRequests,
    /// The token endpoint sends the responses that it held.
    ReleaseTokenRequests,
}

/// How a refresh token changes when the client uses it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RotationMode {
    /// It stays valid and the client gets no new one, as at Google.
    #[default]
    Stable,
    /// The client gets a new one, and the old one stops working.
    Rotating,
    /// The same, and using an old one revokes the whole grant.
    Strict,
}

impl Fault {
    /// Whether the fault waits for requests that it applies to.
    pub(crate) fn is_planned(&self) -> bool {
        self.times() > 0 || matches!(self, Self::RawHeaders { .. })
    }

    /// How many requests the fault applies to.
    pub(crate) fn times(&self) -> u32 {
        match self {
            Self::Unauthorized { times }
            | Self::Error { times, .. }
            | Self::TokenError { times, .. }
            | Self::Stall { times, .. }
            | Self::Cut { times, .. }
            | Self::CutBeforeResponse { times, .. }
            | Self::Redirect { times, .. }
            | Self::HugeBody { times, .. }
            | Self::SavedButUnavailable { times, .. }
            | Self::NotJson { times, .. } => *times,
            _ => 0,
        }
    }

    /// The host and the part of the path to which the fault is limited.
    pub(crate) fn target(&self) -> (Option<&str>, Option<&str>) {
        let (host, path) = match self {
            Self::SavedButUnavailable { path_contains, .. } => (&None, path_contains),
            Self::Error {
                host,
                path_contains,
                ..
            }
            | Self::Stall {
                host,
                path_contains,
                ..
            }
            | Self::Cut {
                host,
                path_contains,
                ..
            }
            | Self::CutBeforeResponse {
                host,
                path_contains,
                ..
            }
            | Self::Redirect {
                host,
                path_contains,
                ..
            }
            | Self::HugeBody {
                host,
                path_contains,
                ..
            }
            | Self::NotJson {
                host,
                path_contains,
                ..
            }
            | Self::RawHeaders {
                host,
                path_contains,
                ..
            } => (host, path_contains),
            _ => (&None, &None),
        };
        (host.as_deref(), path.as_deref())
    }
}

fn once() -> u32 {
    1
}

fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Number(u64),
    }
    Ok(
        Option::<Either>::deserialize(deserializer)?.map(|either| match either {
            Either::Text(text) => text,
            Either::Number(number) => number.to_string(),
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_strictly() {
        let fault: Fault = serde_json::from_str(
            r#"{"kind":"error","status":429,"reason":"rateLimitExceeded","retry_after":3}"#,
        )
        .unwrap();
        assert_eq!(
            fault,
            Fault::Error {
                host: None,
                path_contains: None,
                status: 429,
                reason: "rateLimitExceeded".to_owned(),
                message: None,
                retry_after: Some("3".to_owned()),
                times: 1,
            }
        );
        let unknown = serde_json::from_str::<Fault>(r#"{"kind":"unauthorized","time":2}"#);
        assert!(unknown.is_err());
        let none = serde_json::from_str::<Fault>(r#"{"kind":"stale_attachments"}"#);
        assert_eq!(none.unwrap(), Fault::StaleAttachments);
    }
}
