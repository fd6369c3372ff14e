//! The page to open after signing in. Only pages of the dashboard are allowed.

/// The dashboard's first page.
const START: &str = "/dashboard";

/// A path of the dashboard with its query. For anything else, the first page.
pub(crate) fn local(given: Option<&str>) -> &str {
    let Some(path) = given else {
        return START;
    };
    let rest = path.strip_prefix(START);
    let is_below = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
    let is_plain = path
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let leaves = path.contains("..") || path.contains("//");
    if is_below && is_plain && !leaves && path.len() <= 1000 {
        path
    } else {
        START
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_dashboard_count() {
        for good in ["/dashboard", "/dashboard?a=b", "/dashboard/tools/a%2Fb?c=d"] {
            assert_eq!(local(Some(good)), good);
        }
        let long = format!("/dashboard/{}", "x".repeat(1000));
        for wrong in [
            "",
            "/",
            "/v1/accounts",
            "/dashboards",
            "dashboard",
            "//evil.example/dashboard",
            "/dashboard//evil.example",
            "/dashboard/../..",
            "/\\evil.example",
            "/dashboard\\..\\evil",
            "https://evil.example/dashboard",
            "/dashboard@evil.example",
            "/dashboard/a b",
            "/dashboard/\r\nLocation: x",
            "/dashboard/ü",
            &long,
        ] {
            assert_eq!(local(Some(wrong)), START, "{wrong}");
        }
        assert_eq!(local(None), START);
    }
}
