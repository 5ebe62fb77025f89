//! Landing: places a dragged hand or foot on the surface under the pointer, which provides the missing depth.
//!
//! All surfaces are measured in the drag's initial pose, so that the result depends on the pointer position but not on the path of the pointer.

use std::collections::BTreeMap;
use std::f32::consts::TAU;

use glam::{Affine3A, Vec2, Vec3};

use crate::motion::ease;
use crate::puppet::Puppet;
use crate::rig::BodyLimb;
use crate::scene::picking::{Hit, Ray};

use super::surface::Surface;

/// Distance that the target must move before a surface has full weight, in metres at human size. Until then the weight increases gradually,
/// so that a drag that begins in front of a surface does not jump to it.
const RAMP: f32 = 0.08;
/// Depth below the floor at which the floor has full weight, in metres at human size.
const FLOOR_RAMP: f32 = 0.02;
/// Radius around the pointer in which surfaces are sampled, so that the depth does not jump at their edges: half a palm, in metres at human
/// size.
const RADIUS: f32 = 0.06;
/// Rings of sample rays: their radius as a fraction of [`RADIUS`], and the number of rays. One more ray is in the middle.
const RINGS: [(f32, u8); 2] = [(0.5, 6), (1.0, 12)];
/// Maximum distance in front of or behind the dragged part at which a surface has full weight, as a fraction of the limb's reach. A surface
/// beyond the reach is ignored.
const NEAR: f32 = 0.6;
/// Minimum tangent of the view angle to the floor. Flatter angles are treated like this one, so that the target does not slide arbitrarily
/// far along the floor.
const MIN_SLOPE: f32 = 0.27;
/// Maximum distance from the surface that counts as touching, in metres at human size.
const TOLERANCE: f32 = 0.001;
/// Maximum distance by which one step moves the target, in metres at human size.
const MAX_GAP: f32 = 0.2;
/// Maximum ratio of a step to the gap that it is meant to close.
const MAX_GAIN: f32 = 4.0;
/// Maximum number of solves to reach contact.
const MAX_ROUNDS: usize = 4;
/// Maximum number of points tested per joint. The points nearest to the surface are used.
const TOUCHING: usize = 8;

/// Surfaces that a dragged hand or foot can land on: the rest of the character, as it was when the drag began, and the floor.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    surface: Surface,
    /// The inverse node matrices when the drag began.
    node_from_world: Vec<Affine3A>,
    /// Height of the floor, and height of the dragged point above the lowest point of the hand or foot when the drag began, in metres.
    floor: f32,
    clearance: f32,
    /// The outermost points of the hand or foot: nodes, and positions in the frames of these nodes.
    end: Vec<(usize, Vec3)>,
    /// Length of the limb in metres.
    reach: f32,
    /// Size of the body relative to a human.
    size: f32,
}

/// Where a dragged hand or foot lands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Landing {
    /// The node whose surface the part lands on. `None` for the floor.
    pub(crate) on: Option<usize>,
    /// The point on the surface, in world metres.
    pub(crate) point: Vec3,
    /// Where the dragged point would be without a landing.
    pub(super) wanted: Vec3,
    /// Weight of the surface's depth, from 0 to 1.
    pub(super) weight: f32,
    /// The direction in which the surface is approached, a unit vector.
    direction: Vec3,
}

impl Surroundings {
    /// Returns the surroundings of a hand or foot of a recognised body, in a puppet's current pose. The limbs of the nodes `others` move as
    /// well, so nothing lands on them. `None` if the hit is on any other part, or if the skin is not measured.
    pub(super) fn new(puppet: &Puppet, hit: &Hit, others: &[usize]) -> Option<Self> {
        let (plan, skeleton) = (puppet.rig.body.as_ref()?, &puppet.character().skeleton);
        let is_below = |node: usize, above: usize| skeleton.ancestors(node).any(|n| n == above);
        let limb_of = |node: usize| plan.limbs.iter().find(|limb| is_below(node, limb.end()));
        let limb = limb_of(hit.node)?;
        let moving = std::iter::once(limb).chain(others.iter().filter_map(|&node| limb_of(node)));
        let roots: Vec<usize> = moving.filter_map(|limb| limb.joints.first().copied()).collect();
        let stays = |node| !skeleton.ancestors(node).any(|n| roots.contains(&n));
        let stays: Vec<bool> = (0..skeleton.nodes.len()).map(stays).collect();
        let world = puppet.world_from_node();
        let place = |node: usize| world.get(node).map(|m| Vec3::from(m.translation));
        let bones = limb.joints.windows(2).filter_map(|pair| Some(place(pair[0])?.distance(place(pair[1])?)));
        let end = end_points(puppet, limb, |node| is_below(node, limb.end()));
        let lowest = lowest(&end, world)?;
        Some(Self {
            surface: Surface::new(puppet, |node| stays.get(node).copied().unwrap_or_default()),
            node_from_world: world.iter().map(Affine3A::inverse).collect(),
            // A foot may be below the floor, for example on steps.
            floor: plan.floor.min(lowest),
            clearance: (hit.point.y - lowest).max(0.0),
            end,
            reach: bones.sum(),
            size: plan.size,
        })
    }

