//! The gizmo as strokes and surfaces, and what is written beside it.

use std::f64::consts::TAU;

use glam::{Vec3, Vec4};

use crate::render::{Fill, Line};

use super::super::Session;
use super::dial::{Dial, View};
use super::hold::Pull;
use super::limits::{Arc, Cone, Shown};
use super::pole::{self, Pole};
use super::{Gizmo, Grip, POLE};

const DARK: Vec4 = Vec4::new(0.01, 0.012, 0.02, 0.75);
const WHITE: Vec4 = Vec4::ONE;
/// Of a needle at the border of its limit, and radians (for a cone: share of its swing) that count as that.
const BORDER: Vec4 = Vec4::new(1.0, 0.1, 0.03, 1.0);
const NEAR: f64 = 0.01;
/// Shares of a colour that surfaces, and what is behind or only supposed, have.
const FAINT: f32 = 0.16;
const BEHIND: f32 = 0.22;
/// Points across of ends, and half across of the pole.
const END: f32 = 9.0;
const DIAMOND: f32 = 7.0;

/// What a gizmo is drawn with; widths in points.
struct Pen<'a> {
    view: &'a View,
    lines: Vec<Line>,
    fills: Vec<Fill>,
}

impl Pen<'_> {
    fn line(&mut self, start: Vec3, end: Vec3, width: f32, color: Vec4) {
        self.lines.push(Line { start, end, widths: [width * self.view.scale; 2], color });
    }

    fn dot(&mut self, at: Vec3, size: f32, color: Vec4) {
        self.line(at, at, size + 3.0, DARK);
        self.line(at, at, size, color);
    }

    /// A stretch over a dark one that is a little wider, so that it stands out from anything.
    fn path(&mut self, places: &[Vec3], width: f32, color: Vec4) {
        for (width, color) in [(width + 2.0, DARK.with_w(DARK.w * color.w)), (width, color)] {
            for pair in places.windows(2) {
                if let [a, b] = *pair {
                    self.line(a, b, width, color);
                }
            }
        }
    }

    /// Triangles from a place to each stretch of a path.
    fn fan(&mut self, center: Vec3, places: &[Vec3], color: Vec4) {
        let triangle = |pair: &[Vec3]| match *pair {
            [a, b] => Some(Fill { corners: [center, a, b], color }),
            _ => None,
        };
        self.fills.extend(places.windows(2).filter_map(triangle));
    }
}

/// Poles that are set, and the selected joint's gizmo: all of it, or while something is held what belongs to that.
pub(in super::super) fn draw(session: &Session, scale: f32) -> (Vec<Fill>, Vec<Line>) {
    let view = session.view(scale);
    let mut pen = Pen { view: &view, lines: Vec::new(), fills: Vec::new() };
    let gizmo = Gizmo::of(session, &view);
    let own = gizmo.as_ref().and_then(|g| Some(g.pole?.chain));
    for pole in pole::set(session).filter(|p| Some(p.chain) != own) {
        stake(&mut pen, &pole, false);
    }
    if let Some(gizmo) = &gizmo {
        selected(&mut pen, session, gizmo);
    }
    let Pen { lines, fills, .. } = pen;
    (fills, lines)
}

fn selected(pen: &mut Pen<'_>, session: &Session, gizmo: &Gizmo) {
    let held = session.hold.as_ref();
    let hot = held.map(|h| h.grip).or(session.hot);
    let shows = |kind: fn(&Grip) -> bool| session.hand.is_none() && held.is_none_or(|h| kind(&h.grip));
    if let Some(limit) = &gizmo.limit {
        limits(pen, limit, hot);
    }
    if shows(|g| matches!(g, Grip::Ring(_))) {
        for (i, ring) in gizmo.rings.iter().enumerate() {
            let hot = hot == Some(Grip::Ring(i));
            match held.map(|h| (h.pull, h.turned())) {
                Some((Pull::Ring { dial, from, .. }, Some(turned))) if hot => {
                    swept(pen, &dial, from, turned, ring.color);
                }
                Some(_) => {}
                None => {
                    let (width, color) = if hot { (4.0, WHITE) } else { (2.2, ring.color) };
                    pen.path(&ring.dial.arc(0.0, TAU), 1.5, ring.color.with_w(BEHIND));
                    pen.path(&ring.front(pen.view), width, color);
                }
            }
        }
    }
    if let Some(pole) = gizmo.pole.filter(|_| shows(|g| *g == Grip::Pole)) {
        stake(pen, &pole, hot == Some(Grip::Pole));
    }
}

/// A pole, and the way to the joint that bends there.
fn stake(pen: &mut Pen<'_>, pole: &Pole, hot: bool) {
    let color = if pole.set || hot { POLE } else { POLE.with_w(0.6) };
    pen.line(pole.middle, pole.place, 1.5, color.with_w(0.7 * color.w));
    diamond(pen, pole.place, if hot { WHITE } else { color }, pole.set || hot);
}

