//! Motion-capture takes on the command line: used as the model or as clips, with markers, and smoothed.

use std::fmt::Write as _;
use std::path::Path;

use glam::Vec3;
use sinew::asset::{self, Character};
use sinew::motion::Playhead;
use sinew::pose::{Pose, world_matrices};

use crate::{MANNEQUIN, folder, json, refusal, sinew, text};

/// The bones of the body.
const BONES: [&str; 17] = [
    "hips",
    "spine",
    "chest",
    "neck",
    "head",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
];

/// Writes the mannequin's walk at 60 Hz in millimetres, with the given `markers` for each bone, or with its joint if there are none. Each
/// coordinate oscillates at 30 Hz with an amplitude of `noise` millimetres.
fn walk(character: &Character, markers: &[Vec3], noise: f32) -> String {
    let clip = character.clips.iter().find(|c| c.name.as_deref() == Some("walk")).unwrap();
    let points: Vec<(String, usize, Vec3)> = BONES
        .iter()
        .flat_map(|bone| {
            let node = character.skeleton.find(bone).unwrap();
            let joint = markers.is_empty().then(|| ((*bone).to_owned(), node, Vec3::ZERO));
            let on_segment = markers.iter().zip(1..).map(move |(at, n)| (format!("{bone}/{n}"), node, *at));
            joint.into_iter().chain(on_segment)
        })
        .collect();
    let mut text = "time".to_owned();
    points.iter().for_each(|(name, ..)| write!(text, ",{name}.x,{name}.y,{name}.z").unwrap());
    let (mut playhead, mut pose, mut world) =
        (Playhead::default(), Pose::rest(&character.skeleton), Vec::new());
    for frame in 0..120 {
        let time = frame as f32 / 60.0;
        playhead.sample(clip, time % clip.seconds, &character.skeleton, &mut pose);
        world_matrices(&character.skeleton, &pose, &mut world);
        write!(text, "\n{time}").unwrap();
        for (_, node, at) in &points {
            let tremble = Vec3::splat(if frame % 2 == 0 { noise } else { -noise });
            let p = world[*node].transform_point3(*at) * 1000.0 + tremble;
            write!(text, ",{},{},{}", p.x, p.y, p.z).unwrap();
        }
    }
    text
}

#[test]
fn a_take_without_a_model_becomes_a_character() {
    let (folder, mannequin) = (folder("capture-model"), asset::mannequin().unwrap());
    let take = folder.join("walk.csv");
    std::fs::write(&take, walk(&mannequin, &[], 0.0)).unwrap();
    let report = json(["inspect", "--json", text(&take)]);
    assert_eq!((&report["nodes"], &report["units"]), (&BONES.len().into(), &0.001.into()));
    assert_eq!(
        (&report["body"]["kind"], &report["animations"][0]["name"]),
        (&"biped".into(), &"walk".into())
    );
    for (output, nodes) in [("take.bvh", BONES.len()), ("take.glb", BONES.len())] {
        let output = folder.join(output);
        assert!(sinew(["bake", "-q", text(&take), "-o", text(&output)]).status.success());
        let report = json(["inspect", "--json", text(&output)]);
        assert!(report["nodes"].as_u64().unwrap() >= nodes as u64, "{report}");
        assert!(report["animations"][0]["seconds"].as_f64().unwrap() > 1.9, "{report}");
    }
    // The pose of a frame matches the positions and the floor of the take.
    let pose = json(["pose", "-q", "--animation", "walk", "--animation-time", "0.5", text(&take)]);
    let nodes = pose["nodes"].as_array().unwrap();
    let hips = nodes.iter().find(|n| n["name"] == "hips").unwrap();
    assert!((0.85..1.05).contains(&hips["world"][13].as_f64().unwrap()), "{hips}");
    let smaller = json(["inspect", "--json", "--units", "0.0005", text(&take)]);
    assert_eq!(smaller["units"], 0.0005);
}

