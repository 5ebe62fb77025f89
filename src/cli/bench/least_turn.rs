//! Computes the least turn of a body's joints that moves the body's end by the same displacement as one frame of a drag.

use glam::{DQuat, DVec3};

use crate::ik::{Body, Limit, LinkIndex};

/// Maximum number of rounds of the active-set method.
const ROUNDS: usize = 64;
/// A joint counts as within its limit if it exceeds the limit by at most this fraction of the length of the whole turn.
const WITHIN: f64 = 1e-3;
/// A solution is rejected if it misses the prescribed motion by more than this fraction. In that case, no turn moves the end as prescribed.
const MISSING: f64 = 1e-6;
/// Fraction of the largest diagonal entry that is added to the diagonal of a linear system's matrix, so that the matrix of a planar
/// arm is invertible.
const FLOOR: f64 = 1e-13;

/// The least-turn problem for one frame of a drag: minimise Σ |ω|² over the joint turns ω (rotation vectors in the world) such that J ω
/// equals the motion of the end and every joint stays within its limit. J is the Jacobian in a pose of the frame.
struct LeastTurn {
    joints: Vec<MovedJoint>,
    /// The prescribed motion of the end, and of its ancestor joints if there is a pole.
    motions: Vec<Condition>,
}

/// Returns the length of the turn between two poses as a multiple of the least turn that moves the end by the same displacement, or zero if
/// there is no least turn. If the result is not greater than `least`, the result of another frame, it is only an upper bound. `pole` states
/// whether the goal has a pole, which also determines the direction in which the limb bends.
///
/// The least turn is computed in the halfway pose, where J times the turn equals the motion to third order. Without a pole, it is also
/// computed in the first and the last pose, and the shorter of these two is used if it is longer than the halfway one. Near a singular
/// pose, a motion along the border of the reach needs turns that no first-order step can represent.
pub(super) fn turn_ratio(before: &Body, after: &Body, end: LinkIndex, pole: bool, least: f64) -> f64 {
    let [first, halfway, last] = [0.0, 0.5, 1.0].map(|pose| LeastTurn::new(before, after, end, pole, pose));
    let turned = halfway.turned();
    let longest = |length: &dyn Fn(&LeastTurn) -> f64| {
        let outer = if pole { 0.0 } else { length(&first).min(length(&last)) };
        length(&halfway).max(outer)
    };
    // The limits can only make the ratio smaller, so they are ignored if the ratio without limits is small enough.
    let free = turned / longest(&LeastTurn::without_limits);
    if free <= least { free } else { turned / longest(&|problem| problem.within_limits(before)) }
}

/// A joint that moves the end.
struct MovedJoint {
    link: LinkIndex,
    /// Rotation from the joint's frame, without the joint's own rotation, to the world.
    world_from_frame: DQuat,
    position: DVec3,
    /// The axis of a hinge in the world.
    hinge: Option<DVec3>,
    before: DQuat,
    turn: DVec3,
}

/// A linear condition on the turns of the first joints: the sum of their dot products with the gradients is `value` or, for a border,
/// at most `value`.
struct Condition {
    gradients: Vec<DVec3>,
    value: f64,
    is_border: bool,
}

impl LeastTurn {
    /// Returns the problem for a frame. The Jacobian is computed in the pose at the fraction `pose` between the frame's first pose (0) and
    /// last pose (1). If `pole` is set, the motion of each ancestor joint of the end is also prescribed.
    fn new(before: &Body, after: &Body, end: LinkIndex, pole: bool, pose: f64) -> Self {
        let mut between = before.clone();
        for (link, (a, b)) in before.rotations().iter().zip(after.rotations()).enumerate() {
            between.set_rotation(LinkIndex(link), a.slerp(*b, pose));
        }
        let position = |body: &Body, link| body.world_from_link(link).map_or(DVec3::ZERO, |m| m.translation);
        let mut joints = Vec::new();
        let mut above = before.links()[end.0].parent;
        while let Some(own) = above {
            let index = own.0;
            let link = &before.links()[index];
            above = link.parent;
            if link.weight == 0.0 || link.limit == Limit::Locked {
                continue;
            }
            let rotation = between.orientation(own).unwrap_or(DQuat::IDENTITY);
            let world_from_frame = rotation * between.rotations()[index].conjugate();
            let turn = after.rotations()[index] * before.rotations()[index].conjugate();
            joints.push(MovedJoint {
                link: own,
                world_from_frame,
                position: position(&between, own),
                hinge: if let Limit::Hinge { axis, .. } = link.limit { Some(rotation * axis) } else { None },
                before: before.rotations()[index],
                turn: world_from_frame * rotation_vector(turn),
            });
        }
        joints.reverse();
        // In the halfway pose, the prescribed motion is defined by the turn itself, so the turn meets the conditions exactly.
        let is_halfway = pole || (0.0 < pose && pose < 1.0);
        let ends = std::iter::once((joints.len(), end));
        let inner = joints.iter().enumerate().skip(1).filter(|_| pole).map(|(i, joint)| (i, joint.link));
        let mut motions = Vec::new();
        for (count, link) in ends.chain(inner) {
            let (place, motion) = (position(&between, link), position(after, link) - position(before, link));
            for axis in DVec3::AXES {
                // (ω × r) · axis = ω · (r × axis)
                let gradients = joints[..count].iter().map(|j| j.open((place - j.position).cross(axis)));
                let gradients: Vec<_> = gradients.collect();
                let turned: f64 = gradients.iter().zip(&joints).map(|(g, joint)| g.dot(joint.turn)).sum();
                let value = if is_halfway { turned } else { motion.dot(axis) };
                motions.push(Condition { gradients, value, is_border: false });
            }
        }
        Self { joints, motions }
    }

