//! Parameterised motions: reaches that were raised by inverse kinematics, on the mannequin and retargeted to other bodies.

#![allow(clippy::print_stdout, reason = "the measured distances")]

use glam::Vec3;
use sinew::asset::{self, Character};
use sinew::export::bake;
use sinew::motion::{
    Motion, ParametricError, ParametricMotion, ParametricOptions, Player, Retarget, WeightedClip,
};
use sinew::pose::{Pose, world_matrix};
use sinew::rig;

use sinew_testkit::external;

#[path = "../../../examples/make_reaches.rs"]
mod make_reaches;
use make_reaches::REACHES;

/// The weights from which the targets are computed, which are hidden from the motion under test.
const HIDDEN: [[f32; 5]; 6] = [
    [0.5, 0.0, 0.5, 0.0, 0.0],
    [0.2, 0.3, 0.0, 0.5, 0.0],
    [0.0, 0.33, 0.33, 0.34, 0.0],
    [0.1, 0.1, 0.1, 0.1, 0.6],
    [0.0, 0.45, 0.0, 0.0, 0.55],
    [0.37, 0.0, 0.21, 0.42, 0.0],
];

/// Returns the mannequin with the reaches as its only clips, and the node of the hand.
fn reaches() -> (Character, usize) {
    let (mut character, clips) = make_reaches::reaches().unwrap();
    character.clips = clips;
    let hand = character.skeleton.find("leftHand").unwrap();
    (character, hand)
}

const ALL: [usize; 5] = [0, 1, 2, 3, 4];

fn with_samples(count: usize) -> ParametricOptions {
    ParametricOptions::default().with_samples(count)
}

/// Returns the position of a node at a time of a motion.
fn played(character: &Character, motion: &Motion, node: usize, time: f32) -> Vec3 {
    let mut pose = Pose::rest(&character.skeleton);
    Player::default().pose(character, motion, &[], time, &mut pose, &mut Vec::new());
    world_matrix(&character.skeleton, &pose, node).translation.into()
}

#[test]
fn an_example_answers_its_own_target_at_its_own_moment() {
    let (character, hand) = reaches();
    let motion = ParametricMotion::new(&character, &ALL, hand, ParametricOptions::default()).unwrap();
    assert_eq!(motion.sample_count(), 875, "all blends of up to four in steps of a tenth");
    for (clip, reach) in REACHES.iter().enumerate() {
        let found = motion.marks().iter().find(|(of, _)| *of == clip).unwrap().1;
        assert!((found - reach.moment).abs() < 0.05, "{}: {found} s", reach.name);
        let blend = motion.blend(reach.target.as_vec3()).unwrap();
        assert_eq!(blend.strip.clips[..], [WeightedClip { clip, weight: 1.0 }], "{}", reach.name);
        assert!(blend.distance < 2e-3 && (blend.time - found).abs() < 1e-6, "{}: {blend:?}", reach.name);
    }
}

/// The denser the samples, the nearer the blends come to their targets.
#[test]
fn blends_come_to_targets_between_the_examples() {
    let (character, hand) = reaches();
    let mut largest = Vec::new();
    for samples in [5, 70, 1000] {
        let motion = ParametricMotion::new(&character, &ALL, hand, with_samples(samples)).unwrap();
        let distances = HIDDEN.map(|weights| {
            let blend = motion.blend(motion.position_of(&weights).unwrap()).unwrap();
            let sum: f32 = blend.strip.clips.iter().map(|clip| clip.weight).sum();
            assert!((sum - 1.0).abs() < 1e-5 && blend.strip.clips.iter().all(|clip| clip.weight > 0.0));
            // The player plays the computed blend.
            let strip = Motion { strips: vec![blend.strip], ..Motion::default() };
            let now = played(&character, &strip, hand, blend.time);
            assert!(now.distance(blend.position) < 1e-5, "{now} {}", blend.position);
            blend.distance
        });
        let most = distances.into_iter().fold(0.0, f32::max);
        println!("{samples} samples ({}): up to {:.1} mm", motion.sample_count(), most * 1e3);
        largest.push(most);
    }
    assert!(largest[2] < 0.02 && largest[2] < 0.5 * largest[1] && largest[1] < largest[0], "{largest:?}");
}

/// At the moment of the blend, the hand is farthest from its start, although the examples reach their farthest points at different times.
#[test]
fn the_moments_of_all_examples_coincide() {
    let (character, hand) = reaches();
    let motion = ParametricMotion::new(&character, &ALL, hand, with_samples(70)).unwrap();
    let blend = motion.blend(motion.position_of(&[0.4, 0.3, 0.0, 0.0, 0.3]).unwrap()).unwrap();
    assert!(blend.strip.clips.len() >= 3, "{blend:?}");
    let farthest = |strip| {
        let motion = Motion { strips: vec![strip], ..Motion::default() };
        let end = motion.seconds(&character.clips);
        let start = played(&character, &motion, hand, 0.0);
        // The player finds the root of a motion and the alignment of its clips only once.
        let mut player = Player::default();
        let mut distance = |time: f32| {
            let mut pose = Pose::rest(&character.skeleton);
            player.pose(&character, &motion, &[], time, &mut pose, &mut Vec::new());
            Vec3::from(world_matrix(&character.skeleton, &pose, hand).translation).distance(start)
        };
        let times = (0..=200_u8).map(|step| end * f32::from(step) / 200.0);
        let distances = times.map(|time| (time, distance(time)));
        distances.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0
    };
    let apart = (farthest(blend.strip.clone()) - blend.time).abs();
    assert!(apart < 0.03, "{apart} s");
    let mut unmarked = blend.strip;
    unmarked.marks.clear();
    assert!((farthest(unmarked) - blend.time).abs() > apart);
}

