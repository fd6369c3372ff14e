//! IDs, secrets and products of a context.

use std::sync::atomic::Ordering;

use super::*;
use crate::testing::{STABLE, World, always, context};

#[test]
fn options_start_with_the_application_as_verifier_and_the_products_own_endpoints() {
    let options = EnvironmentOptions::new("https://stead.test/base").unwrap();
    assert_eq!(options.public_url.as_str(), "https://stead.test/base");
    assert_eq!(options.verification, Verification::Application);
    assert!(options.products.is_empty());
}

#[test]
fn ids_of_one_process_are_ordered_even_within_a_millisecond() {
    let context = context(&World::new(), &STABLE, always(200, ""));
    let ids: Vec<Uuid> = (0..4096 - context.host.counter.load(Ordering::Relaxed))
        .map(|_| context.host.new_id())
        .collect();
    assert!(ids.is_sorted_by(|one, other| one < other));
    assert!(ids.iter().all(|id| id.get_version_num() == 7));
}

#[test]
fn secrets_have_256_bits_and_do_not_repeat() {
    use secrecy::ExposeSecret as _;
    let context = context(&World::new(), &STABLE, always(200, ""));
    let secrets: std::collections::BTreeSet<String> = (0..100)
        .map(|_| context.host.new_secret("stead_").expose_secret().to_owned())
        .collect();
    assert_eq!(secrets.len(), 100);
    assert!(
        secrets
            .iter()
            .all(|secret| secret.len() == "stead_".len() + 43 && secret.starts_with("stead_"))
    );
}

#[test]
fn an_unknown_product_is_answered_with_the_known_ones() {
    let context = context(&World::new(), &STABLE, always(200, ""));
    assert!(
        context
            .products
            .endpoints("mail")
            .err()
            .unwrap()
            .message()
            .ends_with("it has demo")
    );
}
