//! Seeded defects in a file, the light and the camera: each case must fail, and the seeded cause must be reported first. The camera follows
//! the figure.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::glb::Glb;
use crate::{folder, sinew, stdout};

/// A figure whose left arm is raised, so that errors in its skin weights are visible.
const SUITE: &str = r#"version = 1
require-scenes = true

[[case]]
name = "pose"
model = "figure.glb"
turn = ["arm.L=0,0,50", "forearm.R=0,60,0"]
"#;

/// A change of a file.
type ModelChange<'a> = &'a dyn Fn(&mut Glb);

struct Broken {
    folder: PathBuf,
    figure: Glb,
}

impl Broken {
    fn new(name: &str) -> Self {
        let folder = folder(name);
        let bytes = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/awkward.glb")).unwrap();
        fs::write(folder.join("suite.toml"), SUITE).unwrap();
        fs::write(folder.join("figure.glb"), &bytes).unwrap();
        stdout(["test", folder.join("suite.toml").to_str().unwrap(), "--update"]);
        Self { folder, figure: Glb::new(&bytes) }
    }

    /// Returns whether the case passes with a changed file or suite, and the case as JSON.
    fn run(&self, change: ModelChange<'_>, suite: &str) -> (bool, Value) {
        let mut figure = self.figure.clone();
        change(&mut figure);
        fs::write(self.folder.join("figure.glb"), figure.file()).unwrap();
        fs::write(self.folder.join("suite.toml"), suite).unwrap();
        let (suite, out) = (self.folder.join("suite.toml"), self.folder.join("out.json"));
        let status = sinew(["test", suite.to_str().unwrap(), "-q", "--json", out.to_str().unwrap()]).status;
        let data: Value = serde_json::from_slice(&fs::read(out).unwrap()).unwrap();
        (status.success(), data["cases"][0].clone())
    }

    /// Returns the vertex of the head that is farthest in front (1) or behind (-1).
    fn farthest(&self, sign: f64) -> usize {
        let positions = self.figure.attribute(1, "POSITION");
        let z = |vertex: &usize| sign * self.figure.read(positions, *vertex)[2];
        (0..1386).max_by(|a, b| z(a).total_cmp(&z(b))).unwrap()
    }

    fn verdict(&self, change: ModelChange<'_>, suite: &str) -> (bool, String) {
        let (passes, case) = self.run(change, suite);
        (passes, case["explanation"]["verdict"].as_str().unwrap_or_default().to_owned())
    }
}

/// Turns the inverse bind matrix of the left hand, the twelfth joint of the first skin.
fn bind(figure: &mut Glb) {
    let mut matrix = figure.read(8, 7);
    let (sin, cos) = 0.4_f64.sin_cos();
    for column in 0..4 {
        let (y, z) = (matrix[4 * column + 1], matrix[4 * column + 2]);
        matrix[4 * column + 1] = cos * y - sin * z;
        matrix[4 * column + 2] = sin * y + cos * z;
    }
    figure.write(8, 7, &matrix);
}

/// Assigns vertices of the left forearm to the hips.
fn weights(figure: &mut Glb, count: usize) {
    let (joints, weights) = (figure.attribute(0, "JOINTS_0"), figure.attribute(0, "WEIGHTS_0"));
    let forearm = (0..2014).filter(|vertex| figure.read(joints, *vertex)[0] == 6.0);
    for vertex in forearm.skip(20).take(count).collect::<Vec<_>>() {
        figure.write(joints, vertex, &[0.0; 4]);
        figure.write(weights, vertex, &[65535.0, 0.0, 0.0, 0.0]);
        let (more, none) = (figure.attribute(0, "JOINTS_1"), figure.attribute(0, "WEIGHTS_1"));
        figure.write(more, vertex, &[0.0; 4]);
        figure.write(none, vertex, &[0.0; 4]);
    }
}

fn vertex(figure: &mut Glb, index: usize, distance: f64) {
    let positions = figure.attribute(1, "POSITION");
    let mut position = figure.read(positions, index);
    position[2] += distance;
    figure.write(positions, index, &position);
}

/// Leaves out the last triangles of the body.
fn fewer_triangles(figure: &mut Glb) {
    figure.json["accessors"][7]["count"] = json!(8568 - 900);
}