#[test]
fn smoothing_removes_noise_from_takes_and_is_refused_without_one() {
    let (folder, mannequin) = (folder("capture-smooth"), asset::mannequin().unwrap());
    let (clean, noisy) = (folder.join("clean.csv"), folder.join("noisy.csv"));
    std::fs::write(&clean, walk(&mannequin, &[], 0.0)).unwrap();
    std::fs::write(&noisy, walk(&mannequin, &[], 10.0)).unwrap();
    let hand = |options: &[&str], clips: &Path, animation: &str| {
        let mut command =
            crate::command(["pose", "-q", MANNEQUIN, "--clips", text(clips), "--animation", animation]);
        let output = command.args(["--animation-time", "1"]).args(options).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let pose: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let nodes = pose["nodes"].as_array().unwrap();
        let hand = nodes.iter().find(|n| n["name"] == "hips").unwrap();
        Vec3::from_array([12, 13, 14].map(|i| hand["world"][i].as_f64().unwrap() as f32))
    };
    let truth = hand(&[], &clean, "clean");
    let (raw, smooth) = (hand(&[], &noisy, "noisy"), hand(&["--smooth", "6"], &noisy, "noisy"));
    assert!(raw.distance(truth) > 0.012, "{}", raw.distance(truth));
    assert!(smooth.distance(truth) < 0.002, "{}", smooth.distance(truth));

    let cause = "--smooth needs a take (.csv, .trc, .c3d), as the model or as --clips";
    assert_eq!(refusal(["pose", MANNEQUIN, "--smooth", "6"]), cause);
    assert!(refusal(["pose", text(&clean), "--smooth", "0"]).contains("must be a frequency in hertz"));
    #[cfg(feature = "viewer")]
    assert_eq!(
        refusal(["view", MANNEQUIN, "--smooth", "6"]),
        "--smooth needs --vmc, or a take (.csv, .trc, .c3d) as --clips"
    );
}

#[test]
fn markers_on_segments_drive_a_character() {
    let (folder, mannequin) = (folder("capture-markers"), asset::mannequin().unwrap());
    let take = folder.join("markers.csv");
    let markers = [Vec3::new(0.05, 0.0, 0.04), Vec3::new(-0.05, 0.02, 0.04), Vec3::new(0.0, 0.08, -0.05)];
    std::fs::write(&take, walk(&mannequin, &markers, 0.0)).unwrap();
    let output = folder.join("out.glb");
    let baked = sinew(["bake", "-q", MANNEQUIN, "--clips", text(&take), "-o", text(&output)]);
    assert!(baked.status.success(), "{}", String::from_utf8_lossy(&baked.stderr));
    let report = json(["inspect", "--json", text(&take)]);
    assert!(report["nodes"].as_u64().unwrap() >= 12, "{report}");

    let unknown = folder.join("unknown.csv");
    std::fs::write(&unknown, "time,tail/1.x,tail/1.y,tail/1.z\n0,1,2,3\n").unwrap();
    let line = refusal(["bake", MANNEQUIN, "--clips", text(&unknown), "-o", text(&output)]);
    assert!(line.contains("joint \"tail/1\" does not exist"), "{line}");
    let empty = folder.join("empty.csv");
    std::fs::write(&empty, "time\n0\n").unwrap();
    let line = refusal(["inspect", text(&empty)]);
    assert!(line.ends_with("empty.csv: the capture has no joints or no frames"), "{line}");
}

/// Writes a take in millimetres as TRC.
fn trc(csv: &str, names: impl Fn(&str) -> String) -> String {
    let mut lines = csv.lines();
    let columns = lines.next().unwrap().split(',').skip(1).step_by(3);
    let joints: Vec<String> = columns.map(|column| names(column.trim_end_matches(".x"))).collect();
    let mut text = "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tNumMarkers\tUnits\n".to_owned();
    write!(text, "60\t{}\tmm\nFrame#\tTime\t{}\n\n\n", joints.len(), joints.join("\t\t\t")).unwrap();
    for (line, number) in lines.zip(1..) {
        writeln!(text, "{number}\t{}", line.replace(',', "\t")).unwrap();
    }
    text
}

