//! A character stands on a slope: its hips sink, both feet reach the ground, and their soles lie flat on it.
//!
//! ```text
//! cargo run --no-default-features --features character --example foot_on_slope [FILE]
//!
//! slope 20° to the side
//!             ground under it   sole, flat ground   sole on the slope   tilt
//! leftFoot           0.038 m             -0.038 m             0.000 m    20.0°
//! rightFoot         -0.038 m              0.038 m             0.000 m    20.0°
//! hips move by (0.000, -0.068, 0.000)
//! ```
//!
//! The soles are measured from the ground under them: negative ones are inside it.
#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::path::Path;

use sinew::asset;
use sinew::glam::{DQuat, DVec3};
use sinew::ik::shortest_arc;
use sinew::puppet::{Puppet, Target};
use sinew::rig::{BodyLimb, orientation};

fn main() -> Result<(), Box<dyn Error>> {
    let character = match std::env::args().nth(1) {
        Some(file) => asset::load(Path::new(&file))?,
        None => asset::mannequin()?,
    };
    let scene = character.default_scene;
    let mut puppet = Puppet::new(character, scene);
    let body = puppet.rig.body.clone().ok_or("the character has no body with legs")?;
    let (floor, side) = (f64::from(body.floor), body.facing.as_dvec3().cross(DVec3::Y));

    // The slope passes below the hips. It is steeper than most streets.
    let slope = 20.0_f64.to_radians();
    let normal = DQuat::from_axis_angle(body.facing.as_dvec3(), slope) * DVec3::Y;
    let turn = shortest_arc(DVec3::Y, normal, side);
    let origin = position(&puppet, body.hips).with_y(floor);
    let ground = |at: DVec3| origin.y - normal.dot((at - origin).with_y(0.0)) / normal.y;

    let legs: Vec<&BodyLimb> = body.limbs.iter().filter(|limb| limb.stands).collect();
    let before: Vec<DVec3> = legs.iter().map(|leg| position(&puppet, leg.end())).collect();
    let skeleton = &puppet.character().skeleton;
    let mut targets = Vec::new();
    let mut sink = 0.0_f64;
    for (leg, at) in legs.iter().zip(&before) {
        // The ankle keeps its height above the sole, now along the slope's normal.
        let ankle = at.with_y(ground(*at)) + normal * (at.y - floor);
        let flat = orientation(skeleton, puppet.pose(), leg.end());
        targets.push(Target::new(leg.end()).with_position(ankle).with_orientation(turn * flat));
        // The hips sink until no leg is stretched by more than 97 % of its length.
        let joints: Vec<DVec3> = leg.joints.iter().map(|&joint| position(&puppet, joint)).collect();
        let length: f64 = joints.windows(2).map(|bone| bone[0].distance(bone[1])).sum();
        let hip = joints.first().copied().unwrap_or(*at);
        let aside = (ankle - hip).with_y(0.0).length();
        let reach = ((0.97 * length).powi(2) - aside.powi(2)).max(0.0).sqrt();
        sink = sink.max(hip.y - ankle.y - reach);
    }
    let hips = position(&puppet, body.hips);
    targets.push(Target::new(body.hips).with_position(hips - DVec3::Y * sink));
    puppet.targets = targets;
    // Feet do not pass through the floor of the body, which is now below the lowest point of the slope.
    if let Some(plan) = &mut puppet.rig.body {
        plan.floor -= 2.0 * plan.size;
    }
    puppet.update()?;

    println!("slope {:.0}° to the side", slope.to_degrees());
    println!("            ground under it   sole, flat ground   sole on the slope   tilt");
    for (foot, at) in legs.iter().map(|leg| leg.end()).zip(&before) {
        let height = at.y - floor;
        let after = position(&puppet, foot);
        let skeleton = &puppet.character().skeleton;
        let rest = sinew::pose::rest_orientation(skeleton, foot);
        let tilted = orientation(skeleton, puppet.pose(), foot) * rest.conjugate() * DVec3::Y;
        let sole = after - tilted * height;
        let gap = sole.y - ground(sole);
        println!(
            "{:12} {:11.3} m {:18.3} m {:17.3} m {:7.1}°",
            skeleton.label(foot),
            ground(*at) - floor,
            floor - ground(*at),
            rounded(gap),
            tilted.angle_between(DVec3::Y).to_degrees(),
        );
        assert!(gap.abs() < 0.005 * f64::from(body.size), "the sole does not touch the slope");
    }
    let moved = position(&puppet, body.hips) - hips;
    let [x, y, z] = moved.to_array().map(rounded);
    println!("hips move by ({x:.3}, {y:.3}, {z:.3})");
    Ok(())
}

/// Rounds to millimetres, without a negative zero.
fn rounded(metres: f64) -> f64 {
    (1e3 * metres).round() / 1e3 + 0.0
}

fn position(puppet: &Puppet, node: usize) -> DVec3 {
    puppet.world_from_node().get(node).map_or(DVec3::ZERO, |world| world.translation.as_dvec3())
}
