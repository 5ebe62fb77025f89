//! `sinew bake`, and motion files on the command line.

use std::fs;
use std::path::Path;

use glam::DVec3;
use serde_json::Value;
use sinew::{asset, export};

use crate::{MANNEQUIN, command, folder, json, numbers, place, refusal, sinew, stdout};
use sinew_testkit::external;

/// Returns the largest difference in metres between the vertex coordinates of two poses.
fn vertex_difference(a: &Value, b: &Value) -> f64 {
    let coordinates = |pose: &Value| -> Vec<f64> {
        pose["primitives"].as_array().unwrap().iter().flat_map(|p| numbers(&p["positions"])).collect()
    };
    let (a, b) = (coordinates(a), coordinates(b));
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_baked_clip_matches_the_played_and_solved_motion() {
    let folder = folder("bake");
    let out = folder.join("out.glb");
    let out = out.to_str().unwrap();
    let posing = ["--animation", "walk", "--reach", "leftHand=0.3,1.3,0.35"];
    let [a, b, c, d] = posing;
    stdout(["bake", MANNEQUIN, "-q", "-o", out, a, b, c, d, "--key-error", "0"]);
    for time in ["0", "0.3", "0.7"] {
        let expected = json(["pose", MANNEQUIN, "--vertices", a, b, c, d, "--animation-time", time]);
        let baked = json(["pose", out, "--vertices", "--animation", "baked", "--animation-time", time]);
        let difference = vertex_difference(&expected, &baked);
        assert!(difference < 1e-5 * 1.8, "{time}: {difference}");
    }
    // The copy contains only the baked clip and the unchanged model.
    let copy = asset::load(Path::new(out)).unwrap();
    assert_eq!(copy.clips.len(), 1);
    assert_eq!(copy.meshes.len(), 1);
}

#[test]
fn reduced_keys_stay_within_the_key_error() {
    let folder = folder("bake-keys");
    let (all, few) = (folder.join("all.glb"), folder.join("few.glb"));
    let (all, few) = (all.to_str().unwrap(), few.to_str().unwrap());
    stdout(["bake", "-q", "-o", all, "--animation", "walk", "--key-error", "0", "--fps", "60"]);
    stdout(["bake", "-q", "-o", few, "--animation", "walk", "--key-error", "0.01", "--fps", "60"]);
    let bytes = |path: &str| fs::metadata(path).unwrap().len();
    assert!(bytes(few) + 10_000 < bytes(all));
    let pose = |path| json(["pose", path, "--vertices", "--animation", "0", "--animation-time", "0.37"]);
    // Each joint above the hand adds an error of up to 0.01 rad, which moves the hand by less than 0.01 m.
    let error = vertex_difference(&pose(all), &pose(few));
    assert!(error > 0.0 && error < 0.05, "{error}");
}

/// Regression: a motion without movement lost its length when it was baked, and other programs rejected the resulting animation.
#[test]
fn a_still_motion_keeps_its_length() {
    let folder = folder("bake-still");
    let (motion, out) = (folder.join("still.motion.toml"), folder.join("still.glb"));
    fs::write(&motion, "version = 1\n[[strip]]\nclips = \"walk\"\nspeed = 0\nseconds = 1.5\n").unwrap();
    let (motion, out) = (motion.to_str().unwrap(), out.to_str().unwrap());
    stdout(["bake", "-q", "-o", out, "--motion", motion]);
    let copy = asset::load(Path::new(out)).unwrap();
    assert_eq!(copy.clips[0].seconds, 1.5);
    assert!(!copy.clips[0].channels.is_empty());
    assert!(copy.warnings.is_empty(), "{:?}", copy.warnings);
}

#[test]
fn a_clip_survives_a_round_trip_through_bvh() {
    let folder = folder("bake-bvh");
    let (bvh, back) = (folder.join("walk.bvh"), folder.join("back.glb"));
    let (bvh, back) = (bvh.to_str().unwrap(), back.to_str().unwrap());
    stdout(["bake", "-q", "-o", bvh, "--animation", "walk"]);
    stdout(["bake", MANNEQUIN, "-q", "-o", back, "--clips", bvh]);
    let position = |pose: &Value, name: &str| {
        let node = pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap();
        numbers(&node["world"])[12..15].to_vec()
    };
    for time in ["0.2", "0.6"] {
        let before = json(["pose", "--animation", "walk", "--animation-time", time]);
        let after = json(["pose", back, "--animation", "baked", "--animation-time", time]);
        for name in ["hips", "leftHand", "rightFoot", "head"] {
            let (before, after) = (position(&before, name), position(&after, name));
            let difference = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(difference < 1e-4, "{name} at {time}: {before:?} {after:?}");
        }
    }
}

#[test]
fn a_motion_file_is_played() {
    let folder = folder("motion-file");
    let path = folder.join("a.motion.toml");
    let text = "version = 1\n[[strip]]\nclips = \"walk\"\n[[strip]]\nclips = \"run\"\noverlap = 0.3\n";
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let nodes = |options: &[&str]| {
        let mut command = crate::command(["pose"]);
        let output = command.args(options).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["nodes"].clone()
    };
    let walk = nodes(&["--animation", "walk", "--animation-time", "0.5"]);
    assert_eq!(walk, nodes(&["--motion", path, "--animation-time", "0.5"]));
    let run = nodes(&["--animation", "run", "--animation-time", "0.4"]);
    let second = nodes(&["--motion", path, "--animation-time", "1.1"]);
    let local = |pose: &Value| numbers(&pose[8]["rotation"]);
    let difference = local(&run).iter().zip(local(&second)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(difference < 1e-5, "{difference}");
    fs::write(path, format!("{text}speed = fast\n")).unwrap();
    let line = refusal(["pose", "--motion", path]);
    assert!(line.starts_with(&format!("{path}: line 7: ")), "{line}");
}

#[test]
fn clips_of_one_name_are_numbered() {
    let character = asset::mannequin().unwrap();
    let clip = |name: &str| character.clips[character.find_clip(name).unwrap()].clone();
    let clips = [clip("walk"), asset::Clip { name: Some("walk".to_owned()), ..clip("run") }];
    let file = folder("namesakes").join("two.glb");
    fs::write(&file, export::animated_copy(&character, None, &clips).unwrap()).unwrap();
    let file = file.to_str().unwrap();
    let pose = |file: &str, name: &str| {
        let output =
            command(["pose", file, "--animation", name, "--animation-time", "0.2"]).output().unwrap();
        let pose: Value = serde_json::from_slice(&output.stdout).unwrap();
        (pose["nodes"].clone(), String::from_utf8(output.stderr).unwrap())
    };
    let note = "the first of 2 clips of this name plays; \"walk#2\" is the second";
    let (first, notes) = pose(file, "walk");
    assert!(first == pose(MANNEQUIN, "walk").0 && notes.contains(note), "{notes}");
    let (second, notes) = pose(file, "walk#2");
    assert!(second == pose(MANNEQUIN, "run").0 && notes.is_empty(), "{notes}");
}

#[test]
fn errors_say_what_cannot_be_baked() {
    let folder = folder("bake-refused");
    let out = folder.join("out.glb");
    let out = out.to_str().unwrap();
    assert_eq!(
        refusal(["bake", "-o", "out.fbx"]),
        "--output out.fbx: unknown file type; use .glb, .bvh or .csv"
    );
    assert_eq!(refusal(["bake", "-o", out]), "the model has 5 clips; choose one with --animation NAME|INDEX");
    assert_eq!(
        refusal(["bake", "-o", out, "--animation", "walk", "--blend", "run=2"]),
        "--blend run=2: weight must be between 0 and 1, as in NAME=0.5"
    );
    // The walk lasts one second.
    assert_eq!(
        refusal(["bake", "-o", out, "--animation", "walk", "--seconds", "5..9"]),
        "--seconds 5..9: the motion ends at 1 s; use --loop to repeat it"
    );
    let unknown = refusal(["pose", "--clips", MANNEQUIN, "--animation", "wolk"]);
    assert!(unknown.starts_with("animation \"wolk\" does not exist"), "{unknown}");
    assert!(!Path::new(out).exists());
}

#[test]
fn seconds_beyond_the_end_are_cut_or_looped() {
    let folder = folder("bake-seconds");
    let out = folder.join("out.glb");
    let out = out.to_str().unwrap();
    let baked = |options: &[&str]| {
        let mut command = crate::command(["bake", "-o", out, "--animation", "walk", "--seconds"]);
        let output = command.args(options).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (asset::load(Path::new(out)).unwrap().clips[0].seconds, text)
    };
    let (seconds, text) = baked(&["0.5..9"]);
    assert!((seconds - 0.5).abs() < 1e-3, "{seconds}");
    let cause = "shortened to 1 s, where the motion ends; use --loop to repeat it";
    assert!(text.starts_with(&format!("warning: --seconds 0.5..9: {cause}\n")), "{text}");
    let (seconds, text) = baked(&["5..9", "--loop"]);
    assert!((seconds - 4.0).abs() < 1e-3 && !text.contains("warning"), "{seconds} {text}");
    let expected = json(["pose", "--vertices", "--animation", "walk", "--animation-time", "0.3"]);
    let looped = json(["pose", out, "--vertices", "--animation", "baked", "--animation-time", "2.3"]);
    let difference = vertex_difference(&expected, &looped);
    assert!(difference < 2e-3, "{difference}");
}

/// An edit raises a hand shortly before the end of a walk. Without `--loop`, the edit is cut off at the end of
/// the walk. With it, the edit continues at the start of the walk.
#[test]
fn an_edit_continues_across_the_end_of_a_loop() {
    let folder = folder("motion-loop");
    let path = folder.join("a.motion.toml");
    let text = "version = 1\n[[strip]]\nclips = \"walk\"\n[[edit]]\ntime = 0.9\nreach = { leftHand = [0.3, 1.4, 0.4] }\n";
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let hand = |time: &str, options: &[&str]| {
        let mut command = crate::command(["pose", "--motion", path, "--animation-time", time]);
        let output = command.args(options).output().unwrap();
        let pose: Value = serde_json::from_slice(&output.stdout).unwrap();
        let node =
            pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == "leftHand").unwrap().clone();
        glam::DVec3::from_slice(&numbers(&node["world"])[12..15])
    };
    assert!(hand("1", &[]).distance(hand("0", &[])) > 0.2);
    assert!(hand("1", &["--loop"]).distance(hand("0", &["--loop"])) < 1e-3);
    assert!(hand("1.2", &["--loop"]).distance(hand("0.2", &["--loop"])) < 1e-3);
    assert!(hand("0.9", &["--loop"]).distance(hand("0.9", &[])) < 1e-5);
}

#[test]
fn feet_of_a_retargeted_walk_stand_on_the_ground() {
    let folder = folder("bake-walk");
    let own = walk_of_long_arms(&folder);
    let awkward = MANNEQUIN.replace("mannequin", "awkward");
    assert_feet_stand(&folder, &own, 4.0, MANNEQUIN, ["leftFoot", "rightFoot"]);
    // A small figure with different proportions.
    assert_feet_stand(&folder, &own, 4.0, &awkward, ["foot.L", "foot.R"]);
    if let Some(walk) = external("models/bvh/pybvh/cmu_12_01_walk.bvh") {
        assert_feet_stand(&folder, walk.to_str().unwrap(), 4.36, MANNEQUIN, ["leftFoot", "rightFoot"]);
    }
}

/// Retargets a walk of `length` seconds to a character. Asserts that each foot swings, that it stands still in more
/// than 40 frames, and that its lowest height is 0.6 to 1.4 times its height at rest.
fn assert_feet_stand(folder: &Path, walk: &str, length: f32, target: &str, feet: [&str; 2]) {
    let out = folder.join("walk.glb");
    let out = out.to_str().unwrap();
    stdout(["bake", target, "-q", "-o", out, "--clips", walk, "--fps", "60"]);
    let character = asset::load(Path::new(out)).unwrap();
    let seconds = character.clips[0].seconds;
    assert!((seconds - length).abs() < 0.02, "{seconds}");
    let mut puppet = sinew::puppet::Puppet::new(character, 0);
    let height = |puppet: &sinew::puppet::Puppet, name: &str| {
        puppet.world_from_node()[puppet.character().skeleton.find(name).unwrap()].translation.y
    };
    // Speeds are scaled to a figure with human hip height.
    let size = height(&puppet, "hips") / 0.95;
    let at_rest = feet.map(|foot| height(&puppet, foot));
    for (foot, at_rest) in feet.into_iter().zip(at_rest) {
        let node = puppet.character().skeleton.find(foot).unwrap();
        let mut positions = Vec::new();
        for frame in 0..(seconds * 60.0) as u16 {
            puppet.play(0, f32::from(frame) / 60.0);
            puppet.update().unwrap();
            positions.push(puppet.world_from_node()[node].translation);
        }
        let speed = |w: &[glam::Vec3A]| (w[1] - w[0]).with_y(0.0).length() * 60.0 / size;
        let speeds: Vec<f32> = positions.windows(2).map(speed).collect();
        assert!(speeds.iter().copied().fold(0.0, f32::max) > 1.5, "{foot}");
        let standing = speeds.iter().filter(|s| **s < 0.05).count();
        assert!(standing > 40, "{foot}: {standing} frames");
        let lowest = positions.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        assert!((0.6..1.4).contains(&(lowest / at_rest)), "{foot}: {lowest} m, at rest {at_rest} m");
    }
}

/// Writes four seconds of the mannequin's walk as BVH, for a figure with longer arms. The mannequin walks in place. The
/// written figure moves forward at the speed at which the mannequin's feet move back.
fn walk_of_long_arms(folder: &Path) -> String {
    const FPS: f64 = 30.0;
    /// A baked BVH file is in centimetres.
    const UNITS: f64 = 0.01;
    let toes_z = |time: &str| {
        let pose = json(["pose", "--animation", "walk", "--animation-time", time]);
        place(&pose, "leftToes").z
    };
    // The left toes are on the ground from 0.15 to 0.6 s.
    let speed = (toes_z("0.2") - toes_z("0.3")) / 0.1;
    let walk = long_arms(folder, &["--animation", "walk", "--loop", "--seconds", "0..4", "--fps", "30"]);
    let (mut text, mut frame) = (String::new(), None);
    for line in fs::read_to_string(&walk).unwrap().lines() {
        if let Some(frame) = &mut frame {
            let mut values: Vec<f64> = line.split_whitespace().map(|x| x.parse().unwrap()).collect();
            values[2] += speed * f64::from(*frame) / FPS / UNITS;
            *frame += 1;
            let values: Vec<String> = values.iter().map(f64::to_string).collect();
            text.push_str(&values.join(" "));
        } else {
            text.push_str(line);
        }
        if line.starts_with("Frame Time:") {
            frame = Some(0_u16);
        }
        text.push('\n');
    }
    fs::write(&walk, text).unwrap();
    walk
}

#[test]
fn a_sensor_recording_is_a_clip() {
    let folder = folder("bake-take");
    let (csv, out) = (folder.join("bow.csv"), folder.join("bow.glb"));
    let (csv, out) = (csv.to_str().unwrap(), out.to_str().unwrap());
    // The spine and everything above it tilt by half a radian in one second.
    let text = "time,hips.qx,hips.qy,hips.qz,hips.qw,spine.qx,spine.qy,spine.qz,spine.qw\n\
        0,0,0,0,1,0,0,0,1\n1,0,0,0,1,0.247404,0,0,0.968912\n";
    fs::write(csv, text).unwrap();
    stdout(["bake", MANNEQUIN, "-q", "-o", out, "--clips", csv]);
    let pose = json(["pose", out, "--animation", "baked", "--animation-time", "1"]);
    let spine = pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == "spine").unwrap();
    let rotation = numbers(&spine["rotation"]);
    assert!((rotation[0] - 0.247404).abs() < 1e-4 && rotation[1].abs() < 1e-4, "{rotation:?}");
    fs::write(csv, text.replace("0.247404", "much")).unwrap();
    assert_eq!(
        refusal(["pose", "--clips", csv]),
        format!("{csv}: line 3, column 6: \"much\" is not a number in the range of single precision")
    );
}

