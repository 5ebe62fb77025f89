//! Tests of assertions: pass, fail, missing golden, update.

use std::path::PathBuf;

use glam::Quat;

use crate::asset::{self, DecodedImage};
use crate::pose::Pose;

use super::golden_file::source;
use super::*;
use crate::puppet::Puppet;
use crate::scene::ViewSettings;
use crate::view::Camera;

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sinew-assertions-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn golden(&self, file: &str) -> GoldenFile {
        GoldenFile { name: "test".into(), path: self.0.join("goldens").join(file) }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn raised_arm(angle: f32) -> Joints {
    let skeleton = asset::mannequin().unwrap().skeleton;
    let mut pose = Pose::rest(&skeleton);
    pose.locals[skeleton.find("leftLowerArm").unwrap()].rotation *= Quat::from_rotation_y(angle);
    (&skeleton, &pose).joints()
}

fn grey(level: u8) -> Drawn {
    let image = DecodedImage { width: 40, height: 30, rgba: vec![level; 4 * 1200] };
    Drawn::new(image)
}

#[test]
fn a_missing_golden_fails_until_it_is_written_and_a_difference_fails_until_it_is_accepted() {
    let folder = Folder::new("pose");
    let golden = folder.golden("a.json");
    let check =
        |angle: f32, update| compare_pose(&golden, &raised_arm(angle), JointTolerance::default(), update);

    for _ in 0..2 {
        let error = check(0.0, Update::No).unwrap_err();
        assert!(error.starts_with("pose \"test\" has no golden yet\n"), "{error}");
        assert!(error.contains("SINEW_UPDATE=1"), "{error}");
        assert!(!golden.path.exists() && golden.new_path().exists());
    }
    assert_eq!(check(0.0, Update::Failing), Ok(Some(golden.path.clone())));
    assert!(golden.path.exists() && !golden.new_path().exists());
    assert_eq!(check(0.0, Update::No), Ok(None));
    // An assertion that passes is not written again.
    assert_eq!(check(0.0, Update::Failing), Ok(None));
    assert_eq!(check(0.0, Update::All), Ok(Some(golden.path.clone())));

    let error = check(0.1, Update::No).unwrap_err();
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].ends_with("joints are beyond the tolerance of 0.0100 mm and 0.0057°"), "{error}");
    assert_eq!(lines[1], "  leftMiddleDistal moved the most, by 27.45 mm");
    assert!(lines[2].trim_start().starts_with("joint"), "{error}");
    // The turned joint comes before the joints that it moved.
    assert_eq!(lines[3].split_whitespace().collect::<Vec<_>>(), ["leftLowerArm", "0", "mm", "5.73°"]);
    assert!(lines[13].ends_with("and 7 more"), "{error}");
    assert!(error.contains(".new.json") && golden.new_path().exists(), "{error}");
    let loose = JointTolerance { distance: 0.1, angle: 0.11 };
    assert_eq!(compare_pose(&golden, &raised_arm(0.1), loose, Update::No), Ok(None));
    assert!(!golden.new_path().exists(), "a test that passes removes what it left");
    assert!(check(0.1, Update::Failing).unwrap().is_some());
    assert_eq!(check(0.1, Update::No), Ok(None));

    // Another skeleton.
    let error = compare_pose(&golden, &Joints::none(), loose, Update::No).unwrap_err();
    assert!(error.contains("0 nodes instead of "), "{error}");
    // A damaged golden is reported, and can be replaced.
    std::fs::write(&golden.path, "{").unwrap();
    let error = check(0.1, Update::No).unwrap_err();
    assert!(error.contains("a.json: EOF while parsing"), "{error}");
    assert!(check(0.1, Update::Failing).unwrap().is_some());
}

#[test]
fn an_image_that_differs_is_written_with_an_image_of_the_differences() {
    let folder = Folder::new("image");
    let golden = folder.golden("a.png");
    let tolerance = ImageTolerance::default();
    let check = |level: u8, update| compare_image(&golden, &grey(level), Some(tolerance), &|_| None, update);
    let error = check(100, Update::No).unwrap_err();
    assert!(error.starts_with("image \"test\" has no golden yet"), "{error}");
    assert!(check(100, Update::Failing).unwrap().is_some());
    assert_eq!(check(102, Update::No), Ok(None), "two levels are tolerated");
    let error = check(200, Update::No).unwrap_err();
    assert!(error.contains("1200 pixels differ by more than 2 levels, at most by 100"), "{error}");
    assert!(error.contains("mean FLIP error") && error.contains("(limit 0.04) at pixel "), "{error}");
    assert!(golden.new_path().exists() && golden.difference_path().exists());
    let loose = ImageTolerance { mean: 1.0, worst: 1.0, ..tolerance };
    assert_eq!(compare_image(&golden, &grey(200), Some(loose), &|_| None, Update::No), Ok(None));
    assert!(!golden.new_path().exists() && !golden.difference_path().exists());

    let mut small = grey(100);
    (small.image.height, small.image.rgba) = (29, vec![100; 4 * 40 * 29]);
    let error = compare_image(&golden, &small, Some(tolerance), &|_| None, Update::No).unwrap_err();
    assert!(error.contains("its size is 40x29 instead of 40x30"), "{error}");
    small.image.rgba.pop();
    let error = compare_image(&golden, &small, Some(tolerance), &|_| None, Update::All).unwrap_err();
    assert!(error.contains("40x29 pixels cannot have 4639 bytes"), "{error}");
}

