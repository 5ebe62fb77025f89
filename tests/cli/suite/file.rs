//! `sinew test`: suite files, with their errors, defaults and limits on size.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::code_and_lines;
use crate::{folder, refusal, sinew, stdout};

#[test]
fn errors_in_a_suite_name_the_line() {
    let folder = folder("suite-faults");
    let suite = folder.join("suite.toml");
    let refused = |text: &str| {
        fs::write(&suite, text).unwrap();
        refusal(["test", suite.to_str().unwrap()]).rsplit_once("suite.toml: ").unwrap().1.to_owned()
    };
    let case = |rest: &str| refused(&format!("version = 1\n[[case]]\nname = \"a\"\n{rest}\n"));
    for (error, expected) in [
        (refused("version = 2"), "line 1: version must be 1"),
        (refused("[[case]]"), "line 1: version is missing"),
        (refused("version = 1\nversion = 1"), "line 2: duplicate key"),
        (refused("version = 1\n[[case]]\nmode = \"mask\""), "line 2: a case needs a name"),
        (
            refused("version = 1\n[[case]]\nname = \"a\"\n[[case]]\nname = \"A!\""),
            "line 4: case \"A!\" has the same",
        ),
        (refused("version = 1\n[[matrix]]\nname = \"a\"\nmode = []"), "line 4: mode is an empty list"),
        (case("methd = \"ccd\""), "line 4: unknown key \"methd\"; similar keys: method"),
        (case("adapter = \"cpu\""), "line 4: unknown key \"adapter\""),
        (case("compare = [\"sound\"]"), "line 4: compare must be a list of"),
        (case("compare = [\"report\"]"), "line 4: to compare the report, set outcome or error"),
        (case("outcome = \"near\""), "line 4: outcome must be one of"),
        (case("mean = -1"), "line 4: mean must be a number from 0 to 1"),
        (case("worst = 7"), "line 4: worst must be a number from 0 to 1"),
        (case("distance = -1"), "line 4: distance must be a number of at least 0"),
        (case("levels = 256"), "line 4: levels must be an integer from 0 to 255"),
        (case("tolerate = \"always\""), "line 4: unknown key \"tolerate\""),
        (case("no-limits = 3"), "line 4: no-limits must be true or false"),
        (refused("version = 1\n\n[[case]]\n"), "line 3: a case needs a name"),
        (refused("version = 1\n[[matrix]]\nname = \"a\"\nmean = [0.1,\n-2]"), "line 5: mean must be"),
        (refused("version = 1\n[defaults]\nmean = -1\n[[case]]\nname = \"a\""), "line 3: mean must be"),
    ] {
        assert!(error.starts_with(expected), "{error:?} is not {expected:?}");
    }
    // An invalid option value is an error of the case, not of the suite.
    fs::write(&suite, "version = 1\n[[case]]\nname = \"a\"\nmode = \"loud\"\n").unwrap();
    let (code, lines) = code_and_lines(["test", suite.to_str().unwrap()]);
    assert_eq!(code, 1);
    assert!(lines[0].starts_with("broken  a") && lines[1].contains("loud"), "{lines:?}");
    fs::write(&suite, "version = 1\n[[case]]\nname = \"a\"\ntolerance = -1\n").unwrap();
    let (_, lines) = code_and_lines(["test", suite.to_str().unwrap()]);
    assert!(lines[1].contains("--tolerance") && lines[1].contains("must be a positive"), "{lines:?}");
}

