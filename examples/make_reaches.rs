//! Writes a model with five clips in which the mannequin reaches for different places with its left hand. The clips differ in
//! length and in the moment at which the hand arrives.
//!
//! ```text
//! cargo run --no-default-features --features character --example make_reaches -- reaches.glb
//! ```
//!
//! The clips are examples for a parameterised motion. [The map of the founding documents](../docs/founding-documents.md) blends them.
#![allow(clippy::print_stderr, reason = "an example")]

use std::error::Error;

use sinew::asset::{self, Character, Clip};
use sinew::export::animated_copy;
use sinew::glam::DVec3;
use sinew::motion::{Recorder, ease};
use sinew::pose::world_matrix;
use sinew::puppet::{Puppet, Target};

/// A reach: the target of the hand in metres, and the times in seconds at which the hand arrives and the clip ends.
pub(crate) struct Reach {
    pub(crate) name: &'static str,
    pub(crate) target: DVec3,
    pub(crate) moment: f32,
    seconds: f32,
}

pub(crate) const REACHES: [Reach; 5] = [
    Reach { name: "high", target: DVec3::new(0.3, 1.7, 0.3), moment: 0.9, seconds: 1.6 },
    Reach { name: "low", target: DVec3::new(0.3, 1.05, 0.35), moment: 0.5, seconds: 1.2 },
    Reach { name: "out", target: DVec3::new(0.6, 1.35, 0.15), moment: 0.6, seconds: 1.5 },
    Reach { name: "front", target: DVec3::new(0.2, 1.35, 0.48), moment: 0.8, seconds: 1.4 },
    Reach { name: "across", target: DVec3::new(-0.1, 1.3, 0.35), moment: 1.0, seconds: 1.8 },
];
/// Frames per second.
const RATE: f32 = 30.0;

#[allow(dead_code, reason = "tests use the rest of this file")]
fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::args().nth(1).ok_or("usage: make_reaches OUT.glb")?;
    let (character, clips) = reaches()?;
    std::fs::write(&out, animated_copy(&character, None, &clips)?)?;
    eprintln!("{out}: {} clips", clips.len());
    Ok(())
}

/// Returns the mannequin and the clips.
pub(crate) fn reaches() -> Result<(Character, Vec<Clip>), Box<dyn Error>> {
    let character = asset::mannequin()?;
    let idle = character.find_clip("idle").ok_or("no idle")?;
    let find = |name: &str| character.skeleton.find(name).ok_or("a joint is missing");
    let (hand, shoulder) = (find("leftHand")?, find("leftUpperArm")?);
    let mut puppet = Puppet::new(character.clone(), 0);
    let mut clips = Vec::new();
    for Reach { name, target, moment, seconds } in REACHES {
        let mut recorder = Recorder::new(&character.skeleton);
        let frames = (1_u16..).take_while(|&frame| f32::from(frame) <= seconds * RATE).count();
        for frame in (0..).take(frames + 1).map(f32::from as fn(u16) -> f32) {
            let time = frame / RATE;
            let way = if time <= moment { time / moment } else { (seconds - time) / (seconds - moment) };
            puppet.targets.clear();
            puppet.play(idle, time);
            puppet.update()?;
            let rest = world_matrix(&character.skeleton, puppet.pose(), hand).translation.as_dvec3();
            let position = rest.lerp(target, f64::from(ease(way)));
            puppet.targets = vec![Target::new(hand).with_base(shoulder).with_position(position)];
            puppet.update()?;
            recorder.push(f64::from(time), puppet.pose());
        }
        clips.extend(recorder.clip(&character.skeleton, Some(name.to_owned())));
    }
    Ok((character, clips))
}