    /// Returns the length of the frame's turn in radians: the square root of the sum of the squared angles of the joints that move
    /// the end.
    fn turned(&self) -> f64 {
        self.joints.iter().map(|j| j.turn.length_squared()).sum::<f64>().sqrt()
    }

    /// Returns the length in radians of the least turn without limits, which is never longer than the least turn within the limits. The
    /// length is infinite if no turn moves the end as prescribed, for example along a stretched chain.
    fn without_limits(&self) -> f64 {
        self.solve(&[]).map_or(f64::INFINITY, |(turns, _)| length(&turns))
    }

    /// Returns the length in radians of the least turn within the limits, or infinity if no turn moves the end as prescribed.
    ///
    /// This is a dual active-set method (Goldfarb & Idnani 1983) with cutting planes (Kelley 1960). For a joint beyond its limit, a plane
    /// is added that separates the joint's turn from the nearest allowed turn. Planes that pull a joint outwards instead of holding it back
    /// are removed. The least turn for some of the planes is never longer than the least turn for all of them. The longest least turn found
    /// is therefore a lower bound, even if the method runs out of rounds.
    fn within_limits(&self, body: &Body) -> f64 {
        let (mut borders, mut least): (Vec<Condition>, _) = (Vec::new(), 0.0_f64);
        for _ in 0..ROUNDS {
            let Some((turns, factors)) = self.solve(&borders) else { return f64::INFINITY };
            let worst = factors.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            if let Some((place, _)) = worst.filter(|(_, factor)| **factor > 0.0) {
                borders.remove(place);
                continue;
            }
            least = least.max(length(&turns));
            let beyond = self.joints.iter().zip(&turns).map(|(joint, turn)| {
                let allowed = joint.allowed(body, *turn);
                (allowed, joint.open(*turn - allowed))
            });
            let farthest = beyond.enumerate().max_by(|a, b| a.1.1.length().total_cmp(&b.1.1.length()));
            let Some((joint, (allowed, beyond))) = farthest else { break };
            if beyond.length() <= WITHIN * length(&turns) {
                break;
            }
            let outward = beyond.normalize();
            let mut gradients = vec![DVec3::ZERO; joint];
            gradients.push(outward);
            borders.push(Condition { gradients, value: outward.dot(allowed), is_border: true });
        }
        least
    }

    /// Returns the least turns that meet the prescribed motions and lie on the borders, and a factor for each border. A factor is positive
    /// if its border pulls a joint outwards. `None` if there are no such turns.
    ///
    /// The turns are Aᵀ μ with A Aᵀ μ = b, where the rows of A are the conditions.
    fn solve(&self, borders: &[Condition]) -> Option<(Vec<DVec3>, Vec<f64>)> {
        let rows: Vec<&Condition> = self.motions.iter().chain(borders).collect();
        let mut matrix: Vec<Vec<f64>> =
            rows.iter().map(|a| rows.iter().map(|b| dot(&a.gradients, &b.gradients)).collect()).collect();
        let largest = (0..rows.len()).map(|i| matrix[i][i]).fold(0.0, f64::max);
        for (i, row) in matrix.iter_mut().enumerate() {
            row[i] += FLOOR * largest;
            row.push(rows[i].value);
        }
        let factors = eliminate(matrix);
        let mut turns = vec![DVec3::ZERO; self.joints.len()];
        for (row, factor) in rows.iter().zip(&factors) {
            turns.iter_mut().zip(&row.gradients).for_each(|(turn, gradient)| *turn += *gradient * *factor);
        }
        let size = self.motions.iter().map(|m| m.value * m.value).sum::<f64>().sqrt();
        let missing = |row: &Condition| {
            let scale = if row.is_border { length(&turns) } else { size };
            (dot(&row.gradients, &turns) - row.value).abs() > MISSING * scale
        };
        let is_met = turns.iter().all(|t| t.is_finite()) && !rows.iter().any(|row| missing(row));
        is_met.then(|| (turns, factors[self.motions.len()..].to_vec()))
    }
}

impl MovedJoint {
    /// Returns the part of a rotation vector that the joint allows.
    fn open(&self, turn: DVec3) -> DVec3 {
        self.hinge.map_or(turn, |axis| axis * axis.dot(turn))
    }