#[test]
fn defaults_apply_to_cases_that_support_them() {
    let folder = folder("suite-defaults");
    let suite = folder.join("suite.toml");
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/drag.session");
    let text = |more: &str| {
        format!(
            r#"version = 1
[defaults]
resolution = [48, 30]
compare = ["image", "report"]
outcome = "reached"
error = 1e-3
fps = 6
frames = [1]
[[case]]
name = "reach"
reach = "leftHand=0.4,1.2,0.3"
[[case]]
name = "far"
reach = "leftHand=0.4,1.2,5.3"
[[case]]
name = "rest"
[[case]]
name = "session"
replay = '{}'
{more}"#,
            session.display()
        )
    };
    fs::write(&suite, text("")).unwrap();
    let (code, lines) = code_and_lines(["test", suite.to_str().unwrap(), "--update"]);
    let output = lines.join("\n");
    assert_eq!(code, 1, "{output}");
    for expected in ["updated reach", "failed  far", "updated rest", "updated session frame 1"] {
        assert!(output.contains(expected), "{output}");
    }
    // Keys that are set in a case itself must be valid for it.
    for (more, expected) in [
        ("error = 1e-3", "line 17: a replayed session compares image and joints"),
        ("[[case]]\nname = \"b\"\nfps = 3", "line 22: frames and fps need a session"),
    ] {
        fs::write(&suite, text(more)).unwrap();
        let error = refusal(["test", suite.to_str().unwrap()]);
        assert!(error.contains(expected), "{error:?} is not {expected:?}");
    }
    fs::write(&suite, "version = 1\n[[case]]\nname = \"a\"\nerror = 1").unwrap();
    let (code, lines) = code_and_lines(["test", suite.to_str().unwrap(), "--update"]);
    assert!(code == 1 && lines.iter().any(|l| l.contains("the case has no goals")), "{lines:?}");
}

#[test]
fn too_many_cases_are_refused() {
    let folder = folder("suite-many");
    let suite = folder.join("suite.toml");
    let names: String = (0..=100_000).map(|n| format!("[[case]]\nname=\"{n}\"\n")).collect();
    fs::write(&suite, format!("version = 1\n{names}")).unwrap();
    let error = refusal(["test", suite.to_str().unwrap(), "--list"]);
    assert!(error.contains("line 200002: too many cases"), "{error}");
    // Each frame of a session is a case, and the session's joints are one additional case.
    let session = |frames: String, compare: &str| {
        let case =
            format!("[[case]]\nname=\"s\"\nreplay=\"a.session\"\ncompare=[{compare}]\nframes=[{frames}]\n");
        fs::write(&suite, format!("version = 1\n{case}")).unwrap();
        sinew(["test", suite.to_str().unwrap(), "--list"])
    };
    let numbers = |to: usize| (0..to).map(|n| format!("{n},")).collect::<String>();
    for compare in ["\"image\"", "\"joints\"", "\"image\",\"joints\""] {
        let output = session(numbers(100_000), compare);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && error.contains("line 2: too many cases"), "{error}");
    }
    let output = session(numbers(99_999), "\"image\"");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 99_999);
}

/// Regression test: the time to read a suite was quadratic in the number of cases, so this suite took minutes.
#[test]
fn the_maximum_number_of_cases_is_read_quickly() {
    let suite = folder("suite-long").join("suite.toml");
    let names: String = (0..100_000).map(|n| format!("[[case]]\nname=\"{n}\"\n")).collect();
    fs::write(&suite, format!("version = 1\n{names}")).unwrap();
    let started = Instant::now();
    let listed = stdout(["test", suite.to_str().unwrap(), "--list"]);
    assert_eq!(listed.lines().count(), 100_000);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// A default is copied to each case, so a small file could otherwise fill the memory.
#[test]
fn the_total_size_of_all_options_is_limited() {
    let suite = folder("suite-large").join("suite.toml");
    let reach = "\"hand=0,0,0\",".repeat(3000);
    let modes = "\"mask\",".repeat(3000);
    let text =
        format!("version = 1\n[defaults]\nreach = [{reach}]\n[[matrix]]\nname = \"a\"\nmode = [{modes}]\n");
    fs::write(&suite, text).unwrap();
    let error = refusal(["test", suite.to_str().unwrap(), "--list"]);
    assert!(error.contains("line 4: the options of all cases exceed 67108864 bytes"), "{error}");
}
