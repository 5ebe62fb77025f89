//! The pose of a figure, and the positions and axes computed from the pose.

use glam::{DMat3, DQuat, DVec3};

use super::model::{Freedom, Model};

/// The unknowns of a figure.
#[derive(Clone, Debug, Default)]
pub(super) struct FigurePose {
    /// Position of the hips, in metres at human size.
    pub(super) hips: DVec3,
    /// Rotation of each link relative to its parent, along the axes of the figure. The rotation of the hips is relative to the
    /// space of the figure.
    pub(super) turns: Vec<DQuat>,
    /// Angle of each hinge from the stance, in radians.
    pub(super) angles: Vec<f64>,
}

impl FigurePose {
    /// Copies another pose without allocating.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.hips = other.hips;
        self.turns.clone_from(&other.turns);
        self.angles.clone_from(&other.angles);
    }

    /// Sets `out` to this pose after a step of all degrees of freedom.
    pub(super) fn stepped(&self, model: &Model, step: &[f64], out: &mut Self) {
        out.copy_from(self);
        for (link, joint) in model.joints.iter().enumerate() {
            let d = &step[joint.first..joint.first + joint.freedom.count()];
            let turn = |v: &[f64]| DQuat::from_scaled_axis(DVec3::new(v[0], v[1], v[2]));
            match joint.freedom {
                Freedom::None => {}
                Freedom::Hinge { .. } => out.set_angle(model, link, self.angles[link] + d[0]),
                Freedom::Ball => out.turns[link] = (turn(d) * self.turns[link]).normalize(),
                Freedom::Root => {
                    out.hips = self.hips + DVec3::new(d[0], d[1], d[2]);
                    out.turns[link] = (turn(&d[3..]) * self.turns[link]).normalize();
                }
            }
        }
    }

    /// Turns a hinge to an angle from the stance.
    pub(super) fn set_angle(&mut self, model: &Model, link: usize, angle: f64) {
        if let Freedom::Hinge { axis, stance } = model.joints[link].freedom {
            self.angles[link] = angle;
            self.turns[link] = (DQuat::from_axis_angle(axis, angle) * stance).normalize();
        }
    }
}

/// Positions, orientations and axes of a pose.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinematics {
    /// Position of each link.
    pub(super) positions: Vec<DVec3>,
    /// Rotation of each link from its rest orientation.
    pub(super) rotations: Vec<DQuat>,
    /// The unit axis of each degree of freedom, and a point on the axis for a rotation. A translation has no such point.
    pub(super) axes: Vec<(DVec3, Option<DVec3>)>,
}

impl Kinematics {
    /// Computes the positions, the rotations and the axes.
    pub(super) fn update(&mut self, model: &Model, pose: &FigurePose) {
        self.place(model, pose);
        self.derive(model);
    }

    /// Computes the positions and the rotations.
    pub(super) fn place(&mut self, model: &Model, pose: &FigurePose) {
        let Self { positions, rotations, .. } = self;
        positions.clear();
        rotations.clear();
        for (joint, &turn) in model.joints.iter().zip(&pose.turns) {
            let (at, above) = match joint.parent {
                Some(p) => (positions[p] + rotations[p] * joint.offset, rotations[p]),
                None => (pose.hips, DQuat::IDENTITY),
            };
            positions.push(at);
            let rotation = above * turn;
            // The rotations are normalised, because rounding errors would otherwise add up along a chain of joints that turn.
            rotations.push(if joint.freedom == Freedom::None { rotation } else { rotation.normalize() });
        }
    }

    /// Computes the axes of the degrees of freedom.
    pub(super) fn derive(&mut self, model: &Model) {
        let Self { positions, rotations, axes } = self;
        axes.clear();
        for (link, joint) in model.joints.iter().enumerate() {
            let above = joint.parent.map_or(DQuat::IDENTITY, |p| rotations[p]);
            let at = Some(positions[link]);
            if joint.freedom == Freedom::Root {
                axes.extend([(DVec3::X, None), (DVec3::Y, None), (DVec3::Z, None)]);
            }
            match joint.freedom {
                Freedom::None => {}
                Freedom::Hinge { axis, .. } => axes.push((above * axis, at)),
                Freedom::Ball | Freedom::Root => {
                    let m = DMat3::from_quat(above);
                    axes.extend([(m.x_axis, at), (m.y_axis, at), (m.z_axis, at)]);
                }
            }
        }
    }

    /// Returns the angle at which the bones before and after a hinge are in line, and the side to which its range lets it bend.
    pub(super) fn straight(
        &self,
        model: &Model,
        pose: &FigurePose,
        [above, link, end]: [usize; 3],
    ) -> Option<(f64, f64)> {
        let Freedom::Hinge { axis, .. } = model.joints[link].freedom else { return None };
        let axis = model.joints[link].parent.map_or(DQuat::IDENTITY, |p| self.rotations[p]) * axis;
        let at = |l: usize| self.positions[l];
        let [into, out] = [at(link) - at(above), at(end) - at(link)];
        let bend = axis.dot(into.cross(out)).atan2(into.dot(out) - axis.dot(into) * axis.dot(out));
        let straight = pose.angles[link] - bend;
        let [low, high] = model.joints[link].range;
        Some((straight, if 0.5 * (low + high) >= straight { 1.0 } else { -1.0 }))
    }

    /// Returns the position of a point that is fixed to a link.
    #[inline]
    pub(super) fn point(&self, link: usize, offset: DVec3) -> DVec3 {
        self.positions[link] + self.rotations[link] * offset
    }

    /// Sets `columns` to the derivatives of a link's point with respect to the degrees of freedom above it.
    pub(super) fn point_columns(&self, model: &Model, link: usize, at: DVec3, columns: &mut Vec<DVec3>) {
        columns.clear();
        columns.extend(model.path(link).iter().map(|&d| match self.axes[d] {
            (axis, Some(about)) => axis.cross(at - about),
            (axis, None) => axis,
        }));
    }

    /// Sets `columns` to the derivatives of a direction that is fixed to a link.
    pub(super) fn direction_columns(&self, model: &Model, link: usize, of: DVec3, columns: &mut Vec<DVec3>) {
        columns.clear();
        let column = |(axis, about): (DVec3, Option<DVec3>)| about.map_or(DVec3::ZERO, |_| axis.cross(of));
        columns.extend(model.path(link).iter().map(|&d| column(self.axes[d])));
    }
}
