//! Solids: rounded boxes, solids of revolution and tubes. A [`Shape`] combines them into one skinned, coloured
//! mesh.

use crate::model::{Skin, Vertex, influences};
use crate::sdf::linear;
use glam::{DQuat, DVec2, DVec3, dvec3};
use std::f64::consts::TAU;

/// A triangle mesh with normals, in metres.
#[derive(Clone, Default)]
pub(crate) struct Solid {
    pub(crate) points: Vec<DVec3>,
    pub(crate) normals: Vec<DVec3>,
    pub(crate) triangles: Vec<[usize; 3]>,
}

impl Solid {
    /// Returns the solid rotated and then translated.
    pub(crate) fn placed(mut self, rotation: DQuat, at: DVec3) -> Self {
        self.points.iter_mut().for_each(|p| *p = rotation * *p + at);
        self.normals.iter_mut().for_each(|n| *n = rotation * *n);
        self
    }

    pub(crate) fn at(self, at: DVec3) -> Self {
        self.placed(DQuat::IDENTITY, at)
    }

    /// Returns the solid scaled along the coordinate axes.
    pub(crate) fn stretched(mut self, by: DVec3) -> Self {
        self.points.iter_mut().for_each(|p| *p *= by);
        self.normals.iter_mut().for_each(|n| *n = (*n / by).normalize());
        self
    }

    /// Adds two triangles between four points, counter-clockwise from outside. Triangles with zero area are left out.
    fn quad(&mut self, [a, b, c, d]: [usize; 4]) {
        for t in [[a, b, c], [a, c, d]] {
            let [p, q, r] = t.map(|i| self.points[i]);
            if (q - p).cross(r - p).length() > 1e-14 {
                self.triangles.push(t);
            }
        }
    }

    /// Computes smooth normals, each the area-weighted mean of the adjacent triangles.
    fn smooth(&mut self) {
        self.normals = vec![DVec3::ZERO; self.points.len()];
        for &[a, b, c] in &self.triangles {
            let n = crate::mesh::cross(self.points[a], self.points[b], self.points[c]);
            [a, b, c].into_iter().for_each(|i| self.normals[i] += n);
        }
        self.normals.iter_mut().for_each(|n| *n = n.try_normalize().unwrap_or(DVec3::Y));
    }
}

/// Returns a box with half extents `half` and edges rounded by the radius `bevel`.
pub(crate) fn rounded_box(half: DVec3, bevel: f64) -> Solid {
    const ROUND: [f64; 4] = [0.0, 0.3, 0.65, 1.0];
    let core = half - bevel;
    let steps = |h: f64| {
        let low = ROUND.iter().map(move |s| -h + s * bevel);
        low.chain(ROUND.iter().rev().map(move |s| h - s * bevel)).collect::<Vec<f64>>()
    };
    let mut solid = Solid::default();
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (us, vs) = (steps(half[u]), steps(half[v]));
        let first = solid.points.len();
        for &b in &vs {
            for &a in &us {
                let mut p = DVec3::ZERO;
                (p[axis], p[u], p[v]) = (sign * half[axis], a, b);
                let inner = p.clamp(-core, core);
                let out = (p - inner).normalize();
                solid.points.push(inner + out * bevel);
                solid.normals.push(out);
            }
        }
        for j in 0..vs.len() - 1 {
            for i in 0..us.len() - 1 {
                let at = |i: usize, j: usize| first + j * us.len() + i;
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                solid.quad(if sign > 0.0 { [a, b, c, d] } else { [d, c, b, a] });
            }
        }
    }
    solid
}

