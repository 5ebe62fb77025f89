//! `sinew inspect`.

use serde_json::json;

use crate::{json, stdout};

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
