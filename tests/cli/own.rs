//! The project's own suite.

use crate::sinew;

/// See tests/suite/suite.toml for what to do where this fails because something was meant to change.
#[test]
fn what_sinew_draws_and_solves_has_not_changed() {
    let output = sinew(["test", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/suite.toml")]);
    let told = String::from_utf8(output.stdout).unwrap();
    let failed: Vec<&str> = told.lines().filter(|l| !l.starts_with("passed")).collect();
    assert!(output.status.success(), "{}{}", failed.join("\n"), String::from_utf8_lossy(&output.stderr));
    assert!(told.lines().count() > 150, "{told}");
}