/// Returns a solid of revolution about +Y. The profile lists (radius, height) from bottom to top. Corners of more than
/// about 40° stay sharp.
pub(crate) fn revolve(profile: &[(f64, f64)], segments: usize) -> Solid {
    let outward = |i: usize| {
        let (a, b) = (profile[i], profile[i + 1]);
        DVec2::new(b.1 - a.1, a.0 - b.0).normalize_or_zero()
    };
    let mut solid = Solid::default();
    let mut ring = |(r, y): (f64, f64), n: DVec2| {
        for s in 0..segments {
            let (sin, cos) = sin_cos(s, segments);
            solid.points.push(dvec3(r * sin, y, r * cos));
            solid.normals.push(dvec3(n.x * sin, n.y, n.x * cos));
        }
    };
    let last = profile.len() - 2;
    for i in 0..=last {
        let normal = outward(i);
        let smoothed = |other: DVec2| {
            if normal.dot(other) > 0.76 { (normal + other).normalize() } else { normal }
        };
        ring(profile[i], if i == 0 { normal } else { smoothed(outward(i - 1)) });
        ring(profile[i + 1], if i == last { normal } else { smoothed(outward(i + 1)) });
    }
    for i in 0..=last {
        let (low, high) = (2 * i * segments, (2 * i + 1) * segments);
        for s in 0..segments {
            let next = (s + 1) % segments;
            solid.quad([low + s, low + next, high + next, high + s]);
        }
    }
    solid
}

/// Returns a cylinder around +Y with bevelled rims, centred at the origin. `half` is half of its height.
pub(crate) fn cylinder(radius: f64, half: f64, bevel: f64) -> Solid {
    let b = bevel;
    let rim = [(b, 0.0), (0.4 * b, 0.12 * b), (0.12 * b, 0.4 * b), (0.0, b)];
    let mut profile = vec![(0.0, -half)];
    profile.extend(rim.iter().map(|&(r, y)| (radius - r, -half + y)));
    profile.extend(rim.iter().rev().map(|&(r, y)| (radius - r, half - y)));
    profile.push((0.0, half));
    revolve(&profile, 28)
}

/// Returns a sphere with its poles along Y.
pub(crate) fn ball(radius: f64, rings: usize) -> Solid {
    let turn = |i: usize| sin_cos(i, 2 * rings);
    let profile: Vec<(f64, f64)> = (0..=rings)
        .map(turn)
        .map(|(s, c)| (if s.abs() < 1e-9 { 0.0 } else { radius * s }, -radius * c))
        .collect();
    revolve(&profile, 2 * rings)
}

/// Returns a closed tube. `rings` lists centres and radii, and the last radii at each end determine how round that end
/// is. `side` must not be parallel to the tube anywhere.
pub(crate) fn tube(rings: &[(DVec3, f64)], side: DVec3, segments: usize) -> Solid {
    let mut solid = Solid::default();
    let last = rings.len() - 1;
    for (i, &(centre, radius)) in rings.iter().enumerate() {
        let along = (rings[(i + 1).min(last)].0 - rings[i.saturating_sub(1)].0).normalize();
        let x = side.reject_from_normalized(along).normalize();
        let y = along.cross(x);
        for s in 0..segments {
            let (sin, cos) = sin_cos(s, segments);
            solid.points.push(centre + (x * cos + y * sin) * radius);
        }
    }
    for i in 0..last {
        for s in 0..segments {
            let next = (s + 1) % segments;
            let at = |i: usize, s: usize| i * segments + s;
            solid.quad([at(i, s), at(i, next), at(i + 1, next), at(i + 1, s)]);
        }
    }
    for (end, ring) in [(0, 0), (last, last * segments)] {
        let pole = solid.points.len();
        let (here, beside) = (rings[end].0, rings[if end == 0 { 1 } else { last - 1 }].0);
        solid.points.push(here + (here - beside).normalize() * rings[end].1 * 0.35);
        for s in 0..segments {
            let (a, b) = (ring + s, ring + (s + 1) % segments);
            solid.triangles.push(if end == 0 { [b, a, pole] } else { [a, b, pole] });
        }
    }
    solid.smooth();
    solid
}

/// Returns the sine and the cosine of the `i`th of `n` equal angles in a full circle.
fn sin_cos(i: usize, n: usize) -> (f64, f64) {
    let angle = TAU * i as f64 / n as f64;
    (libm::sin(angle), libm::cos(angle))
}

/// Skin weights of one point: node and weight.
pub(crate) type Bones = Vec<(usize, f64)>;

