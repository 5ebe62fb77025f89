//! Draws the gizmo as lines and triangles, and returns its caption.

use std::f64::consts::TAU;

use glam::{Vec3, Vec4};

use crate::Session;
use crate::render::{Fill, Line};
use crate::session::viewpoint::Viewpoint;

use super::dial::Dial;
use super::drag::DragKind;
use super::limits::{AngleArc, ConeShape, LimitShape};
use super::pen::Pen;
use super::pole::Pole;
use super::rail::Rail;
use super::{Gizmo, GizmoGrip, LIMIT, LOOK, POLE, look, pole, step};

const WHITE: Vec4 = Vec4::ONE;
/// Color of a needle at its limit.
const BORDER: Vec4 = Vec4::new(1.0, 0.1, 0.03, 1.0);
/// Maximum distance from a limit at which an angle is drawn as limited, in radians. For a cone, it is a fraction of the maximum swing.
const NEAR: f64 = 0.01;
/// Distance from a stop within which a prismatic joint is drawn at the stop, as a fraction of its range.
const RAIL_NEAR: f64 = 0.01;
/// Half of the length of a stop in points.
const STOP: f32 = 8.0;
/// Opacity of filled surfaces.
const FAINT: f32 = 0.16;
/// Opacity of the far half of a ring.
const BEHIND: f32 = 0.22;
/// Diameter of the dot at the end of an arc in points.
const END: f32 = 9.0;
/// Distance in points from the center of a pole's diamond to its corners.
const DIAMOND: f32 = 7.0;

/// Draws all defined poles, the gizmo of the selected joint, and the step shown in step mode. During a gizmo drag, draws only the parts that belong
/// to it.
pub(crate) fn draw(session: &Session, scale: f32) -> (Vec<Fill>, Vec<Line>) {
    let picture = session.picture().at_scale(scale);
    let mut pen = Pen { viewport: &picture.viewport, lines: Vec::new(), fills: Vec::new() };
    let gizmo = Gizmo::new(&picture);
    let selected_chain = gizmo.as_ref().and_then(|g| Some(g.pole?.chain));
    for pole in pole::placed(&session.puppet).filter(|p| Some(p.chain) != selected_chain) {
        draw_pole(&mut pen, &pole, false);
    }
    if let Some(gizmo) = &gizmo {
        draw_gizmo(&mut pen, session, gizmo);
    }
    draw_look(&mut pen, session);
    step::draw_step(&mut pen, session);
    let Pen { lines, fills, .. } = pen;
    (fills, lines)
}

fn draw_gizmo(pen: &mut Pen<'_>, session: &Session, gizmo: &Gizmo) {
    let held = session.drags.gizmo.as_ref();
    let hovered_grip = held.map(|h| h.grip).or(session.hover.grip);
    let shows =
        |kind: fn(&GizmoGrip) -> bool| session.drags.joint.is_none() && held.is_none_or(|h| kind(&h.grip));
    if let Some(limit) = &gizmo.limit {
        draw_limit(pen, limit, hovered_grip);
    }
    if shows(|g| matches!(g, GizmoGrip::Ring(_))) {
        for (i, ring) in gizmo.rings.iter().enumerate() {
            let hovered_grip = hovered_grip == Some(GizmoGrip::Ring(i));
            match held.map(|h| (h.kind, h.turned())) {
                Some((DragKind::Ring { dial, from, .. }, Some(turned))) if hovered_grip => {
                    draw_turned_ring(pen, &dial, from, turned, ring.color);
                }
                Some(_) => {}
                None => {
                    let (width, color) = if hovered_grip { (4.0, WHITE) } else { (2.2, ring.color) };
                    pen.path(&ring.dial.arc(0.0, TAU), 1.5, ring.color.with_w(BEHIND));
                    pen.path(&ring.front(pen.viewport), width, color);
                }
            }
        }
    }
    let pulled = session.drags.joint.as_ref().filter(|drag| drag.by_gizmo).and_then(|drag| drag.along);
    match (&gizmo.arrows, pulled) {
        (Some(arrows), Some((axis, _))) => arrows.draw_arrow(pen, axis as usize, true),
        (Some(arrows), None) if session.drags.joint.is_none() && held.is_none() => {
            arrows.draw(pen, hovered_grip);
        }
        _ => {}
    }
    if let Some(pole) = gizmo.pole.filter(|_| shows(|g| *g == GizmoGrip::Pole)) {
        draw_pole(pen, &pole, hovered_grip == Some(GizmoGrip::Pole));
    }
}

/// Draws a pole and a line to the joint that bends towards it.
fn draw_pole(pen: &mut Pen<'_>, pole: &Pole, hovered_grip: bool) {
    let color = if pole.is_set || hovered_grip { POLE } else { POLE.with_w(0.6) };
    pen.line(pole.middle, pole.position, 1.5, color.with_w(0.7 * color.w));
    draw_diamond(pen, pole.position, if hovered_grip { WHITE } else { color }, pole.is_set || hovered_grip);
}

