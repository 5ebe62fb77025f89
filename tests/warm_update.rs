//! A warm [`Puppet::update`] allocates nothing. Once the buffers have grown, playing a motion and moving goals needs no
//! new memory. [`Method::Style`] is exempt.
//!
//! Allocations are counted per thread, including those that are freed immediately.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::f64::consts::TAU;
use std::path::Path;

use glam::{DQuat, DVec3, EulerRot, Quat, Vec3};
use sinew::asset;
use sinew::asset::Character;
use sinew::ik::{AxisTerm, GoalAxes, Method, Start, Tolerance};
use sinew::motion::{
    Contact, ContactConstraint, Crossfade, Edit, FootPlacer, Layer, Motion, Player, PoseKey, RootMotion,
    Strip, WeightedClip,
};
use sinew::pose::Pose;
use sinew::puppet::{Pin, Puppet, Target};
use sinew::rig::{self, Foot};
use sinew::skin::Skinning;

/// Number of frames in a round. All rounds have the same times and goals, so the buffers are large enough after two rounds.
const FRAMES: u16 = 12;

/// A character with the data that the tests need.
struct Subject {
    name: String,
    puppet: Puppet,
    /// The nodes at the ends of the character's chains.
    ends: Vec<usize>,
    /// Rest position of each node, in world metres.
    rest: Vec<DVec3>,
    /// The longest side of the character's bounding box, in metres.
    size: f64,
}

impl Subject {
    fn new(path: &Path) -> Self {
        let character = asset::load(path).unwrap();
        let (rig, scene) = (rig::load(&character, None).unwrap(), character.default_scene);
        let puppet = Puppet::with_rig(character, scene, rig);
        let bounds = puppet.bounds();
        let mut ends: Vec<usize> = puppet.rig.chains.iter().map(|c| c.effector).take(3).collect();
        let skins = &puppet.character().skins;
        let leaves = skins.iter().flat_map(|s| &s.joints).copied();
        let nodes = &puppet.character().skeleton.nodes;
        ends.extend(leaves.rev().find(|&j| nodes[j].children.is_empty()));
        ends.extend((ends.is_empty()).then_some(nodes.len() - 1));
        ends.dedup();
        let position = |m: &glam::Affine3A| Vec3::from(m.translation).as_dvec3();
        let rest = puppet.world_from_node().iter().map(position).collect();
        let size = f64::from((bounds.hi - bounds.lo).max_element());
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        Self { name, puppet, ends, rest, size }
    }

    fn target(&self, end: usize) -> Target {
        Target::new(self.ends[end % self.ends.len()])
    }

    /// Returns a position that moves along an ellipse around the rest position of an end.
    fn place(&self, end: usize, frame: u16) -> Option<DVec3> {
        let turn = TAU * f64::from(frame) / f64::from(FRAMES) + end as f64;
        let swing = DVec3::new(turn.cos(), turn.sin(), 0.5 * turn.sin());
        Some(self.rest[self.target(end).node] + 0.08 * self.size * swing)
    }

    fn turn(frame: u16) -> Option<DQuat> {
        let turn = TAU * f64::from(frame) / f64::from(FRAMES);
        Some(DQuat::from_euler(EulerRot::XYZ, 0.4 * turn.sin(), 0.3 * turn.cos(), 0.2))
    }

    /// Returns the number of allocations and the number of successful updates in the third round. `set` prepares the
    /// puppet, and `frame` sets the goals of a frame.
    fn warm(&self, set: impl Fn(&mut Puppet), frame: impl Fn(&mut Puppet, u16)) -> (u64, u16) {
        let mut puppet = self.puppet.clone();
        set(&mut puppet);
        let (mut allocations, mut solved) = (0, 0);
        for round in 0..3 {
            for i in 0..FRAMES {
                puppet.time = 0.11 * f32::from(i);
                puppet.targets.clear();
                puppet.pins.clear();
                frame(&mut puppet, i);
                let mut done = false;
                let count = allocation_counter::measure(|| done = puppet.update().is_ok()).count_total;
                if round == 2 && done {
                    (allocations, solved) = (allocations + count, solved + 1);
                }
            }
        }
        (allocations, solved)
    }
}

/// Sets the goals and pins of a frame.
type Goals = fn(&Subject, &mut Puppet, u16);

const POSITION: (&str, Goals) =
    ("position", |s, p, i| p.targets.push(s.target(0).with_position(s.place(0, i))));

