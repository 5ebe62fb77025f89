//! The values that assertions accept.

use crate::asset::{DecodedImage, Skeleton};
use crate::explain::Explanation;
use crate::golden::{Drawn, JointRecord, Joints};
use crate::pose::{Pose, world_matrices};
use crate::puppet::Puppet;

/// A value whose joints `assert_pose!` compares.
pub trait AssertedPose {
    /// World matrices of the joints.
    fn joints(&self) -> Joints;
}

impl AssertedPose for Joints {
    fn joints(&self) -> Joints {
        self.clone()
    }
}

impl AssertedPose for Puppet {
    fn joints(&self) -> Joints {
        Joints::of(self)
    }
}

impl AssertedPose for (&Skeleton, &Pose) {
    fn joints(&self) -> Joints {
        let (skeleton, pose) = *self;
        let (mut world, mut joints) = (Vec::new(), Joints::none());
        world_matrices(skeleton, pose, &mut world);
        let joint = |(node, world): (usize, &glam::Affine3A)| JointRecord {
            name: skeleton.label(node),
            world: world.to_cols_array(),
        };
        joints.nodes.extend(world.iter().enumerate().map(joint));
        joints
    }
}

impl<T: AssertedPose + ?Sized> AssertedPose for &T {
    fn joints(&self) -> Joints {
        (**self).joints()
    }
}

/// A value that `assert_image!` compares as an image.
pub trait AssertedImage {
    /// Returns the image.
    ///
    /// # Errors
    /// Why the image cannot be drawn, in one line.
    fn drawn(&self) -> Result<Drawn, String>;

    /// Explains the difference between a golden and the drawn image. Returns `None` if the scene of one of them is unknown.
    fn explain(&self, golden: &Drawn, drawn: &Drawn) -> Option<Explanation> {
        let _ = (golden, drawn);
        None
    }
}

impl AssertedImage for DecodedImage {
    fn drawn(&self) -> Result<Drawn, String> {
        Ok(Drawn::new(self.clone()))
    }
}

impl AssertedImage for Drawn {
    fn drawn(&self) -> Result<Drawn, String> {
        Ok(self.clone())
    }
}

impl<T: AssertedImage + ?Sized> AssertedImage for &T {
    fn drawn(&self) -> Result<Drawn, String> {
        (**self).drawn()
    }

    fn explain(&self, golden: &Drawn, drawn: &Drawn) -> Option<Explanation> {
        (**self).explain(golden, drawn)
    }
}
