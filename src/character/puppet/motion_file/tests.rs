//! Tests of valid motion files, and of the errors of invalid ones.

use glam::Vec3;
use proptest::prelude::*;

use crate::asset::mannequin;
use crate::motion::RootMotion;

use super::*;

fn read_motion(text: &str) -> Result<Motion, String> {
    let character = mannequin().unwrap();
    read(text, Path::new("a.motion.toml"), &character, &crate::rig::detect(&character))
        .map_err(|e| e.to_string())
}

#[test]
fn a_motion_file_is_read() {
    let text = "version = 1\nplant = true\n\
        [[strip]]\nclips = \"walk\"\nlooping = true\nseconds = 2.0\n\
        [[strip]]\nclips = { walk = 0.25, run = 0.75 }\noverlap = 0.5\nlooping = true\nseconds = 3\nroot_motion = \"in-place\"\n\
        [[layer]]\nclip = \"wave\"\nmask = [\"left arm\", \"head\"]\nadditive = true\n\
        [[edit]]\ntime = 1.0\nturn = { head = [0, 30, 0] }\nshift = { hips = [0, -0.1, 0] }\n\
        [[edit]]\ntime = 1.5\nreach = { leftHand = [0.3, 1.2, 0.4] }\n";
    let motion = read_motion(text).unwrap();
    assert!(motion.plant && motion.validate().is_ok());
    assert_eq!((motion.strips[1].start, motion.strips[1].root_motion), (1.5, RootMotion::InPlace));
    assert_eq!(motion.strips[1].clips.len(), 2);
    assert!(motion.layers[0].mask.len() > 4, "{:?}", motion.layers[0].mask);
    let head = motion.edits[0].turns[0].1;
    assert!((head - Vec3::new(0.0, 30.0_f32.to_radians(), 0.0)).length() < 1e-6);
    // At the time of the second edit, the hand is at its goal although the puppet has no targets to solve for.
    let character = mannequin().unwrap();
    let hand = character.skeleton.find("leftHand").unwrap();
    let mut puppet = Puppet::new(character, 0);
    (puppet.motion, puppet.time) = (motion, 1.5);
    puppet.update().unwrap();
    let position = Vec3::from(puppet.world_from_node()[hand].translation);
    assert!(position.distance(Vec3::new(0.3, 1.2, 0.4)) < 2e-3, "{position}");
}

#[test]
fn mirrored_strips_need_a_body_with_sides() {
    let text = "version = 1\n[[strip]]\nclips = \"wave\"\nmirror = true";
    assert!(read_motion(text).unwrap().strips[0].mirror);
    let error = read(text, Path::new("a.motion.toml"), &mannequin().unwrap(), &Rig::default()).unwrap_err();
    assert_eq!(error.to_string(), format!("a.motion.toml: line 4: {NO_SIDES}"));
}

#[test]
fn a_root_node_must_be_above_the_hips() {
    let text = "HIERARCHY ROOT top { OFFSET 0 0 0 CHANNELS 0 JOINT hips { OFFSET 0 1 0
        CHANNELS 3 Xposition Yposition Zposition JOINT chest { OFFSET 0 1 0 CHANNELS 0 } } }
        MOTION\nFrames: 2\nFrame Time: 1\n0 1 0\n0 1 3";
    let character = crate::asset::bvh::read(text, Path::new("clip.bvh"), Some(1.0)).unwrap();
    let of = |node: &str| {
        let text = format!("version = 1\nroot_node = \"{node}\"\n[[strip]]\nclips = \"clip\"");
        read(&text, Path::new("a.motion.toml"), &character, &Rig::default()).map_err(|e| e.to_string())
    };
    let motion = of("top").unwrap();
    assert_eq!(motion.root_node, Some(0));
    {
        let mut table = Table::new();
        table::write(&motion, &character, &Rig::default(), &mut table);
        assert_eq!(table::read(&table, &character, &Rig::default()).ok(), Some(motion));
    }
    for (node, cause) in [
        ("hips", "node \"hips\" is not above the hips"),
        ("tip", "node \"tip\" does not exist; did you mean \"top\"?"),
    ] {
        assert_eq!(of(node).unwrap_err(), format!("a.motion.toml: line 2: {cause}"));
    }
}

