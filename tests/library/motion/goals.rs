//! Keys of goals: positions that inverse kinematics keeps, blended with the pose of the joints by a weight.

use glam::{Quat, Vec3};
use sinew::asset::{self, Character};
use sinew::motion::{Contact, Easing, GoalKey, Motion};
use sinew::pose::Pose;
use sinew::puppet::Puppet;

use sinew_testkit::external_or_skip;

/// Maximum distance of a hand from its expected position, in metres at human size.
const EXACT: f32 = 2e-3;

struct Reach {
    puppet: Puppet,
    hand: usize,
    /// The position of the hand without a goal, and a position in front of the body.
    free: Vec3,
    place: Vec3,
    size: f32,
}

impl Reach {
    fn new(character: Character) -> Self {
        let scene = character.default_scene;
        let mut puppet = Puppet::new(character, scene);
        puppet.update().unwrap();
        let body = puppet.rig.body.as_ref().unwrap();
        let (size, facing) = (body.size, body.facing);
        let hand = puppet.rig.bones["leftHand"];
        let at = |node: usize| Vec3::from(puppet.world_from_node()[node].translation);
        let shoulder = at(puppet.rig.bones["leftUpperArm"]);
        let arm = shoulder.distance(at(puppet.rig.bones["leftLowerArm"]));
        let free = at(hand);
        let place = shoulder + 1.2 * arm * facing - 0.3 * arm * Vec3::Y;
        Self { puppet, hand, free, place, size }
    }

    fn key(&self, time: f32, weight: f32) -> GoalKey {
        let (node, position) = (self.hand, self.place);
        GoalKey { node, time, position, orientation: None, weight, easing: Easing::Linear, on: None }
    }

    /// Returns the position of the hand at a time of a motion.
    fn at(&mut self, motion: &Motion, time: f32) -> Vec3 {
        self.puppet.motion = motion.clone();
        self.puppet.time = time;
        self.puppet.update().unwrap();
        self.puppet.world_from_node()[self.hand].translation.into()
    }
}

/// The weight takes the hand from its pose to the goal in a straight line. After the last key, the hand stays at the goal.
#[track_caller]
fn check(character: Character) {
    let mut reach = Reach::new(character);
    let motion = Motion::default().with_goal_key(reach.key(0.0, 0.0)).with_goal_key(reach.key(1.0, 1.0));
    for (time, part) in [(0.0, 0.0), (0.25, 0.25), (0.5, 0.5), (1.0, 1.0), (2.0, 1.0)] {
        let (wanted, is) = (reach.free.lerp(reach.place, part), reach.at(&motion, time));
        let off = wanted.distance(is);
        assert!(off < EXACT * reach.size, "{off} m at {time} s");
    }
    // Evaluating the times in a different order gives bit-identical results.
    let [late, early] = [0.75, 0.25].map(|time| reach.at(&motion, time));
    assert_eq!([0.25, 0.75].map(|time| reach.at(&motion, time)), [early, late]);
}

#[test]
fn a_weight_blends_the_pose_with_the_goal() {
    check(asset::mannequin().unwrap());
}

#[test]
fn a_weight_blends_on_characters_of_others() {
    for path in [
        "models/quaternius/modular_men/Adventurer/Adventurer.glb",
        "models/vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb",
    ] {
        let Some(path) = external_or_skip(path) else { return };
        check(asset::load(&path).unwrap());
    }
}

/// A goal attached to the head keeps its position relative to the head while a clip plays.
#[test]
fn a_goal_goes_along_with_a_node_of_a_clip() {
    let mut reach = Reach::new(asset::mannequin().unwrap());
    let head = reach.puppet.rig.bones["head"];
    let position = Vec3::new(0.16, 0.05, 0.12);
    let goal = GoalKey { on: Some(head), position, ..reach.key(0.0, 1.0) };
    let walk = reach.puppet.character().clips.iter().position(|clip| clip.name.as_deref() == Some("walk"));
    let motion = Motion { goals: vec![goal], ..Motion::clip(walk.unwrap()) };
    for step in 0..20_u8 {
        let hand = reach.at(&motion, 0.05 * f32::from(step));
        let place = reach.puppet.world_from_node()[head].transform_point3(position);
        assert!(place.distance(hand) < 0.01, "{} m in step {step}", place.distance(hand));
    }
}

/// A contact holds its node even if a goal has a different position for it.
#[test]
fn a_contact_takes_precedence() {
    let mut reach = Reach::new(asset::mannequin().unwrap());
    let contact =
        Contact { node: reach.hand, point: Vec3::ZERO, from: 0.5, to: 1.0, slides: false, on: None };
    let skeleton = reach.puppet.character().skeleton.clone();
    let key = sinew::motion::PoseKey::new(0.0, &Pose::rest(&skeleton), &skeleton);
    let motion = Motion { contacts: vec![contact], goals: vec![reach.key(0.0, 1.0)], ..Motion::default() };
    let motion = motion.with_key(key);
    let (free, place) = (reach.free, reach.place);
    assert!(reach.at(&motion, 0.0).distance(place) < EXACT);
    assert!(reach.at(&motion, 0.75).distance(free) < EXACT);
}

/// Goals are kept when a motion is written and read, but goals of nodes that no longer exist are dropped.
#[test]
fn a_motion_that_is_only_goals_is_valid() {
    let reach = Reach::new(asset::mannequin().unwrap());
    let turned = GoalKey { orientation: Some(Quat::from_rotation_y(1.0)), ..reach.key(2.0, 0.5) };
    let motion = Motion::default().with_goal_key(turned);
    assert!(!motion.is_rest() && motion.validate().is_ok() && motion.fits(reach.puppet.character()));
    assert_eq!(motion.seconds(&[]), 2.0);
    assert!(motion.renumbered(Some, |node| (node != turned.node).then_some(node)).goals.is_empty());
}
