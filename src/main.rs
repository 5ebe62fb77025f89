//! The program `sinew`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinew::cli::main()
}