#[test]
fn an_automatic_overlap_is_computed() {
    let overlap = |key: &str| {
        let text = format!("version = 1\n[[strip]]\nclips = \"idle\"\n[[strip]]\nclips = \"wave\"\n{key}");
        4.0 - read_motion(&text).unwrap().strips[1].start
    };
    assert_eq!(overlap(""), 0.0);
    assert!((overlap("overlap = 0.3") - 0.3).abs() < 1e-6);
    // The arm is raised by more than a right angle, which needs a long overlap.
    let automatic = overlap("overlap = \"auto\"");
    assert!((0.8..=1.5).contains(&automatic), "{automatic}");
}

#[test]
fn errors_name_the_line() {
    let error = |text: &str| read_motion(&format!("version = 1\n{text}")).unwrap_err();
    for (text, line, cause) in [
        ("[[strip]]\nclips = \"wolk\"", 3, "animation \"wolk\" does not exist"),
        ("[[strip]]\nstart = 1", 3, "clips is missing"),
        ("\n[[strip]]\n", 3, "clips is missing"),
        ("[[strip]]\nclips = \"walk\"\n[[layer]]\n", 4, "clip is missing"),
        ("[[strip]]\nclips = \"walk\"\n\n[[edit]]\n", 5, "time is missing"),
        ("[[strip]]\nclips = [\"walk\",\n\"wolk\"]", 4, "animation \"wolk\" does not exist"),
        ("[[strip]]\nclips = \"a\\u001b\\nb\"", 3, "animation \"a\\u{1b}\\nb\" does not exist"),
        ("[[strip]]\nclips = { walk = 1,\nrun = 1,\nwolk = 1 }", 5, "animation \"wolk\" does not exist"),
        ("[[edit]]\ntime = 1\n[edit.turn]\nhead = [0, 0, 0]\nnose = [0, 0, 0]", 6, "node \"nose\" does not"),
        ("[[strip]]\nclips = \"walk\"\nstart = nan", 4, "start: value is not finite"),
        ("[[strip]]\nclips = \"walk\"\nspeed = 1e39", 4, "speed: value is too large"),
        ("[[strip]]\nclips = { walk = 1e39 }", 3, "walk: value is too large"),
        ("[[strip]]\nclips = { walk = 3e38, run = 3e38 }", 3, "clips: the sum of the weights is too large"),
        ("[[edit]]\ntime = 1\nturn = { chest = [0, 0, 1e39] }", 4, "turn: value is too large"),
        ("[[edit]]\ntime = 1\nturn = { chest = [0, 0, 1e38] }", 4, "turn: value is too large (at most"),
        ("[[edit]]\ntime = 1\nshift = { chest = [-inf, 0, 0] }", 4, "shift: value is not finite"),
        ("[[edit]]\ntime = 1\nreach = { leftHand = [1e39, 0, 0] }", 4, "reach: value is too large"),
        ("[[strip]]\nclips = \"walk\"\nstart = 1\noverlap = 1", 4, "start and overlap"),
        ("[[strip]]\nclips = { walk = -1.0 }", 3, "the weight of walk"),
        ("[[strip]]\nclips = { walk = 0.0 }", 3, "clips: at least one weight must be greater than 0"),
        ("[[strip]]\nclips = \"walk\"\noverlap = 0.1", 4, "the first strip cannot overlap"),
        (
            "[[strip]]\nclips = \"run\"\n[[strip]]\nclips = \"walk\"\noverlap = 0.8",
            6,
            "overlap of 0.8 s is longer than the previous strip, which lasts 0.7 s",
        ),
        (
            "[[strip]]\nclips = \"walk\"\n[[strip]]\nclips = \"run\"\noverlap = 0.8",
            6,
            "overlap of 0.8 s is longer than the strip, which lasts 0.7 s",
        ),
        ("[[strip]]\nclips = \"walk\"\n[[strip]]\nclips = \"run\"\noverlap = \"x\"", 6, "overlap must be"),
        ("[[layer]]\nclip = \"wave\"\nmask = [\"nose\"]", 4, "chain or node \"nose\" does not exist"),
        ("[[edit]]\ntime = 1\nturn = { nose = [0, 0, 0] }", 4, "node \"nose\" does not exist"),
        ("[[edit]]\ntime = 1\nreach = { hips = [0, 0] }", 4, "reach must be a list of 3 numbers"),
        ("[[edit]]\ntime = \"soon\"", 3, "time must be a number from -1000000 to 1000000"),
        ("[[contact]]\nfrom = 0\nto = 1", 3, "contacts[0]: node is missing"),
        ("[[goal]]\ntime = 0\nposition = [0, 0, 0]", 3, "goals[0]: node is missing"),
        ("[[goal]]\nnode = \"hips\"\nposition = [0, 0, 0]", 3, "goals[0]: time is missing"),
        (
            "[[goal]]\nnode = \"hips\"\ntime = 0\nposition = [0, 0]",
            5,
            "goals[0]: position must be a list of 3",
        ),
        ("[[goal]]\nnode = \"hips\"\ntime = -1\nposition = [0, 0, 0]", 4, "goals[0]: time must be from 0"),
        (
            "[[goal]]\nnode = \"hips\"\ntime = 0\nposition = [0, 0, 0]\nweight = 2",
            6,
            "goals[0]: weight must be from 0 to 1",
        ),
        (
            "[[goal]]\nnode = \"hips\"\ntime = 0\nposition = [0, 0, 0]\non = \"head\"",
            6,
            "goals[0]: on must not be a node below its own",
        ),
        ("[[contact]]\nnode = \"nose\"\nfrom = 0\nto = 1", 3, "contacts[0]: node \"nose\" does not exist"),
        ("[[contact]]\nnode = 3\nfrom = 0\nto = 1", 3, "contacts[0]: node must be the name of a node"),
        ("[[contact]]\nnode = \"hips\"\nfrom = 0", 3, "contacts[0]: to is missing"),
        ("[[contact]]\nnode = \"hips\"\nfrom = 1\nto = 1", 2, "contacts[0]: from and to must differ"),
        ("[[contact]]\nnode = \"hips\"\nfrom = nan\nto = 1", 4, "contacts[0]: from: value is not finite"),
        ("[[contact]]\nnode = \"hips\"\nfrom = 0\nto = 1e7", 5, "contacts[0]: to must be a number from"),
        ("[[contact]]\nnode = \"hips\"\nfrom = 0\nto = 1\nmode = 1", 6, "contacts[0]: unknown key \"mode\""),
        (
            "[[contact]]\nnode = \"hips\"\nfrom = 0\nto = 1\npoint = [0, inf, 0]",
            6,
            "contacts[0]: point: value is not finite",
        ),
        (
            "[[contact]]\nnode = \"hips\"\nfrom = 0\nto = 1\non = \"nose\"",
            6,
            "contacts[0]: node \"nose\" does not exist",
        ),
        (
            "[[contact]]\nnode = \"hips\"\nfrom = 0\nto = 1\non = \"head\"",
            6,
            "contacts[0]: on must not be a node below its own",
        ),
        (
            "[[contact]]\nnode = \"leftHand\"\nfrom = 0\nto = 1\n\
            [[contact]]\nnode = \"leftHand\"\nfrom = 0\nto = 1\non = \"hips\"\nslides = true",
            6,
            "contacts[1]: slides and on exclude each other",
        ),
        ("speed = 1", 2, "unknown key \"speed\""),
    ] {
        let error = error(text);
        let expected = format!("a.motion.toml: line {line}: {cause}");
        assert!(error.starts_with(&expected), "{text}: {error}");
    }
    for text in ["plant = true", "\n\n[[strip]]\nclips = \"walk\""] {
        assert!(read_motion(text).unwrap_err().contains("line 1: version is missing"), "{text}");
    }
}

