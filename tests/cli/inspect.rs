//! `sinew inspect`.

use serde_json::json;

use crate::{folder, json, stdout};
use sinew_testkit::instances;

#[test]
fn the_json_report_has_all_keys() {
    let report = json(["inspect", "--json"]);
    assert_eq!(report["format"], "sinew-inspect-1");
    assert_eq!(report["nodes"], 55);
    assert_eq!(report["warnings"], json!([]));
    let clips: Vec<_> = report["animations"].as_array().unwrap().iter().map(|a| &a["name"]).collect();
    assert_eq!(clips, ["idle", "wave", "walk", "run", "crouch"]);
    let skin = &report["skins"][0];
    assert_eq!(skin["has_inverse_binds"], true);
    assert!(skin["joints"].as_u64().unwrap() > 20);
    let mesh = &report["meshes"][0];
    for key in ["name", "primitives", "vertices", "triangles", "influences", "morph_targets"] {
        assert!(mesh.get(key).is_some(), "{key}");
    }
}

#[test]
fn the_text_report_has_one_line_per_item() {
    let text = stdout(["inspect"]);
    for word in ["generator", "nodes       55", "mesh ", "skin ", "animation   wave"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn instances_of_meshes_are_counted() {
    let file = folder("inspect-instances").join("instances.gltf");
    std::fs::write(&file, instances()).unwrap();
    let file = file.to_str().unwrap();
    let text = stdout(["inspect", file]);
    assert!(text.contains("\nnodes       4, of which 2 from #2 are instances of meshes\n"), "{text}");
    assert_eq!(json(["inspect", "--json", file])["instances"], 2);
    assert!(json(["inspect", "--json"]).get("instances").is_none());
}

#[test]
fn the_text_report_names_expressions() {
    let file = std::env::temp_dir().join(format!("sinew-inspect-face-{}.gltf", std::process::id()));
    let binds = json!([{"node": 0, "index": 0, "weight": 1}]);
    let content = json!({
        "asset": {"version": "2.0"},
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}]}]}],
        "nodes": [{"mesh": 0}],
        "extensions": {"VRMC_vrm": {"expressions": {
            "preset": {"happy": {"morphTargetBinds": binds}},
            "custom": {"two\nlines": {"morphTargetBinds": binds}},
        }}},
    });
    std::fs::write(&file, content.to_string()).unwrap();
    let text = stdout(["inspect", file.to_str().unwrap()]);
    std::fs::remove_file(&file).unwrap();
    assert!(text.contains("\nexpressions happy, two\\nlines\n"), "{text}");
}

#[test]
fn prismatic_and_mimic_joints_of_a_rig_are_listed() {
    let rig = folder("inspect-joints").join("hand.rig.toml");
    let limit = "limit = { kind = \"prismatic\", axis = [1, 0, 0], min = -0.01, max = 0.25 }";
    let left = format!("[[joint]]\nnode = \"leftHand\"\n{limit}\n");
    let mimic = "mimic = { joint = \"leftHand\", ratio = -1 }";
    let right = format!("[[joint]]\nnode = \"rightHand\"\n{limit}\n{mimic}\n");
    std::fs::write(&rig, format!("version = 1\n{left}{right}")).unwrap();
    let path = rig.to_str().unwrap();
    let text = stdout(["inspect", "--rig", path]);
    assert!(text.contains("\nprismatic   leftHand: -0.010 to 0.250 m\n"), "{text}");
    assert!(text.contains("\nmimic       rightHand: follows leftHand\n"), "{text}");
    let report = json(["inspect", "--json", "--rig", path]);
    assert_eq!(report["prismatic"][0], json!({"joint": "leftHand", "min": -0.01, "max": 0.25}));
    let expected = json!({"joint": "rightHand", "leader": "leftHand", "ratio": -1.0, "offset": 0.0});
    assert_eq!(report["mimics"], json!([expected]));
    // A rig without prismatic joints does not have this key.
    assert!(json(["inspect", "--json"]).get("prismatic").is_none());
}

/// Both jaws of the robot arm slide, and only the left one has a target.
#[test]
fn a_gripper_of_prismatic_joints_is_posed() {
    let rig = folder("inspect-gripper").join("gripper.rig.toml");
    let jaw = |node: &str, axis: &str, mimic: &str| {
        let limit = format!("limit = {{ kind = \"prismatic\", axis = {axis}, min = -0.05, max = 0.05 }}");
        format!("[[joint]]\nnode = \"{node}\"\n{limit}\n{mimic}\n")
    };
    let right = jaw("jaw_right", "[1, 0, 0]", "mimic = { joint = \"jaw_left\", ratio = -1 }");
    std::fs::write(&rig, format!("version = 1\n{}{right}", jaw("jaw_left", "[1, 0, 0]", ""))).unwrap();
    let arm = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/arm.glb");
    let rest = json(["pose", arm, "--rig", rig.to_str().unwrap()]);
    let at = |pose: &serde_json::Value, name: &str, key: &str| -> Vec<f64> {
        let node = pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap();
        node[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let place = &at(&rest, "jaw_left", "world")[12..15];
    let target = format!("jaw_left={},{},{}", place[0] + 0.02, place[1], place[2]);
    let solve = ["pose", arm, "--rig", rig.to_str().unwrap(), "--base", "gripper", "--reach", &target];
    let posed = json(solve);
    let moved = |name: &str| {
        let (a, b) = (at(&rest, name, "translation"), at(&posed, name, "translation"));
        [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
    };
    let (left, right) = (moved("jaw_left"), moved("jaw_right"));
    assert!(left[0].abs() > 0.001 && (left[0] + right[0]).abs() < 1e-6, "{left:?} {right:?}");
    assert!(left[1].abs() < 1e-6 && left[2].abs() < 1e-6, "{left:?}");
}

#[test]
fn the_recognised_body_is_reported() {
    let text = stdout(["inspect"]);
    assert!(text.contains("\nbody        biped, certain ("), "{text}");
    let report = json(["inspect", "--json"]);
    assert_eq!(report["body"]["kind"], "biped");
    assert_eq!(report["humanoid"]["hips"], 0);
    assert_eq!(report["humanoid"]["leftFoot"], 12);
    assert_eq!(report["quadruped"], json!(null));
    let asset = |name: &str| format!("{}/assets/{name}.glb", env!("CARGO_MANIFEST_DIR"));
    let spider = json(["inspect", "--json", &asset("spider")]);
    assert_eq!((&spider["body"]["kind"], &spider["humanoid"]), (&json!("many-legged"), &json!(null)));
    let text = stdout(["inspect", &asset("tentacle")]);
    assert!(text.contains("\nbody        not recognised: it has no pair of limbs\n"), "{text}");
    let tentacle = json(["inspect", "--json", &asset("tentacle")]);
    assert_eq!(tentacle["body"]["kind"], json!(null));
    assert_eq!(tentacle["body"]["reasons"][0], "it has no pair of limbs");
}
