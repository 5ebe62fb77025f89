//! What stands at the selected joint: its limit, rings that turn it, the pole of its limb. All of it is seen and taken
//! hold of; sizes are points, so that they are the same from near and far.

use glam::{Vec2, Vec3, Vec4};

use super::Session;

mod dial;
mod draw;
mod hold;
mod limits;
mod pole;
mod rings;

pub(super) use dial::View;
#[cfg(feature = "viewer")]
pub(super) use draw::caption;
pub(super) use draw::draw;
pub(super) use hold::Hold;
#[cfg(feature = "viewer")]
pub(super) use limits::{across, bone};
pub use rings::Turning;

use dial::Dial;

/// Linear colours of x, y and z, of the one axis that there is, of a limit, of a twist and of a pole.
const AXES: [Vec4; 3] =
    [Vec4::new(0.95, 0.08, 0.09, 1.0), Vec4::new(0.22, 0.68, 0.04, 1.0), Vec4::new(0.04, 0.24, 0.98, 1.0)];
const FREE: Vec4 = Vec4::new(0.85, 0.8, 0.68, 1.0);
const LIMIT: Vec4 = Vec4::new(1.0, 0.55, 0.06, 1.0);
const TWIST: Vec4 = Vec4::new(0.02, 0.62, 0.72, 1.0);
const POLE: Vec4 = Vec4::new(0.56, 0.12, 0.95, 1.0);
/// Points around an end or a pole, and around a ring, that belong to it.
const END: f32 = 9.0;
const RING: f32 = 6.0;

/// A part of a gizmo that can be taken hold of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grip {
    /// A ring, by its place among those that are shown.
    Ring(usize),
    /// An end of an angle of the limit; `true`: the upper one.
    End(usize, bool),
    /// Where the limb bends to.
    Pole,
}

/// The gizmo of a joint.
#[derive(Clone, Debug)]
struct Gizmo {
    limit: Option<limits::Shown>,
    rings: Vec<rings::Ring>,
    pole: Option<pole::Pole>,
}

impl Gizmo {
    /// That of the selected joint, as it stands.
    fn of(session: &Session, view: &View) -> Option<Self> {
        let node = session.selected?;
        Some(Self {
            limit: limits::shown(&session.puppet, node, view),
            rings: rings::of(session, node, view),
            pole: pole::of(session, node),
        })
    }

    /// The part that the pointer is on: ends and the pole before rings, then the nearest.
    fn under(&self, at: Vec2, view: &View) -> Option<Grip> {
        let away = |place: Vec3| view.pixel(place).map(|p| p.distance(at) / view.scale);
        let ends = self.limit.iter().flat_map(|l| l.arcs.iter().enumerate()).flat_map(|(i, arc)| {
            [(Grip::End(i, false), arc.min), (Grip::End(i, true), arc.max)]
                .map(|(grip, angle)| (grip, arc.dial.place(angle)))
        });
        let points = ends.chain(self.pole.iter().map(|p| (Grip::Pole, p.place)));
        let near = points.filter_map(|(grip, place)| Some((away(place)?, grip)));
        let nearest = |a: &(f32, Grip), b: &(f32, Grip)| a.0.total_cmp(&b.0);
        let point = near.filter(|(d, _)| *d < END).min_by(nearest);
        let rings = self.rings.iter().enumerate().filter_map(|(i, ring)| {
            let places = ring.front(view);
            let pixels = places.iter().map(|p| view.pixel(*p)).collect::<Option<Vec<Vec2>>>()?;
            let pairs = pixels.windows(2).map(|pair| between(at, pair) / view.scale);
            pairs.min_by(f32::total_cmp).map(|d| (d, Grip::Ring(i)))
        });
        let ring = || rings.filter(|(d, _)| *d < RING).min_by(nearest);
        point.or_else(ring).map(|(_, grip)| grip)
    }
}

impl Session {
    /// How gizmos are seen. `scale`: pixels a point.
    pub(super) fn view(&self, scale: f32) -> View {
        View { camera: self.camera(), size: self.size(), scale }
    }

    /// The part of the gizmo that would be taken hold of.
    pub(super) fn grip_under(&self, at: Vec2) -> Option<Grip> {
        let view = self.view(self.scale);
        let seen = at.is_finite() && !self.mode.is_data();
        seen.then(|| Gizmo::of(self, &view)?.under(at, &view))?
    }
}

/// Pixels from a point to a stretch.
fn between(at: Vec2, pair: &[Vec2]) -> f32 {
    let [a, b] = *pair else { return f32::INFINITY };
    let along = (b - a).dot(at - a) / (b - a).length_squared().max(1e-6);
    at.distance(a.lerp(b, along.clamp(0.0, 1.0)))
}
