//! Vertex colours of the mannequin: regions with crisp borders, multiplied by the ambient occlusion of the rest pose.

use crate::body::{figure, hand_axes};
use crate::mesh::Mesh;
use crate::sdf::linear;
use crate::skeleton::{FOOT, HAND, LOWER_ARM, LOWER_LEG, NECK, UPPER_LEG};
use glam::{DVec3, dvec3};

/// A coloured region of the surface.
pub(crate) struct Region {
    /// A function that is negative inside the region and smooth near its zero level. It is defined on the left half.
    pub(crate) inside: fn(DVec3) -> f64,
    /// The sRGB colour.
    srgb: [u8; 3],
}

pub(crate) const VINYL: [u8; 3] = [0xf0, 0xe6, 0xd8];
pub(crate) const TEAL: [u8; 3] = [0x3f, 0x86, 0x8a];
pub(crate) const CORAL: [u8; 3] = [0xe8, 0x7d, 0x62];
pub(crate) const INK: [u8; 3] = [0x2a, 0x33, 0x3d];

/// The coloured regions. Where two regions overlap, the first one wins. The rest of the surface is warm white.
pub(crate) const REGIONS: [Region; 6] = [
    Region { inside: elbow, srgb: CORAL },
    Region { inside: knee, srgb: CORAL },
    Region { inside: collar, srgb: CORAL },
    Region { inside: glove, srgb: TEAL },
    Region { inside: shorts, srgb: TEAL },
    Region { inside: shoe, srgb: TEAL },
];

fn elbow(p: DVec3) -> f64 {
    ring(p, LOWER_ARM, hand_axes().0, 0.02).max((p - LOWER_ARM).length() - 0.1)
}

fn knee(p: DVec3) -> f64 {
    ring(p, LOWER_LEG, DVec3::Y, 0.026).max((p - LOWER_LEG).length() - 0.12)
}

fn collar(p: DVec3) -> f64 {
    ring(p, NECK + dvec3(0.0, 0.048, 0.0), dvec3(0.0, 0.97, 0.24), 0.011).max((p - NECK).length() - 0.15)
}

fn glove(p: DVec3) -> f64 {
    let (out, _) = hand_axes();
    (0.008 - (p - HAND).dot(out)).max(0.3 - p.x)
}

fn shorts(p: DVec3) -> f64 {
    let hem = dvec3(0.16, -0.98, 0.0).dot(p - UPPER_LEG) - 0.15;
    (p.y - 1.005 - 0.1 * p.z).max(hem).max(p.x - 0.3)
}

fn shoe(p: DVec3) -> f64 {
    (p.y - FOOT.y - 0.012 + 0.1 * (p.z - FOOT.z)).max(p.x - 0.3)
}

/// Returns a value that is negative in a band around `centre`, perpendicular to `axis`.
fn ring(p: DVec3, centre: DVec3, axis: DVec3, half_width: f64) -> f64 {
    (p - centre).dot(axis).abs() - half_width
}

/// Returns the region of a triangle, or `None` if it is in no region. No border may cross the triangle.
pub(crate) fn region_of(mesh: &Mesh, triangle: [usize; 3]) -> Option<usize> {
    REGIONS
        .iter()
        .position(|region| triangle.iter().map(|&p| (region.inside)(mesh.points[p])).sum::<f64>() < 0.0)
}

/// Returns the linear colour of a region at a point, darkened by ambient occlusion.
pub(crate) fn colour(region: Option<usize>, p: DVec3, normal: DVec3) -> [u8; 4] {
    shaded(region.map_or(VINYL, |index| REGIONS[index].srgb), p, normal)
}

/// Converts an sRGB colour to linear light and darkens it by the ambient occlusion at a point of the body.
pub(crate) fn shaded(srgb: [u8; 3], p: DVec3, normal: DVec3) -> [u8; 4] {
    let light = openness(p, normal);
    let channel = |c: u8| (linear(c) * light * 255.0 + 0.5) as u8;
    [channel(srgb[0]), channel(srgb[1]), channel(srgb[2]), u8::MAX]
}

/// Returns the ambient occlusion factor at a point, which is 1 if nothing is near. It is computed from distances at a
/// few points along the normal (Evans, "Fast Approximations for Global Illumination on Dynamic Scenes", 2006).
fn openness(p: DVec3, normal: DVec3) -> f64 {
    const SAMPLES: [(f64, f64); 4] = [(0.012, 0.3), (0.03, 0.3), (0.06, 0.25), (0.11, 0.15)];
    let hidden: f64 = SAMPLES
        .iter()
        .map(|&(height, weight)| weight * ((height - figure(p + normal * height)) / height).clamp(0.0, 1.0))
        .sum();
    1.0 - 0.75 * hidden
}
