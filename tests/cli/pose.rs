//! `sinew pose`.

use std::path::Path;

use serde_json::{Value, json};

use crate::{MANNEQUIN, folder, json, node, numbers, refusal, sinew, stdout};
use sinew_testkit::image::{self, PixelAccess};
use sinew_testkit::{Builder, instances};

/// Returns the largest difference between corresponding numbers of two lists of the same length.
fn difference(a: &Value, b: &Value) -> f64 {
    let (a, b) = (numbers(a), numbers(b));
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The file has no nodes for the instances of a mesh, so a posed copy cannot contain their poses.
#[test]
fn lost_poses_of_instances_are_warned_of() {
    let folder = folder("pose-instances");
    let (file, copy) = (folder.join("instances.gltf"), folder.join("copy.glb"));
    std::fs::write(&file, instances()).unwrap();
    let (file, copy) = (file.to_str().unwrap(), copy.to_str().unwrap());
    let messages = |node: &str| {
        let turn = format!("{node}=0,0.6,0,0.8");
        let output = sinew(["pose", file, "--rotate", &turn, "-o", copy]);
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(messages("twice"), "");
    assert_eq!(
        messages("#3"),
        "warning: instances of a mesh (EXT_mesh_gpu_instancing) are at rest in the copy, because the file has no nodes \
         for them: #3\n"
    );
    assert_eq!(json(["inspect", "--json", copy])["instances"], 2);
}

#[test]
fn the_document_has_every_node_in_file_order() {
    let pose = json(["pose"]);
    assert_eq!(pose["format"], "sinew-pose-1");
    for (i, node) in pose["nodes"].as_array().unwrap().iter().enumerate() {
        assert_eq!(node["index"], i);
        assert_eq!(numbers(&node["world"]).len(), 16);
        assert_eq!(numbers(&node["rotation"]).len(), 4);
    }
    assert_eq!(pose["reports"], json!([]));
    assert!(pose.get("primitives").is_none());
}

#[test]
fn a_hand_reaches_a_point() {
    for method in ["auto", "ccd", "dls", "fused"] {
        let target = "leftHand=0.4,1.5,0.4";
        let pose =
            json(["pose", "--base", "spine", "--reach", target, "--method", method, "--require-reached"]);
        let report = &pose["reports"][0];
        assert_eq!((&report["outcome"], &report["effector"]), (&json!("reached"), &json!("leftHand")));
        assert!(report["position_error"].as_f64().unwrap() < 2e-4);
        assert_eq!(report["orientation_error"], Value::Null);
        let world = numbers(&node(&pose, "leftHand")["world"]);
        for (actual, expected) in world[12..15].iter().zip([0.4, 1.5, 0.4]) {
            assert!((actual - expected).abs() < 2e-4, "{method}: {world:?}");
        }
    }
}

/// No joint above the hips can turn and nothing is pinned, so the solver moves the root, and the legs bend because the feet stay on the
/// floor.
#[test]
fn a_goal_of_the_hips_bends_the_legs() {
    let rest = json(["pose"]);
    let goal = ["pose", "--method", "full-body", "--reach", "hips=0.05,0.8,0", "--require-reached"];
    let pose = json(goal);
    assert_eq!(pose["reports"][0]["outcome"], "reached");
    assert!(pose["reports"][0]["position_error"].as_f64().unwrap() < 2e-4);
    // The feet stay on the floor without being pinned.
    for name in ["leftFoot", "rightFoot"] {
        let position = |pose: &Value| numbers(&node(pose, name)["world"])[12..15].to_vec();
        for (posed, rest) in position(&pose).iter().zip(position(&rest)) {
            assert!((posed - rest).abs() < 2e-4, "{name}: {posed} {rest}");
        }
    }
    // The feet also stay on the floor if they are pinned.
    let pins = ["--pin", "leftFoot", "--pin", "rightFoot"];
    let [a, b, c, d] = pins;
    let pose = json(["pose", "--method", "full-body", "--reach", "hips=0.1,0.8,0", a, b, c, d]);
    assert_eq!(pose["reports"][0]["outcome"], "reached");
    let moved = difference(&node(&pose, "leftFoot")["world"], &node(&rest, "leftFoot")["world"]);
    assert!(moved < 1e-3, "{moved}");
}

#[test]
fn an_unreached_goal_is_reported_and_can_be_a_failure() {
    let far = ["pose", "--base", "leftUpperArm", "--reach", "leftHand=9,9,9"];
    assert_eq!(json(far)["reports"][0]["outcome"], "out-of-reach");
    let output = sinew(["pose", "--base", "leftUpperArm", "--reach", "leftHand=9,9,9", "--require-reached"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!output.stdout.is_empty());
}

#[test]
fn rotations_replace_those_of_the_clip() {
    let pose =
        json(["pose", "--animation", "wave", "--animation-time", "0.5", "--rotate", "head=0,0.6,0,0.8"]);
    assert!(difference(&node(&pose, "head")["rotation"], &json!([0.0, 0.6, 0.0, 0.8])) < 1e-7);
    assert_eq!(refusal(["pose", "--rotate", "head=0,0,0,0"]), "--rotate head: quaternion has zero length");
}

#[test]
fn times_are_clamped_to_the_clip() {
    let at = |time| stdout(["pose", "--animation", "wave", "--animation-time", time]);
    assert_eq!(at("-5"), at("0"));
    assert_eq!(at("1e9"), at("1e30"));
    assert_ne!(at("0"), at("0.5"));
}

#[test]
fn vertices_of_the_gpu_match_those_of_the_cpu() {
    let posed = |from| json(["pose", "--animation", "wave", "--animation-time", "0.7", from]);
    let (cpu, gpu) = (posed("--vertices"), posed("--vertices=gpu"));
    let (cpu, gpu) = (cpu["primitives"].as_array().unwrap(), gpu["primitives"].as_array().unwrap());
    assert_eq!(cpu.len(), gpu.len());
    for (c, g) in cpu.iter().zip(gpu) {
        assert_eq!(numbers(&c["positions"]).len(), 3 * c["count"].as_u64().unwrap() as usize);
        assert!(difference(&c["positions"], &g["positions"]) < 1e-5);
        assert!(difference(&c["normals"], &g["normals"]) < 1e-4);
    }
}

#[test]
fn the_same_command_writes_the_same_pose() {
    let solve = || {
        let mut pose = json(["pose", "--animation", "idle", "--reach", "leftHand=0.3,1.2,0.4", "--vertices"]);
        pose["reports"][0]["seconds"] = Value::Null;
        pose
    };
    assert!(solve() == solve());
}

/// Asserts that the rest pose of a posed copy looks like the posed source.
fn assert_copy_matches(source: &str, posing: [&str; 4], name: &str) -> std::path::PathBuf {
    let copy = folder(name).join("copy.glb");
    let path = copy.to_str().unwrap();
    let [a, b, c, d] = posing;
    stdout(["pose", source, a, b, c, d, "-o", path]);
    let (posed, copied) =
        (json(["pose", source, a, b, c, d, "--vertices"]), json(["pose", path, "--vertices"]));
    for (p, q) in posed["nodes"].as_array().unwrap().iter().zip(copied["nodes"].as_array().unwrap()) {
        assert!(difference(&p["world"], &q["world"]) < 2e-6, "{}", p["name"]);
    }
    let primitives = |pose: &Value| pose["primitives"].as_array().unwrap().clone();
    assert_eq!(primitives(&posed).len(), primitives(&copied).len());
    for (p, q) in primitives(&posed).iter().zip(&primitives(&copied)) {
        assert!(difference(&p["positions"], &q["positions"]) < 4e-6);
    }
    copy
}

#[test]
fn a_posed_copy_keeps_the_pose() {
    let posing = ["--animation", "wave", "--reach", "rightHand=-0.3,1.3,0.4"];
    let copy = assert_copy_matches(MANNEQUIN, posing, "posed copy");
    let report = json(["inspect", copy.to_str().unwrap(), "--json"]);
    assert_eq!(report["animations"], json!([]));
    assert_eq!(report["skins"], json(["inspect", "--json"])["skins"]);
    let line = refusal(["pose", "--vertices", "-o", copy.to_str().unwrap()]);
    assert!(line.contains("--vertices"), "{line}");
}

/// The source has separate files for its JSON, buffer and texture, a matrix with shear, and morph weights.
#[test]
fn a_posed_copy_is_self_contained() {
    let source = folder("pieces");
    let mut b = Builder::default();
    let positions = b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let offsets = b.floats("VEC3", 3, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let times = b.floats("SCALAR", 1, &[0.0, 1.0]);
    b.last()["min"] = json!([0.0]);
    b.last()["max"] = json!([1.0]);
    let weights = b.floats("SCALAR", 1, &[0.0, 1.0]);
    let sheared = [1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 1.0];
    let mut file: Value = serde_json::from_slice(&b.file(json!({
        "meshes": [{"primitives": [{
            "attributes": {"POSITION": positions}, "targets": [{"POSITION": offsets}], "material": 0,
        }]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}],
        "images": [{"uri": "an%20image.png"}],
        "nodes": [{"mesh": 0, "matrix": sheared, "children": [1]}, {"name": "tip"}],
        "animations": [{
            "samplers": [{"input": times, "output": weights}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
        }],
    })))
    .unwrap();
    let uri = file["buffers"][0]["uri"].as_str().unwrap().to_owned();
    let data =
        base64::Engine::decode(&base64::engine::general_purpose::STANDARD, uri.split_once(',').unwrap().1);
    std::fs::write(source.join("bytes.bin"), data.unwrap()).unwrap();
    file["buffers"][0]["uri"] = "bytes.bin".into();
    let png = image::png(2, 2, image::ColorType::Rgb, &[9, 99, 199].repeat(4));
    std::fs::write(source.join("an image.png"), png).unwrap();
    let path = source.join("pieces.gltf");
    std::fs::write(&path, file.to_string()).unwrap();
    let posing = ["--animation", "0", "--animation-time", "0.75"];
    let copy = assert_copy_matches(path.to_str().unwrap(), posing, "self-contained");
    let character = sinew::asset::load(Path::new(&copy)).unwrap();
    assert_eq!(character.warnings, Vec::<String>::new());
    assert_eq!(character.images[0].decode().unwrap().at(0, 0), [9, 99, 199, 255]);
    assert_eq!(character.skeleton.rest_weights, [0.75]);
}

#[test]
fn pins_and_limits_are_reported() {
    let pins = ["--pin", "leftFoot", "--pin", "rightFoot"];
    let [a, b, c, d] = pins;
    let pose = json(["pose", "--reach", "leftHand=0.3,1.2,0.3", a, b, c, d, "--require-reached"]);
    let reports = pose["reports"].as_array().unwrap();
    let kinds: Vec<_> = reports.iter().map(|r| (&r["kind"], &r["effector"])).collect();
    assert_eq!(kinds.len(), 3);
    assert_eq!(kinds[0], (&json!("goal"), &json!("leftHand")));
    for name in ["leftFoot", "rightFoot"] {
        assert!(kinds.contains(&(&json!("pin"), &json!(name))), "{kinds:?}");
    }
    // Pins outrank the goal, so only the goal is missed.
    let pose = json(["pose", "--method", "full-body", "--reach", "hips=3,0.9,0", a, b, c, d]);
    for report in pose["reports"].as_array().unwrap() {
        let effector = report["effector"].as_str().unwrap();
        let wanted = if effector == "hips" {
            vec![3.0, 0.9, 0.0]
        } else {
            numbers(&node(&json(["pose"]), effector)["world"])[12..15].to_vec()
        };
        let actual = numbers(&node(&pose, effector)["world"])[12..15].to_vec();
        let missed = actual.iter().zip(&wanted).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        assert!((report["position_error"].as_f64().unwrap() - missed).abs() < 1e-5, "{report} {missed}");
        // The ankles are at their limits, so the feet may turn by a fraction of a degree, but they stay in place.
        assert_eq!(missed < 1e-4, report["kind"] == "pin", "{report}");
        assert!(report["kind"] == "pin" || report["outcome"] == "out-of-reach", "{report}");
    }
    // A knee has a limit, and reaching a target far above the foot bends it fully.
    let pose = json(["pose", "--method", "dls", "--reach", "leftFoot=0.1,0.9,0.05"]);
    let limited = numbers(&pose["limited"]);
    assert!(!limited.is_empty() && limited.iter().all(|n| n.fract() == 0.0), "{limited:?}");
    assert_eq!(json(["pose"])["limited"], json!([]));
}

#[test]
fn turns_are_in_degrees_and_start_from_the_clip() {
    let turned = |options: [&str; 2]| json(["pose", options[0], options[1]])["nodes"].clone();
    let rotation = |nodes: &Value| -> [f64; 4] {
        let node = nodes.as_array().unwrap().iter().find(|n| n["name"] == "leftLowerArm").unwrap();
        std::array::from_fn(|i| node["rotation"][i].as_f64().unwrap())
    };
    let close = |a: [f64; 4], b: [f64; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let rest = rotation(&turned(["-q", "--no-limits"]));
    assert!(close(rest, [0.0, 0.0, 0.0, 1.0]), "{rest:?}");
    let bent = rotation(&turned(["-q", "--turn=leftLowerArm=0,-90,0"]));
    assert!(close(bent, [0.0, -half, 0.0, half]), "{bent:?}");
    let both = rotation(&turned(["--rotate=leftLowerArm=0,1,0,0", "--turn=leftLowerArm=0,90,0"]));
    assert!(close(both, [0.0, half, 0.0, -half]), "{both:?}");
    assert!(refusal(["pose", "--turn", "leftLowerArm=0,1e9,0"]).contains("must be at most 3600 degrees"));
    assert!(refusal(["pose", "--turn", "lftLowerArm=0,1,0"]).contains("did you mean \"leftLowerArm\"?"));
}
