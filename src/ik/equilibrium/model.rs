//! The solver's model of a figure: joints with their degrees of freedom, springs, masses, feet and capsules.
//!
//! Lengths are in metres at human size: the figure is scaled to a person of 1.75 m. The space of the figure is the world, scaled and
//! rotated about its vertical axis so that the figure faces +Z. It is reflected if the body is placed by a reflection.

use std::f64::consts::PI;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::reflected::{reflect, reflect_axis};
use super::rest::RestPose;
use crate::body::unit;
use crate::figure::{Figure, FigurePart};
use crate::limit::swing_twist;
use crate::link::own;
use crate::{Body, Limit, Options};

/// How a joint may move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Freedom {
    /// Not at all.
    #[default]
    None,
    /// Turns about an axis of the figure, starting from the rotation in the stance.
    Hinge { axis: DVec3, stance: DQuat },
    /// Turns about all axes.
    Ball,
    /// Turns about all axes and moves along them. Used only for the hips.
    Root,
}

impl Freedom {
    /// Number of degrees of freedom.
    #[inline]
    pub(super) fn count(self) -> usize {
        match self {
            Self::None => 0,
            Self::Hinge { .. } => 1,
            Self::Ball => 3,
            Self::Root => 6,
        }
    }
}

/// A joint of a figure. A figure has one joint for each link of the body.
#[derive(Clone, Debug, Default)]
pub(super) struct FigureJoint {
    pub(super) parent: Option<usize>,
    pub(super) part: Option<FigurePart>,
    /// Position relative to the parent in the rest pose, along the axes of the figure.
    pub(super) offset: DVec3,
    /// Rotation from the axes of the figure to the link's axes in the rest pose, and metres at human size per unit of the link's
    /// frame.
    frame: DQuat,
    pub(super) scale: f64,
    /// The signs of the axes for rotations of the joint and for points of its link. A negative scale above the joint reflects them.
    pub(super) signs: [DVec3; 2],
    pub(super) freedom: Freedom,
    /// Index of the joint's first degree of freedom.
    pub(super) first: usize,
    /// Stiffness about the axes of the figure, in newton metres per radian. A hinge uses only the first component.
    pub(super) stiffness: DVec3,
    /// The limit of the joint, along the axes of the link in the rest pose.
    pub(super) limit: Limit,
    /// Range of a hinge's angle from the stance, in radians.
    pub(super) range: [f64; 2],
    /// Mass of the link as a fraction of the body's mass, and its centre.
    pub(super) mass: f64,
    pub(super) centre: DVec3,
    /// Like `mass`, for balance. The mass of an arm is lumped at the shoulder, so that the arm is not used as a counterweight.
    pub(super) balance_mass: f64,
    /// Whether `balance_mass` is at the joint itself.
    pub(super) counts_above: bool,
}

/// The map between the world and the space of a figure.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Space {
    pub(super) from_world: DAffine3,
    pub(super) to_world: DAffine3,
    /// Rotations that convert orientations in base space and in the world to the space of the figure.
    from_base: DQuat,
    from_world_rotation: DQuat,
    /// Metres in world space per metre at human size.
    pub(super) size: f64,
}

impl Space {
    fn new(body: &Body, size: f64, origin: DVec3) -> Self {
        let placed = body.world_from_base().matrix3;
        let mirror = if placed.determinant() < 0.0 { DVec3::new(-1.0, 1.0, 1.0) } else { DVec3::ONE };
        let mirror = DMat3::from_diagonal(mirror);
        let world_from_base = body.world_from_base_rotation();
        // For a reflected base, this is the rotation of the mirrored base.
        let is_reflected = placed.determinant() < 0.0;
        let turned = if is_reflected { DQuat::from_mat3(&proper(mirror * placed)) } else { world_from_base };
        let front = turned * body.facing() * DVec3::Z;
        let yaw = if front.x.hypot(front.z) > 1e-6 { front.x.atan2(front.z) } else { 0.0 };
        let turn = DQuat::from_rotation_y(-yaw);
        let matrix3 = DMat3::from_quat(turn) * mirror * (1.0 / size);
        let from_world = DAffine3 { matrix3, translation: -(matrix3 * origin) };
        let from_base = unit(turn * turned);
        let from_world_rotation = unit(from_base * world_from_base.conjugate());
        Self { from_world, to_world: from_world.inverse(), from_base, from_world_rotation, size }
    }

    /// Converts a world orientation to the space of the figure.
    pub(super) fn orientation(&self, world: DQuat) -> DQuat {
        unit(self.from_world_rotation * world)
    }
}

