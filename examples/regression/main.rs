//! Regression tests of another program: they compare poses and images with goldens.
//!
//! ```text
//! cargo test --example regression                   compares
//! SINEW_UPDATE=1 cargo test --example regression    accepts what has changed, after you have looked at it
//! ```
//!
//! ![The golden image: the mannequin reaches up with its left hand](goldens/regression__tests__reach.png)
//!
//! The goldens are in the folder `goldens` beside this file. A pose must be the same on every machine, up to rounding errors. An image may
//! differ within the limits of `sinew test`, which allow for the differences between the rasterisers of drivers and CPUs. `docs/ci.md`
//! shows how such tests run in CI.
#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;

use sinew::asset;
use sinew::glam::DVec3;
use sinew::puppet::{Puppet, Target};

fn main() -> Result<(), Box<dyn Error>> {
    let puppet = reach()?;
    let nodes = puppet.world_from_node().len();
    println!("a pose of {nodes} nodes; `cargo test --example regression` compares it with its goldens");
    Ok(())
}

/// The pose of the tests.
fn reach() -> Result<Puppet, Box<dyn Error>> {
    let mut puppet = Puppet::new(asset::mannequin()?, 0);
    let hand = puppet.character().skeleton.find("leftHand").ok_or("leftHand is missing")?;
    puppet.targets.push(Target::new(hand).with_position(DVec3::new(0.35, 1.75, 0.25)));
    puppet.update()?;
    Ok(puppet)
}

#[cfg(test)]
mod tests {
    use sinew::regress::{JointTolerance, assert_image, assert_pose};
    use sinew::render::ShadingMode;
    use sinew::scene::ViewSettings;
    use sinew::view::{AUTO_FOV_Y, Camera};

    use super::*;

    #[test]
    fn the_pose_is_that_of_the_golden() -> Result<(), Box<dyn Error>> {
        assert_pose!("reach", reach()?);
        Ok(())
    }

    /// Without an explicit name, the golden is named after the test.
    #[test]
    fn reach_on_the_way() -> Result<(), Box<dyn Error>> {
        let mut puppet = reach()?;
        for target in &mut puppet.targets {
            target.position = target.position.map(|at| at - DVec3::Y * 0.3);
        }
        puppet.update()?;
        assert_pose!(puppet, tolerance = JointTolerance { distance: 1e-4, angle: 1e-3 });
        Ok(())
    }

    #[test]
    fn the_image_is_that_of_the_golden() -> Result<(), Box<dyn Error>> {
        assert_image!("reach", reach()?);
        Ok(())
    }

    /// A custom view.
    #[test]
    fn normals() -> Result<(), Box<dyn Error>> {
        let puppet = reach()?;
        let bounds = puppet.bounds();
        let camera = Camera::framing(&bounds, AUTO_FOV_Y, 0.5);
        let settings = ViewSettings::new(camera, bounds).with_mode(ShadingMode::Normal).with_floor(false);
        assert_image!((&puppet, &settings, (128, 256)));
        Ok(())
    }
}