#[test]
fn each_break_is_named_first() {
    let broken = Broken::new("seeded-breaks");
    let keep = |_: &mut Glb| {};
    let set = |line: &str| SUITE.replace("model = ", &format!("{line}\nmodel = "));
    assert!(broken.run(&keep, SUITE).0);
    let color = |figure: &mut Glb| {
        figure.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] = json!([1, 0.4, 0.4, 1]);
    };
    let no_head = |figure: &mut Glb| {
        figure.json["nodes"][21].as_object_mut().unwrap().retain(|key, _| key != "mesh" && key != "skin");
    };
    let front = broken.farthest(1.0);
    let nose = format!("Vertex {front} of part `head_mesh` moved by 60.0 mm: ");
    let changes: [(&str, ModelChange<'_>, String); 11] = [
        ("Inverse bind of `hand.L` differs: ", &bind, SUITE.into()),
        ("Part `head_mesh` no longer exists: ", &no_head, SUITE.into()),
        ("Weights of 30 vertices of `body` differ: ", &|f| weights(f, 30), SUITE.into()),
        (&nose, &|f| vertex(f, front, 0.06), SUITE.into()),
        (
            "The mesh of part `body` differs: 2,556 triangles instead of 2,856: ",
            &fewer_triangles,
            SUITE.into(),
        ),
        ("Shaded: material `vinyl`: ", &color, SUITE.into()),
        ("Light: ", &keep, set("light = \"outdoor\"")),
        ("Camera: ", &keep, set("camera-view-angle = 40")),
        ("Moved: left lower arm ", &keep, set("").replace("arm.L=0,0,50", "forearm.L=0,0,20")),
        ("Moved: ", &keep, SUITE.replace("0,0,50", "0,0,54")),
        ("Background: ", &keep, set("background = \"#405060\"")),
    ];
    for (start, change, suite) in changes {
        let (passes, verdict) = broken.verdict(change, &suite);
        assert!(!passes && verdict.starts_with(start), "{start}{verdict}");
    }
}

#[test]
fn a_camera_that_follows_the_figure_comes_last() {
    let broken = Broken::new("seeded-breaks-framing");
    // The forearm becomes longer than the figure is wide, so that the camera moves back.
    let long = |figure: &mut Glb| {
        let mut matrix = figure.read(8, 7);
        matrix[12] += 0.2;
        figure.write(8, 7, &matrix);
    };
    let (passes, case) = broken.run(&long, SUITE);
    let changes = case["explanation"]["changes"].as_array().unwrap();
    let kinds: Vec<&str> = changes.iter().filter_map(|change| change["kind"].as_str()).collect();
    assert!(!passes && kinds.first() == Some(&"bind") && kinds.last() == Some(&"camera"), "{kinds:?}");
    let text = changes.last().unwrap()["text"].as_str().unwrap();
    assert!(text.starts_with("framing: the image shifts by at most "), "{text}");
}

#[test]
fn a_change_that_the_image_does_not_show_is_noted() {
    let broken = Broken::new("seeded-breaks-hidden");
    let back = broken.farthest(-1.0);
    let (passes, case) = broken.run(&|figure| vertex(figure, back, 0.01), SUITE);
    assert!(passes, "{case}");
    let note = case["notes"][0].as_str().unwrap();
    let vertex = format!("vertex {back} of part `head_mesh` moved by 10.0 mm");
    assert_eq!(note, format!("the file has changed, but this image does not show it: {vertex}"));
}

#[test]
fn a_golden_without_its_scene_is_counted_and_refused_where_scenes_are_required() {
    let broken = Broken::new("seeded-breaks-stripped");
    let golden = broken.folder.join("goldens/pose.png");
    strip(&golden);
    let keep = |_: &mut Glb| {};
    let (passes, case) = broken.run(&keep, SUITE);
    assert!(!passes && case["golden_scene"] == "missing", "{case}");
    let text = case["findings"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("image: the golden does not contain its scene"), "{text}");
    let suite = broken.folder.join("suite.toml");
    let suite = suite.to_str().unwrap();
    let lenient = SUITE.replace("require-scenes = true\n", "");
    assert!(broken.run(&keep, &lenient).0);
    let junit = broken.folder.join("out.xml");
    let out = stdout(["test", suite, "--junit", junit.to_str().unwrap()]);
    assert!(out.contains("1 golden without a scene, "), "{out}");
    assert!(fs::read_to_string(junit).unwrap().contains("name=\"goldens-without-scene\" value=\"1\""));
    // The scene is added only to a golden with identical pixels, because a different image may show a different scene.
    let before = fs::read(&golden).unwrap();
    fs::write(suite, lenient.replace("0,0,50", "0,0,50.01")).unwrap();
    let out = stdout(["test", suite, "--update=scenes"]);
    assert!(out.contains("note: the golden did not get a scene, because "), "{out}");
    assert_eq!(fs::read(&golden).unwrap(), before);
    fs::write(suite, SUITE).unwrap();
    stdout(["test", suite, "--update=scenes"]);
    assert!(broken.run(&keep, SUITE).0);
}

/// Removes the texts from a PNG, as file optimisers do.
fn strip(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let (mut out, mut at) = (bytes[..8].to_vec(), 8);
    while at < bytes.len() {
        let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let chunk = &bytes[at..at + 12 + length];
        if !matches!(&chunk[4..8], b"tEXt" | b"zTXt") {
            out.extend(chunk);
        }
        at += chunk.len();
    }
    assert!(out.len() < bytes.len());
    fs::write(path, out).unwrap();
}