const GOALS: [(&str, Goals); 12] = [
    ("nothing", |_, _, _| {}),
    POSITION,
    ("position and orientation", |s, p, i| {
        p.targets.push(s.target(0).with_position(s.place(0, i)).with_orientation(Subject::turn(i)));
    }),
    ("free axes", |s, p, i| {
        let orientation = AxisTerm { weights: DVec3::new(1.0, 0.0, 1.0), ..AxisTerm::default() };
        let position = AxisTerm { weights: DVec3::Y, tolerance: Some(Tolerance::Norm(1e-3)) };
        let axes = GoalAxes { position, orientation, ..GoalAxes::default() };
        let target = s.target(0).with_position(s.place(0, i)).with_orientation(Subject::turn(i));
        p.targets.push(target.with_axes(axes));
    }),
    ("orientation", |s, p, i| p.targets.push(s.target(0).with_orientation(Subject::turn(i)))),
    ("look", |s, p, i| {
        p.targets.push(s.target(0).with_look(s.place(1, i).map(|v| v + DVec3::Z)));
    }),
    ("pole", |s, p, i| {
        let pole = s.place(1, i).map(|v| v + DVec3::Z);
        p.targets.push(s.target(0).with_position(s.place(0, i)).with_pole(pole));
    }),
    ("offset", |s, p, i| {
        let offset = DVec3::Y * 0.05 * s.size;
        p.targets.push(s.target(0).with_position(s.place(0, i)).with_offset(offset));
    }),
    ("several groups", |s, p, i| {
        for end in 0..s.ends.len() {
            p.targets.push(s.target(end).with_position(s.place(end, i)));
        }
        p.targets.push(s.target(s.ends.len() - 1).with_orientation(Subject::turn(i)));
    }),
    ("pins", |s, p, i| {
        p.targets.push(s.target(0).with_position(s.place(0, i)));
        p.pins.push(s.target(1).node.into());
        let last = s.target(s.ends.len() - 1).node;
        p.pins.push(Pin { node: last, target: s.place(s.ends.len() - 1, i).zip(Subject::turn(i)) });
    }),
    ("root motion", |s, p, i| {
        let root = rig::default_base(p.character(), s.ends[0]);
        let place = s.place(0, i).map(|v| s.rest[root] + 0.5 * (v - s.rest[s.ends[0]]));
        p.targets.push(Target::new(root).with_position(place));
        p.pins.push(s.target(s.ends.len() - 1).node.into());
    }),
    ("reversed base", |s, p, i| {
        let base = Some(s.target(s.ends.len() - 1).node);
        p.targets.push(s.target(0).with_position(s.place(0, i)).with_base(base));
    }),
];

fn built_in() -> Vec<Subject> {
    let files = sinew_testkit::built_in_gltf_files();
    files.iter().map(|path| Subject::new(path)).collect()
}

fn mannequin() -> Subject {
    Subject::new(&sinew_testkit::asset_path("mannequin.glb"))
}

/// Characters that were made with other programs.
fn real() -> Vec<Subject> {
    let files = [
        "models/quaternius/modular_men/Adventurer/Adventurer.glb",
        "models/quaternius/animals_pack/Wolf/Wolf.glb",
        "models/vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb",
        "models/webxr-hands/left/generic-hand-left.glb",
    ];
    files.iter().filter_map(|file| Some(Subject::new(&sinew_testkit::external(file)?))).collect()
}

/// Returns a motion of a single clip.
fn clip(character: &Character) -> Motion {
    if character.clips.is_empty() { Motion::default() } else { Motion::clip(0) }
}

/// Returns a motion with a transition into a blend of two clips, two layers, edits, and feet that stay in place.
fn everything(character: &Character) -> Motion {
    let clips = character.clips.len();
    if clips == 0 {
        return Motion::default();
    }
    let node = character.skeleton.nodes.len() / 2;
    let weighted = |clip: usize, weight| WeightedClip { clip: clip % clips, weight };
    let blend = Strip {
        clips: vec![weighted(0, 0.6), weighted(2, 0.4)],
        start: 0.5,
        seconds: Some(2.0),
        looping: true,
        root_motion: RootMotion::InPlace,
        ..Strip::new(0)
    };
    let first = Strip { looping: true, mirror: true, seconds: Some(0.9), ..Strip::new(1 % clips) };
    let layer = |clip: usize, additive| Layer {
        clip: clip % clips,
        weight: 0.4,
        additive,
        mask: if additive { vec![node] } else { Vec::new() },
        speed: 1.2,
    };
    let edit = |time, turn| Edit {
        time,
        before: 0.5,
        after: 0.5,
        turns: vec![(node, turn)],
        shifts: vec![(node, Vec3::Y * 0.01)],
    };
    Motion {
        strips: vec![first, blend],
        layers: vec![layer(3, true), layer(4, false)],
        edits: vec![edit(0.4, Vec3::X * 0.2), edit(0.7, Vec3::Z * 0.3)],
        plant: true,
        ..Motion::default()
    }
}

