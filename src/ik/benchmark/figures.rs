//! Whole bodies for comparing batched solves on the CPU and on the GPU.

use glam::{DAffine3, DQuat, DVec3};

use crate::{Body, Goal, Limit, Link, LinkIndex, SolveError, round_cone};
use sinew_base::Random;

use super::cases::pose_randomly;

/// Returns a body with a trunk, five limbs, and cone and hinge limits, and `count` problems for it. Each problem has reachable goals for the
/// five ends, one of which is pinned.
pub fn figures(count: usize, seed: u64) -> Result<(Body, Vec<Vec<Goal>>), SolveError> {
    let cone = |axis: DVec3| round_cone(axis, 1.0, [-0.5, 0.5]);
    let mut links = vec![Link::base()];
    for _ in 0..3 {
        links.push(Link::child(LinkIndex(links.len() - 1), DVec3::Y * 0.15).with_limit(cone(DVec3::Y)));
    }
    let mut ends = Vec::new();
    for (root, offset, way) in [
        (0, DVec3::new(0.1, 0.0, 0.0), DVec3::NEG_Y),
        (0, DVec3::new(-0.1, 0.0, 0.0), DVec3::NEG_Y),
        (3, DVec3::new(0.2, 0.1, 0.0), DVec3::NEG_Y),
        (3, DVec3::new(-0.2, 0.1, 0.0), DVec3::NEG_Y),
        (3, DVec3::new(0.0, 0.15, 0.0), DVec3::Y),
    ] {
        links.push(Link::child(LinkIndex(root), offset).with_limit(cone(way)));
        let hinge = Limit::Hinge { axis: DVec3::X, min: 0.05, max: 2.4 };
        links.push(Link::child(LinkIndex(links.len() - 1), way * 0.4).with_limit(hinge));
        links.push(Link::child(LinkIndex(links.len() - 1), way * 0.4).with_limit(cone(way)));
        ends.push(LinkIndex(links.len() - 1));
    }
    let mut body = Body::new(links, DAffine3::from_translation(DVec3::Y))?;
    for link in 0..body.links().len() {
        body.set_rotation(LinkIndex(link), body.links()[link].nearest(DQuat::from_rotation_x(0.3)));
    }
    let mut random = Random(seed);
    let mut goals = |_| {
        let mut posed = body.clone();
        pose_randomly(&mut posed, &mut random);
        // Rotate each joint only halfway to its random rotation, so that all ends can reach their goals together.
        for link in 0..body.links().len() {
            posed.set_rotation(LinkIndex(link), body.rotations()[link].slerp(posed.rotations()[link], 0.5));
        }
        let goal = |(index, end): (usize, &LinkIndex)| {
            let place = posed.world_from_link(*end).map_or(DVec3::ZERO, |m| m.translation);
            let orientation = posed.orientation(*end).unwrap_or_default();
            match index {
                0 => Goal::pin(*end, place, orientation),
                1 => Goal::pose(*end, place, orientation),
                _ => Goal::position(*end, place),
            }
        };
        ends.iter().enumerate().map(goal).collect()
    };
    let goals = (0..count).map(&mut goals).collect();
    Ok((body, goals))
}