/// Two clips of the mannequin in which the same event happens at different times.
const MARKED: &str = "version = 1\n\n[[strip]]\nclips = { wave = 0.5, crouch = 0.5 }\nstart = 0.0\n";

#[test]
fn marks_are_read_used_and_written() {
    let text = format!("{MARKED}marks = {{ wave = 0.9, crouch = 0.5 }}\n");
    let (character, motion) = (mannequin().unwrap(), read_motion(&text).unwrap());
    let clip = |name: &str| character.find_clip(name).unwrap();
    assert_eq!(motion.strips[0].marks, [(clip("wave"), 0.9), (clip("crouch"), 0.5)]);
    // The blend reaches the marks of both clips at the same time only if the strip has marks.
    let played = |motion: &Motion, time: f32| {
        let mut puppet = Puppet::new(character.clone(), 0);
        (puppet.motion, puppet.time) = (motion.clone(), time);
        puppet.update().unwrap();
        puppet.pose().clone()
    };
    let unmarked = read_motion(MARKED).unwrap();
    let [wave, crouch] = ["wave", "crouch"].map(|name| character.clips[clip(name)].seconds);
    let moment = 0.5 * (0.9 / wave + 0.5 / crouch) * unmarked.strips[0].length(&character.clips);
    let hips = character.skeleton.find("hips").unwrap();
    let height = |motion: &Motion, time: f32| played(motion, time).locals[hips].translation.y;
    let at = |name: &str, time: f32| height(&Motion::clip(clip(name)), time);
    let mean = 0.5 * (at("wave", 0.9) + at("crouch", 0.5));
    let (with, without) = ((height(&motion, moment) - mean).abs(), (height(&unmarked, moment) - mean).abs());
    assert!(with < 1e-5 && without > 1e-2, "{with} m with marks, {without} m without");
    {
        let written = |motion: &Motion| {
            let (mut document, rig) = (toml_edit::DocumentMut::new(), crate::rig::detect(&character));
            document.insert("version", toml_edit::value(1));
            table::write(motion, &character, &rig, document.as_table_mut());
            document.to_string()
        };
        assert_eq!(written(&motion), text);
        // Marks without effect are left out, and marks after the end of a clip are written the way the player uses them, so that the
        // output can be read back.
        let mut changed = motion.clone();
        changed.strips[0].marks = vec![(clip("wave"), 0.9), (clip("walk"), 0.1)];
        assert_eq!(written(&changed), MARKED);
        changed.strips[0].marks = vec![(clip("wave"), 0.9), (clip("crouch"), 99.0), (clip("walk"), 0.1)];
        let read = read_motion(&written(&changed)).unwrap();
        assert_eq!(read.strips[0].marks, [(clip("wave"), 0.9), (clip("crouch"), crouch)]);
    }
}