fn methods() -> impl Iterator<Item = Method> {
    Method::all().filter(|method| *method != Method::Style)
}

/// Checks goals with a method on a puppet that `set` prepares. Returns the number of updates that succeeded.
fn assert_pair_warm(
    subject: &Subject,
    what: &str,
    (goals, frame): (&str, Goals),
    method: Method,
    set: &impl Fn(&mut Puppet),
) -> u32 {
    let set = |puppet: &mut Puppet| {
        set(puppet);
        puppet.options.solver.method = method;
        (puppet.options.solver.iterations, puppet.options.solver.restarts) = (15, 1);
    };
    let (allocations, solved) = subject.warm(set, |puppet, i| frame(subject, puppet, i));
    assert_eq!(allocations, 0, "{}, {what}, {goals}, {method}, {solved} frames", subject.name);
    solved.into()
}

/// Checks all goals with the default method on a puppet that `set` prepares. Returns the number of updates that succeeded.
fn assert_goals_warm(subject: &Subject, what: &str, set: &impl Fn(&mut Puppet)) -> u32 {
    GOALS.into_iter().map(|goals| assert_pair_warm(subject, what, goals, Method::Auto, set)).sum()
}

/// Checks all goals with the default method, and all methods with a position.
fn assert_warm(subject: &Subject, what: &str, set: impl Fn(&mut Puppet)) -> u32 {
    let of_methods = methods().map(|method| assert_pair_warm(subject, what, POSITION, method, &set));
    of_methods.sum::<u32>() + assert_goals_warm(subject, what, &set)
}

fn assert_motions(subject: &Subject) {
    let character = subject.puppet.character();
    let play = |motion: Motion| {
        move |puppet: &mut Puppet| {
            puppet.motion.clone_from(&motion);
            puppet.options.looping = true;
        }
    };
    for (what, motion) in [("rest", Motion::default()), ("clip", clip(character))] {
        assert!(assert_goals_warm(subject, what, &play(motion)) > 0, "{}, {what}", subject.name);
    }
    assert!(assert_warm(subject, "everything", play(everything(character))) > 0, "{}", subject.name);
}

/// A game loop must not allocate, even when a clip starts in the middle of a fade.
#[test]
fn a_crossfade_allocates_only_in_its_first_update() {
    let character = sinew_testkit::mannequin();
    let (mut fade, mut pose) = (Crossfade::default(), Pose::rest(&character.skeleton));
    fade.play(0, 0.2);
    fade.update(0.01, &character, &mut pose);
    let count = allocation_counter::measure(|| {
        for frame in 0..100_usize {
            if frame % 7 == 0 {
                fade.play(frame % 5, 0.2);
            }
            fade.update(0.01, &character, &mut pose);
        }
    });
    assert_eq!(count.count_total, 0);
}

#[test]
fn built_in_characters_allocate_nothing() {
    built_in().iter().for_each(assert_motions);
}

#[test]
fn every_method_allocates_nothing_with_any_goals() {
    let mannequin = mannequin();
    let motion = everything(mannequin.puppet.character());
    for method in methods() {
        let updates = GOALS.map(|goals| {
            assert_pair_warm(&mannequin, "everything", goals, method, &|puppet: &mut Puppet| {
                puppet.motion.clone_from(&motion);
            })
        });
        assert!(updates.iter().sum::<u32>() > 0, "{method}");
    }
}

#[test]
fn real_characters_allocate_nothing() {
    real().iter().for_each(assert_motions);
}

#[test]
fn options_and_logical_parents_allocate_nothing() {
    let mannequin = mannequin();
    let free =
        assert_warm(&mannequin, "from rest, without limits, by dual quaternions, recorded", |puppet| {
            puppet.options.solver.start = Start::Rest;
            puppet.options.solver.limits = false;
            puppet.options.solver.record = true;
            puppet.options.skinning = Skinning::DualQuaternion;
            puppet.motion = everything(mannequin.puppet.character());
        });
    assert!(free > 0);
    let drag = assert_warm(&mannequin, "continued", |puppet| puppet.options.solver.start = Start::Continue);
    assert!(drag > 0);
    let node = |name: &str| mannequin.puppet.character().skeleton.find(name).unwrap();
    let (head, hand) = (node("head"), node("rightHand"));
    let reparented = assert_warm(&mannequin, "a head that follows a hand", |puppet| {
        puppet.rig.joints.entry(head).or_default().logical_parent = Some(hand);
        puppet.rig.pins.push(node("leftFoot"));
        puppet.motion = clip(mannequin.puppet.character());
    });
    assert!(reparented > 0);
}

