//! `--replay` of `sinew render`, `pose` and `bake`. Images of replays are tested in `tests/viewer/recording/replay.rs`.

use std::fs;

use serde_json::{Value, json};

use crate::{folder, json, refusal, stdout};
use sinew_testkit::image::{self, PixelAccess};

/// A hand-written session of one minute with the built-in character.
const SESSION: &str = r#"{"format":"sinew-session-1","sinew":"0.1.0","character":null,"fingerprint":"crc32:00000000","size":[64.0,40.0],"scale":1.0}
{"at":0.5,"do":{"orbit":[40.0,5.0]}}
{"at":1,"do":{"shading-mode":"mask"}}
{"at":60}
"#;

#[test]
fn a_hand_written_session_is_drawn_in_its_size_with_a_warning() {
    let folder = folder("replay");
    let (session, image) = (folder.join("a.session"), folder.join("a.png"));
    fs::write(&session, SESSION).unwrap();
    let (session, out) = (session.to_str().unwrap(), image.to_str().unwrap());
    let output = crate::sinew(["render", "--replay", session, "-o", out]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("or its rig has changed"), "{text}");
    let drawn = image::open(&image);
    assert_eq!(drawn.size(), (64, 40));
    // The session ends in mask mode, with the character in the middle.
    assert_eq!([drawn.at(0, 0)[0], drawn.at(32, 16)[0]], [0, 255]);
    // The character and the image size can be changed.
    let spider = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/spider.glb");
    let before = fs::read(&image).unwrap();
    stdout(["render", "--replay", session, spider, "-o", out]);
    assert_ne!(before, fs::read(&image).unwrap());
    stdout(["render", "--replay", session, "--resolution", "30,20", "-o", out]);
    assert_eq!(image::open(&image).size(), (30, 20));
}

#[test]
fn options_that_a_session_determines_are_refused() {
    let session = folder("replay-contradicted").join("a.session");
    fs::write(&session, SESSION).unwrap();
    let session = session.to_str().unwrap();
    for [option, value] in [
        ["--camera-position", "1,2,3"],
        ["--mode", "mask"],
        ["--skinning", "linear"],
        ["--ground", "off"],
        ["--reach", "leftHand=0,1,1"],
        ["--animation", "wave"],
        ["--method", "ccd"],
        ["--rig", "a.rig.toml"],
    ] {
        let line = refusal(["render", "--replay", session, option, value, "-o", "a.png"]);
        assert!(line.contains("--replay") && line.contains(option), "{line}");
    }
    let line = refusal(["render", "--replay", session, "--frames", "0..2", "-o", "a.png"]);
    assert!(line.contains("{frame:04}"), "{line}");
}

#[test]
fn an_invalid_session_is_a_one_line_error_and_draws_nothing() {
    let folder = folder("replay-bad");
    let (session, image) = (folder.join("a.session"), folder.join("a.png"));
    fs::write(&session, SESSION.replace("orbit", "orbits")).unwrap();
    let (text, out) = (session.to_str().unwrap(), image.to_str().unwrap());
    let line = refusal(["render", "--replay", text, "-o", out]);
    assert!(line.starts_with(&format!("{text}: line 2: unknown variant `orbits`")), "{line}");
    assert!(refusal(["render", "--replay", "no.session", "-o", out]).starts_with("no.session: "));
    assert!(refusal(["render", "--replay", crate::MANNEQUIN, "-o", out]).contains("not a recorded session"));
    assert!(!image.exists());
}