/// Returns the rotation of a matrix: its orthonormalised columns.
fn proper(m: DMat3) -> DMat3 {
    let x = m.x_axis.normalize_or(DVec3::X);
    let y = m.y_axis.reject_from_normalized(x).normalize_or(DVec3::Y);
    DMat3::from_cols(x, y, x.cross(y))
}

/// The model of a figure in a stance.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) joints: Vec<FigureJoint>,
    pub(super) space: Space,
    /// Number of degrees of freedom.
    pub(super) count: usize,
    /// The link of each degree of freedom.
    pub(super) owners: Vec<usize>,
    /// Index of the first entry of each degree of freedom's row in a `TreeMatrix`, followed by the total number of entries.
    row_starts: Vec<usize>,
    /// The degrees of freedom that move each link, and the index at which the entries of each link begin.
    paths: Vec<usize>,
    path_starts: Vec<usize>,
    rest: RestPose,
    pub(super) is_person: bool,
    /// Height of the floor.
    pub(super) floor: Option<f64>,
    pub(super) chest: usize,
    pub(super) head: Option<usize>,
}

impl Model {
    /// Sets the model of a body for a stance. `rotations` are the local rotations of its links, and `root` is the translation of its base.
    pub(super) fn set(
        &mut self,
        body: &Body,
        figure: &Figure,
        rotations: &[DQuat],
        root: DVec3,
        options: &Options,
    ) {
        let origin = body.world_from_base().transform_point3(body.links()[0].offset + root);
        let floor = figure.parts.floor;
        let origin = DVec3::new(origin.x, floor.unwrap_or(origin.y), origin.z);
        self.space = Space::new(body, figure.parts.size.max(f64::MIN_POSITIVE), origin);
        self.is_person = figure.is_person();
        self.floor = floor.map(|_| 0.0);
        self.chest = figure.chest();
        self.head = figure.parts.neck.last().map(|link| link.0);
        self.add_joints(body, figure, rotations, options);
        self.connect();
    }

    fn add_joints(&mut self, body: &Body, figure: &Figure, stance: &[DQuat], options: &Options) {
        self.rest.set(body.links(), &figure.parts);
        self.joints.clear();
        self.owners.clear();
        self.count = 0;
        let rest = &self.rest;
        let scale = body.world_from_base().matrix3.determinant().abs().cbrt() / self.space.size;
        let facing = body.facing();
        for (index, link) in body.links().iter().enumerate() {
            let frame = unit(rest.rotations[index].conjugate() * facing);
            let offset =
                link.parent_index().map_or(DVec3::ZERO, |p| rest.positions[index] - rest.positions[p]);
            let part = figure.part(index);
            let limit = if options.limits { body.coupled_limit(index) } else { Limit::Free };
            let above = link.parent_index().map_or(DQuat::IDENTITY, |p| self.joints[p].frame);
            let signs = rest.signs[index];
            let reflected = |axis: DVec3| frame.conjugate() * reflect_axis(signs[0], axis);
            let turn = unit(above.conjugate() * reflect(signs[0], stance[index]) * frame);
            let hinge = rest.hinges[index];
            let turned =
                swing_twist(own(link.rest, false, stance[index]), hinge.map_or(DVec3::X, |h| h.axis)).1;
            let freedom = match (part, limit, hinge) {
                _ if index == 0 => Freedom::Root,
                (None, ..) | (_, Limit::Locked, _) => Freedom::None,
                _ if link.weight <= 0.0 => Freedom::None,
                (_, Limit::Hinge { axis, .. }, _) => Freedom::Hinge { axis: reflected(axis), stance: turn },
                (.., Some(hinge)) => Freedom::Hinge { axis: reflected(hinge.axis), stance: turn },
                _ => Freedom::Ball,
            };
            let range = match (limit, hinge) {
                (Limit::Hinge { axis, min, max }, _) => {
                    let turned = swing_twist(own(link.rest, false, stance[index]), axis).1;
                    [min - turned, max - turned]
                }
                (_, Some(hinge)) => hinge.range.map(|end| end - turned),
                _ => [-PI, PI],
            };
            self.joints.push(FigureJoint {
                parent: link.parent_index(),
                part,
                offset: facing.conjugate() * offset * scale,
                frame,
                scale: scale * rest.scales[index],
                signs,
                freedom,
                first: self.count,
                limit,
                // The stance is always allowed.
                range: [range[0].min(0.0), range[1].max(0.0)],
                ..FigureJoint::default()
            });
            self.count += freedom.count();
            self.owners.resize(self.count, index);
        }
    }