/// Draws the look-at point, and a line from the eyes to it.
fn draw_look(pen: &mut Pen<'_>, session: &Session) {
    let point = look::placed(&session.puppet, &session.document);
    let Some((point, viewpoint)) = point.zip(Viewpoint::of(&session.puppet)) else { return };
    let grip = session.drags.gizmo.as_ref().map(|hold| hold.grip).or(session.hover.grip);
    let is_hovered = grip == Some(GizmoGrip::LookAt);
    pen.line(viewpoint.eyes, point, 1.0, LOOK.with_w(if is_hovered { 0.7 } else { 0.3 }));
    draw_diamond(pen, point, if is_hovered { WHITE } else { LOOK }, true);
}

/// Draws a ring that is being dragged, with the angle by which it has turned.
fn draw_turned_ring(pen: &mut Pen<'_>, dial: &Dial, from: f64, turned: f64, color: Vec4) {
    pen.path(&dial.arc(0.0, TAU), 1.5, color.with_w(0.5));
    let arc = dial.arc(from, from + turned);
    pen.fan(dial.center, &arc, color.with_w(2.0 * FAINT));
    pen.path(&arc, 3.0, color);
    pen.line(dial.center, dial.point(from), 1.0, color.with_w(0.7));
    pen.line(dial.center, dial.point(from + turned), 2.0, color);
    pen.dot(dial.point(from + turned), END, WHITE);
}

fn draw_limit(pen: &mut Pen<'_>, limit: &LimitShape, hovered_grip: Option<GizmoGrip>) {
    if let Some(cone) = &limit.cone {
        let color = limit.arcs.first().map_or(WHITE, |a| a.color);
        draw_cone(pen, cone, color);
        pen.line(limit.center, cone.axis, 1.0, color.with_w(0.5));
        let used: f64 = limit.arcs.iter().filter(|a| a.rim).map(|a| (a.now / a.max.max(1e-9)).powi(2)).sum();
        draw_needle(pen, limit.center, cone.now, used.sqrt() > 1.0 - NEAR);
    }
    if let Some(rail) = &limit.rail {
        draw_rail(pen, rail, hovered_grip);
    }
    for arc in limit.arcs.iter().filter(|a| !a.rim) {
        draw_sector(pen, arc);
    }
    for (i, arc) in limit.arcs.iter().enumerate() {
        for (upper, angle) in [(false, arc.min), (true, arc.max)] {
            let hovered_grip = hovered_grip == Some(GizmoGrip::End(i, upper));
            pen.dot(
                arc.dial.point(angle),
                if hovered_grip { END + 3.0 } else { END },
                if hovered_grip { WHITE } else { arc.color },
            );
        }
    }
}

/// Draws the rail of a prismatic joint: its range with a stop at each end, and the current position.
fn draw_rail(pen: &mut Pen<'_>, rail: &Rail, hovered_grip: Option<GizmoGrip>) {
    let ends = rail.ends();
    let direction = (ends[1] - ends[0]).normalize_or(Vec3::Y);
    let across = direction.cross(pen.viewport.direction()).normalize_or(direction.any_orthonormal_vector());
    pen.path(&ends, 2.2, LIMIT);
    for (end, upper) in ends.into_iter().zip([false, true]) {
        let is_hovered = hovered_grip == Some(GizmoGrip::Stop(upper));
        let half = across * pen.viewport.metres(end, STOP);
        pen.path(
            &[end - half, end + half],
            if is_hovered { 5.0 } else { 3.0 },
            if is_hovered { WHITE } else { LIMIT },
        );
    }
    let [min, max] = rail.range;
    let is_at_stop = (rail.now - min).min(max - rail.now) <= RAIL_NEAR * (max - min);
    pen.dot(rail.point(rail.now), 6.0, if is_at_stop { BORDER } else { WHITE });
}

/// Draws the part of the sphere around the joint that contains all allowed bone directions.
fn draw_cone(pen: &mut Pen<'_>, cone: &ConeShape, color: Vec4) {
    let Some((rim, first)) = cone.around.last().zip(cone.around.first()) else { return };
    pen.fan(cone.axis, first, color.with_w(FAINT));
    for pair in cone.around.windows(2) {
        let [inner, outer] = pair else { continue };
        for (i, o) in inner.windows(2).zip(outer.windows(2)) {
            if let ([a, b], [c, d]) = (i, o) {
                let color = color.with_w(FAINT);
                pen.fills.extend([[*a, *b, *c], [*b, *d, *c]].map(|corners| Fill { corners, color }));
            }
        }
    }
    for spoke in (0..rim.len().saturating_sub(1)).step_by(9) {
        let points = cone.around.iter().filter_map(|line| line.get(spoke).copied());
        let points: Vec<Vec3> = std::iter::once(cone.axis).chain(points).collect();
        for pair in points.windows(2) {
            pen.line(pair[0], pair[1], 1.0, color.with_w(0.45));
        }
    }
    pen.path(rim, 2.2, color);
}

