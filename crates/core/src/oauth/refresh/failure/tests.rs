//! The errors that callers get while they wait for a refresh.

use super::*;

#[test]
fn an_unavailable_refresh_has_a_retry_after() {
    for (after, expected) in [(None, 2), (Some(7), 7), (Some(0), 1)] {
        let error = refresh_unavailable("busy", after.map(Duration::from_secs));
        assert_eq!(error.kind(), ErrorKind::RefreshUnavailable);
        assert_eq!(error.retry_after(), Some(Duration::from_secs(expected)));
        assert_eq!(error.context()["product_message"], "busy");
    }
}
