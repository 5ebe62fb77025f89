//! Copies poses into the body of a binding, and solved poses back.

use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3};

use super::Binding;
use super::bound_link::BoundLink;
use crate::asset::{Skeleton, Transform};
use crate::ik::{Body, Link, LinkIndex, SolveError};
use crate::pose::{Pose, orientation, rest_orientation};
use crate::rig::root::place_of;

impl Binding {
    /// Returns a new body in a pose. `world_from_node` contains the world matrices of the pose.
    ///
    /// # Errors
    /// [`SolveError`] if a limit or a weight of the rig is invalid, or if [`Binding::refresh`] fails.
    pub fn body(
        &self,
        skeleton: &Skeleton,
        pose: &Pose,
        world_from_node: &[Affine3A],
    ) -> Result<Body, SolveError> {
        self.check_scale(pose)?;
        let link = |l: &BoundLink| {
            let (offset, scale) = l.geometry(&pose.locals, &self.slides);
            Link::base()
                .with_parent(l.parent)
                .with_offset(offset)
                .with_rest(l.node.map_or(DQuat::IDENTITY, |n| l.rotation(skeleton.nodes[n].rest.rotation)))
                .with_scale(scale)
                .with_limit(l.limit)
                .with_mimic(l.mimic)
                .with_weight(if l.turns { l.weight } else { 0.0 })
                .with_ccd_budget(l.ccd_budget)
                .with_reversed(l.reversed)
        };
        let above = self.above(skeleton).map_or(DAffine3::IDENTITY, |node| widen(world_from_node[node]));
        let mut body = Body::new(self.links.iter().map(link).collect(), above)?;
        self.refresh(&mut body, skeleton, pose, world_from_node)?;
        Ok(body)
    }

    /// Sets the direction in which the figure of a body faces ([`Body::set_facing`]). The body must belong to this binding.
    /// `world_from_figure` is the rotation from the space of the figure (+Y up, +Z to its front) to the world, in the rest pose.
    pub fn set_facing(&self, body: &mut Body, skeleton: &Skeleton, world_from_figure: DQuat) {
        let above = self.above(skeleton).map_or(DQuat::IDENTITY, |node| rest_orientation(skeleton, node));
        body.set_facing(above.conjugate() * world_from_figure);
    }

    /// Sets the pose that the figure of a body stays near ([`Body::set_stance`]). Call it after [`Binding::refresh`]. `pose` is the pose
    /// that was copied into the body.
    pub fn set_stance(&self, body: &mut Body, skeleton: &Skeleton, pose: &Pose, stance: &Pose) {
        let local = |node: usize| stance.locals.get(node);
        let rotation = |link: LinkIndex| {
            let l = &self.links[link.0];
            let own = l.node.and_then(local).map(|local| l.rotation(local.rotation));
            own.unwrap_or_else(|| {
                l.node.map_or(DQuat::IDENTITY, |n| l.rotation(skeleton.nodes[n].rest.rotation))
            })
        };
        let at = |pose: &Pose| pose.locals.get(self.base).map(|l| l.translation.as_dvec3());
        let root = at(stance).zip(at(pose)).map_or(DVec3::ZERO, |(stance, now)| stance - now);
        body.set_stance(rotation, root);
    }

    /// Copies a pose into a body of this binding. Allocates nothing. `world_from_node` contains the world matrices of the pose.
    ///
    /// # Errors
    /// [`SolveError`] if a node of an upward path has scale, if a node between that path and the root of the skeleton has non-uniform
    /// scale, if an offset or a scale is not finite, or if the matrix above the base cannot be inverted.
    pub fn refresh(
        &self,
        body: &mut Body,
        skeleton: &Skeleton,
        pose: &Pose,
        world_from_node: &[Affine3A],
    ) -> Result<(), SolveError> {
        self.check_scale(pose)?;
        let none = (DVec3::ZERO, DVec3::ONE);
        body.set_geometry(|link| {
            self.links.get(link.0).map_or(none, |l| l.geometry(&pose.locals, &self.slides))
        })?;
        let above = self.above(skeleton);
        body.place(
            above.map_or(DAffine3::IDENTITY, |node| widen(world_from_node[node])),
            above.map_or(DQuat::IDENTITY, |node| orientation(skeleton, pose, node)),
        )?;
        body.set_root(DVec3::ZERO);
        for (index, l) in self.links.iter().enumerate() {
            if let Some(node) = l.node {
                body.set_rotation(LinkIndex(index), l.rotation(pose.locals[node].rotation));
                if let Some(slide) = self.slides.get(&node) {
                    body.set_displacement(LinkIndex(index), slide.split(pose.locals[node].translation).0);
                }
            }
        }
        Ok(())
    }

    /// Returns the node in whose space the body is defined.
    fn above(&self, skeleton: &Skeleton) -> Option<usize> {
        if self.is_upward() { Some(self.base) } else { skeleton.nodes[self.base].parent }
    }

    /// Copies the rotations and displacements of a solved body into the pose that it was refreshed from. If the base has
    /// moved, its translation is copied too. If the path starts by going up to an ancestor of the base, the root of the skeleton is
    /// moved so that the base matches the body. Allocates nothing.
    pub fn write_back(&self, body: &Body, pose: &mut Pose) {
        let before = place_of(self.way_up(), &pose.locals, body.root());
        for (l, rotation) in self.links.iter().zip(body.rotations()) {
            if let Some(node) = l.node.filter(|_| l.turns) {
                let rotation = if l.reversed { rotation.conjugate() } else { *rotation };
                pose.locals[node].rotation = rotation.as_quat().normalize();
            }
        }
        self.write_displacements(body, pose);
        self.followers.iter().for_each(|follower| follower.write(body, pose));
        if self.is_upward() {
            self.restore_base(before, &mut pose.locals);
        } else if body.root() != DVec3::ZERO {
            let moved = pose.locals[self.base].translation.as_dvec3() + body.root();
            pose.locals[self.base].translation = moved.as_vec3();
        }
    }

    /// Moves the root of the skeleton so that the base is at the given place in the space above the root.
    fn restore_base(&self, (position, rotation): (DVec3, DQuat), locals: &mut [Transform]) {
        let moved = place_of(self.way_up(), locals, DVec3::ZERO);
        let Some(root) = self.way_up().last().filter(|_| moved != (position, rotation)) else { return };
        let turn = rotation * moved.1.conjugate();
        locals[root].rotation = (turn * locals[root].rotation.as_dquat()).as_quat().normalize();
        // The rotation is rounded, so the translation is computed after it.
        let (turned, _) = place_of(self.way_up(), locals, DVec3::ZERO);
        let root = &mut locals[root].translation;
        *root = (root.as_dvec3() + position - turned).as_vec3();
    }
}

/// Converts a matrix to double precision.
fn widen(m: Affine3A) -> DAffine3 {
    let column = |v: glam::Vec3A| DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
    let linear =
        DMat3::from_cols(column(m.matrix3.x_axis), column(m.matrix3.y_axis), column(m.matrix3.z_axis));
    DAffine3 { matrix3: linear, translation: column(m.translation) }
}
