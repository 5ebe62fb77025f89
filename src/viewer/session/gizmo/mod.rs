//! The gizmo of the selected joint. It shows either the joint's limit and rings that turn the joint, or arrows that pull the joint. It also
//! shows the pole of the joint's limb. All parts can be dragged. Their sizes are in points, independent of the distance from the camera.

use glam::{Vec2, Vec3, Vec4};

use crate::session::picking::{Picture, Viewport};

mod arrows;
mod dial;
mod drag;
mod draw;
mod limits;
mod look;
mod pen;
mod pole;
mod rail;
mod rings;
mod step;
mod tool;
mod turn;
mod turned_joint;

pub(super) use arrows::ArrowPull;
pub(super) use drag::GizmoChange;
pub(crate) use drag::GizmoDrag;
#[cfg(feature = "window")]
pub(crate) use draw::caption;
pub(crate) use draw::draw;
#[cfg(feature = "window")]
pub(crate) use limits::{across, bone};
#[cfg(feature = "window")]
pub(crate) use step::step_caption;
pub use tool::{RingMode, Tool};
pub(super) use turn::settled_pins;

use arrows::Arrows;
use dial::Dial;

/// Linear colours of the x, y and z axes.
const AXES: [Vec4; 3] =
    [Vec4::new(0.95, 0.08, 0.09, 1.0), Vec4::new(0.22, 0.68, 0.04, 1.0), Vec4::new(0.04, 0.24, 0.98, 1.0)];
/// Colour of the ring of a hinge.
const FREE: Vec4 = Vec4::new(0.85, 0.8, 0.68, 1.0);
const LIMIT: Vec4 = Vec4::new(1.0, 0.55, 0.06, 1.0);
const TWIST: Vec4 = Vec4::new(0.02, 0.62, 0.72, 1.0);
const LOOK: Vec4 = Vec4::new(0.95, 0.82, 0.1, 1.0);
const POLE: Vec4 = Vec4::new(0.56, 0.12, 0.95, 1.0);
/// Picking radius in points of an end, a stop, a pole or the square.
const END: f32 = 9.0;
/// Picking distance in points of a ring or an arrow.
const RING: f32 = 6.0;

/// A part of a gizmo that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GizmoGrip {
    /// A ring, by its index among the shown rings.
    Ring(usize),
    /// An end of a limit's angle, by the index of the arc. `true` is the upper end.
    End(usize, bool),
    /// A stop of a prismatic joint. `true` is the maximum.
    Stop(bool),
    /// The pole of the limb.
    Pole,
    /// An arrow, by its axis.
    Arrow(usize),
    /// The square in the middle of the arrows.
    Center,
    /// The look-at point.
    LookAt,
}

/// The gizmo of a joint.
#[derive(Clone, Debug)]
struct Gizmo {
    limit: Option<limits::LimitShape>,
    rings: Vec<rings::Ring>,
    arrows: Option<Arrows>,
    pole: Option<pole::Pole>,
}

impl Gizmo {
    /// Returns the gizmo of the selected joint in the current pose.
    fn new(picture: &Picture<'_>) -> Option<Self> {
        let (puppet, settings) = (picture.puppet, &picture.document.settings);
        let node = picture.document.selection.active?;
        let pole = pole::for_joint(puppet, node);
        // The arcs of a ball joint would cover the head while it is turned.
        let is_wanted = |limit: &limits::LimitShape| settings.show_limits || limit.arcs.len() < 2;
        Some(match settings.tool {
            Tool::Turn => Self {
                limit: limits::limit_shape(puppet, node, &picture.viewport).filter(is_wanted),
                rings: rings::for_joint(picture, node),
                arrows: None,
                pole,
            },
            Tool::Pull => {
                Self { limit: None, rings: Vec::new(), arrows: Arrows::for_joint(picture, node), pole }
            }
        })
    }