#[test]
fn goldens_are_named_after_their_module_and_test() {
    let site = crate::__sinew_call_site!();
    let name = |site: &CallSite, name: Option<&str>| {
        let golden = GoldenFile::new(site, name, "json").unwrap();
        assert!(golden.path.parent().unwrap().ends_with("src/regress/assertions/goldens"));
        golden.path.file_name().unwrap().to_str().unwrap().to_owned()
    };
    let prefix = "sinew_regress__assertions__tests__";
    let test = "goldens_are_named_after_their_module_and_test";
    assert_eq!(name(&site, None), format!("{prefix}{test}.json"));
    // The counter belongs to the test, not to a line in it.
    let inner = || crate::__sinew_call_site!();
    assert_eq!(name(&inner(), None), format!("{prefix}{test}-2.json"));
    assert_eq!(name(&site, Some("left hand: up")), format!("{prefix}left-hand--up.json"));
    assert_eq!(name(&site, Some("left hand: up")), format!("{prefix}left-hand--up.json"));
    let error = GoldenFile::new(&site, Some("left-hand//up"), "json").unwrap_err();
    assert!(error.starts_with("the names \"left hand: up\" and \"left-hand//up\" have the same"), "{error}");
    for empty in ["", "../..", "-"] {
        let error = GoldenFile::new(&site, Some(empty), "json").unwrap_err();
        assert!(error.ends_with("must contain a letter or a digit"), "{error}");
    }
    let lost = CallSite { file: "src/nowhere.rs", ..site };
    let error = GoldenFile::new(&lost, Some("a"), "json").unwrap_err();
    assert!(error.starts_with("the source file src/nowhere.rs of the assertion is not in "), "{error}");
}

#[test]
fn source_files_are_found_from_packages_of_a_workspace() {
    let folder = Folder::new("workspace");
    let workspace = folder.0.join("workspace");
    let package = workspace.join("crates/a");
    for file in ["tests/x.rs", "workspace/tests/x.rs", "workspace/crates/a/tests/x.rs"] {
        let path = folder.0.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    // The root package, a member, and a member that is a workspace of its own.
    let from = |manifest: &Path, file: &str| source(manifest, Path::new(file));
    assert_eq!(from(&workspace, "tests/x.rs"), Some(workspace.join("tests/x.rs")));
    assert_eq!(from(&package, "crates/a/tests/x.rs"), Some(package.join("tests/x.rs")));
    assert_eq!(from(&package, "tests/x.rs"), Some(package.join("tests/x.rs")));
    assert_eq!(from(&package, "tests/y.rs"), None);
}

#[test]
fn the_variable_has_three_values() {
    assert_eq!(Update::parse(""), Ok(Update::No));
    assert_eq!(Update::parse("0"), Ok(Update::No));
    assert_eq!(Update::parse("1"), Ok(Update::Failing));
    assert_eq!(Update::parse("all"), Ok(Update::All));
    assert_eq!(Update::parse("yes").unwrap_err(), "SINEW_UPDATE is \"yes\", but must be 0, 1 or all");
}

/// A wrist that turns by two degrees is within the FLIP tolerance, but is found and named.
#[test]
fn a_puppet_that_moves_slightly_fails_with_a_sentence_about_it() {
    let folder = Folder::new("explained");
    let golden = folder.golden("a.png");
    let mut puppet = Puppet::new(asset::mannequin().unwrap(), 0);
    puppet.update().unwrap();
    let bounds = puppet.bounds();
    let settings = ViewSettings::new(Camera::framing(&bounds, 0.8, 1.0), bounds);
    let check = |puppet: &Puppet, tolerance, update| {
        let subject = (puppet, &settings);
        let drawn = subject.drawn().unwrap();
        compare_image(&golden, &drawn, tolerance, &|golden| subject.explain(golden, &drawn), update)
    };
    check(&puppet, None, Update::Failing).unwrap();
    assert_eq!(check(&puppet, None, Update::No), Ok(None));
    let mut pose = Pose::rest(&puppet.character().skeleton);
    pose.locals[puppet.character().skeleton.find("leftHand").unwrap()].rotation *=
        Quat::from_rotation_y(0.035);
    puppet.follow(&pose, &[]).unwrap();
    let error = check(&puppet, None, Update::No).unwrap_err();
    assert!(
        error.contains("  Moved: left hand ") && error.contains("joint `leftHand` turned 2.01°"),
        "{error}"
    );
    assert_eq!(check(&puppet, Some(ImageTolerance::default()), Update::No), Ok(None));
}
