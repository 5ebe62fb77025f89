//! `sinew test --accept` and `--case`.

use std::fs;

use super::{code_and_lines, edit, suite_with_goldens};
use crate::{refusal, stdout};

#[test]
fn accepted_results_become_goldens_byte_by_byte() {
    let (folder, suite) = suite_with_goldens("suite-accept");
    let goldens = folder.join("goldens");
    edit(&suite, "animation-time = 0.4", "animation-time = 0.5");
    edit(&suite, "animation-time = [0, 0.5]", "animation-time = [0, 0.25]");
    fs::remove_file(goldens.join("rest.png")).unwrap();
    assert_eq!(code_and_lines(["test", &suite]).0, 1);
    let names = ["rest.png", "wave.png", "wave.json", "walk-0.25-mask.png"];
    let new = |name: &str| name.rsplit_once('.').map(|(stem, kind)| format!("{stem}.new.{kind}")).unwrap();
    let results = names.map(|name| fs::read(goldens.join(new(name))).unwrap());
    let other = fs::read(goldens.join("walk-0.25-normal.new.png")).unwrap();
    let reach = fs::read(goldens.join("reach.png")).unwrap();
    let printed = stdout(["test", &suite, "--accept", "wave", "rest", "--accept", "walk 0.25 mask"]);
    let lines: Vec<&str> = printed.lines().collect();
    let path = |name: &str| format!("accepted {}", goldens.join(name).display());
    let expected =
        ["rest.png", "wave.png", "wave.json", "walk-0.25-mask.png", "walk-0.25-mask.json"].map(path);
    assert_eq!(lines, expected);
    assert_eq!(names.map(|name| fs::read(goldens.join(name)).unwrap()), results);
    assert!(names.iter().all(|name| !goldens.join(new(name)).exists()));
    // The other cases do not change.
    assert_eq!(fs::read(goldens.join("walk-0.25-normal.new.png")).unwrap(), other);
    assert_eq!(fs::read(goldens.join("reach.png")).unwrap(), reach);
    let (code, lines) = code_and_lines(["test", &suite]);
    let failed: Vec<&String> =
        lines.iter().filter(|l| !l.starts_with("passed") && !l.starts_with(' ')).collect();
    assert!(code == 1 && failed.len() == 1 && failed[0].starts_with("missing walk 0.25 normal"), "{lines:?}");
}

#[test]
fn nothing_is_accepted_if_one_name_or_result_is_wrong() {
    let (folder, suite) = suite_with_goldens("suite-accept-wrong");
    let goldens = folder.join("goldens");
    edit(&suite, "animation-time = 0.4", "animation-time = 0.5");
    assert_eq!(code_and_lines(["test", &suite]).0, 1);
    let before = fs::read(goldens.join("wave.png")).unwrap();
    let error = refusal(["test", &suite, "--accept", "wave", "wav"]);
    assert_eq!(error, format!("{suite}: case \"wav\" does not exist; did you mean \"wave\"?"));
    let error = refusal(["test", &suite, "--accept", "wave", "rest"]);
    let missing = goldens.join("rest.new.png");
    let cause = format!("{} does not exist, which a failed run writes", missing.display());
    assert_eq!(error, format!("{suite}: case \"rest\" has nothing to accept; {cause}"));
    // A truncated image, and files that are not images.
    let result = goldens.join("wave.new.png");
    let image = fs::read(&result).unwrap();
    for bytes in [&image[..image.len() / 2], b"GIF89a", b""] {
        fs::write(&result, bytes).unwrap();
        let error = refusal(["test", &suite, "--accept", "wave"]);
        assert!(error.starts_with(&format!("{}: ", result.display())), "{error}");
    }
    fs::write(&result, image).unwrap();
    let joints = goldens.join("wave.new.json");
    fs::write(&joints, "{}").unwrap();
    let error = refusal(["test", &suite, "--accept", "wave"]);
    assert!(error.starts_with(&format!("{}: missing field", joints.display())), "{error}");
    assert_eq!(fs::read(goldens.join("wave.png")).unwrap(), before);
    for option in ["--update", "--prune", "--list", "--case=wave", "--filter=wave", "--report=r.html"] {
        let error = refusal(["test", &suite, option, "--accept", "wave"]);
        assert!(error.contains("cannot be used with"), "{option}: {error}");
    }
    assert!(refusal(["test", &suite, "--accept"]).contains("--accept"), "a name is missing");
}

#[test]
fn a_case_that_compares_only_its_report_has_nothing_to_accept() {
    let (_, suite) = suite_with_goldens("suite-accept-report");
    edit(&suite, "compare = [\"image\", \"joints\", \"report\"]", "compare = [\"report\"]");
    let error = refusal(["test", &suite, "--accept", "reach"]);
    let expected = "case \"reach\" has nothing to accept; it compares no image and no joints";
    assert_eq!(error, format!("{suite}: {expected}"));
}

#[test]
fn a_case_is_selected_by_its_exact_name() {
    let (_, suite) = suite_with_goldens("suite-case");
    let list = |arguments: [&str; 2]| stdout(["test", &suite, "--list", arguments[0], arguments[1]]);
    assert_eq!(list(["--case", "walk 0 mask"]), "walk 0 mask\n");
    assert_eq!(list(["--case=wave", "--case=rest"]), "rest\nwave\n");
    assert_eq!(list(["--case=wave", "--filter=0.5"]), "wave\nwalk 0.5 normal\nwalk 0.5 mask\n");
    let error = refusal(["test", &suite, "--case", "walk 0"]);
    assert!(error.starts_with(&format!("{suite}: case \"walk 0\" does not exist; ")), "{error}");
}
