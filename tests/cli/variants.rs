//! `sinew render --variant`, and the variants in `sinew inspect`.

use crate::{folder, refusal, stdout};
use sinew_testkit::gltf::square_with_variant;
use sinew_testkit::image::{self, PixelAccess};

#[test]
fn a_variant_changes_the_materials() {
    let folder = folder("variants");
    let file = folder.join("square.gltf");
    std::fs::write(&file, square_with_variant()).unwrap();
    let (file, out) = (file.to_str().unwrap(), folder.join("out.png"));
    let draw = ["render", file, "--resolution", "40,40", "-o", out.to_str().unwrap()];
    let [a, b, c, d, e, f] = draw;
    stdout(draw);
    let [r, _, blue, _] = image::open(&out).at(20, 20);
    assert!(r > 200 && blue < 50, "{r} {blue}");
    stdout([a, b, c, d, e, f, "--variant", "blue"]);
    let [r, _, blue, _] = image::open(&out).at(20, 20);
    assert!(r < 50 && blue > 200, "{r} {blue}");
    let line = refusal([a, b, c, d, e, f, "--variant", "green"]);
    assert_eq!(line, "--variant: variant \"green\" does not exist; nearest: \"blue\"");
    assert!(stdout(["inspect", file]).contains("\nvariants    blue\n"));
}