/// Tests the idle clip, which keeps both feet in place.
#[test]
fn feet_that_stay_in_place_allocate_nothing() {
    let mannequin = mannequin();
    let character = mannequin.puppet.character();
    let idle = character.clips.iter().position(|c| c.name.as_deref() == Some("idle")).unwrap();
    let motion = Motion { plant: true, ..Motion::clip(idle) };
    let feet: Vec<Foot> = mannequin.puppet.rig.soles().collect();
    let (mut pose, mut contacts) = (Pose::rest(&character.skeleton), Vec::new());
    Player::default().pose(character, &motion, &feet, 0.5, &mut pose, &mut contacts);
    assert_eq!(contacts.len(), 2);
    assert!(assert_warm(&mannequin, "idle", |puppet| puppet.motion.clone_from(&motion)) > 0);
}

/// Tests a foot that stays in place and a hand that moves with the hips, between keys that move both.
#[test]
fn contacts_of_a_motion_allocate_nothing() {
    let mannequin = mannequin();
    let (character, rig) = (mannequin.puppet.character(), &mannequin.puppet.rig);
    let rest = Pose::rest(&character.skeleton);
    let [hips, spine, foot, hand] = ["hips", "spine", "leftFoot", "leftHand"].map(|bone| rig.bones[bone]);
    let mut bent = rest.clone();
    bent.locals[hips].translation.y -= 0.1;
    bent.locals[spine].rotation *= Quat::from_rotation_x(0.3);
    let key = |time, pose| PoseKey::new(time, pose, &character.skeleton);
    let contact = |node, on| Contact { node, point: Vec3::ZERO, from: 0.2, to: 0.9, slides: false, on };
    let motion = Motion {
        keys: vec![key(0.0, &rest), key(1.0, &bent)],
        contacts: vec![contact(foot, None), contact(hand, Some(hips))],
        ..Motion::default()
    };
    let feet: Vec<Foot> = rig.soles().collect();
    let (mut pose, mut contacts) = (rest, Vec::new());
    Player::default().pose(character, &motion, &feet, 0.5, &mut pose, &mut contacts);
    for (node, on) in [(foot, None), (hand, Some(hips))] {
        assert!(contacts.iter().any(|contact| (contact.node, contact.on) == (node, on)));
    }
    assert!(assert_warm(&mannequin, "contacts", |puppet| puppet.motion.clone_from(&motion)) > 0);
}

/// The puppet follows a pose from another source, with contact constraints that start and end.
#[test]
fn a_followed_pose_allocates_nothing() {
    for subject in built_in() {
        let mut puppet = subject.puppet.clone();
        let mut pose = Pose::rest(&puppet.character().skeleton);
        for round in 0..3 {
            for i in 0..FRAMES {
                pose.locals[subject.ends[0]].rotation = Quat::from_rotation_x(0.1 * f32::from(i));
                let contact = |end: usize| ContactConstraint {
                    node: subject.ends[end],
                    offset: Vec3::ZERO,
                    position: subject.place(end, i).unwrap().as_vec3(),
                    orientation: (i % 2 == 0).then_some(Quat::IDENTITY),
                    on: None,
                    weight: 0.5 + 0.02 * f32::from(i),
                    yields: false,
                    pulls: false,
                };
                let contacts: Vec<ContactConstraint> = (0..subject.ends.len())
                    .filter(|end| (usize::from(i) / 4 + end) % 3 != 0)
                    .map(contact)
                    .collect();
                let follow = || puppet.follow(&pose, &contacts).unwrap();
                let count = allocation_counter::measure(follow).count_total;
                assert!(round < 2 || count == 0, "{}, frame {i}: {count}", subject.name);
            }
        }
    }
}

/// Placing feet allocates no memory, not even the first time.
#[test]
fn feet_on_uneven_ground_allocate_nothing() {
    let character = sinew_testkit::mannequin();
    let mut feet = FootPlacer::new(&character, &rig::detect(&character)).unwrap();
    let mut pose = Pose::rest(&character.skeleton);
    for frame in 0..FRAMES {
        feet.position.z = 0.02 * f32::from(frame);
        let place = || feet.update(0.02, |at| Some((0.1 * at.x, Vec3::new(-0.1, 1.0, 0.0))), &mut pose);
        assert_eq!(allocation_counter::measure(place).count_total, 0, "frame {frame}");
    }
}