#[test]
fn a_target_out_of_reach_gets_the_nearest_blends() {
    let (character, hand) = reaches();
    let motion = ParametricMotion::new(&character, &ALL, hand, with_samples(200)).unwrap();
    let target = Vec3::new(1.5, 1.4, 0.3);
    let blend = motion.blend(target).unwrap();
    let nearest = ALL.map(|clip| {
        let mut weights = [0.0; 5];
        weights[clip] = 1.0;
        motion.position_of(&weights).unwrap().distance(target)
    });
    let nearest = nearest.into_iter().fold(f32::INFINITY, f32::min);
    assert!(blend.distance < nearest + 0.1, "{} {nearest}", blend.distance);
    assert!(blend.strip.clips.iter().all(|clip| (0.0..=1.0).contains(&clip.weight)));
}

#[test]
fn invalid_examples_and_targets_are_errors() {
    let (mut character, hand) = reaches();
    let new = |character: &Character, clips: &[usize], node, options: ParametricOptions| {
        ParametricMotion::new(character, clips, node, options).map(|motion| motion.sample_count())
    };
    let few = ParametricOptions::default().with_samples(0);
    assert_eq!(new(&character, &[0, 1], hand, few.clone()), Ok(2), "each example is a sample");
    assert_eq!(new(&character, &[0], hand, few.clone()), Err(ParametricError::FewClips { count: 1 }));
    let missing = new(&character, &[0, 9], hand, few.clone()).unwrap_err().to_string();
    assert_eq!(missing, "clip 9 does not exist; the file has 5, counted from 0");
    assert_eq!(new(&character, &[0, 0], hand, few.clone()), Err(ParametricError::Clip { clip: 0 }));
    let missing = new(&character, &[0, 1], 999, few.clone()).unwrap_err().to_string();
    assert!(missing.starts_with("node 999 does not exist; the skeleton has "), "{missing}");
    let marks = few.clone().with_marks([(0, f32::NAN)]);
    assert_eq!(new(&character, &[0, 1], hand, marks), Err(ParametricError::NotFinite));
    let motion = ParametricMotion::new(&character, &[0, 1], hand, few.clone()).unwrap();
    assert_eq!(motion.blend(Vec3::NAN), Err(ParametricError::NotFinite));
    assert_eq!(motion.position_of(&[0.0, 0.0]), Err(ParametricError::NotFinite));
    character.clips[1].seconds = 0.0;
    assert_eq!(new(&character, &[0, 1], hand, few), Err(ParametricError::Clip { clip: 1 }));
}

/// The reaches also work as examples after they are retargeted to other bodies.
#[test]
fn reaches_work_on_other_bodies() {
    let (source, _) = reaches();
    let mut bodies = vec![asset::load(std::path::Path::new("assets/awkward.glb")).unwrap()];
    if let Some(models) = external("models") {
        bodies.extend([
            asset::load(&models.join("kaykit-char/anim/Med_General.glb")).unwrap(),
            asset::load(&models.join("bvh/AnimatedDrawings/fair1/dab.bvh")).unwrap(),
        ]);
    }
    for mut body in bodies {
        let name = body.path.display().to_string();
        let Ok(retarget) = Retarget::by_bodies(&source, &body) else { panic!("{name}: no body") };
        let rig = rig::detect(&body);
        body.clips = bake::retarget_clips_with(retarget, &source, &body, &rig).unwrap().clips;
        let (hand, hips) = (rig.bones["leftHand"], rig.bones["hips"]);
        let options = ParametricOptions::default().with_root(hips);
        let motion = ParametricMotion::new(&body, &ALL, hand, options).unwrap();
        let spread =
            ALL.map(|clip| motion.position_of(&ALL.map(|c| f32::from(u8::from(c == clip)))).unwrap());
        let spread = spread.iter().flat_map(|a| spread.iter().map(|b| a.distance(*b))).fold(0.0, f32::max);
        let distances =
            HIDDEN.map(|weights| motion.blend(motion.position_of(&weights).unwrap()).unwrap().distance);
        let most = distances.into_iter().fold(0.0, f32::max) / spread;
        println!("{name}: up to {:.1} % of the distance between the examples", most * 100.0);
        assert!(most < 0.03, "{name}: {most}");
    }
}