/// Draws the allowed range of an angle, and a needle at the current angle.
fn draw_sector(pen: &mut Pen<'_>, arc: &AngleArc) {
    let dial = &arc.dial;
    let points = dial.arc(arc.min, arc.max);
    pen.fan(dial.center, &points, arc.color.with_w(FAINT));
    if arc.max - arc.min < TAU {
        pen.line(dial.center, dial.point(arc.min), 1.0, arc.color.with_w(0.6));
        pen.line(dial.center, dial.point(arc.max), 1.0, arc.color.with_w(0.6));
    }
    pen.path(&points, 2.2, arc.color);
    let is_at_limit = (arc.now - arc.min).min(arc.max - arc.now) < NEAR;
    draw_needle(pen, dial.center, dial.point(arc.now), is_at_limit);
}

/// Draws a needle at the joint's current angle.
fn draw_needle(pen: &mut Pen<'_>, from: Vec3, to: Vec3, is_at_limit: bool) {
    let color = if is_at_limit { BORDER } else { WHITE };
    pen.path(&[from, to], 2.0, color);
    pen.dot(to, 4.0, color);
}

/// Draws a diamond that faces the camera.
fn draw_diamond(pen: &mut Pen<'_>, at: Vec3, color: Vec4, is_filled: bool) {
    let size = pen.viewport.metres(at, DIAMOND);
    let right = pen.viewport.direction().cross(pen.viewport.camera.up).normalize_or(Vec3::X) * size;
    let up = right.cross(pen.viewport.direction()).normalize_or(Vec3::Y) * size;
    let corners = [at + up, at + right, at - up, at - right, at + up];
    pen.fan(at, &corners, color.with_w(if is_filled { 0.9 } else { 0.25 }));
    pen.path(&corners, 1.8, color);
}

/// Returns the caption of the dragged or hovered part, and its world position.
#[cfg(feature = "window")]
pub(crate) fn caption(session: &Session) -> Option<(Vec3, String)> {
    let grip = session.drags.gizmo.as_ref().map(|h| h.grip).or(session.hover.grip)?;
    if grip == GizmoGrip::LookAt {
        return Some((look::placed(&session.puppet, &session.document)?, "Look at".to_owned()));
    }
    let picture = session.picture();
    let gizmo = Gizmo::new(&picture)?;
    let degrees = |angle: f64| format!("{:.1}°", angle.to_degrees() + 0.0);
    match grip {
        GizmoGrip::Ring(i) => match session.drags.gizmo.as_ref().map(|h| (h.kind, h.turned())) {
            Some((DragKind::Ring { dial, from, .. }, Some(turned))) => {
                Some((dial.point(from + turned), degrees(turned)))
            }
            _ => {
                let ring = gizmo.rings.get(i)?;
                // A hinge has only one ring.
                let axis = if gizmo.rings.len() > 1 { *[" X", " Y", " Z"].get(i)? } else { "" };
                Some((*ring.front(&picture.viewport).first()?, format!("Rotate{axis}")))
            }
        },
        GizmoGrip::End(i, upper) => {
            let arc = gizmo.limit?.arcs.get(i).copied()?;
            let (angle, bound) = match (arc.rim, upper) {
                (true, _) => (arc.max, ""),
                (false, false) => (arc.min, "min "),
                (false, true) => (arc.max, "max "),
            };
            let end = arc.dial.point(if upper { arc.max } else { arc.min });
            Some((end, format!("{}{bound}{}", arc.name, degrees(angle))))
        }
        GizmoGrip::Stop(upper) => {
            let rail = gizmo.limit?.rail?;
            let [min, max] = rail.range;
            let (name, end) = if upper { ("max", max) } else { ("min", min) };
            Some((rail.point(end), format!("{name} {:.3} m", end + 0.0)))
        }
        GizmoGrip::Pole => {
            let pole = gizmo.pole?;
            let name = &session.puppet.rig.chains.get(pole.chain)?.name;
            Some((pole.position, format!("Pole of {name}")))
        }
        GizmoGrip::Arrow(arrow) => {
            let [_, tip] = gizmo.arrows?.ends(arrow, &picture.viewport)?;
            Some((tip, format!("Pull {}", ["X", "Y", "Z"].get(arrow)?)))
        }
        GizmoGrip::Center => Some((gizmo.arrows?.center, "Pull".to_owned())),
        GizmoGrip::LookAt => None,
    }
}
