//! `sinew crowd`.

use crate::{MANNEQUIN, folder, refusal, sinew};
use sinew_testkit::image;
use sinew_testkit::image::PixelAccess;

const SPIDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/spider.glb");

#[test]
fn crowds_of_several_models_are_drawn_frame_by_frame() {
    let folder = folder("crowd");
    let pattern = folder.join("walk-{frame:02}.png").display().to_string();
    let files = ["crowd", MANNEQUIN, SPIDER, "--count", "6", "--terrain", "hills", "--seed", "3"];
    let image = ["--resolution", "160,90", "--samples", "1", "--adapter", "cpu"];
    let mut arguments = files.to_vec();
    arguments.extend(image);
    arguments.extend(["--frames", "1..4", "-o", &pattern]);
    let output = crate::command([]).args(&arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let frames = [1, 2, 3].map(|n| image::open(&folder.join(format!("walk-0{n}.png"))));
    assert!(!folder.join("walk-00.png").exists() && !folder.join("walk-04.png").exists());
    assert_eq!(frames[0].size(), (160, 90));
    // The characters walk.
    let changed = frames[0].pixels().zip(frames[2].pixels()).filter(|(a, b)| a != b).count();
    assert!(changed > 50, "{changed} pixels");
    // The same input produces the same bytes.
    let first: Vec<u8> = std::fs::read(folder.join("walk-01.png")).unwrap();
    assert!(crate::command([]).args(&arguments).output().unwrap().status.success());
    assert_eq!(std::fs::read(folder.join("walk-01.png")).unwrap(), first);
}

#[test]
fn a_crowd_stands_on_the_ground_of_an_image() {
    let folder = folder("crowd-terrain");
    let path = |name: &str| folder.join(name).display().to_string();
    let size = ["--resolution", "96,64", "--samples", "1", "--adapter", "cpu"];
    let draw = |arguments: &[&str], name: &str| -> Vec<u8> {
        let out = path(name);
        let mut command = crate::command(["crowd", "--count", "4", "-o", &out]);
        let output = command.args(size).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read(out).unwrap()
    };
    // An image that the program has drawn serves as a height map.
    let map = path("map.png");
    draw(&[], "map.png");
    let of_height = ["--terrain", &map, "--terrain-size", "40", "--terrain-height"];
    let [low, high] = ["2", "8"].map(|height| draw(&[&of_height[..], &[height]].concat(), "crowd.png"));
    assert!(low != high, "the height of the ground has no effect");
    // Without a size, the ground is as wide as that of other crowds.
    let black = path("black.png");
    std::fs::write(&black, image::png(2, 2, image::ColorType::Grayscale, &[0; 4])).unwrap();
    let flat = draw(&["--terrain", "flat"], "flat.png");
    assert!(draw(&["--terrain", &black], "black-ground.png") == flat, "the images differ");
    assert!(draw(&["--terrain", &map], "map-ground.png") != flat);
    // The map is not overwritten, and the crowd must fit on the ground.
    assert!(refusal(["crowd", "--terrain", &map, "-o", &map]).contains("map.png"));
    let out = path("small.png");
    let small = ["crowd", "--terrain", &map, "--terrain-size", "2", "--adapter", "cpu", "-o", &out];
    assert!(refusal(small).contains("use a larger terrain"));
}

#[test]
fn invalid_crowds_are_refused() {
    let out = folder("crowd-refused").join("crowd.png").display().to_string();
    assert!(refusal(["crowd", "--count", "0", "-o", &out]).contains("0 is not in 1..=1000000"));
    let unused = "--ground has no effect on crowds; remove it";
    assert_eq!(refusal(["crowd", "--ground", "off", "-o", &out]), unused);
    assert!(refusal(["crowd", "--mode", "skeleton", "-o", &out]).starts_with("--mode skeleton cannot"));
    assert!(refusal(["crowd", "missing.glb", "-o", &out]).starts_with("missing.glb"));
    assert!(refusal(["crowd", "--frames", "0..2", "-o", &out]).contains("a sequence needs {frame}"));
    assert!(
        refusal(["crowd", "--terrain", "valley", "-o", &out]).contains("expected hills, flat or a PNG file")
    );
    assert!(refusal(["crowd", "--terrain", "missing.png", "-o", &out]).starts_with("missing.png"));
    for (option, ground) in [("--terrain-size", "hills"), ("--terrain-height", "flat")] {
        let refused = refusal(["crowd", "--terrain", ground, option, "9", "-o", &out]);
        assert!(refused.starts_with(&format!("{option} has an effect only on images")), "{refused}");
    }
    assert!(refusal(["crowd", "-o", "crowd.jpg"]).contains("unknown file type; use .png"));
    assert!(!sinew(["crowd"]).status.success());
    let both = sinew(["crowd", "--measure", "2", "-o", &out]);
    assert!(String::from_utf8_lossy(&both.stderr).contains("cannot be used with"));
    assert!(refusal(["crowd", "--measure", "0"]).contains("0 is not in 1..=10000"));
}

#[test]
fn an_image_is_the_same_without_hidden_characters() {
    let folder = folder("crowd-occlusion");
    // A hill in the middle of the ground, behind which the camera sees nobody.
    let hill = folder.join("hill.png").display().to_string();
    let heights = [0, 0, 0, 0, 255, 0, 0, 0, 0];
    std::fs::write(&hill, image::png(3, 3, image::ColorType::Grayscale, &heights)).unwrap();
    let [(on, hidden), (off, none)] = ["on", "off"].map(|occlusion| {
        let out = folder.join(format!("{occlusion}.png")).display().to_string();
        let mut command = crate::command(["crowd", "-v", "--count", "40", "--frames", "0..3"]);
        let pattern = out.replace(".png", "-{frame}.png");
        let ground = ["--terrain", &hill, "--terrain-height", "20", "--adapter", "cpu"];
        let eyes = ["--camera-position", "0,8,30", "--camera-focal-point", "0,8,0", "--resolution", "160,90"];
        command.args(ground).args(eyes).args(["--occlusion", occlusion, "-o", &pattern]);
        let output = command.output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{messages}");
        let images = [0, 1, 2].map(|n| std::fs::read(out.replace(".png", &format!("-{n}.png"))).unwrap());
        let before = messages.split(" hidden").next().and_then(|text| text.split_whitespace().last());
        (images, before.and_then(|count| count.parse::<u32>().ok()))
    });
    assert!(on == off, "the images differ");
    assert!(on[0] != on[2]);
    assert!(hidden > Some(0), "{hidden:?} characters are hidden");
    assert_eq!(none, Some(0));
}

#[test]
fn measured_frames_have_consistent_numbers() {
    let text = crate::stdout([
        "crowd",
        "--count",
        "40",
        "--measure",
        "2",
        "--lod",
        "2",
        "--camera-position",
        "0,2,0",
        "--camera-focal-point",
        "0,1,-8",
        "--resolution",
        "160,90",
        "--samples",
        "1",
        "--adapter",
        "cpu",
    ]);
    let lines: Vec<&str> = text.lines().collect();
    let [adapter, source, size, names, rows @ ..] = &lines[..] else { panic!("{text}") };
    assert!(adapter.starts_with("adapter: ") && source.starts_with("times: "), "{text}");
    assert!(size.starts_with("40 characters in buffers of "), "{text}");
    assert!(names.ends_with("levels"), "{text}");
    let names_of_rows: Vec<&str> = rows.iter().filter_map(|row| row.split_whitespace().next()).collect();
    assert_eq!(names_of_rows, ["1", "2", "median"], "{text}");
    for row in rows {
        let words: Vec<&str> = row.split_whitespace().filter(|word| *word != "+").collect();
        let [_, step, _, draw, cpu, drawn, culled, hidden, triangles, levels @ ..] = &words[..] else {
            panic!("{row}")
        };
        for time in [step, draw, cpu] {
            assert!(time.parse::<f64>().unwrap() > 0.0, "{row}");
        }
        let [drawn, culled, hidden, triangles] =
            [drawn, culled, hidden, triangles].map(|count| count.parse::<u64>().unwrap());
        let levels: Vec<u64> = levels.iter().map(|count| count.parse().unwrap()).collect();
        assert_eq!((drawn + culled + hidden, hidden), (40, 0), "{row}");
        assert_eq!((levels.len(), levels.iter().sum::<u64>()), (9, drawn), "{row}");
        assert!(drawn > 0 && triangles >= drawn, "{row}");
    }
}
