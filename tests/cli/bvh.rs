//! BVH on the command line.

use std::path::PathBuf;

use crate::{MANNEQUIN, folder, json, refusal, sinew, stdout};
use sinew_testkit::image;

const TEXT: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 80 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 90 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
0 10 0 0 0 0 0 0 0
0 20 0 0 0 0 90 0 0
";

fn file(name: &str, text: &str) -> (PathBuf, String) {
    let folder = folder(name);
    let path = folder.join("lift.bvh");
    std::fs::write(&path, text).unwrap();
    let name = path.to_str().unwrap().to_owned();
    (folder, name)
}

#[test]
fn inspect_uses_guessed_or_given_units() {
    let (_, path) = file("bvh-inspect", TEXT);
    let report = json(["inspect", "--json", &path]);
    assert_eq!((&report["nodes"], &report["units"]), (&3.into(), &0.01.into()));
    assert_eq!(report["animations"][0]["name"], "lift");
    assert_eq!(report["animations"][0]["seconds"], 0.5);
    let report = json(["inspect", "--json", "--units", "0.0254", &path]);
    assert_eq!(report["units"], 0.0254);
    assert_eq!(report["warnings"], serde_json::json!([]));
    let text = stdout(["inspect", &path]);
    assert!(text.contains("units       0.0100 m"), "{text}");
}

#[test]
fn pose_writes_json_and_a_gltf_skeleton() {
    let (folder, path) = file("bvh-pose", TEXT);
    let pose = json(["pose", "-q", "--animation", "lift", "--animation-time", "0.5", &path]);
    let positions = [[0.0, 0.2, 0.0], [0.0, 1.0, 0.0], [-0.9, 1.0, 0.0]];
    for (node, position) in positions.iter().enumerate() {
        for (axis, expected) in position.iter().enumerate() {
            let actual = pose["nodes"][node]["world"][12 + axis].as_f64().unwrap();
            assert!((actual - expected).abs() < 1e-6, "node {node}: {actual} instead of {expected}");
        }
    }
    let copy = folder.join("copy.glb");
    stdout(["pose", "-q", "-o", copy.to_str().unwrap(), &path]);
    assert_eq!(::sinew::asset::load(&copy).unwrap().skeleton.nodes.len(), positions.len());
}

#[test]
fn errors_name_the_line_and_units_need_bvh() {
    let (_, path) = file("bvh-broken", &TEXT.replace("0 10 0", "0 10"));
    assert_eq!(
        refusal(["inspect", &path]),
        format!("{path}: line 19: expected 9 numbers for a frame, found 8")
    );
    assert_eq!(
        refusal(["inspect", "--units", "0.01", MANNEQUIN]),
        format!("{MANNEQUIN}: units apply only to BVH files because other formats define their unit")
    );
    assert_eq!(
        refusal(["inspect", "--units", "0.01"]),
        "--units: the built-in character is in metres; name a .bvh file"
    );
    assert_eq!(
        refusal(["inspect", "--units=-1", &path]),
        format!("{path}: units must be between 1e-6 and 1e6 metres, not -1")
    );
}

#[test]
fn an_image_shows_the_bones() {
    let (folder, path) = file("bvh-render", TEXT);
    let image = folder.join("lift.png");
    let bones = |mode: &str| {
        let output = image.to_str().unwrap();
        let small = ["--resolution", "64,64", "--ground", "off", "--background", "#000000"];
        let [a, b, c, d, e, f] = small;
        let run = sinew(["render", "-q", &path, "--mode", mode, a, b, c, d, e, f, "-o", output]);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        image::open(&image).pixels().filter(|p| p.iter().all(|c| *c > 100)).count()
    };
    let (shaded, skeleton) = (bones("shaded"), bones("skeleton"));
    assert!(shaded > 20, "{shaded} bright pixels");
    assert_eq!(shaded, skeleton);
    assert_eq!(bones("mask"), 0);
}