/// Parts with their colours and skin weights.
#[derive(Default)]
pub(crate) struct Shape {
    solid: Solid,
    colours: Vec<[u8; 3]>,
    bones: Vec<Bones>,
}

impl Shape {
    /// Adds a solid that is bound to one joint.
    pub(crate) fn rigid(&mut self, solid: Solid, srgb: [u8; 3], joint: usize) {
        self.add(solid, |_| srgb, |_| vec![(joint, 1.0)]);
    }

    /// Adds a solid. `colour` (sRGB) and `bones` are functions of the position.
    pub(crate) fn add(
        &mut self,
        solid: Solid,
        colour: impl Fn(DVec3) -> [u8; 3],
        bones: impl Fn(DVec3) -> Bones,
    ) {
        let first = self.solid.points.len();
        self.colours.extend(solid.points.iter().map(|&p| colour(p)));
        self.bones.extend(solid.points.iter().map(|&p| bones(p)));
        self.solid.points.extend(solid.points);
        self.solid.normals.extend(solid.normals);
        self.solid.triangles.extend(solid.triangles.iter().map(|t| t.map(|i| first + i)));
    }

    pub(crate) fn points(&self) -> &[DVec3] {
        &self.solid.points
    }

    /// Returns the skinned mesh. `joints` are node indices, `most` is the maximum number of influences per vertex, and
    /// `reach` is the distance in metres over which ambient occlusion fades.
    ///
    /// # Errors
    /// Fails if there are more vertices than a 16-bit index can address.
    pub(crate) fn skin(
        self,
        name: &'static str,
        joints: Vec<usize>,
        most: usize,
        reach: f64,
    ) -> Result<Skin, std::num::TryFromIntError> {
        let light = self.openness(reach);
        let vertex = |i: usize| {
            let channel = |c: u8| (linear(c) * light[i] * 255.0 + 0.5) as u8;
            let [r, g, b] = self.colours[i].map(channel);
            let joint_index = |node: usize| joints.iter().position(|&j| j == node).unwrap_or(0);
            Vertex {
                position: self.solid.points[i].as_vec3().to_array(),
                normal: self.solid.normals[i].normalize().as_vec3().to_array(),
                colour: [r, g, b, u8::MAX],
                influences: influences(self.bones[i].iter().map(|&(n, w)| (joint_index(n), w)), most),
            }
        };
        let vertices = (0..self.solid.points.len()).map(vertex).collect();
        let indices =
            self.solid.triangles.iter().flatten().map(|&i| u16::try_from(i)).collect::<Result<_, _>>()?;
        Ok(Skin { name, joints, vertices, indices, morphs: Vec::new() })
    }

    /// Returns the ambient occlusion factor of each point, which is 1 if nothing is near. Each triangle is a disc that
    /// hides a part of the sky (Bunnell, "Dynamic Ambient Occlusion and Indirect Lighting", 2005), and its effect
    /// decreases with distance.
    fn openness(&self, reach: f64) -> Vec<f64> {
        let discs: Vec<(DVec3, DVec3)> = self
            .solid
            .triangles
            .iter()
            .map(|&[a, b, c]| {
                let [p, q, r] = [a, b, c].map(|i| self.solid.points[i]);
                ((p + q + r) / 3.0, (q - p).cross(r - p) * 0.5)
            })
            .collect();
        let hidden = |p: DVec3, n: DVec3| -> f64 {
            discs
                .iter()
                .map(|&(centre, area)| {
                    let offset = centre - p;
                    let r2 = offset.length_squared();
                    let facing = n.dot(offset);
                    if facing <= 1e-6 || r2 > 9.0 * reach * reach {
                        return 0.0;
                    }
                    let size = area.length();
                    let hidden = area.dot(offset).abs() / r2 * facing / (3.14159 * r2 + size);
                    hidden * (reach * reach / (reach * reach + r2))
                })
                .sum()
        };
        let points = self.solid.points.iter().zip(&self.solid.normals);
        points.map(|(&p, &n)| 1.0 - 0.75 * hidden(p + n * 1e-4, n).min(1.0)).collect()
    }
}