    /// Returns the height of a point above the floor in metres.
    pub(super) fn height(&self, point: Vec3) -> f32 {
        point.y - self.floor
    }

    /// Returns where the dragged point lands. `wanted` is its position without a landing, and `start` is where the drag began. `None` if nothing
    /// under the pointer is within the limb's reach.
    pub(super) fn land(&self, ray: &Ray, wanted: Vec3, start: Vec3) -> Option<Landing> {
        if let Some((on, distance, covered)) = self.meet(ray) {
            let plane = (wanted - ray.origin).dot(ray.direction);
            let away = (distance - plane).abs() / self.reach.max(1e-6);
            let weight = ease(wanted.distance(start) / (RAMP * self.size))
                * ease(2.0 * covered)
                * ease((1.0 - away) / (1.0 - NEAR));
            let (on, point) = (Some(on), ray.origin + ray.direction * distance);
            if weight > 0.0 {
                return Some(Landing { on, point, wanted, weight, direction: ray.direction });
            }
        }
        let below = self.floor + self.clearance - wanted.y;
        let ahead = ray.direction.with_y(0.0);
        let slope = (-ray.direction.y / ahead.length().max(1e-6)).max(MIN_SLOPE);
        let point = wanted + Vec3::Y * below - ahead.normalize_or_zero() * (below / slope);
        let weight = ease(below / (FLOOR_RAMP * self.size));
        let lands = below > 0.0 && ray.direction.y < 0.0 && point.is_finite();
        lands.then_some(Landing { on: None, point, wanted, weight, direction: Vec3::NEG_Y })
    }

    /// Returns the steps of the dragged part to the surface on which it lands.
    pub(super) fn approach(&self, landing: Landing) -> Approach<'_> {
        let near = self.surface.near(landing.point, self.reach);
        Approach { around: self, landing, near, last: None, gain: 1.0, rounds: MAX_ROUNDS }
    }

    /// Samples rays around a ray. Returns the node that was hit most often, the mean distance of all hits along the ray, and the fraction
    /// of rays that hit something.
    fn meet(&self, ray: &Ray) -> Option<(usize, f32, f32)> {
        let near = self.surface.along(ray, RADIUS * self.size);
        let (x, y) = ray.direction.any_orthonormal_pair();
        let ring = |(radius, count): (f32, u8)| {
            (0..count).map(move |i| Vec2::from_angle(TAU * f32::from(i) / f32::from(count)) * radius)
        };
        let offsets = std::iter::once(Vec2::ZERO).chain(RINGS.into_iter().flat_map(ring));
        let (mut rays, mut met) = (0.0, 0.0);
        let (mut sum, mut nodes) = (0.0, BTreeMap::<usize, u32>::new());
        for offset in offsets {
            let aside = (x * offset.x + y * offset.y) * (RADIUS * self.size);
            rays += 1.0;
            if let Some((distance, node)) = near.meet(&Ray { origin: ray.origin + aside, ..*ray }) {
                (met, sum) = (met + 1.0, sum + distance);
                *nodes.entry(node).or_default() += 1;
            }
        }
        let (&node, _) = nodes.iter().max_by_key(|(_, count)| **count)?;
        Some((node, sum / met, met / rays))
    }

    /// Returns the distance between the landing part and the surface in metres. It is negative if the part is inside the surface. `None` if
    /// the part touches the surface, or if there is no surface in the landing direction. `near` is the nearby surface, and `world` contains
    /// the pose's matrices.
    fn gap(&self, landing: &Landing, near: &Surface, world: &[Affine3A]) -> Option<f32> {
        let along = landing.direction;
        let gap = if landing.on.is_none() {
            lowest(&self.end, world)? - self.floor
        } else {
            let points: Vec<Vec3> = self.touching(along, world);
            let back = MAX_GAP * self.size;
            let motion = |node: usize| {
                Some(*world.get(node)? * *self.node_from_world.get(node)?).filter(Affine3A::is_finite)
            };
            let (lo, hi) = points
                .iter()
                .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(lo, hi), p| (lo.min(*p), hi.max(*p)));
            let middle = 0.5 * (lo + hi);
            let radius = points.iter().map(|p| p.distance(middle)).fold(0.0, f32::max);
            let axis = Ray { origin: middle, direction: along };
            let near = near.moved(motion).along(&axis, radius);
            let distance = |point: &Vec3| {
                let ray = Ray { origin: *point - along * back, direction: along };
                near.meet(&ray).map(|(distance, _)| distance - back)
            };
            points.iter().filter_map(distance).min_by(f32::total_cmp)?
        };
        (gap.abs() > TOLERANCE * self.size).then_some(gap)
    }

    /// Returns the world points of the hand or foot that are farthest in a direction, at most [`TOUCHING`] per joint.
    fn touching(&self, along: Vec3, world: &[Affine3A]) -> Vec<Vec3> {
        let mut points = Vec::new();
        for joint in self.end.chunk_by(|a, b| a.0 == b.0) {
            let place = |(node, point): &(usize, Vec3)| Some(world.get(*node)?.transform_point3(*point));
            let mut own: Vec<Vec3> = joint.iter().filter_map(place).collect();
            own.sort_by(|a, b| b.dot(along).total_cmp(&a.dot(along)));
            points.extend(own.into_iter().take(TOUCHING));
        }
        points
    }
}

