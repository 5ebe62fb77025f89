//! Locomotion with contact constraints, which keep planted feet in place.

use glam::Vec3;
use sinew::asset::{self, Character, Values, mannequin};
use sinew::motion::{Motion, Player, Strip, WeightedClip};
use sinew::pose::Pose;
use sinew::puppet::Puppet;
use sinew::rig::Foot;

use sinew_testkit::external;

/// Speed of the mannequin's clips over the ground, in metres per second.
const PACES: [(&str, f32); 2] = [("walk", 0.54 / 0.6), ("run", 0.62 / (0.36 * 0.7))];
/// Maximum distance in metres that a planted foot may slide during one step.
const SLIDE: f32 = 0.01;
const RATE: u16 = 120;

fn clip(character: &Character, name: &str) -> usize {
    character.clips.iter().position(|c| c.name.as_deref() == Some(name)).unwrap()
}

/// Returns the mannequin with a walk and a run that move forward over the ground.
fn walker() -> Character {
    let mut character = mannequin().unwrap();
    let hips = character.skeleton.find("hips").unwrap();
    for (name, pace) in PACES {
        let index = clip(&character, name);
        let motion = &mut character.clips[index];
        for channel in motion.channels.iter_mut().filter(|c| c.node == hips) {
            let times = &motion.timelines[channel.timeline];
            if let Values::Translation(positions) = &mut channel.values {
                positions.iter_mut().zip(times).for_each(|(position, time)| position.z += pace * time);
            }
        }
    }
    character
}

/// Returns the distance in metres that the foot slides in each step while it is in contact. `planted` has the contacts.
fn slides(puppet: &mut Puppet, planted: &Motion) -> Vec<f32> {
    let feet: Vec<Foot> = puppet.rig.soles().collect();
    let (mut player, mut contacts) = (Player::default(), Vec::new());
    // For each step: the foot, its first position, the position of the contact, and the distance that the foot has slid.
    let mut steps: Vec<(usize, Vec3, Vec3, f32)> = Vec::new();
    let frames = (puppet.seconds() * f32::from(RATE)) as u16;
    for frame in 0..frames {
        let time = f32::from(frame) / f32::from(RATE);
        let mut pose = Pose::rest(&puppet.character().skeleton);
        player.pose(puppet.character(), planted, &feet, time, &mut pose, &mut contacts);
        puppet.time = time;
        puppet.update().unwrap();
        for contact in contacts.iter().filter(|c| c.weight >= 1.0) {
            let position = Vec3::from(puppet.world_from_node()[contact.node].translation);
            let same = |s: &&mut (usize, Vec3, Vec3, f32)| {
                s.0 == contact.node && (s.2 - contact.position).with_y(0.0).length() < 1e-3
            };
            match steps.iter_mut().find(same) {
                Some((_, first, _, slide)) => *slide = slide.max((position - *first).with_y(0.0).length()),
                None => steps.push((contact.node, position, contact.position, 0.0)),
            }
        }
    }
    steps.into_iter().map(|s| s.3).collect()
}

#[test]
fn feet_do_not_slide_in_a_transition_or_a_blend() {
    let character = walker();
    let (walk, run) = (clip(&character, "walk"), clip(&character, "run"));
    let long =
        |clip: usize, start: f32| Strip { start, seconds: Some(2.3), looping: true, ..Strip::new(clip) };
    let both = [walk, run].map(|clip| WeightedClip { clip, weight: 0.5 }).to_vec();
    let motions = [
        ("transition", vec![long(walk, 0.0), long(run, 1.9)]),
        ("blend", vec![Strip { clips: both, ..long(walk, 0.0) }]),
    ];
    for (name, strips) in motions {
        let mut puppet = Puppet::new(character.clone(), 0);
        puppet.motion = Motion { strips, plant: true, ..Motion::default() };
        let motion = puppet.motion.clone();
        let planted = slides(&mut puppet, &motion);
        puppet.motion.plant = false;
        let free = slides(&mut puppet, &motion);
        let worst = |slides: &[f32]| slides.iter().copied().fold(0.0, f32::max);
        assert!(planted.len() >= 4, "{name}: {planted:?}");
        assert!(worst(&planted) < SLIDE, "{name}: {planted:?}");
        // Without the constraints, the feet slide.
        assert!(worst(&free) > 2.0 * SLIDE, "{name}: {free:?}");
    }
}

/// Regression: the ankle of a foot that leaves the ground in a transition was held at the height at which it had stood, so the toes were 8
/// cm below the floor.
#[test]
fn planted_feet_rise_with_their_heels() {
    let Some(file) = external("models/ozz-animation/converted/locomotions/locomotions.glb") else { return };
    let character = asset::load(&file).unwrap();
    let toes = ["Bip01LToe0Nub", "Bip01RToe0Nub"].map(|name| character.skeleton.find(name).unwrap());
    let walk = Strip { seconds: Some(3.0), looping: true, ..Strip::new(clip(&character, "walk")) };
    let run = Strip { start: 2.7, ..Strip::new(clip(&character, "run")) };
    let mut puppet = Puppet::new(character, 0);
    puppet.motion = Motion { strips: vec![walk, run], ..Motion::default() };
    for frame in 0..40_u8 {
        puppet.time = 2.6 + f32::from(frame) / 60.0;
        let [free, planted] = [false, true].map(|plant| {
            puppet.motion.plant = plant;
            puppet.update().unwrap();
            toes.map(|toe| puppet.world_from_node()[toe].translation.y)
        });
        for (free, planted) in free.into_iter().zip(planted) {
            assert!(planted > free - 0.015, "{}: {planted} m, {free} m", puppet.time);
        }
    }
}

#[test]
fn goals_take_precedence_over_contacts() {
    let character = walker();
    let walk = clip(&character, "walk");
    let foot = character.skeleton.find("leftFoot").unwrap();
    let mut puppet = Puppet::new(character, 0);
    puppet.motion = Motion { plant: true, ..Motion::clip(walk) };
    puppet.time = 0.2;
    puppet.update().unwrap();
    let position = Vec3::from(puppet.world_from_node()[foot].translation) + Vec3::new(0.0, 0.15, 0.05);
    let mut target = sinew::puppet::Target::new(foot);
    target.position = Some(position.as_dvec3());
    puppet.targets = vec![target];
    puppet.update().unwrap();
    assert!(Vec3::from(puppet.world_from_node()[foot].translation).distance(position) < 1e-3);
}
