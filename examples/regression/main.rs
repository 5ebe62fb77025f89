//! A regression test of another program: it compares a pose and an image with goldens.
//!
//! ```text
//! cargo test --example regression       compares
//! cargo run --example regression        writes the goldens again, after you have looked at them
//! ```
//!
//! ![The golden image: the mannequin reaches up with its left hand](reach.png)
//!
//! The pose must be the same on every machine, up to rounding errors. The image may differ as the rasterisers of drivers and
//! CPUs do: [`ImageTolerance`] has the limits that `sinew test` uses too.
#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::path::Path;

use sinew::asset::{self, DecodedImage};
use sinew::glam::DVec3;
use sinew::puppet::{Puppet, Target};
use sinew::regress::{Drawn, Joints};
use sinew::render::{AdapterChoice, DecodedImages, Gpu, Renderer, ShadingMode};
use sinew::scene::{self, ViewSettings};
use sinew::view::{AUTO_FOV_Y, Camera};

const SIZE: u32 = 256;
const POSE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/regression/reach.json");
const IMAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/regression/reach.png");

fn main() -> Result<(), Box<dyn Error>> {
    let puppet = reach()?;
    std::fs::write(POSE, Joints::of(&puppet).encode()?)?;
    std::fs::write(IMAGE, Drawn::new(draw(&puppet)?).encode()?)?;
    println!("wrote {} and {}", name(POSE), name(IMAGE));
    Ok(())
}

/// The pose of the test.
fn reach() -> Result<Puppet, Box<dyn Error>> {
    let mut puppet = Puppet::new(asset::mannequin()?, 0);
    let hand = puppet.character().skeleton.find("leftHand").ok_or("leftHand is missing")?;
    puppet.targets.push(Target::new(hand).with_position(DVec3::new(0.35, 1.75, 0.25)));
    puppet.update()?;
    Ok(puppet)
}

/// The image of the test, on a software adapter, so that it needs no graphics card.
fn draw(puppet: &Puppet) -> Result<DecodedImage, Box<dyn Error>> {
    let mut renderer = Renderer::new(Gpu::new(&AdapterChoice::Cpu)?);
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &images)?;
    let bounds = puppet.bounds();
    let settings = ViewSettings::new(Camera::framing(&bounds, AUTO_FOV_Y, 1.0), bounds);
    Ok(renderer.render(&[&model], &scene::frame(puppet, &settings), (SIZE, SIZE))?)
}

fn name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use sinew::regress::{GoldenState, ImageTolerance, JointTolerance, compare};

    use super::*;

    #[test]
    fn the_pose_is_that_of_the_golden() -> Result<(), Box<dyn Error>> {
        let expected = Joints::read(Path::new(POSE))?.ok_or("the golden is missing")?;
        let tolerance = JointTolerance::default();
        // The largest differences come first.
        for joint in Joints::of(&reach()?).compare(&expected)?.iter().take(1) {
            let is_close = joint.distance <= tolerance.distance && joint.angle <= tolerance.angle;
            assert!(is_close, "{} has moved by {} m", joint.name, joint.distance);
        }
        Ok(())
    }

    #[test]
    fn the_image_is_that_of_the_golden() -> Result<(), Box<dyn Error>> {
        let golden = Drawn::read(Path::new(IMAGE), SIZE, SIZE)?.ok_or("the golden is missing")?;
        let GoldenState::Drawn(expected) = golden else { return Err("the golden has another size".into()) };
        let tolerance = ImageTolerance::default();
        let actual = draw(&reach()?)?;
        let difference = compare(&expected.image, &actual, tolerance.levels).ok_or("the image is empty")?;
        assert!(
            difference.passes(&tolerance),
            "{} pixels differ, mean FLIP error {}",
            difference.beyond,
            difference.mean
        );
        Ok(())
    }

    #[test]
    fn another_pose_fails() -> Result<(), Box<dyn Error>> {
        let golden = Drawn::read(Path::new(IMAGE), SIZE, SIZE)?.ok_or("the golden is missing")?;
        let GoldenState::Drawn(expected) = golden else { return Err("the golden has another size".into()) };
        let mut puppet = reach()?;
        if let Some(target) = puppet.targets.first_mut() {
            target.position = target.position.map(|at| at - DVec3::Y * 0.05);
        }
        puppet.update()?;
        let tolerance = ImageTolerance::default();
        let difference = compare(&expected.image, &draw(&puppet)?, tolerance.levels).ok_or("empty")?;
        assert!(!difference.passes(&tolerance), "a hand 5 cm lower is not noticed");
        Ok(())
    }
}