#[test]
fn a_suite_plays_motion_files_and_clips_of_other_files() {
    let folder = folder("bake-suite");
    fs::write(folder.join("a.motion.toml"), "version = 1\n[[strip]]\nclips = \"wave\"\n").unwrap();
    fs::copy(MANNEQUIN, folder.join("m.glb")).unwrap();
    let suite = "version = 1\n[[case]]\nname = \"motion\"\nmodel = \"m.glb\"\nmotion = \"a.motion.toml\"\n\
        compare = \"joints\"\n\
        [[case]]\nname = \"clips\"\nmodel = \"m.glb\"\nclips = [\"m.glb\"]\nanimation = \"m walk\"\n\
        compare = \"joints\"\n";
    fs::write(folder.join("suite.toml"), suite).unwrap();
    let suite = folder.join("suite.toml");
    let suite = suite.to_str().unwrap();
    assert!(sinew(["test", suite, "--update"]).status.success());
    assert!(stdout(["test", suite]).contains("2 passed"));
}

/// Writes a clip of the mannequin as BVH, for a figure with longer arms: all offsets of the elbows' descendants are larger.
fn long_arms(folder: &Path, clip: &[&str]) -> String {
    let (own, long) = (folder.join("own.bvh"), folder.join("long.bvh"));
    let output = command(["bake", "-q", "-o", own.to_str().unwrap()]).args(clip).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut name, mut text) = (String::new(), String::new());
    for line in fs::read_to_string(&own).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let parts = ["LowerArm", "Hand", "Thumb", "Index", "Middle", "Ring", "Little"];
        match words[..] {
            ["OFFSET", ..] if parts.iter().any(|part| name.contains(part)) => {
                let longer = words[1..].iter().map(|x| format!(" {}", 1.4 * x.parse::<f64>().unwrap()));
                text.push_str(&format!("OFFSET{}\n", longer.collect::<String>()));
                continue;
            }
            ["JOINT", joint] => joint.clone_into(&mut name),
            _ => {}
        }
        text.push_str(line);
        text.push('\n');
    }
    fs::write(&long, text).unwrap();
    long.to_str().unwrap().to_owned()
}

