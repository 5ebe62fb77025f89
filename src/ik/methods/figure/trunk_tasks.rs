//! What is asked of the trunk of a figure.

use glam::{DQuat, DVec3};

use crate::ik::figure::Figure;
use crate::ik::rotation::rotation_vector;

use super::posed::{Limits, Posed};
use super::weights::Weights;

/// How far the trunk may go in one step of a drag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Largest turn of a joint, radians.
    pub(super) turn: f64,
    /// Largest displacement of the hips, metres.
    pub(super) distance: f64,
}

/// A limb seen from the trunk: its first joint must be within some distances of its target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rope {
    /// The first joint of the limb.
    pub(super) link: usize,
    pub(super) target: DVec3,
    /// Smallest and largest distance, metres.
    pub(super) range: [f64; 2],
    /// How much longer than the largest distance a pulling limb may be before it pulls.
    pub(super) slack: f64,
    /// Weight of a rope that pulls softly, or `None` for a limb whose end is fixed.
    pub(super) pull: Option<f64>,
}

/// A point of the trunk that must reach a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrunkPoint {
    pub(super) link: usize,
    /// The point in the frame of the link, metres.
    pub(super) offset: DVec3,
    pub(super) target: DVec3,
    /// The only direction that counts, or `None` if all count.
    pub(super) along: Option<DVec3>,
    pub(super) weight: f64,
}

/// A link of the trunk that must have an orientation.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrunkTurn {
    pub(super) link: usize,
    pub(super) target: DQuat,
    pub(super) weight: f64,
}

/// A joint of a fixed limb that must stay within its limit, as a linear function of the trunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    /// The first joint of the limb.
    pub(super) link: usize,
    /// Where that joint is now.
    pub(super) at: DVec3,
    /// How far the guarded joint turns towards its limit while the first joint moves, radians per metre.
    pub(super) gradient: DVec3,
    /// A link, its orientation now, and the world axis about which its turns relieve the guarded joint. The axis may be
    /// zero.
    pub(super) carrier: usize,
    pub(super) spin: DQuat,
    pub(super) axis: DVec3,
    /// How far the guarded joint is from its limit now, radians.
    pub(super) margin: f64,
}

impl Guard {
    /// Returns by how much a pose exceeds the limit, radians. Negative within the limit.
    pub(super) fn excess(&self, posed: &Posed) -> f64 {
        let turned = rotation_vector(posed.spins[self.carrier] * self.spin.conjugate());
        (posed.positions[self.link] - self.at).dot(self.gradient) - turned.dot(self.axis) - self.margin
    }
}

/// What is asked of the trunk.
#[derive(Clone, Debug, Default)]
pub(super) struct TrunkTasks {
    pub(super) ropes: Vec<Rope>,
    pub(super) points: Vec<TrunkPoint>,
    pub(super) turns: Vec<TrunkTurn>,
    pub(super) guards: Vec<Guard>,
    /// The part of the ground on which the figure stands: the smallest and the largest x and z.
    pub(super) support: Option<[DVec3; 2]>,
    /// Links that may turn, besides the hips.
    pub(super) joints: Vec<usize>,
}

/// The figure that is solved.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) figure: &'a Figure,
    pub(super) limits: Limits<'a>,
    pub(super) stance: &'a Posed,
    pub(super) weights: &'a Weights,
    /// Whether a goal pulls. If there are only pins, the pose is a motion's, and only the lengths of limbs may change it: its
    /// balance, its floor and its bends are its own.
    pub(super) is_pulled: bool,
    /// The height that limbs and targets stay above, world metres.
    pub(super) floor: Option<f64>,
    /// The directions to the left, upwards and to the front of the figure in the stance, in the world.
    pub(super) axes: [DVec3; 3],
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        (figure, is_pulled): (&'a Figure, bool),
        limits: Limits<'a>,
        stance: &'a Posed,
        weights: &'a Weights,
    ) -> Self {
        let floor = figure.parts.floor.filter(|_| is_pulled);
        let front = |&(link, from_figure): &(usize, DQuat)| {
            (stance.spins[link] * from_figure * DVec3::Z).with_y(0.0).try_normalize()
        };
        let front = figure.carriages.first().and_then(front).unwrap_or(DVec3::Z);
        Self {
            figure,
            limits,
            stance,
            weights,
            is_pulled,
            floor,
            axes: [DVec3::Y.cross(front), DVec3::Y, front],
        }
    }

    /// Returns the components of a world vector to the left, upwards and to the front.
    pub(super) fn along_axes(&self, vector: DVec3) -> DVec3 {
        DVec3::from_array(self.axes.map(|axis| axis.dot(vector)))
    }
}
