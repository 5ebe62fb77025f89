//! `sinew render --variant`, and the variants in `sinew inspect`.

use serde_json::{Value, json};

use crate::{folder, refusal, stdout};
use sinew_testkit::Builder;
use sinew_testkit::image::{self, PixelAccess};

/// Returns a square that is red, or blue in its only variant.
fn square() -> Vec<u8> {
    let mut b = Builder::default();
    let corners = [-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0];
    b.floats("VEC3", 3, &corners);
    let indices = b.accessor("SCALAR", 5121, 6, &[0, 1, 2, 0, 2, 3]);
    let material = |color: Value| {
        json!({
            "pbrMetallicRoughness": {"baseColorFactor": color}, "doubleSided": true,
            "extensions": {"KHR_materials_unlit": {}},
        })
    };
    let mappings = json!([{"material": 1, "variants": [0]}]);
    let primitive = json!({
        "attributes": {"POSITION": 0}, "indices": indices, "material": 0,
        "extensions": {"KHR_materials_variants": {"mappings": mappings}},
    });
    b.file(json!({
        "extensionsUsed": ["KHR_materials_unlit", "KHR_materials_variants"],
        "extensions": {"KHR_materials_variants": {"variants": [{"name": "blue"}]}},
        "materials": [material(json!([1, 0, 0, 1])), material(json!([0, 0, 1, 1]))],
        "meshes": [{"primitives": [primitive]}],
        "nodes": [{"mesh": 0}],
    }))
}

#[test]
fn a_variant_changes_the_materials() {
    let folder = folder("variants");
    let file = folder.join("square.gltf");
    std::fs::write(&file, square()).unwrap();
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