/// A ring that is held: whole, and how far it has turned.
fn swept(pen: &mut Pen<'_>, dial: &Dial, from: f64, turned: f64, color: Vec4) {
    pen.path(&dial.arc(0.0, TAU), 1.5, color.with_w(0.5));
    let arc = dial.arc(from, from + turned);
    pen.fan(dial.center, &arc, color.with_w(2.0 * FAINT));
    pen.path(&arc, 3.0, color);
    pen.line(dial.center, dial.place(from), 1.0, color.with_w(0.7));
    pen.line(dial.center, dial.place(from + turned), 2.0, color);
    pen.dot(dial.place(from + turned), END, WHITE);
}

fn limits(pen: &mut Pen<'_>, limit: &Shown, hot: Option<Grip>) {
    if let Some(cone) = &limit.cone {
        let color = limit.arcs.first().map_or(WHITE, |a| a.color);
        dome(pen, cone, color);
        pen.line(limit.center, cone.axis, 1.0, color.with_w(0.5));
        let out: f64 = limit.arcs.iter().filter(|a| a.rim).map(|a| (a.now / a.max.max(1e-9)).powi(2)).sum();
        needle(pen, limit.center, cone.now, out.sqrt() > 1.0 - NEAR);
    }
    for arc in limit.arcs.iter().filter(|a| !a.rim) {
        sector(pen, arc);
    }
    for (i, arc) in limit.arcs.iter().enumerate() {
        for (upper, angle) in [(false, arc.min), (true, arc.max)] {
            let hot = hot == Some(Grip::End(i, upper));
            pen.dot(
                arc.dial.place(angle),
                if hot { END + 3.0 } else { END },
                if hot { WHITE } else { arc.color },
            );
        }
    }
}

/// The part of the sphere that the bone may point through, like an umbrella.
fn dome(pen: &mut Pen<'_>, cone: &Cone, color: Vec4) {
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
        let places = cone.around.iter().filter_map(|line| line.get(spoke).copied());
        let places: Vec<Vec3> = std::iter::once(cone.axis).chain(places).collect();
        for pair in places.windows(2) {
            pen.line(pair[0], pair[1], 1.0, color.with_w(0.45));
        }
    }
    pen.path(rim, 2.2, color);
}

/// What is allowed, filled, its border, and where the joint is.
fn sector(pen: &mut Pen<'_>, arc: &Arc) {
    let dial = &arc.dial;
    let places = dial.arc(arc.min, arc.max);
    pen.fan(dial.center, &places, arc.color.with_w(FAINT));
    if arc.max - arc.min < TAU {
        pen.line(dial.center, dial.place(arc.min), 1.0, arc.color.with_w(0.6));
        pen.line(dial.center, dial.place(arc.max), 1.0, arc.color.with_w(0.6));
    }
    pen.path(&places, 2.2, arc.color);
    let border = (arc.now - arc.min).min(arc.max - arc.now) < NEAR;
    needle(pen, dial.center, dial.place(arc.now), border);
}

/// Where the joint is; `border`: it can go no farther.
fn needle(pen: &mut Pen<'_>, from: Vec3, to: Vec3, border: bool) {
    let color = if border { BORDER } else { WHITE };
    pen.path(&[from, to], 2.0, color);
    pen.dot(to, 4.0, color);
}

/// A square on its corner that faces the camera; a set pole's is full.
fn diamond(pen: &mut Pen<'_>, at: Vec3, color: Vec4, full: bool) {
    let size = pen.view.metres(at, DIAMOND);
    let right = pen.view.sight().cross(pen.view.camera.up).normalize_or(Vec3::X) * size;
    let up = right.cross(pen.view.sight()).normalize_or(Vec3::Y) * size;
    let corners = [at + up, at + right, at - up, at - right, at + up];
    pen.fan(at, &corners, color.with_w(if full { 0.9 } else { 0.25 }));
    pen.path(&corners, 1.8, color);
}

/// What is written beside the part that is held, or would be.
pub(in super::super) fn caption(session: &Session) -> Option<(Vec3, String)> {
    let view = session.view(session.scale);
    let gizmo = Gizmo::of(session, &view)?;
    let degrees = |angle: f64| format!("{:.1}°", angle.to_degrees() + 0.0);
    match session.hold.as_ref().map(|h| h.grip).or(session.hot)? {
        Grip::Ring(i) => match session.hold.as_ref().map(|h| (h.pull, h.turned())) {
            Some((Pull::Ring { dial, from, .. }, Some(turned))) => {
                Some((dial.place(from + turned), degrees(turned)))
            }
            _ => {
                let ring = gizmo.rings.get(i)?;
                let name = ring.name.trim_end();
                Some((*ring.front(&view).first()?, name.to_owned()))
            }
        },
        Grip::End(i, upper) => {
            let arc = gizmo.limit?.arcs.get(i).copied()?;
            let (end, word) = match (arc.rim, upper) {
                (true, _) => (arc.max, ""),
                (false, false) => (arc.min, "min "),
                (false, true) => (arc.max, "max "),
            };
            let place = arc.dial.place(if upper { arc.max } else { arc.min });
            Some((place, format!("{}{word}{}", arc.name, degrees(end))))
        }
        Grip::Pole => {
            let pole = gizmo.pole?;
            let name = &session.puppet.rig.chains.get(pole.chain)?.name;
            Some((pole.place, format!("pole of {name}")))
        }
    }
}
