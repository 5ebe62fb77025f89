//! The `sinew` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinew::cli::main()
}
