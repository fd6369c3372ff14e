//! Kinds of errors that other tests cause, and a check that those tests exist.

use std::{
    fs,
    path::{Path, PathBuf},
};

use stead_core::ErrorKind;

/// The place of the test or fixture that causes a kind.
pub enum Elsewhere {
    /// A test of this name, in a file that names the kind.
    Test(&'static str),
    /// A fixture of this product.
    FixtureOf(&'static str),
}

/// Kinds that are caused elsewhere.
pub const KINDS: &[(ErrorKind, Elsewhere)] = {
    use Elsewhere::{FixtureOf, Test};
    &[
        (
            ErrorKind::WrongProduct,
            Test("a_connection_of_another_product"),
        ),
        (
            ErrorKind::UnsupportedVersion,
            Test("each_version_can_be_asked_for_and_the_newest_is_the_default"),
        ),
        (
            ErrorKind::KeyUnavailable,
            Test("a_wrong_or_missing_key_opens_no_store"),
        ),
        (
            ErrorKind::IntegrityViolated,
            Test("a_ciphertext_of_another_account_does_not_open"),
        ),
        (
            ErrorKind::ServiceUnavailable,
            Test("a_write_without_a_response_has_an_unknown_outcome"),
        ),
        (
            ErrorKind::StorageUnavailable,
            Test("the_database_of_another_program_is_refused_and_kept"),
        ),
        (
            ErrorKind::IdempotencyMismatch,
            Test("a_hundred_concurrent_equal_writes_reach_the_product_once"),
        ),
        (
            ErrorKind::IdempotencyConflict,
            Test("a_too_large_outcome_is_not_stored_and_its_call_not_repeated"),
        ),
        (
            ErrorKind::IssuerUnavailable,
            Test("an_unreachable_issuer_is_reported_and_cached_keys_still_work"),
        ),
        (
            ErrorKind::RangeNotSatisfiable,
            Test("an_unsatisfiable_range_is_refused_and_an_unsupported_one_ignored"),
        ),
        (
            ErrorKind::SignInFailed,
            Test("a_callback_works_once_within_ten_minutes_in_the_same_browser"),
        ),
        (
            ErrorKind::SignInRefused,
            Test("users_are_allowed_by_email_or_claim_or_both"),
        ),
        (
            ErrorKind::SignInProviderFailed,
            Test("an_unreadable_or_different_provider_stops_the_sign_in"),
        ),
        (
            ErrorKind::RateLimited,
            Test("a_turn_after_the_deadline_is_refused_without_a_reservation"),
        ),
        (
            ErrorKind::Overloaded,
            Test("a_full_server_refuses_requests_and_is_not_ready"),
        ),
        (
            ErrorKind::InsufficientScope,
            Test("every_scope_opens_only_its_routes"),
        ),
        (
            ErrorKind::HostRejected,
            Test("browsers_reach_the_service_only_by_allowed_hosts"),
        ),
        (
            ErrorKind::Internal,
            Test("a_handler_that_panics_ends_in_a_problem"),
        ),
        (ErrorKind::WriteUnconfirmed, FixtureOf("workspace")),
        (ErrorKind::ResultExpired, FixtureOf("warehouse")),
    ]
};

#[test]
fn each_test_listed_for_a_kind_exists_and_names_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["crates", "tests"] {
        collect(&root.join(folder), &mut files);
    }
    for (kind, elsewhere) in KINDS {
        let (named, quoted) = (format!("::{kind:?}"), format!("\"{kind}\""));
        let found = files.iter().any(|(path, text)| match elsewhere {
            Elsewhere::Test(name) => {
                let test = format!("fn {name}()");
                text.contains(&test) && (text.contains(&named) || text.contains(&quoted))
            }
            Elsewhere::FixtureOf(product) => {
                let folder = root.join("crates/products").join(product);
                path.starts_with(folder.join("tests/fixtures")) && text.contains(&quoted)
            }
        });
        assert!(found, "nothing elsewhere provokes {kind}");
    }
}

/// Collects every source and fixture below a folder.
fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "rs" || extension == "json")
            && !path.ends_with("errors/elsewhere.rs")
        {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
}
