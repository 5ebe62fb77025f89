//! `sinew render`.

use std::path::Path;

use sinew::render::DecodedImage;

use crate::{command, folder, refusal, sinew, stdout};
use sinew_testkit::file_names;
use sinew_testkit::image::{self, PixelAccess};

#[test]
fn an_image_has_the_requested_size_and_channels() {
    let folder = folder("sizes");
    let (solid, clear) = (folder.join("solid.png"), folder.join("clear.png"));
    stdout(["render", "--adapter", "cpu", "--resolution", "90,50", "-o", solid.to_str().unwrap()]);
    assert_eq!((image::open(&solid).size(), image::has_alpha(&solid)), ((90, 50), false));
    let background = ["--background", "transparent"];
    stdout(["render", "--resolution", "50,90", background[0], background[1], "-o", clear.to_str().unwrap()]);
    let image = image::open(&clear);
    assert_eq!((image.size(), image::has_alpha(&clear)), ((50, 90), true));
    assert_eq!([image.at(0, 0)[3], image.at(25, 45)[3]], [0, 255]);
}

#[test]
fn modes_and_sample_counts_give_different_images() {
    let folder = folder("modes");
    let mut images = Vec::new();
    for mode in ["shaded", "lambert", "normal", "mask", "skeleton"] {
        for samples in ["1", "4"] {
            let path = folder.join(format!("{mode}{samples}.png"));
            let path = path.to_str().unwrap();
            stdout(["render", "--mode", mode, "--samples", samples, "--resolution", "64,48", "-o", path]);
            images.push(image::open(Path::new(path)).rgb());
        }
    }
    for (i, a) in images.iter().enumerate() {
        assert!(images.iter().skip(i + 1).all(|b| a != b), "{i}");
    }
}

#[test]
fn a_sequence_is_numbered_and_moves() {
    let folder = folder("sequence");
    let pattern = folder.join("{frame:03}.png");
    let wave = ["--animation", "wave", "--frames", "2..5", "--fps", "6"];
    let [a, b, c, d, e, f] = wave;
    stdout(["render", a, b, c, d, e, f, "--resolution", "80,60", "-o", pattern.to_str().unwrap()]);
    assert_eq!(file_names(&folder), ["002.png", "003.png", "004.png"]);
    assert_ne!(image::open(&folder.join("002.png")), image::open(&folder.join("004.png")));
}

/// The figure moves, so the camera must keep it in view in all frames.
#[test]
fn a_tight_framing_fills_the_image() {
    let folder = folder("tight");
    let filled = |name: &str, extra: [&str; 4]| {
        let pattern = folder.join(format!("{name}-{{frame}}.png"));
        let [a, b, c, d] = extra;
        let path = pattern.to_str().unwrap();
        let size = ["--mode", "mask", "--framing", "tight", "--resolution", "200,100"];
        stdout(["render", size[0], size[1], size[2], size[3], size[4], size[5], a, b, c, d, "-o", path]);
        let rows = |image: &DecodedImage| {
            let is_row = |y: &u32| (0..200).any(|x| image.at(x, *y)[0] > 0);
            (0..100).filter(is_row).collect::<Vec<u32>>()
        };
        let images = (0..9).map(|frame| folder.join(format!("{name}-{frame}.png")));
        let mut all: Vec<u32> =
            images.filter(|path| path.exists()).flat_map(|path| rows(&image::open(&path))).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    };
    for (name, frames) in [("still", "0..1"), ("moving", "0..9")] {
        let rows = filled(name, ["--animation", "wave", "--frames", frames]);
        assert!((75..=80).contains(&rows), "{name}: {rows} of 100 rows");
    }
}

#[test]
fn every_placeholder_of_a_name_is_replaced() {
    let folder = folder("placeholders");
    std::fs::create_dir(folder.join("7")).unwrap();
    let pattern = folder.join("{frame}").join("a{frame:03}-{frame:02}.png");
    let pattern = pattern.to_str().unwrap();
    let wave = ["render", "--animation", "wave", "--frames", "7..8", "--resolution", "20,20", "-o"];
    let [a, b, c, d, e, f, g, h] = wave;
    stdout([a, b, c, d, e, f, g, h, pattern]);
    assert!(folder.join("7").join("a007-07.png").is_file());
    let line = refusal([a, b, c, d, e, f, g, h, "{frame:04}-{frame:4}.png"]);
    assert_eq!(line, "--output {frame:04}-{frame:4}.png: invalid frame number; write {frame} or {frame:04}");
}

#[test]
fn errors_say_what_a_sequence_needs() {
    let line = refusal(["render", "-o", "a.png", "--animation", "wave", "--frames", "0..2"]);
    assert_eq!(line, "--output a.png: a sequence needs {frame} or {frame:04} in its name");
    assert!(refusal(["render", "-o", "{frame}.png", "--frames", "0..2"]).contains("--animation"));
    assert!(
        refusal(["render", "-o", "{frame}.png", "--animation", "0", "--frames", "2..2"])
            .contains("range is empty")
    );
}

