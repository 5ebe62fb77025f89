//! Prints how many tests were skipped and why. This target has no tests. Its name makes it the last target, because
//! cargo runs test targets in the order of their names.
#![allow(clippy::print_stdout, reason = "it prints a summary")]
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "the module is shared by several binaries"
)]

#[path = "support/test_data.rs"]
mod test_data;

use std::process::ExitCode;

use test_data::skipped;

fn main() -> ExitCode {
    // `cargo nextest` and `cargo test -- --list` list the tests of this target. There are none.
    if std::env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let records = skipped::take();
    print!("\n{}\n", skipped::summary(&records));
    if test_data::is_required() && !records.is_empty() {
        println!("error: SINEW_REQUIRE_TEST_DATA is set, so no test may be skipped");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
