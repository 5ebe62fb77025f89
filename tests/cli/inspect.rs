//! `sinew inspect`.

use serde_json::json;

use crate::{json, stdout};

#[test]
fn the_report_has_what_scripts_read() {
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
fn people_get_lines() {
    let text = stdout(["inspect"]);
    for word in ["generator", "nodes       55", "mesh ", "skin ", "animation   wave"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}
