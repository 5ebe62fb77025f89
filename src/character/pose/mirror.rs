//! Mirroring of poses across the plane between the left and the right side of a body.

use glam::{DMat3, DQuat, DVec3};

use crate::asset::{Skeleton, Transform};
use crate::mathematics::accumulate_below;

use super::{Pose, rest_orientation, world_matrices};

/// A rotation counts as the identity if the vector part of its quaternion is shorter than this.
const NO_ROTATION: f64 = 1e-7;

/// Mirrors poses of a recognised body across the vertical plane between its left and right sides in the rest pose.
///
/// Poses are mirrored relative to the rest pose and in model space. The joint axes of the two sides may therefore differ. Mirroring twice
/// restores the pose, and the joints of a body with a symmetric rest pose are mirrored exactly.
#[derive(Clone, Debug)]
pub struct Mirror {
    plane: MirrorPlane,
    /// The counterpart of each node on the other side. A node in the middle is its own counterpart.
    partners: Vec<Option<usize>>,
    /// World orientation of each node in the rest pose. It contains a reflection if an odd number of scale factors from the root to the
    /// node are negative.
    orientations: Vec<DMat3>,
    /// Linear part of each world matrix in the rest pose.
    linear_parts: Vec<DMat3>,
}

/// The plane between left and right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MirrorPlane {
    /// Horizontal unit normal that points to the left of the body.
    pub(crate) normal: DVec3,
    /// Distance from the origin along the normal, in metres.
    pub(crate) offset: f64,
}

impl MirrorPlane {
    pub(crate) fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    pub(crate) fn point(&self, point: DVec3) -> DVec3 {
        point - 2.0 * self.distance(point) * self.normal
    }

    pub(crate) fn direction(&self, direction: DVec3) -> DVec3 {
        direction - 2.0 * self.normal.dot(direction) * self.normal
    }

    fn matrix(&self) -> DMat3 {
        DMat3::from_cols(self.direction(DVec3::X), self.direction(DVec3::Y), self.direction(DVec3::Z))
    }

    /// Returns the mirror image of a rotation.
    fn rotation(&self, rotation: DQuat) -> DQuat {
        reflected(rotation, &self.matrix())
    }
}

impl Mirror {
    /// Mirrors across a plane. `partners` contains the counterpart of each node.
    pub(crate) fn across(skeleton: &Skeleton, plane: MirrorPlane, partners: Vec<Option<usize>>) -> Self {
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        let mut orientations = vec![DMat3::IDENTITY; world.len()];
        let own = |node: usize| {
            let rest = &skeleton.nodes[node].rest;
            let signs = rest.scale.as_dvec3().map(|s| if s < 0.0 { -1.0 } else { 1.0 });
            DMat3::from_quat(rest.rotation.as_dquat().normalize()) * DMat3::from_diagonal(signs)
        };
        accumulate_below(skeleton.parents_first.iter().copied(), DMat3::IDENTITY, &mut orientations, own);
        let linear_parts = world.iter().map(|m| glam::Mat3::from(m.matrix3).as_dmat3()).collect();
        Self { plane, partners, orientations, linear_parts }
    }

    /// Returns the counterpart of a node on the other side, or the node itself if it is in the middle. Returns `None` if it has no
    /// counterpart.
    pub fn partner(&self, node: usize) -> Option<usize> {
        self.partners.get(node).copied().flatten()
    }

