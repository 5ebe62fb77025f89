//! `sinew render`.

use std::path::Path;

use crate::support::picture::{self, Look};
use crate::{command, folder, refusal, sinew, stdout};

#[test]
fn a_picture_has_the_size_and_channels_that_were_asked_for() {
    let folder = folder("sizes");
    let (solid, clear) = (folder.join("solid.png"), folder.join("clear.png"));
    stdout(["render", "--adapter", "cpu", "--resolution", "90,50", "-o", solid.to_str().unwrap()]);
    assert_eq!((picture::open(&solid).size(), picture::has_alpha(&solid)), ((90, 50), false));
    let background = ["--background", "transparent"];
    stdout(["render", "--resolution", "50,90", background[0], background[1], "-o", clear.to_str().unwrap()]);
    let seen = picture::open(&clear);
    assert_eq!((seen.size(), picture::has_alpha(&clear)), ((50, 90), true));
    assert_eq!([seen.at(0, 0)[3], seen.at(25, 45)[3]], [0, 255]);
}

#[test]
fn every_mode_and_both_sample_counts() {
    let folder = folder("modes");
    let mut seen = Vec::new();
    for mode in ["shaded", "lambert", "normal", "mask", "skeleton"] {
        for samples in ["1", "4"] {
            let path = folder.join(format!("{mode}{samples}.png"));
            let path = path.to_str().unwrap();
            stdout(["render", "--mode", mode, "--samples", samples, "--resolution", "64,48", "-o", path]);
            seen.push(picture::open(Path::new(path)).rgb());
        }
    }
    for (i, a) in seen.iter().enumerate() {
        assert!(seen.iter().skip(i + 1).all(|b| a != b), "{i}");
    }
}

#[test]
fn a_sequence_is_numbered_and_moves() {
    let folder = folder("sequence");
    let pattern = folder.join("{frame:03}.png");
    let wave = ["--animation", "wave", "--frames", "2..5", "--fps", "6"];
    let [a, b, c, d, e, f] = wave;
    stdout(["render", a, b, c, d, e, f, "--resolution", "80,60", "-o", pattern.to_str().unwrap()]);
    let mut names: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["002.png", "003.png", "004.png"]);
    assert_ne!(picture::open(&folder.join("002.png")), picture::open(&folder.join("004.png")));
}

#[test]
fn every_placeholder_of_a_name_is_filled() {
    let folder = folder("placeholders");
    std::fs::create_dir(folder.join("7")).unwrap();
    let pattern = folder.join("{frame}").join("a{frame:03}-{frame:02}.png");
    let pattern = pattern.to_str().unwrap();
    let wave = ["render", "--animation", "wave", "--frames", "7..8", "--resolution", "20,20", "-o"];
    let [a, b, c, d, e, f, g, h] = wave;
    stdout([a, b, c, d, e, f, g, h, pattern]);
    assert!(folder.join("7").join("a007-07.png").is_file());
    let line = refusal([a, b, c, d, e, f, g, h, "{frame:04}-{frame:4}.png"]);
    assert_eq!(
        line,
        "--output {frame:04}-{frame:4}.png: a frame's number is written as {frame} or {frame:04}"
    );
}

#[test]
fn sequences_say_what_they_lack() {
    let line = refusal(["render", "-o", "a.png", "--animation", "wave", "--frames", "0..2"]);
    assert_eq!(line, "--output a.png: a sequence needs {frame:04} in its name");
    assert!(refusal(["render", "-o", "{frame}.png", "--frames", "0..2"]).contains("--animation"));
    assert!(
        refusal(["render", "-o", "{frame}.png", "--animation", "0", "--frames", "2..2"]).contains("no frame")
    );
}

/// Before anything is posed or drawn: such a sequence would take days.
#[test]
fn a_sequence_is_refused_at_once_where_it_cannot_end_well() {
    let many = ["--animation", "walk", "--frames", "0..1000000000"];
    let [a, b, c, d] = many;
    let line = refusal(["render", "-o", "{frame}.png", a, b, c, d]);
    assert!(line.contains("1000000000 frames (at most 1000000)"), "{line}");
    let missing = folder("missing").join("no/{frame}.png");
    let missing = missing.to_str().unwrap();
    let line = refusal(["render", "-o", missing, a, b, c, "0..900000"]);
    assert!(line.ends_with("missing/no: No such file or directory (os error 2)"), "{line}");
}

#[test]
fn cameras_that_see_nothing_are_refused() {
    let line =
        refusal(["render", "-o", "a.png", "--camera-position", "1,2,3", "--camera-focal-point", "1,2,3"]);
    assert_eq!(line, "the camera stands on its focal point");
    let down = ["--camera-position", "0,5,0", "--camera-focal-point", "0,0,0"];
    let line =
        refusal(["render", "-o", "a.png", down[0], down[1], down[2], down[3], "--camera-view-up", "0,-2,0"]);
    assert_eq!(line, "--camera-view-up is along the line of sight");
    assert!(refusal(["render", "-o", "a.png", "--camera-view-angle", "180"]).contains("180"));
    assert!(refusal(["render", "-o", "a.png", "--resolution", "0,9"]).contains("at least one pixel"));
    assert!(refusal(["render", "-o", "a.jpg"]).contains("written as .png"));
    assert!(!Path::new("a.png").exists());
}

#[test]
fn straight_from_above_needs_no_view_up() {
    let path = folder("above").join("above.png");
    let down = ["--camera-position", "0,5,0", "--camera-focal-point", "0,0,0"];
    let path_text = path.to_str().unwrap();
    stdout([
        "render",
        "--mode",
        "mask",
        down[0],
        down[1],
        down[2],
        down[3],
        "--resolution",
        "64,64",
        "-o",
        path_text,
    ]);
    let seen = picture::open(&path);
    assert!(seen.pixels().any(|p| p[0] == 255) && seen.pixels().any(|p| p[0] == 0));
}

#[test]
fn stdout_takes_a_picture() {
    let output = sinew(["render", "--resolution", "32,32", "--mode", "mask", "-o", "-"]);
    assert!(output.status.success());
    assert!(output.stdout.starts_with(b"\x89PNG"));
}

#[test]
fn verbose_tells_the_adapter_and_the_time_by_stage() {
    let path = folder("verbose").join("a.png");
    let output = sinew(["render", "-v", "--resolution", "32,32", "-o", path.to_str().unwrap()]);
    let text = String::from_utf8(output.stderr).unwrap();
    for word in ["adapter ", "load ", "pose ", "draw ", "write ", "total "] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn without_an_adapter_the_package_to_install_is_named() {
    let path = folder("no adapter").join("a.png");
    let output = command(["render", "--adapter", "vulkan", "-o", path.to_str().unwrap()])
        .env("VK_DRIVER_FILES", "/nonexistent")
        .env("VK_ICD_FILENAMES", "/nonexistent")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.lines().count() == 1 && text.contains("mesa-vulkan-drivers"), "{text}");
    assert!(!path.exists());
}

#[test]
fn a_picture_beyond_the_adapter_names_the_limit() {
    let line = refusal(["render", "--resolution", "100000,10", "-o", "a.png"]);
    assert!(line.contains("100000x10") && line.contains("limit of"), "{line}");
}
