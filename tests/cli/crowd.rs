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
fn invalid_crowds_are_refused() {
    let out = folder("crowd-refused").join("crowd.png").display().to_string();
    assert!(refusal(["crowd", "--count", "0", "-o", &out]).contains("0 is not in 1..=1000000"));
    let unused = "--ground has no effect on crowds; remove it";
    assert_eq!(refusal(["crowd", "--ground", "off", "-o", &out]), unused);
    assert!(refusal(["crowd", "--mode", "skeleton", "-o", &out]).starts_with("--mode skeleton cannot"));
    assert!(refusal(["crowd", "missing.glb", "-o", &out]).starts_with("missing.glb"));
    assert!(refusal(["crowd", "--frames", "0..2", "-o", &out]).contains("a sequence needs {frame}"));
    assert!(refusal(["crowd", "-o", "crowd.jpg"]).contains("unknown file type; use .png"));
    assert!(!sinew(["crowd"]).status.success());
}
