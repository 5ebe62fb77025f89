//! Bodies with limits whose ends are dragged: arms, legs, a tentacle and the built-in character.

use glam::{DQuat, DVec3};

use crate::asset::mannequin;
use crate::ik::{Body, Goal, Limit, LinkIndex, SolveError, round_cone};
use crate::pose::{Pose, world_matrices};
use crate::rig::{self, Binding};

use crate::ik::benchmark::cases::{arm, degrees, hinge, human};
use crate::ik::benchmark::robots::Robot;

/// A body whose end is dragged.
pub(super) struct Dragged {
    pub(super) name: &'static str,
    /// The body in the pose in which the drag starts.
    pub(super) body: Body,
    /// The link whose joint is dragged.
    pub(super) end: LinkIndex,
    /// Goals of other links. These goals do not move during the drag.
    pub(super) held: Vec<Goal>,
    /// Length of the dragged limb in metres, from its base to the end, and the world position of the base.
    pub(super) reach: f64,
    pub(super) base: DVec3,
    /// Whether every joint moves the dragged end and no joint moves a link with another goal.
    pub(super) is_chain: bool,
}

/// Returns a chain whose joints are rotated out of the rest pose (see [`bent`]).
fn chain(name: &'static str, body: Body) -> Dragged {
    let end = LinkIndex(body.links().len() - 1);
    let reach = body.links().iter().skip(1).map(|l| l.offset.length()).sum();
    let base = body.world_from_link(LinkIndex(0)).map_or(DVec3::ZERO, |m| m.translation);
    Dragged { name, body, end, held: Vec::new(), reach, base, is_chain: true }
}

/// Rotates each joint out of the rest pose: hinges to a third of their range, other joints by 0.2 rad about x and 0.1 rad about z.
fn bent(mut body: Body) -> Body {
    for i in 0..body.links().len() - 1 {
        let link = body.links()[i];
        let turn = match link.limit {
            Limit::Hinge { axis, min, max } => DQuat::from_axis_angle(axis, min + 0.35 * (max - min)),
            _ => DQuat::from_rotation_x(0.2) * DQuat::from_rotation_z(0.1),
        };
        body.set_rotation(LinkIndex(i), link.nearest(link.rest * turn));
    }
    body
}

/// A human leg with an elliptic hip, a hinge knee and an elliptic ankle. It points down.
fn human_leg() -> Result<Body, SolveError> {
    let cone = |swing: [f64; 2], twist: f64| Limit::Cone {
        axis: DVec3::NEG_Y,
        side: DVec3::X,
        swing: swing.map(degrees),
        twist: [degrees(-twist), degrees(twist)],
    };
    arm(&[
        (cone([110.0, 45.0], 40.0), DVec3::NEG_Y * 0.43),
        (hinge(DVec3::X, 0.0, 145.0), DVec3::NEG_Y * 0.42),
        (cone([45.0, 20.0], 10.0), DVec3::new(0.0, -0.07, 0.13)),
    ])
}

/// A spider's leg: a hinge about the vertical axis at the body and five hinges about the leg's own axis.
fn spider_leg() -> Result<Body, SolveError> {
    let knee = |min, max| hinge(DVec3::Z, min, max);
    arm(&[
        (hinge(DVec3::Y, -50.0, 50.0), DVec3::X * 0.02),
        (knee(-30.0, 80.0), DVec3::X * 0.08),
        (knee(-70.0, 20.0), DVec3::X * 0.04),
        (knee(-90.0, 0.0), DVec3::X * 0.07),
        (knee(-45.0, 30.0), DVec3::X * 0.05),
        (knee(-45.0, 30.0), DVec3::X * 0.04),
    ])
}

/// A tentacle of twelve joints that swing by 35° and twist by 20°.
fn tentacle() -> Result<Body, SolveError> {
    let limit = round_cone(DVec3::Y, degrees(35.0), [degrees(-20.0), degrees(20.0)]);
    arm(&[(limit, DVec3::Y / 12.0); 12])
}

/// Returns the built-in character with its rig's limits. The left hand is dragged, the feet are pinned, and the right
/// hand and the head are held.
fn whole_mannequin() -> Result<Dragged, String> {
    let text = |e: &dyn std::error::Error| e.to_string();
    let character = mannequin().map_err(|e| text(&e))?;
    let rig = rig::load(&character, None).map_err(|e| text(&e))?;
    let skeleton = &character.skeleton;
    let node = |name: &str| skeleton.find(name).ok_or_else(|| format!("the mannequin has no {name}"));
    let [hand, arm, hips] = [node("leftHand")?, node("leftUpperArm")?, node("hips")?];
    let held = [node("leftFoot")?, node("rightFoot")?, node("rightHand")?, node("head")?];
    let ends: Vec<usize> = std::iter::once(hand).chain(held).collect();
    let binding = Binding::new(skeleton, &character.skins, &rig, hips, &ends).map_err(|e| text(&e))?;
    let pose = Pose::rest(skeleton);
    let mut world = Vec::new();
    world_matrices(skeleton, &pose, &mut world);
    let body = binding.body(skeleton, &pose, &world).map_err(|e| text(&e))?;
    let link = |node| binding.link(node, &pose).map(|l| l.0).ok_or("a joint has no link".to_owned());
    let at = |link: LinkIndex| body.world_from_link(link).map_or(DVec3::ZERO, |m| m.translation);
    let turn = |link: LinkIndex| body.orientation(link).unwrap_or(DQuat::IDENTITY);
    let (end, shoulder) = (link(hand)?, link(arm)?);
    let [left, right, other, head] = [link(held[0])?, link(held[1])?, link(held[2])?, link(held[3])?];
    let pin = |link| Goal::pin(link, at(link), turn(link));
    let held = vec![pin(left), pin(right), Goal::position(other, at(other)), Goal::position(head, at(head))];
    let (mut reach, mut next) = (0.0, end);
    while let Some(parent) = body.links()[next.0].parent.filter(|_| next != shoulder) {
        (reach, next) = (reach + at(next).distance(at(parent)), parent);
    }
    let base = at(shoulder);
    Ok(Dragged { name: "mannequin", body, end, held, reach, base, is_chain: false })
}

/// Returns the bodies with limits, in the poses in which their drags start.
pub(super) fn dragged_bodies() -> Result<Vec<Dragged>, String> {
    let text = |e: SolveError| e.to_string();
    let robot = chain("robot arm", Robot::Panda.cases(0, 1).map_err(text)?.body);
    let mut all = vec![robot];
    for (name, body) in [
        ("human arm", human()),
        ("human leg", human_leg()),
        ("spider leg", spider_leg()),
        ("tentacle", tentacle()),
    ] {
        all.push(chain(name, bent(body.map_err(text)?)));
    }
    all.push(whole_mannequin()?);
    Ok(all)
}
