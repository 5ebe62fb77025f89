//! `sinew` and `sinew FILE` without a display.

use crate::{MANNEQUIN, command, folder};
use sinew_testkit::image::{self, PixelAccess};

#[test]
fn an_image_is_drawn_and_named() {
    for (name, file) in [("alone", None), ("with a file", Some(MANNEQUIN))] {
        let folder = folder(name);
        let output = command([])
            .args(file)
            .current_dir(&folder)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .env_remove("XDG_RUNTIME_DIR")
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{text}");
        assert!(text.contains("sinew.png") && text.lines().count() == 1, "{text}");
        assert_eq!(image::open(&folder.join("sinew.png")).size(), (1280, 720));
    }
}

/// Regression: the option `--framing` was always passed, although projects reject it.
#[test]
fn a_project_is_drawn_with_its_own_camera() {
    let folder = folder("project alone");
    std::fs::write(folder.join("low.sinew"), "version = 1\n[view]\ntarget = [0, 0.2, 0]\ndistance = 2\n")
        .unwrap();
    let output = command(["low.sinew"])
        .current_dir(&folder)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && text.contains("drew low.sinew to sinew.png"), "{text}");
    assert!(folder.join("sinew.png").exists());
}

/// The hand reaches its target, and the head stays over the feet.
#[test]
fn the_built_in_character_reaches_like_a_person() {
    let folder = folder("reaches");
    let arguments =
        ["pose", "--reach=leftHand=0.36,1.86,0.3", "--option=full_body.look=0.5", "-o", "pose.json"];
    let source = include_str!("../../src/cli/default_image.rs");
    assert!(
        arguments[1..3].iter().all(|argument| source.contains(argument)),
        "the image has other arguments"
    );
    assert!(command(arguments).current_dir(&folder).status().unwrap().success());
    let text = std::fs::read_to_string(folder.join("pose.json")).unwrap();
    let pose: serde_json::Value = serde_json::from_str(&text).unwrap();
    let at = |name: &str| {
        let node = pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap();
        [12, 13, 14].map(|i| node["world"][i].as_f64().unwrap())
    };
    assert_eq!(pose["reports"][0]["outcome"], "reached", "{}", pose["reports"]);
    let (head, foot) = (at("head"), at("leftFoot"));
    assert!(head[1] > 1.4 && head[0].abs() < 0.25 && head[2].abs() < 0.25, "{head:?}");
    assert!(foot[1] < 0.12, "the feet must stand: {foot:?}");
}

#[cfg(not(feature = "viewer"))]
#[test]
fn view_without_the_viewer_is_an_error_that_names_the_feature() {
    let expected = "this program was built without the viewer (the feature `viewer`); use `sinew render` to draw without a window";
    assert_eq!(crate::refusal(["view"]), expected);
    assert_eq!(crate::refusal(["view", MANNEQUIN, "--record", "a.session", "--help"]), expected);
}

#[cfg(all(feature = "viewer", target_os = "linux"))]
#[test]
fn view_without_a_display_is_an_error_that_suggests_an_image() {
    let unset = command(["view"]).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let wrong = command(["view"]).env("DISPLAY", ":65000").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let crowd = command(["view", "--crowd=3"]).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output();
    for output in [unset, wrong, crowd.unwrap()] {
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(
            lines.len() == 1
                && lines[0].contains("to draw without a window")
                && !lines[0].contains(".rs:")
                && !lines[0].contains(".;"),
            "{text}"
        );
    }
}