    /// Returns the part at a pixel. Ends, stops, the pole and the square take precedence over rings and arrows. Among parts of equal
    /// precedence, the nearest part wins.
    fn under(&self, at: Vec2, viewport: &Viewport) -> Option<GizmoGrip> {
        let distance = |position: Vec3| viewport.pixel(position).map(|p| p.distance(at) / viewport.scale);
        let ends = self.limit.iter().flat_map(|l| l.arcs.iter().enumerate()).flat_map(|(i, arc)| {
            [(GizmoGrip::End(i, false), arc.min), (GizmoGrip::End(i, true), arc.max)]
                .map(|(grip, angle)| (grip, arc.dial.point(angle)))
        });
        let rails = self.limit.iter().filter_map(|limit| limit.rail);
        let stops = rails.flat_map(|rail| {
            let [min, max] = rail.ends();
            [(GizmoGrip::Stop(false), min), (GizmoGrip::Stop(true), max)]
        });
        let square = self.arrows.map(|arrows| (GizmoGrip::Center, arrows.center));
        let points =
            ends.chain(stops).chain(self.pole.iter().map(|p| (GizmoGrip::Pole, p.position))).chain(square);
        let near = points.filter_map(|(grip, position)| Some((distance(position)?, grip)));
        let nearest = |a: &(f32, GizmoGrip), b: &(f32, GizmoGrip)| a.0.total_cmp(&b.0);
        let point = near.filter(|(d, _)| *d < END).min_by(nearest);
        let rings = self.rings.iter().enumerate().filter_map(|(i, ring)| {
            let points = ring.front(viewport);
            let pixels = points.iter().map(|p| viewport.pixel(*p)).collect::<Option<Vec<Vec2>>>()?;
            let pairs = pixels.windows(2).map(|pair| distance_to_segment(at, pair) / viewport.scale);
            pairs.min_by(f32::total_cmp).map(|d| (d, GizmoGrip::Ring(i)))
        });
        let arrows = self.arrows.iter().flat_map(|arrows| {
            (0..AXES.len()).filter_map(|arrow| {
                let [start, tip] = arrows.ends(arrow, viewport)?;
                let pair = [viewport.pixel(start)?, viewport.pixel(tip)?];
                Some((distance_to_segment(at, &pair) / viewport.scale, GizmoGrip::Arrow(arrow)))
            })
        });
        let ring = || rings.chain(arrows).filter(|(d, _)| *d < RING).min_by(nearest);
        point.or_else(ring).map(|(_, grip)| grip)
    }
}

impl GizmoGrip {
    /// Returns the part of the gizmo at a pixel.
    pub(super) fn under(picture: &Picture<'_>, at: Vec2) -> Option<Self> {
        let is_drawn = at.is_finite() && !picture.document.settings.shading_mode.is_data();
        let of_joint = || Gizmo::new(picture)?.under(at, &picture.viewport);
        is_drawn.then(|| of_joint().or_else(|| look::under(picture, at)))?
    }
}

/// Returns the distance in pixels from a point to a line segment.
fn distance_to_segment(at: Vec2, pair: &[Vec2]) -> f32 {
    let [a, b] = *pair else { return f32::INFINITY };
    let along = (b - a).dot(at - a) / (b - a).length_squared().max(1e-6);
    at.distance(a.lerp(b, along.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::asset::mannequin;
    use crate::rig;
    use crate::session::viewpoint::Viewpoint;
    use crate::{Command, EyeTarget, Session};

    /// The arcs of a ball joint covered the head while it was turned.
    #[test]
    fn limits_of_ball_joints_are_shown_on_demand() {
        let character = mannequin().unwrap();
        let rig = rig::load(&character, None).unwrap();
        let mut session = Session::new(character, Some(rig), Vec2::new(800.0, 600.0));
        let is_shown = |session: &mut Session, joint: &str| {
            session.apply(Command::Select(session.rig().bones.get(joint).copied()));
            let gizmo = Gizmo::new(&session.picture()).unwrap();
            assert!(!gizmo.rings.is_empty());
            gizmo.limit.is_some()
        };
        assert!(!is_shown(&mut session, "head"));
        assert!(is_shown(&mut session, "leftLowerArm"));
        session.apply(Command::ShowLimits(true));
        assert!(is_shown(&mut session, "head"));
    }

    /// The look-at rotation became part of the pose, so the head stayed turned after the look-at target was removed.
    #[test]
    fn a_ring_does_not_turn_the_head_by_its_look() {
        for (alone, world) in [(true, true), (true, false), (false, true), (false, false)] {
            let character = mannequin().unwrap();
            let rig = rig::load(&character, None).unwrap();
            let mut session = Session::new(character, Some(rig), Vec2::new(800.0, 600.0));
            let viewpoint = Viewpoint::of(&session.puppet).unwrap();
            session.apply(Command::Select(Some(viewpoint.head)));
            session.apply(Command::RingMode(RingMode { alone, world }));
            let turned = |session: &Session| {
                rig::orientation(&session.puppet.character().skeleton, session.puppet.pose(), viewpoint.head)
            };
            let before = turned(&session);
            let beside = viewpoint.eyes + viewpoint.forward + 0.5 * Vec3::X;
            session.apply(Command::LookAt(EyeTarget::Point(beside.as_dvec3())));
            assert!(turned(&session).angle_between(before) > 0.3);
            // The ring about the z axis faces the camera.
            let picture = session.picture();
            let (viewport, dial) = (picture.viewport, Gizmo::new(&picture).unwrap().rings[2].dial);
            let under = |angle: f64| viewport.pixel(dial.point(angle)).unwrap();
            let is_ring = |angle: &f64| GizmoGrip::under(&picture, under(*angle)) == Some(GizmoGrip::Ring(2));
            let from = (0..36_u8).map(|i| TAU * f64::from(i) / 36.0).find(is_ring).unwrap();
            for command in [
                Command::Grab(under(from)),
                Command::Drag(under(from + 0.1)),
                Command::Release,
                Command::LookAt(EyeTarget::Nothing),
            ] {
                session.apply(command);
            }
            let angle = turned(&session).angle_between(before);
            assert!((angle - 0.1).abs() < 0.02, "alone {alone}, world {world}: {angle}");
        }
    }
}