#[test]
fn marks_belong_to_the_clips_of_their_strip() {
    for (marks, cause) in [
        ("0.5", "must be a table of seconds by clip"),
        ("[0.9, 0.5]", "must be a table of seconds by clip"),
        ("{ wave = 0.9 }", "\"crouch\" has no mark"),
        ("{}", "\"wave\" has no mark"),
        ("{ wave = 0.9, crouch = 0.5, walk = 0.1 }", "the strip does not play \"walk\""),
        ("{ wave = 0.9, crouch = 0.5, wolk = 0.1 }", "animation \"wolk\" does not exist"),
        ("{ wave = 0.9, \"#1\" = 0.8, crouch = 0.5 }", "\"#1\" already has a mark under another name"),
        ("{ wave = 0.9, crouch = 99 }", "99 s is after the end of \"crouch\", which lasts"),
        ("{ wave = 0.9, crouch = -0.5 }", "crouch must be a number of seconds from 0 to"),
        ("{ wave = 0.9, crouch = \"late\" }", "crouch must be a number of seconds from 0 to"),
        ("{ wave = 0.9, crouch = nan }", "crouch: value is not finite"),
        ("{ wave = 0.9, crouch = inf }", "crouch: value is not finite"),
        ("{ wave = 0.9, crouch = 1e39 }", "crouch: value is too large"),
    ] {
        let error = read_motion(&format!("{MARKED}marks = {marks}\n")).unwrap_err();
        assert!(error.starts_with(&format!("a.motion.toml: line 6: marks: {cause}")), "{marks}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    // A clip without weight is not played and needs no mark.
    let text = "version = 1\n[[strip]]\nclips = { wave = 1, run = 0 }\nmarks = { wave = 0.9 }";
    assert_eq!(read_motion(text).unwrap().strips[0].marks.len(), 1);
}

#[test]
fn contacts_are_read_and_written() {
    let text = "version = 1\n\n\
        [[contact]]\nnode = \"leftFoot\"\npoint = [0.0, -0.1, 0.05]\nfrom = 0.5\nto = 1.25\nslides = true\n\n\
        [[contact]]\nnode = \"leftHand\"\nfrom = 0.0\nto = 0.1\non = \"hips\"\n\n\
        [[contact]]\nnode = \"rightFoot\"\nfrom = 1.5\nto = 0.25\n";
    let motion = read_motion(text).unwrap();
    let character = mannequin().unwrap();
    let node = |name: &str| character.skeleton.find(name).unwrap();
    let [foot, hand, around] = motion.contacts[..] else { panic!("{motion:?}") };
    assert_eq!((foot.node, foot.on, foot.slides), (node("leftFoot"), None, true));
    assert_eq!((foot.from, foot.to, foot.point), (0.5, 1.25, Vec3::new(0.0, -0.1, 0.05)));
    assert_eq!((hand.node, hand.on, hand.slides), (node("leftHand"), Some(node("hips")), false));
    assert!((around.node, around.from, around.to) == (node("rightFoot"), 1.5, 0.25) && around.wraps());
    {
        let (mut document, rig) = (toml_edit::DocumentMut::new(), crate::rig::detect(&character));
        document.insert("version", toml_edit::value(1));
        table::write(&motion, &character, &rig, document.as_table_mut());
        assert_eq!(document.to_string(), text);
    }
}

/// A number in a file. Some are so large that they or their sums overflow single precision.
fn number() -> impl Strategy<Value = String> {
    let extreme =
        ["0", "-1", "1e6", "-1e6", "1e19", "1e30", "3e38", "-3.4e38", "1e39", "1e308", "inf", "nan"];
    prop_oneof![
        (-2.0..2.0_f64).prop_map(|x| format!("{x:?}")),
        prop::sample::select(extreme.to_vec()).prop_map(str::to_owned)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// A valid motion file gives a finite pose, or an error that names a joint.
    #[test]
    fn a_motion_file_gives_finite_poses(
        speed in number(), weight in number(), layer in number(),
        turn in prop::array::uniform3(number()), shift in prop::array::uniform3(number()),
    ) {
        let list = |v: &[String; 3]| v.join(", ");
        let text = format!(
            "version = 1\n[[strip]]\nclips = {{ walk = {weight}, run = 0.5 }}\nspeed = {speed}\nseconds = 2\n\
            [[layer]]\nclip = \"wave\"\nadditive = true\nweight = {layer}\n\
            [[edit]]\ntime = 0.5\nturn = {{ chest = [{}] }}\nshift = {{ hips = [{}] }}\n",
            list(&turn), list(&shift),
        );
        let character = mannequin().unwrap();
        let rig = crate::rig::detect(&character);
        let Ok(motion) = read(&text, Path::new("a.motion.toml"), &character, &rig) else { return Ok(()) };
        let mut puppet = Puppet::with_rig(character, 0, rig);
        puppet.motion = motion;
        for time in [0.0, 0.45, 0.5, 1.7] {
            puppet.time = time;
            if let Err(error) = puppet.update() {
                prop_assert!(error.to_string().starts_with("joint "), "{}", error);
            }
            let finite = puppet.pose().locals.iter().all(|l| l.translation.is_finite() && l.rotation.is_finite());
            prop_assert!(finite && puppet.world_from_node().iter().all(glam::Affine3A::is_finite));
        }
    }
}