    /// Returns the turn nearest to `turn` that takes the joint from its rotation before the frame to an allowed rotation.
    fn allowed(&self, body: &Body, turn: DVec3) -> DVec3 {
        let frame = self.world_from_frame;
        let wanted = DQuat::from_scaled_axis(frame.conjugate() * turn) * self.before;
        let allowed = body.links()[self.link.0].nearest(wanted);
        frame * rotation_vector(allowed * self.before.conjugate())
    }
}

/// Solves a system of linear equations by Gaussian elimination with pivoting. The last column is the right side.
fn eliminate(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for column in 0..n {
        let pivot = (column..n).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()));
        rows.swap(column, pivot.unwrap_or(column));
        let pivot = rows[column].clone();
        for row in rows.iter_mut().skip(column + 1) {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(&pivot).skip(column).for_each(|(a, b)| *a -= factor * b);
        }
    }
    let mut solution = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = rows[i][i + 1..n].iter().zip(&solution[i + 1..]).map(|(a, x)| a * x).sum();
        solution[i] = (rows[i][n] - known) / rows[i][i];
    }
    solution
}

fn rotation_vector(q: DQuat) -> DVec3 {
    (if q.w < 0.0 { -q } else { q }).to_scaled_axis()
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn length(turns: &[DVec3]) -> f64 {
    dot(turns, turns).sqrt()
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DQuat, DVec3};

    use crate::ik::{Body, Limit, Link, LinkIndex};

    use super::turn_ratio;

    /// Returns an arm of hinges about z with links of one metre along x.
    fn arm(limits: [[f64; 2]; 3], angles: [f64; 3]) -> Body {
        let mut links: Vec<Link> = Vec::new();
        for (i, [min, max]) in limits.into_iter().enumerate() {
            let link =
                i.checked_sub(1).map_or(Link::base(), |parent| Link::child(LinkIndex(parent), DVec3::X));
            links.push(link.with_limit(Limit::Hinge { axis: DVec3::Z, min, max }));
        }
        links.push(Link::child(LinkIndex(2), DVec3::X));
        let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
        for (i, angle) in angles.into_iter().enumerate() {
            body.set_rotation(LinkIndex(i), DQuat::from_rotation_z(angle));
        }
        body
    }

    const WIDE: [[f64; 2]; 3] = [[-3.0, 3.0]; 3];
    /// The turns of three hinges that move the end up by 0.001 m, from the angles 0, 1, −1. The rows of the
    /// Jacobian are (−s, −s, 0) and (2 + c, 1 + c, 1), where s and c are the sine and cosine of one radian.
    fn upwards(share: f64) -> [f64; 3] {
        let (sin, cos) = 1.0_f64.sin_cos();
        let [x, y] = [[-sin, -sin, 0.0], [2.0 + cos, 1.0 + cos, 1.0]];
        // The turns must not move the end along x. Turns along the cross product of both rows do not move the end at all.
        let none = DVec3::from(x).cross(DVec3::from(y)).normalize();
        let wanted = DVec3::from(y).reject_from(DVec3::from(x));
        (wanted * (0.001 / wanted.length_squared()) + none * share).to_array()
    }

    fn moved(start: [f64; 3], by: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| start[i] + by[i])
    }

    #[test]
    fn turns_that_move_nothing_are_counted() {
        let start = [0.0, 1.0, -1.0];
        let ratio = |share: f64| {
            turn_ratio(&arm(WIDE, start), &arm(WIDE, moved(start, upwards(share))), LinkIndex(3), false, 0.0)
        };
        let least = DVec3::from(upwards(0.0)).length();
        assert!((ratio(0.0) - 1.0).abs() < 1e-3, "{}", ratio(0.0));
        let expected = least.hypot(3.0 * least) / least;
        assert!((ratio(3.0 * least) - expected).abs() < 0.03, "{} for {expected}", ratio(3.0 * least));
    }

    /// Without the limit, the least turn would also rotate the first hinge, and rotate the others less.
    #[test]
    fn turns_that_a_limit_forces_are_not_counted() {
        let start = [0.0, 1.0, -1.0];
        let limits = [[-3.0, 0.0], [-3.0, 3.0], [-3.0, 3.0]];
        // If only the second and third hinges may rotate, −s ω₂ = 0, so only the third hinge moves the end up.
        let after = moved(start, [0.0, 0.0, 0.001]);
        let ratio = |limits| turn_ratio(&arm(limits, start), &arm(limits, after), LinkIndex(3), false, 0.0);
        assert!((ratio(limits) - 1.0).abs() < 1e-3, "{}", ratio(limits));
        assert!(ratio(WIDE) > 1.2, "{}", ratio(WIDE));
    }

    #[test]
    fn turning_a_stretched_arm_as_a_whole_is_not_counted() {
        let ratio = turn_ratio(&arm(WIDE, [0.0; 3]), &arm(WIDE, [0.001, 0.0, 0.0]), LinkIndex(3), false, 0.0);
        assert!(ratio < 1e-3, "{ratio}");
    }
}
