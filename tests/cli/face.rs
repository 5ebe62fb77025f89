//! `--morph` and `--expression`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::{folder, json, refusal, stdout};
use sinew_testkit::Builder;

/// Writes a triangle with expressions of VRM 1.0 and with two morph targets, which move its first corner.
fn file(folder: &Path) -> String {
    let mut b = Builder::default();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    b.floats("VEC3", 3, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    b.floats("VEC3", 3, &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let binds = |index: u32, weight: f64| json!([{"node": 0, "index": index, "weight": weight}]);
    let bytes = b.file(json!({
        "extensionsUsed": ["VRMC_vrm"],
        "meshes": [{
            "primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}, {"POSITION": 2}]}],
            "extras": {"targetNames": ["smile", "a=b"]},
        }],
        "nodes": [{"name": "face", "mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "extensions": {"VRMC_vrm": {"specVersion": "1.0", "expressions": {
            "preset": {
                "happy": {"morphTargetBinds": binds(0, 0.5), "overrideBlink": "blend"},
                "blink": {"morphTargetBinds": binds(1, 1.0)},
            },
            "custom": {"Grin": {"morphTargetBinds": binds(0, 1.0)}},
        }}},
    }));
    let path = folder.join("face.gltf");
    fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The first corner of the posed triangle.
fn corner(document: &Value) -> [f64; 3] {
    std::array::from_fn(|i| document["primitives"][0]["positions"][i].as_f64().unwrap())
}

#[test]
fn morph_targets_and_expressions_move_vertices() {
    let model = file(&folder("face"));
    let pose =
        |options: [&str; 2]| corner(&json(["pose", &model, "-q", "--vertices", options[0], options[1]]));
    assert_eq!(pose(["--morph=smile=0.25", "--morph=a=b=-2"]), [0.25, -2.0, 0.0]);
    assert_eq!(pose(["--morph=0=1", "--morph=smile=0.5"]), [0.5, 0.0, 0.0]);
    assert_eq!(pose(["--expression=Grin=0.5", "--expression=happy=0.5"]), [0.75, 0.0, 0.0]);
    // A smile reduces the weight of a blink. The VRM 0 name is also accepted.
    assert_eq!(pose(["--expression=joy=0.25", "--expression=blink=1"]), [0.125, 0.75, 0.0]);
    assert_eq!(pose(["--expression=happy=1", "--morph=smile=0.125"]), [0.125, 0.0, 0.0]);
}

#[test]
fn unknown_names_are_refused_with_those_of_the_file() {
    let model = file(&folder("face-unknown"));
    for (option, cause) in [
        ("--morph=smyle=1", "morph target \"smyle\" does not exist; did you mean \"smile\"?"),
        ("--morph=2=1", "morph target 2 does not exist; the file has 2, counted from 0"),
        ("--expression=hapy=1", "expression \"hapy\" does not exist; did you mean \"happy\"?"),
        ("--expression=happy=2", "--expression happy=2: must be from 0 to 1"),
    ] {
        assert_eq!(refusal(["pose", &model, "-q", option]), cause);
    }
    assert!(refusal(["pose", &model, "--morph", "smile"]).contains("'=' is missing after the name"));
    let refused = refusal(["pose", "--expression", "happy=1"]);
    assert_eq!(refused, "expression \"happy\" does not exist; the file has no expressions with names");
}

#[test]
fn suites_set_them() {
    let folder = folder("face-suite");
    file(&folder);
    let suite = folder.join("suite.toml");
    let text = "version = 1\n[defaults]\nmodel = \"face.gltf\"\nresolution = [32, 32]\n[[case]]\nname = \"grin\"\n\
                expression = [\"Grin=1\"]\nmorph = \"a=b=0.5\"\n";
    fs::write(&suite, text).unwrap();
    let path = suite.to_str().unwrap();
    stdout(["test", path, "--update"]);
    let lines = stdout(["test", path]);
    assert!(lines.starts_with("passed  grin"), "{lines}");
}