    /// Returns the mirror image of a point in world metres.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.plane.point(point)
    }

    /// Mirrors a world orientation of a node. Returns the world orientation of the node's counterpart.
    pub fn orientation(&self, skeleton: &Skeleton, node: usize, orientation: DQuat) -> DQuat {
        let Some(partner) = self.partner(node) else { return orientation };
        let turn = orientation * rest_orientation(skeleton, node).conjugate();
        (self.plane.rotation(turn) * rest_orientation(skeleton, partner)).normalize()
    }

    /// Mirrors a point in the frame of a node. Returns the point in the frame of the node's counterpart.
    pub fn offset(&self, node: usize, offset: DVec3) -> DVec3 {
        let linear = |n: usize| self.linear_parts.get(n).copied();
        let parts = self.partner(node).and_then(|p| Some((linear(node)?, inverse(linear(p)?)?)));
        parts.map_or(offset, |(own, partner)| partner * self.plane.direction(own * offset))
    }

    /// Returns the mirror image of a pose, in which left and right are exchanged. Nodes without a counterpart keep their
    /// transforms, and morph weights do not change. A pose of another skeleton is returned unchanged.
    ///
    /// ```
    /// use sinew_character::asset;
    /// use sinew_character::glam::{Quat, Vec3};
    /// use sinew_character::pose::{Pose, world_matrix};
    /// use sinew_character::rig::{Mirror, recognize};
    ///
    /// let character = asset::mannequin()?;
    /// let skeleton = &character.skeleton;
    /// let mirror = Mirror::new(skeleton, &recognize(&character)?.plan);
    /// let find = |name| skeleton.find(name).ok_or("the joint does not exist");
    /// let (left, right) = (find("leftHand")?, find("rightHand")?);
    /// assert_eq!(mirror.partner(left), Some(right));
    ///
    /// let mut pose = Pose::rest(skeleton);
    /// pose.locals[find("leftUpperArm")?].rotation = Quat::from_rotation_z(0.9);
    /// let mirrored = mirror.pose(skeleton, &pose);
    /// let raised = Vec3::from(world_matrix(skeleton, &pose, left).translation);
    /// let other = Vec3::from(world_matrix(skeleton, &mirrored, right).translation);
    /// assert!(other.abs_diff_eq(raised * Vec3::new(-1.0, 1.0, 1.0), 1e-4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pose(&self, skeleton: &Skeleton, pose: &Pose) -> Pose {
        let mut mirrored = pose.clone();
        let count = self.partners.len().min(skeleton.nodes.len());
        if pose.locals.len() == count {
            self.copy(skeleton, pose, 0..count, &mut mirrored);
        }
        mirrored
    }

    /// Copies the mirror images of some nodes of a pose to their counterparts. Each joint has the mirrored rotation relative to its parent.
    pub fn copy(
        &self,
        skeleton: &Skeleton,
        from: &Pose,
        nodes: impl IntoIterator<Item = usize>,
        to: &mut Pose,
    ) {
        for node in nodes {
            let Some(partner) = self.partner(node) else { continue };
            let local = from.locals.get(node).and_then(|own| self.local(skeleton, node, partner, own));
            if let Some((slot, local)) = to.locals.get_mut(partner).zip(local) {
                *slot = local;
            }
        }
    }

    /// Mirrors a local transform of a node. Returns the local transform of the node's counterpart.
    fn local(
        &self,
        skeleton: &Skeleton,
        node: usize,
        partner: usize,
        local: &Transform,
    ) -> Option<Transform> {
        let (own, other) = (skeleton.nodes.get(node)?, skeleton.nodes.get(partner)?);
        let above = |parent: Option<usize>, of: &[DMat3]| {
            parent.map_or(Some(DMat3::IDENTITY), |p| of.get(p).copied())
        };
        let mirror = self.plane.matrix();
        let mut mirrored = other.rest;
        // The node's rotation from the rest pose is mirrored from its parent's frame to the frame of the counterpart's parent.
        let turn =
            local.rotation.as_dquat().normalize() * own.rest.rotation.as_dquat().normalize().conjugate();
        if DVec3::new(turn.x, turn.y, turn.z).length() > NO_ROTATION {
            let frames = [above(own.parent, &self.orientations)?, above(other.parent, &self.orientations)?];
            let turn = reflected(turn, &(frames[1].transpose() * mirror * frames[0]));
            mirrored.rotation = (turn * other.rest.rotation.as_dquat()).normalize().as_quat().normalize();
        }
        let shift = local.translation.as_dvec3() - own.rest.translation.as_dvec3();
        if shift != DVec3::ZERO {
            let frames = [above(own.parent, &self.linear_parts)?, above(other.parent, &self.linear_parts)?];
            let shift = inverse(frames[1]).map_or(shift, |inverse| inverse * (mirror * (frames[0] * shift)));
            mirrored.translation = (other.rest.translation.as_dvec3() + shift).as_vec3();
        }
        if local.scale != own.rest.scale {
            let axes = self.orientations.get(partner)?.transpose() * mirror * *self.orientations.get(node)?;
            let ratio = (local.scale / own.rest.scale).as_dvec3();
            // Each axis gets the scale ratio of the axis that it mirrors.
            let of_axis = |axis: usize| {
                let shares = axes.row(axis).abs();
                ratio[shares.max_position()]
            };
            let ratio = DVec3::new(of_axis(0), of_axis(1), of_axis(2));
            mirrored.scale = if ratio.is_finite() { other.rest.scale * ratio.as_vec3() } else { local.scale };
        }
        let is_finite = mirrored.translation.is_finite() && mirrored.rotation.is_finite();
        (is_finite && mirrored.scale.is_finite()).then_some(mirrored)
    }
}

/// Returns a rotation after an orthogonal change of coordinates, which may be a reflection.
fn reflected(rotation: DQuat, map: &DMat3) -> DQuat {
    let axis = *map * DVec3::new(rotation.x, rotation.y, rotation.z) * map.determinant().signum();
    DQuat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
}

fn inverse(matrix: DMat3) -> Option<DMat3> {
    Some(matrix.inverse()).filter(DMat3::is_finite)
}
