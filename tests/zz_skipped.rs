//! Prints how many tests were skipped and why. Not a test: cargo runs test targets in the order of their names, and this
//! is the last one.
#![allow(clippy::print_stdout, reason = "what it is for")]
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "a module of several binaries")]

#[path = "support/test_data.rs"]
mod test_data;

use std::process::ExitCode;

use test_data::skipped;

fn main() -> ExitCode {
    // `cargo nextest` and `cargo test -- --list` ask for the tests in here: there are none.
    if std::env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let records = skipped::take();
    print!("\n{}\n", skipped::summary(&records));
    if test_data::is_required() && !records.is_empty() {
        println!("SINEW_REQUIRE_TEST_DATA is set: no test may be skipped");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