    /// Lists the degrees of freedom that move each link.
    fn connect(&mut self) {
        self.paths.clear();
        self.path_starts.clear();
        self.row_starts.clear();
        for index in 0..self.joints.len() {
            self.path_starts.push(self.paths.len());
            let joint = &self.joints[index];
            if let Some(parent) = joint.parent {
                let end = self.path_starts.get(parent + 1).copied().unwrap_or(self.paths.len());
                self.paths.extend_from_within(self.path_starts[parent]..end);
            }
            self.paths.extend(joint.first..joint.first + joint.freedom.count());
        }
        self.path_starts.push(self.paths.len());
        self.row_starts.push(0);
        for d in 0..self.count {
            self.row_starts.push(self.row_starts[d] + self.above(d).len() + 1);
        }
    }

    /// Returns the number of stored entries in a `TreeMatrix` for this model.
    #[inline]
    pub(super) fn entries(&self) -> usize {
        self.row_starts.last().copied().unwrap_or(0)
    }

    /// Returns the range of a row in the entries of a `TreeMatrix` for this model.
    #[inline]
    pub(super) fn row(&self, d: usize) -> std::ops::Range<usize> {
        self.row_starts[d]..self.row_starts[d + 1]
    }

    /// Returns the degrees of freedom that move the frame of a link, in increasing order.
    #[inline]
    pub(super) fn path(&self, link: usize) -> &[usize] {
        &self.paths[self.path_starts[link]..self.path_starts[link + 1]]
    }

    /// Returns the degrees of freedom above `d`, in increasing order.
    #[inline]
    pub(super) fn above(&self, d: usize) -> &[usize] {
        let link = self.owners[d];
        let path = self.path(link);
        &path[..path.len() - (self.joints[link].first + self.joints[link].freedom.count() - d)]
    }

    /// Returns the largest turn of a joint in a step, in radians. A movement of the hips by one metre counts as two radians.
    pub(super) fn largest_turn(&self, step: &[f64]) -> f64 {
        let turn = |joint: &FigureJoint| {
            let own = step.get(joint.first..joint.first + joint.freedom.count()).unwrap_or_default();
            let length = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>().sqrt();
            match joint.freedom {
                Freedom::Root => {
                    own.split_at_checked(3).map_or(0.0, |(go, turn)| length(turn).max(2.0 * length(go)))
                }
                _ => length(own),
            }
        };
        self.joints.iter().map(turn).fold(0.0, f64::max)
    }

    /// Returns the links from one link up to the hips, including both.
    pub(super) fn up(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(link), |&l| self.joints[l].parent)
    }

    /// Converts a link's local rotation to a turn in the axes of the figure.
    pub(super) fn turn(&self, link: usize, local: DQuat) -> DQuat {
        let above =
            self.joints[link].parent.map_or(self.space.from_base, |p| self.joints[p].frame.conjugate());
        unit(above * reflect(self.joints[link].signs[0], local) * self.joints[link].frame)
    }

    /// Converts a turn in the axes of the figure to a link's local rotation.
    pub(super) fn local(&self, link: usize, turn: DQuat) -> DQuat {
        let above =
            self.joints[link].parent.map_or(self.space.from_base.conjugate(), |p| self.joints[p].frame);
        reflect(self.joints[link].signs[0], unit(above * turn * self.joints[link].frame.conjugate()))
    }

    /// Returns the rotation from the figure's axes to the link's axes in the rest pose.
    pub(super) fn frame(&self, link: usize) -> DQuat {
        self.joints[link].frame
    }

    /// Converts a turn in the axes of the figure to a rotation from rest in the link's frame, in which its limit is defined.
    #[inline]
    pub(super) fn own(&self, link: usize, turn: DQuat) -> DQuat {
        let FigureJoint { frame, signs, .. } = self.joints[link];
        reflect(signs[0], frame * turn * frame.conjugate())
    }

    /// Converts a point from a link's frame to the axes of the figure.
    pub(super) fn point(&self, link: usize, offset: DVec3) -> DVec3 {
        let joint = &self.joints[link];
        self.axes(link) * (offset * joint.signs[1]) * joint.scale
    }

    /// Returns the rotation from a link's axes in the rest pose to the figure's axes.
    #[inline]
    pub(super) fn axes(&self, link: usize) -> DQuat {
        self.joints[link].frame.conjugate()
    }
}