/// The number of frames is checked before any frame is posed or drawn, because that many frames would take days.
#[test]
fn an_impossible_sequence_is_refused_before_drawing() {
    let many = ["--animation", "walk", "--frames", "0..1000000000"];
    let [a, b, c, d] = many;
    let line = refusal(["render", "-o", "{frame}.png", a, b, c, d]);
    assert!(line.contains("1000000000 frames exceed the limit of 1000000"), "{line}");
    let missing = folder("missing").join("no/{frame}.png");
    let missing = missing.to_str().unwrap();
    let line = refusal(["render", "-o", missing, a, b, c, "0..900000"]);
    assert!(line.ends_with("missing/no: No such file or directory (os error 2)"), "{line}");
}

#[test]
fn invalid_cameras_and_sizes_are_refused() {
    let line =
        refusal(["render", "-o", "a.png", "--camera-position", "1,2,3", "--camera-focal-point", "1,2,3"]);
    assert_eq!(line, "--camera-position must differ from --camera-focal-point");
    let down = ["--camera-position", "0,5,0", "--camera-focal-point", "0,0,0"];
    let line =
        refusal(["render", "-o", "a.png", down[0], down[1], down[2], down[3], "--camera-view-up", "0,-2,0"]);
    assert_eq!(line, "--camera-view-up must not be parallel to the viewing direction");
    assert!(refusal(["render", "-o", "a.png", "--camera-view-angle", "180"]).contains("180"));
    assert!(refusal(["render", "-o", "a.png", "--resolution", "0,9"]).contains("must be at least 1"));
    assert!(refusal(["render", "-o", "a.jpg"]).contains("use .png"));
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
    let image = image::open(&path);
    assert!(image.pixels().any(|p| p[0] == 255) && image.pixels().any(|p| p[0] == 0));
}

#[test]
fn an_image_can_be_written_to_stdout() {
    let output = sinew(["render", "--resolution", "32,32", "--mode", "mask", "-o", "-"]);
    assert!(output.status.success());
    assert!(output.stdout.starts_with(b"\x89PNG"));
}

#[test]
fn verbose_prints_the_adapter_and_the_time_of_each_stage() {
    let path = folder("verbose").join("a.png");
    let output = sinew(["render", "-v", "--resolution", "32,32", "-o", path.to_str().unwrap()]);
    let text = String::from_utf8(output.stderr).unwrap();
    for word in ["adapter ", "load ", "pose ", "draw ", "write ", "total "] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn the_error_without_an_adapter_names_the_package_to_install() {
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
fn the_error_for_a_too_large_image_names_the_limit() {
    let line = refusal(["render", "--resolution", "100000,10", "-o", "a.png"]);
    assert!(line.contains("100000x10") && line.contains("limit of"), "{line}");
}

#[test]
fn lights_and_tone_maps_give_different_images() {
    let folder = folder("lights");
    let panorama = folder.join("sky.hdr");
    let mut bytes = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 4\n".to_vec();
    bytes.extend([[128, 128, 192, 129]; 4].concat());
    bytes.extend([[32, 32, 32, 128]; 4].concat());
    std::fs::write(&panorama, &bytes).unwrap();
    let panorama = panorama.to_str().unwrap();
    let looks = [
        ["--light", "classic"],
        ["--light", "studio"],
        ["--light", "outdoor"],
        ["--light", "flat"],
        ["--light", panorama],
        ["--light-rotation", "-90"],
        ["--exposure", "-1.5"],
        ["--tone-map", "aces"],
        ["--tone-map", "agx"],
    ];
    let draw = |name: String, [option, value]: [&str; 2]| {
        let path = folder.join(name);
        stdout(["render", "--resolution", "64,48", option, value, "-o", path.to_str().unwrap()]);
        image::open(&path).rgb()
    };
    let images: Vec<_> = looks.iter().enumerate().map(|(i, look)| draw(format!("{i}.png"), *look)).collect();
    for (i, a) in images.iter().enumerate() {
        assert!(images.iter().skip(i + 1).all(|b| a != b), "{:?}", looks[i]);
    }
    assert_eq!(images[1], draw("default.png".into(), ["--samples", "4"]));
}

#[test]
fn invalid_lights_are_refused() {
    let folder = folder("lights-refused");
    let damaged = folder.join("damaged.hdr");
    std::fs::write(&damaged, b"#?RADIANCE\n\n-Y 2 +X 2\n\x01\x01\x01\x01").unwrap();
    let missing = folder.join("missing.hdr");
    for (option, value, cause) in [
        ("--light", "moon", "unknown light \"moon\"; use one of classic, studio, outdoor, flat"),
        ("--light", damaged.to_str().unwrap(), "row 0 is damaged or missing"),
        ("--light", missing.to_str().unwrap(), "missing.hdr: No such file"),
        ("--light-rotation", "400", "must be an angle between -360 and 360 degrees"),
        ("--exposure", "nan", "must be between -16 and 16 stops"),
        ("--tone-map", "film", "unknown tone map \"film\"; use one of neutral, aces, agx"),
    ] {
        let message = refusal(["render", option, value, "-o", "never.png"]);
        assert!(message.contains(cause), "{message}");
    }
}