/// The steps of a landing part to its surface. The surface gives way to the hand or follows it, so a step closes the gap only
/// approximately. The steps are those of the secant method.
pub(super) struct Approach<'a> {
    around: &'a Surroundings,
    landing: Landing,
    near: Surface,
    /// The last gap and the last step in metres.
    last: Option<(f32, f32)>,
    gain: f32,
    rounds: usize,
}

impl Approach<'_> {
    /// Returns the next movement of the target in world metres. `None` if the part touches the surface, or after too many steps. `world`
    /// contains the pose's matrices.
    pub(super) fn step(&mut self, world: &[Affine3A]) -> Option<Vec3> {
        self.rounds = self.rounds.checked_sub(1)?;
        let gap = self.around.gap(&self.landing, &self.near, world)?;
        if let Some((before, step)) = self.last {
            self.gain = (step / (before - gap)).clamp(0.5, MAX_GAIN);
        }
        let most = MAX_GAP * self.around.size;
        let step = (gap * self.gain).clamp(-most, most);
        self.last = Some((gap, step));
        Some(self.landing.direction * step)
    }
}

/// Returns the outermost points of a limb's hand or foot.
fn end_points(puppet: &Puppet, limb: &BodyLimb, is_end: impl Fn(usize) -> bool) -> Vec<(usize, Vec3)> {
    if let Some(foot) = &limb.foot {
        return foot.sole.to_vec();
    }
    let plan = puppet.rig.body.iter();
    plan.flat_map(|plan| &plan.skin).filter(|(node, _)| is_end(*node)).copied().collect()
}

/// Returns the height of the lowest point.
fn lowest(points: &[(usize, Vec3)], world: &[Affine3A]) -> Option<f32> {
    let heights = points.iter().filter_map(|(node, p)| Some(world.get(*node)?.transform_point3(*p).y));
    heights.min_by(f32::total_cmp)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::asset::mannequin;
    use crate::{Session, rig};

    /// A hand landed on the former position of the other hand, which moved as well.
    #[test]
    fn nothing_lands_on_limbs_that_move_too() {
        let character = mannequin().unwrap();
        let rig = rig::load(&character, None).unwrap();
        let session = Session::new(character, Some(rig), Vec2::new(800.0, 600.0));
        let [left, right] = ["leftHand", "rightHand"].map(|bone| session.rig().bones[bone]);
        let [point, other] = [left, right].map(|node| session.position_of(node).unwrap());
        let hit = Hit { node: left, point, offset: DVec3::ZERO, handle: true };
        let ray = Ray { origin: other + Vec3::Z, direction: Vec3::NEG_Z };
        let meets = |others: &[usize]| {
            let around = Surroundings::new(&session.puppet, &hit, others).unwrap();
            around.meet(&ray).is_some()
        };
        assert!(meets(&[]) && !meets(&[right]));
        // Rays never hit the hand's own arm.
        let ray = Ray { origin: point + Vec3::Z, direction: Vec3::NEG_Z };
        assert!(Surroundings::new(&session.puppet, &hit, &[]).unwrap().meet(&ray).is_none());
        // Only hands and feet land.
        let head = Hit { node: session.rig().bones["head"], ..hit };
        assert!(Surroundings::new(&session.puppet, &head, &[]).is_none());
    }
}