/// Adds a pane between the camera and the figure.
fn add_pane(figure: &mut Glb, mode: &str) {
    let corners = [[-2.0, -1.0, 0.6], [2.0, -1.0, 0.6], [2.0, 3.0, 0.6], [-2.0, 3.0, 0.6]];
    let triangles = [0, 1, 2, 0, 2, 3].map(|corner: usize| corners[corner]);
    let positions = figure.add("VEC3", 3, triangles.as_flattened());
    let add = |json: &mut Value, list: &str, value: Value| {
        json[list].as_array_mut().unwrap().push(value);
        json[list].as_array().unwrap().len() - 1
    };
    let color = json!({"baseColorFactor": [0.5, 0.8, 1, 0.3]});
    let material =
        json!({"name": "pane", "alphaMode": mode, "doubleSided": true, "pbrMetallicRoughness": color});
    let material = add(&mut figure.json, "materials", material);
    let primitive = json!({"attributes": {"POSITION": positions}, "material": material});
    let mesh = add(&mut figure.json, "meshes", json!({"name": "pane", "primitives": [primitive]}));
    let node = add(&mut figure.json, "nodes", json!({"name": "pane", "mesh": mesh}));
    figure.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(node));
}

/// The report names the changes seen through glass or a hole, not the surface in front of them.
#[test]
fn changes_behind_glass_and_behind_holes_are_named() {
    for mode in ["BLEND", "MASK"] {
        let mut broken = Broken::new(&format!("seeded-breaks-{mode}"));
        add_pane(&mut broken.figure, mode);
        let suite = SUITE.replace(
            "model = ",
            "camera-position = [0.3, 0.8, 4]\ncamera-focal-point = [0, 0.7, 0]\nmodel = ",
        );
        let path = broken.folder.join("suite.toml");
        fs::write(&path, &suite).unwrap();
        fs::write(broken.folder.join("figure.glb"), broken.figure.file()).unwrap();
        stdout(["test", path.to_str().unwrap(), "--update=all"]);
        let color = |material: usize| {
            move |figure: &mut Glb| {
                let values = &mut figure.json["materials"][material]["pbrMetallicRoughness"];
                values["baseColorFactor"] = json!([1, 0.3, 0.3, 0.31]);
            }
        };
        let keep = |_: &mut Glb| {};
        let (figure, pane) = (color(0), color(1));
        let mut changes: Vec<(&str, ModelChange<'_>, String)> = vec![
            ("Moved: left upper arm ", &keep, suite.replace("0,0,50", "0,0,58")),
            ("Shaded: material `vinyl`: ", &figure, suite.clone()),
        ];
        if mode == "BLEND" {
            changes.push(("Shaded: material `pane`: ", &pane, suite.clone()));
        }
        for (start, change, suite) in changes {
            let (passes, verdict) = broken.verdict(change, &suite);
            assert!(!passes && verdict.starts_with(start), "{mode}: {start}{verdict}");
        }
    }
}

/// Nodes and meshes without names have different indices in a file that another program has written.
#[test]
fn nodes_without_names_in_another_order_look_the_same() {
    let mut broken = Broken::new("seeded-breaks-order");
    for node in broken.figure.json["nodes"].as_array_mut().unwrap() {
        node.as_object_mut().unwrap().remove("name");
    }
    for mesh in broken.figure.json["meshes"].as_array_mut().unwrap() {
        mesh.as_object_mut().unwrap().remove("name");
    }
    let suite = SUITE.replace("arm.L=", "#6=").replace("forearm.R=", "#11=");
    let path = broken.folder.join("suite.toml");
    fs::write(broken.folder.join("figure.glb"), broken.figure.file()).unwrap();
    fs::write(&path, &suite).unwrap();
    stdout(["test", path.to_str().unwrap(), "--update=all"]);
    let reversed = |figure: &mut Glb| reverse_nodes(&mut figure.json);
    let other = suite.replace("#6=", "#15=").replace("#11=", "#10=");
    let (passes, case) = broken.run(&reversed, &other);
    assert!(passes && case["notes"] == json!([]), "{case}");
    // A joint that turns is still found among the reordered nodes.
    let (passes, verdict) = broken.verdict(&reversed, &other.replace("0,0,50", "0,0,55"));
    assert!(!passes && verdict.contains("joint `#15` turned 5.00°"), "{verdict}");
}

/// Reverses the order of the nodes.
fn reverse_nodes(json: &mut Value) {
    let last = json["nodes"].as_array().unwrap().len() as u64 - 1;
    let turn = |value: &mut Value| *value = json!(last - value.as_u64().unwrap());
    json["nodes"].as_array_mut().unwrap().reverse();
    for node in json["nodes"].as_array_mut().unwrap() {
        node["children"].as_array_mut().into_iter().flatten().for_each(turn);
        node.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    }
    for scene in json["scenes"].as_array_mut().unwrap() {
        scene["nodes"].as_array_mut().into_iter().flatten().for_each(turn);
    }
    for skin in json["skins"].as_array_mut().unwrap() {
        skin["joints"].as_array_mut().into_iter().flatten().for_each(turn);
        skin.as_object_mut().unwrap().remove("skeleton");
    }
    for channel in json["animations"][0]["channels"].as_array_mut().unwrap() {
        turn(&mut channel["target"]["node"]);
    }
}
