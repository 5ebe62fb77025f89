//! Poses a character from joint positions as they arrive from a sensor. Some positions are noisy, and some are missing.
//!
//! ```text
//! cargo run --no-default-features --features capture --example live_capture
//!
//! time     measured  returning  missing   largest error
//! 0.00 s           17          0        0        0.4 cm
//! 0.20 s           17          0        0        0.6 cm
//! 0.40 s           14          0        3       14.9 cm
//! 0.60 s           14          0        3       18.9 cm
//! 0.80 s           14          3        0        5.7 cm
//! 1.00 s           14          3        0        0.8 cm
//! 1.20 s           17          0        0        0.8 cm
//! 1.40 s           17          0        0        0.8 cm
//! 1.60 s           17          0        0        1.0 cm
//! 1.80 s           17          0        0        0.9 cm
//! 2.00 s           17          0        0        0.6 cm
//! ```
//!
//! The sensor is simulated: the mannequin walks, each position is off by a few millimetres, and after 0.3 s the left arm is hidden for half
//! a second. The largest error is measured between the posed joints and their true positions.
#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;

use sinew::asset::{self, Character};
use sinew::capture::{Fit, Presence, Tracker};
use sinew::glam::{Affine3A, Vec3};
use sinew::motion::Playhead;
use sinew::pose::{Pose, world_matrices};

/// Frames per second of the sensor.
const RATE: u16 = 60;
/// Maximum noise of a position in metres.
const NOISE: f32 = 0.004;

fn main() -> Result<(), Box<dyn Error>> {
    let character = asset::mannequin()?;
    let skeleton = &character.skeleton;
    let names = [
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
    let joints: Vec<usize> = names.iter().filter_map(|name| skeleton.find(name)).collect();
    let mut sensor = Sensor::new(&character, joints.clone())?;
    let mut tracker = Tracker::new(Fit::new(skeleton, &joints)?);
    let mut pose = Pose::rest(skeleton);
    let mut world = Vec::new();

    println!("time     measured  returning  missing   largest error");
    for frame in 0..=2 * RATE {
        let time = f32::from(frame) / f32::from(RATE);
        let (positions, truth) = sensor.read(time);
        let presence = tracker.step(f64::from(time), &positions, &mut pose).to_vec();
        world_matrices(skeleton, &pose, &mut world);
        let found = joints.iter().map(|&joint| position(&world, joint));
        let error = found.zip(&truth).map(|(found, truth)| found.distance(*truth)).fold(0.0, f32::max);
        let count = |wanted: Presence| presence.iter().filter(|p| **p == wanted).count();
        if frame % (RATE / 5) == 0 {
            println!(
                "{time:.2} s {:12} {:10} {:8} {:10.1} cm",
                count(Presence::Measured),
                count(Presence::Returning),
                count(Presence::Missing),
                100.0 * error,
            );
        }
        let limit = if count(Presence::Measured) == joints.len() { 0.03 } else { 0.25 };
        assert!(error < limit, "{time} s: a joint is off by {error} m");
    }
    Ok(())
}

/// A simulated sensor.
struct Sensor<'a> {
    character: &'a Character,
    clip: usize,
    joints: Vec<usize>,
    playhead: Playhead,
    noise: u32,
}

impl<'a> Sensor<'a> {
    fn new(character: &'a Character, joints: Vec<usize>) -> Result<Self, Box<dyn Error>> {
        let walk = character.clips.iter().position(|clip| clip.name.as_deref() == Some("walk"));
        let clip = walk.ok_or("the character has no walk")?;
        Ok(Self { character, clip, joints, playhead: Playhead::default(), noise: 1 })
    }

    /// Returns the measured and the true positions at the given time.
    fn read(&mut self, time: f32) -> (Vec<Option<Vec3>>, Vec<Vec3>) {
        let (skeleton, mut world) = (&self.character.skeleton, Vec::new());
        let mut pose = Pose::rest(skeleton);
        if let Some(clip) = self.character.clips.get(self.clip) {
            self.playhead.sample(clip, time % clip.seconds, skeleton, &mut pose);
        }
        world_matrices(skeleton, &pose, &mut world);
        let truth: Vec<Vec3> = self.joints.iter().map(|&joint| position(&world, joint)).collect();
        let is_hidden = |column: usize| (5..8).contains(&column) && (0.3..0.8).contains(&time);
        let mut measure = |(column, at): (usize, &Vec3)| {
            let noise = Vec3::new(self.random(), self.random(), self.random()) * NOISE;
            (!is_hidden(column)).then_some(*at + noise)
        };
        let measured = truth.iter().enumerate().map(&mut measure).collect();
        (measured, truth)
    }

    /// Returns a pseudo-random number from -1 to 1 (Marsaglia 2003, xorshift).
    fn random(&mut self) -> f32 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 17;
        self.noise ^= self.noise << 5;
        f32::from((self.noise >> 16) as u16) / 32767.5 - 1.0
    }
}

fn position(world: &[Affine3A], node: usize) -> Vec3 {
    world.get(node).map_or(Vec3::ZERO, |world| world.translation.into())
}
