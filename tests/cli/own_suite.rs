//! The project's own regression suite.

use crate::sinew;

/// If this fails because of an intended change, see tests/suite/suite.toml.
#[test]
fn images_and_joints_match_the_goldens() {
    let output = sinew(["test", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/suite.toml")]);
    let text = String::from_utf8(output.stdout).unwrap();
    let failed: Vec<&str> = text.lines().filter(|l| !l.starts_with("passed")).collect();
    assert!(output.status.success(), "{}{}", failed.join("\n"), String::from_utf8_lossy(&output.stderr));
    assert!(text.lines().count() > 150, "{text}");
}