/// A session in which the left hand is dragged inwards by 20 cm within 20 frames.
fn drag_session(folder: &std::path::Path) -> String {
    let mut text = SESSION.lines().next().unwrap().to_owned() + "\n";
    let hand = node("leftHand");
    let [x, y, z] = position(&json(["pose"]), hand);
    text += &format!("{{\"at\":0,\"do\":{{\"grab-node\":{{\"node\":{hand},\"offset\":[0,0,0]}}}}}}\n");
    for frame in 1..=20_u32 {
        // Times are rounded, as people write them.
        let at = f64::from(frame) / 60.0;
        let moved = [x - 0.01 * f64::from(frame), y, z];
        text += &format!("{{\"at\":{at:.4},\"do\":{{\"drag-to\":{moved:?}}}}}\n");
    }
    text += "{\"at\":0.5}\n";
    let path = folder.join("drag.session");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn node(name: &str) -> usize {
    sinew::asset::mannequin().unwrap().skeleton.find(name).unwrap()
}

/// Returns the world position of a node in a pose document.
fn position(document: &Value, node: usize) -> [f64; 3] {
    [12, 13, 14].map(|i| document["nodes"][node]["world"][i].as_f64().unwrap())
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn the_pose_of_a_session_is_written_at_any_time_with_its_reports() {
    let folder = folder("replay-pose");
    let session = drag_session(&folder);
    let (rest, hand) = (json(["pose"]), node("leftHand"));
    let end = json(["pose", "--replay", &session]);
    let start = position(&rest, hand);
    assert!((distance(position(&end, hand), start) - 0.2).abs() < 1e-3);
    let [report] = &end["reports"].as_array().unwrap()[..] else { panic!("{}", end["reports"]) };
    assert_eq!(
        [&report["node"], &report["kind"], &report["outcome"]],
        [&json!(hand), &json!("goal"), &json!("reached")]
    );
    // After ten frames, whose time is rounded down, the hand is halfway.
    let middle = json(["pose", "--replay", &session, "--at", "0.1667"]);
    assert!((distance(position(&middle, hand), start) - 0.1).abs() < 1e-3);
    assert_eq!(json(["pose", "--replay", &session, "--at", "0"])["nodes"], rest["nodes"]);
    assert_eq!(json(["pose", "--replay", &session, "--at", "1e9"])["nodes"], end["nodes"]);
    // The posed copy has the same pose.
    let copy = folder.join("posed.glb");
    stdout(["pose", "--replay", &session, "-o", copy.to_str().unwrap()]);
    let posed = json(["pose", copy.to_str().unwrap()]);
    assert!(distance(position(&posed, hand), position(&end, hand)) < 1e-5);
}

#[test]
fn a_node_is_pinned_without_a_camera() {
    let session = drag_session(&folder("replay-pin"));
    let (rest, hips) = (json(["pose"]), node("hips"));
    let pin = format!("{{\"at\":0,\"do\":{{\"pin-node\":{hips}}}}}\n");
    let text = fs::read_to_string(&session).unwrap();
    let (header, commands) = text.split_once('\n').unwrap();
    // A second command removes the pin.
    for (pins, count) in [(pin.clone(), 1), (pin.repeat(2), 0)] {
        fs::write(&session, format!("{header}\n{pins}{commands}")).unwrap();
        let end = json(["pose", "--replay", &session]);
        let reports = end["reports"].as_array().unwrap().iter();
        let pinned: Vec<&Value> = reports.filter(|r| r["kind"] == "pin").collect();
        assert_eq!(pinned.len(), count);
        assert!(pinned.iter().all(|r| r["node"] == json!(hips) && r["outcome"] == "reached"), "{pinned:?}");
        // Without the pin, the hips move slightly.
        let most = if count > 0 { 1e-4 } else { 0.05 };
        assert!(distance(position(&end, hips), position(&rest, hips)) < most);
    }
}

#[test]
fn a_session_is_baked_with_a_key_for_every_frame() {
    let folder = folder("replay-bake");
    let session = drag_session(&folder);
    let (hand, clip) = (node("leftHand"), folder.join("drag.glb"));
    let clip = clip.to_str().unwrap();
    stdout(["bake", "--replay", &session, "-o", clip]);
    let baked = sinew::asset::load(std::path::Path::new(clip)).unwrap();
    let [only] = &baked.clips[..] else { panic!("{} clips", baked.clips.len()) };
    assert!((only.seconds - 0.5).abs() < 1e-6);
    let longest = only.timelines.iter().map(Vec::len).max();
    assert_eq!(longest, Some(31));
    let start = position(&json(["pose"]), hand);
    // Each frame contains the drag at its own time, although the times in the session are rounded.
    for frame in [1, 7, 10, 20, 30_u32] {
        let time = format!("{}", f64::from(frame) / 60.0);
        let pose = json(["pose", clip, "--animation", "0", "--animation-time", &time]);
        let expected = 0.01 * f64::from(frame.min(20));
        let moved = distance(position(&pose, hand), start);
        assert!((moved - expected).abs() < 1e-3, "frame {frame}: {moved}");
    }
    // The rate and the range can be chosen, and other formats work as for clips.
    let bvh = folder.join("drag.bvh");
    let bvh = bvh.to_str().unwrap();
    stdout(["bake", "--replay", &session, "--fps", "20", "--seconds", "0.1..0.4", "-o", bvh]);
    assert!(fs::read_to_string(bvh).unwrap().contains("Frames: 7"));
}

#[test]
fn a_session_is_posed_with_another_character_and_rig() {
    let folder = folder("replay-rig");
    let session = drag_session(&folder);
    let rig = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.rig.toml");
    // The file of the built-in character, posed with its rig, gives the same result as the built-in character.
    let named = json(["pose", "--replay", &session, crate::MANNEQUIN, "--rig", rig]);
    assert_eq!(named["nodes"], json(["pose", "--replay", &session])["nodes"]);
    let line = refusal(["pose", "--replay", &session, "--rig", "no.rig.toml"]);
    assert!(line.starts_with("no.rig.toml: "), "{line}");
}

#[test]
fn replay_options_of_pose_and_bake_are_checked() {
    let folder = folder("replay-pose-bad");
    let session = drag_session(&folder);
    for command in ["pose", "bake"] {
        let out = folder.join("out.glb");
        let out = out.to_str().unwrap();
        for [option, value] in [["--reach", "leftHand=0,1,1"], ["--animation", "wave"], ["--method", "ccd"]] {
            let line = refusal([command, "--replay", &session, option, value, "-o", out]);
            assert_eq!(
                line,
                format!("{option}: cannot be used with a session or a project, which determines it")
            );
        }
        assert!(refusal([command, "--replay", "no.session", "-o", out]).starts_with("no.session: "));
        let line = refusal([command, "--replay", &session, "-o", &session]);
        assert!(line.contains("unknown file type"), "{line}");
        // A session may have any name.
        let disguised = folder.join("session.glb");
        fs::copy(&session, &disguised).unwrap();
        let disguised = disguised.to_str().unwrap();
        let line = refusal([command, "--replay", disguised, "-o", disguised]);
        assert!(line.contains("would overwrite an input"), "{line}");
    }
    assert!(refusal(["pose", "--at", "1"]).contains("--replay"));
    assert!(refusal(["pose", "--replay", &session, "--at", "-1"]).contains("at least 0"));
    let invalid = folder.join("invalid.session");
    let text = fs::read_to_string(&session).unwrap();
    fs::write(&invalid, text.replacen("\"offset\":[0,0,0]", "\"offset\":[0,1e300,0]", 1)).unwrap();
    let line = refusal(["pose", "--replay", invalid.to_str().unwrap()]);
    assert!(line.ends_with("line 2: offset is not finite"), "{line}");
    let long = text.replace("{\"at\":0.5}", "{\"at\":1e6}");
    fs::write(&invalid, long).unwrap();
    let line = refusal(["bake", "-q", "--replay", invalid.to_str().unwrap(), "-o", "never.glb"]);
    assert!(line.contains("poses exceed the limit"), "{line}");
}
