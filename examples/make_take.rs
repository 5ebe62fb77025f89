//! Writes a take: three seconds of the mannequin's walk, as a motion capture system would measure it.
//!
//! ```text
//! cargo run --no-default-features --features capture --example make_take -- positions take.csv
//! cargo run --no-default-features --features capture --example make_take -- orientations segments.csv
//! cargo run --no-default-features --features capture --example make_take -- gaps kinect.csv
//! ```
//!
//! `positions` has the positions of twenty joints, as a depth camera reports them; `orientations` has the segment orientations
//! at the same joints and the position of the hips; and `gaps` has positions in which the left arm is hidden for half a second.
//! [The map of the founding documents](../docs/founding-documents.md) uses all three.
#![allow(clippy::print_stderr, reason = "an example")]

use std::error::Error;

use sinew::asset;
use sinew::capture::{Take, Tracks, write_csv};
use sinew::glam::DQuat;
use sinew::pose::world_matrices;
use sinew::puppet::Puppet;
use sinew::rig;

/// The joints, by their names in VRM 1.0.
const JOINTS: [&str; 20] = [
    "hips",
    "spine",
    "neck",
    "head",
    "leftShoulder",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightShoulder",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "leftToes",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
    "rightToes",
];
/// Frames per second, and the number of frames after the first one.
const RATE: u16 = 30;
const FRAMES: u16 = 3 * RATE;
/// The clip `walk` of the mannequin.
const WALK: &str = "walk";
/// The frames in which the left arm is hidden.
const HIDDEN: std::ops::Range<u16> = 40..55;

/// The measured quantities.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Positions,
    Orientations,
    Gaps,
}

#[allow(dead_code, reason = "the tests of the documentation use the rest of this file")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let kind = match arguments.first().map(String::as_str) {
        Some("positions") => Kind::Positions,
        Some("orientations") => Kind::Orientations,
        Some("gaps") => Kind::Gaps,
        _ => return Err("usage: make_take positions|orientations|gaps OUT.csv".into()),
    };
    let out = arguments.get(1).ok_or("the name of the file is missing")?;
    std::fs::write(out, take(kind)?)?;
    eprintln!("{out}: {} joints, {} frames", JOINTS.len(), FRAMES + 1);
    Ok(())
}

/// Returns the text of a take.
pub(crate) fn take(kind: Kind) -> Result<String, Box<dyn Error>> {
    let character = asset::mannequin()?;
    let bones = rig::humanoid(&character)?;
    let nodes: Vec<usize> = JOINTS.iter().filter_map(|name| bones.get(*name).copied()).collect();
    let walk = character.clips.iter().position(|clip| clip.name.as_deref() == Some(WALK)).ok_or("no walk")?;
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let oriented = kind == Kind::Orientations;
    let mut take = Take {
        positions: Tracks::of(names(if oriented { &["hips"] } else { &JOINTS })),
        orientations: Tracks::of(names(if oriented { &JOINTS } else { &[] })),
        ..Take::default()
    };
    let mut puppet = Puppet::new(character, 0);
    let mut world = Vec::new();
    for frame in 0..=FRAMES {
        let time = f32::from(frame) / f32::from(RATE);
        puppet.play(walk, time);
        puppet.update()?;
        let (skeleton, pose) = (&puppet.character().skeleton, puppet.pose());
        world_matrices(skeleton, pose, &mut world);
        take.times.push(f64::from(time));
        let is_hidden = |name: &str| {
            let arm = ["leftUpperArm", "leftLowerArm", "leftHand"].contains(&name);
            kind == Kind::Gaps && arm && HIDDEN.contains(&frame)
        };
        let measured = JOINTS.iter().zip(&nodes).take(if oriented { 1 } else { JOINTS.len() });
        let position = |(name, &node): (&&str, &usize)| {
            world.get(node).filter(|_| !is_hidden(name)).map(|m| m.translation.into())
        };
        take.positions.frames.push(measured.map(position));
        if oriented {
            let orientation = |&node: &usize| {
                let above = skeleton.ancestors(node).filter_map(|n| pose.locals.get(n));
                let product = above.fold(DQuat::IDENTITY, |below, local| local.rotation.as_dquat() * below);
                Some(product.as_quat().normalize())
            };
            take.orientations.frames.push(nodes.iter().map(orientation));
        }
    }
    Ok(write_csv(&take))
}