#[test]
fn trc_takes_with_the_names_of_a_sensor_drive_a_character_and_name_what_they_lack() {
    let (folder, mannequin) = (folder("capture-trc"), asset::mannequin().unwrap());
    let (csv, take) = (walk(&mannequin, &[], 0.0), folder.join("kinect.trc"));
    let kinect = |bone: &str| match bone {
        "leftHand" => "WristLeft".to_owned(),
        "leftLowerArm" => "ElbowLeft".to_owned(),
        "rightFoot" => "scissors".to_owned(),
        other => other.to_owned(),
    };
    std::fs::write(&take, trc(&csv, kinect)).unwrap();
    let output = folder.join("out.glb");
    let baked = sinew(["bake", MANNEQUIN, "--clips", text(&take), "-o", text(&output)]);
    let messages = String::from_utf8_lossy(&baked.stderr);
    assert!(baked.status.success(), "{messages}");
    assert!(messages.contains("joints without a node or a bone are ignored: \"scissors\""), "{messages}");
    assert!(messages.contains("by the joints beside them: \"rightFoot\""), "{messages}");
    // If a file names its unit, its positions are converted to metres.
    let report = json(["inspect", "--json", text(&take)]);
    assert_eq!(report["units"], 1.0, "{report}");
    std::fs::write(&take, "PathFileType").unwrap();
    assert!(
        refusal(["inspect", text(&take)])
            .ends_with("kinect.trc: line 2, column 1: the line of keys is missing")
    );
}

/// `--fit lecture` and `--asymmetric` change the result of a take, and are rejected without a take.
#[test]
fn the_fit_of_rotations_and_the_mean_of_both_sides_can_be_chosen() {
    let (folder, mut uneven) = (folder("capture-fit"), asset::mannequin().unwrap());
    // A left forearm that is 4 cm longer than the right one.
    let hand = uneven.skeleton.find("leftHand").unwrap();
    uneven.skeleton.nodes[hand].rest.translation *= 1.16;
    // A displaced left shoulder, so that no rotation fits all children of the chest.
    let shoulder = uneven.skeleton.find("leftUpperArm").unwrap();
    uneven.skeleton.nodes[shoulder].rest.translation += Vec3::new(0.0, 0.02, 0.03);
    let take = folder.join("uneven.csv");
    std::fs::write(&take, walk(&uneven, &[], 0.0)).unwrap();
    let forearms = |options: &[&str]| {
        let mut command = crate::command(["pose", "-q", text(&take)]);
        let output = command.args(options).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let pose: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let at = |name: &str| {
            let node = pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap();
            Vec3::from_array([12, 13, 14].map(|i| node["world"][i].as_f64().unwrap() as f32))
        };
        ["left", "right"].map(|side| at(&format!("{side}LowerArm")).distance(at(&format!("{side}Hand"))))
    };
    let [left, right] = forearms(&[]);
    assert!((left - right).abs() < 1e-4, "{left} {right}");
    let [left, right] = forearms(&["--asymmetric"]);
    assert!((0.02..0.06).contains(&(left - right)), "{left} {right}");

    let pose = |fit: &str| {
        let arguments =
            ["pose", "-q", MANNEQUIN, "--clips", text(&take), "--animation", "uneven", "--fit", fit];
        json(arguments)["nodes"].to_string()
    };
    let clips = ["pose", "-q", MANNEQUIN, "--clips", text(&take), "--animation", "uneven"];
    assert_eq!(pose("least-squares"), json(clips)["nodes"].to_string());
    assert_ne!(pose("lecture"), pose("least-squares"));

    let cause = "--fit needs a take (.csv, .trc, .c3d), as the model or as --clips";
    assert_eq!(refusal(["pose", MANNEQUIN, "--fit", "lecture"]), cause);
    let cause = "--asymmetric needs a take (.csv, .trc, .c3d) as the model";
    assert_eq!(refusal(["pose", MANNEQUIN, "--clips", text(&take), "--asymmetric"]), cause);
    let unknown = refusal(["pose", text(&take), "--fit", "best"]);
    assert!(unknown.contains("one of least-squares, lecture"), "{unknown}");
}
