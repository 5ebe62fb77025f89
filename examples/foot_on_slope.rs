//! A character stands on a slope: its hips sink, both feet reach the ground, and their soles lie flat on it.
//!
//! ```text
//! cargo run --no-default-features --features character --example foot_on_slope [FILE]
//!
//! slope 20° to the side
//!             ground under it   sole, flat ground   sole on the slope   tilt
//! leftFoot           0.038 m             -0.038 m             0.000 m    20.0°
//! rightFoot         -0.038 m              0.038 m             0.000 m    20.0°
//! hips move by (0.000, -0.050, 0.000)
//! ```
//!
//! The program prints the heights of the soles above the ground. A sole with a negative height is inside the ground. A game calls
//! `update` in every frame, after it has sampled a clip and moved the character.
#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::path::Path;

use sinew::asset;
use sinew::glam::{Affine3A, Quat, Vec3};
use sinew::motion::FootPlacer;
use sinew::pose::{Pose, world_matrices};
use sinew::rig::{self, BodyLimb};

fn main() -> Result<(), Box<dyn Error>> {
    let character = match std::env::args().nth(1) {
        Some(file) => asset::load(Path::new(&file))?,
        None => asset::mannequin()?,
    };
    let (skeleton, rig) = (&character.skeleton, rig::detect(&character));
    let body = rig.body.as_ref().ok_or("the character has no body with legs")?;
    let mut pose = Pose::rest(skeleton);
    let mut before = Vec::new();
    world_matrices(skeleton, &pose, &mut before);

    // The slope passes below the hips. It is steeper than most streets.
    let slope = 20_f32.to_radians();
    let normal = Quat::from_axis_angle(body.facing, slope) * Vec3::Y;
    let origin = position(&before, body.hips).with_y(body.floor);
    let ground = |at: Vec3| origin.y - normal.dot((at - origin).with_y(0.0)) / normal.y;

    let mut feet = FootPlacer::new(&character, &rig).ok_or("the character has no legs that stand")?;
    feet.update(1.0 / 60.0, |at| Some((ground(at), normal)), &mut pose);

    let mut after = Vec::new();
    world_matrices(skeleton, &pose, &mut after);
    println!("slope {:.0}° to the side", slope.to_degrees());
    println!("            ground under it   sole, flat ground   sole on the slope   tilt");
    for foot in body.limbs.iter().filter(|limb| limb.stands).map(BodyLimb::end) {
        let at = position(&before, foot);
        let tilted = (after[foot] * before[foot].inverse()).transform_vector3(Vec3::Y).normalize();
        let sole = position(&after, foot) - tilted * (at.y - body.floor);
        println!(
            "{:12} {:11.3} m {:18.3} m {:17.3} m {:7.1}°",
            skeleton.label(foot),
            ground(at) - body.floor,
            body.floor - ground(at),
            rounded(sole.y - ground(sole)),
            tilted.angle_between(Vec3::Y).to_degrees(),
        );
    }
    let moved = position(&after, body.hips) - position(&before, body.hips);
    let [x, y, z] = moved.to_array().map(rounded);
    println!("hips move by ({x:.3}, {y:.3}, {z:.3})");
    Ok(())
}

/// Rounds to millimetres, without a negative zero.
fn rounded(metres: f32) -> f32 {
    (1e3 * metres).round() / 1e3 + 0.0
}

fn position(world_from_node: &[Affine3A], node: usize) -> Vec3 {
    world_from_node.get(node).map_or(Vec3::ZERO, |world| world.translation.into())
}