/// With `--keep-hands`, each hand has the same position relative to its shoulder as in the clip, scaled by the arm
/// span. Without the option, only the rotations of the arms are copied.
#[test]
fn keep_hands_scales_hand_positions_by_the_arm_span() {
    let long = long_arms(&folder("keep-hands"), &["--animation", "idle", "--seconds", "0..0.1"]);
    let position = |pose: &Value, name: &str| {
        let node = pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap();
        let world = numbers(&node["world"]);
        DVec3::new(world[12], world[13], world[14])
    };
    let shoulders = |pose: &Value| [position(pose, "leftUpperArm"), position(pose, "rightUpperArm")];
    let span = |pose: &Value| {
        let ([left, right], elbow) = (shoulders(pose), position(pose, "leftLowerArm"));
        0.5 * left.distance(right) + left.distance(elbow) + elbow.distance(position(pose, "leftHand"))
    };
    let scale = span(&json(["pose", &long, "--units", "0.01"])) / span(&json(["pose"]));
    assert!(scale > 1.2, "{scale}");
    let retarget = ["pose", &long, "--units", "0.01", "--clips", MANNEQUIN];
    for (clip, time) in [("wave", "0.5"), ("run", "0.2"), ("crouch", "1.2")] {
        let animation = ["--animation", clip, "--animation-time", time];
        let source: Value = posed(&["pose"], &animation, &[]);
        let error = |pose: &Value, hand: &str| {
            let offset = |pose: &Value| {
                let [left, right] = shoulders(pose);
                position(pose, hand) - 0.5 * (left + right)
            };
            offset(pose).distance(scale * offset(&source))
        };
        let (with, without) =
            (posed(&retarget, &animation, &["--keep-hands"]), posed(&retarget, &animation, &[]));
        for hand in ["leftHand", "rightHand"] {
            assert!(error(&with, hand) < 2e-3, "{clip} {hand}: {}", error(&with, hand));
            assert!(error(&without, hand) > 0.02, "{clip} {hand}: {}", error(&without, hand));
        }
    }
}

fn posed(retarget: &[&str], animation: &[&str], more: &[&str]) -> Value {
    let output = command::<0>([]).args(retarget).args(animation).args(more).arg("-q").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Regression: a retargeted clip that missed contacts of hands and feet caused no warning.
#[test]
fn contacts_missed_by_retargeted_clips_are_counted() {
    // This character cannot reach all positions of the mannequin's hands.
    let warnings = |more: &[&str]| {
        let arguments = ["pose", "assets/awkward.glb", "--clips", MANNEQUIN];
        let output = command(arguments).args(more).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let text = warnings(&["--keep-hands"]);
    let start = format!("warning: --clips {MANNEQUIN}: ");
    assert!(
        text.starts_with(&start) && text.contains(" contacts in all frames are missed, by up to "),
        "{text}"
    );
    assert_eq!(warnings(&[]), "");
}
