//! Prints how many tests were skipped and why. This target has no tests. Its name makes it the last target, because
//! cargo runs test targets in the order of their names.
#![allow(clippy::print_stdout, reason = "it prints a summary")]
use std::process::ExitCode;

use sinew_testkit::skipped;

fn main() -> ExitCode {
    // `cargo nextest` and `cargo test -- --list` list the tests of this target. There are none.
    if std::env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let records = skipped::take();
    print!("\n{}\n", skipped::summary(&records));
    if sinew_testkit::is_required() && !records.is_empty() {
        println!("error: SINEW_REQUIRE_TEST_DATA is set, so no test may be skipped");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
