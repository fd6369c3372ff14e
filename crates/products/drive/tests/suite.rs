//! The product suite.

fn main() -> std::process::ExitCode {
    stead_testkit::suite::main(
        &stead_drive::PRODUCT,
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"),
    )
}
