//! Picking: casts a ray through a pixel and finds the handle or the point of the posed skin under the pointer.

use glam::{DVec3, Vec2, Vec3};

use crate::asset::Part;
use crate::puppet::Puppet;
use crate::skin::{Skinned, dominant_node};
pub use crate::view::Ray;
use crate::view::{Camera, Projection};

/// A picked point on the character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The node that moves the point.
    pub node: usize,
    /// The position in world metres.
    pub point: Vec3,
    /// The position in the node's local space.
    pub offset: DVec3,
    /// Whether the point is a handle, at the origin of the node.
    pub handle: bool,
}

/// Radius of the pickable area around a handle, in pixels.
pub const HANDLE_RADIUS: f32 = 12.0;
/// Maximum depth of a handle relative to the depth of the skin in front of it.
const HANDLE_DEPTH: f32 = 1.08;

/// Returns the pixel of a world position, or `None` if it is behind the camera. `size` is the size of the image in
/// pixels.
pub fn pixel(camera: &Camera, point: Vec3, size: Vec2) -> Option<Vec2> {
    let clip = camera.clip_from_world(size.x / size.y) * point.extend(1.0);
    let ndc = Vec2::new(clip.x, clip.y) / clip.w;
    (clip.w > 0.0 && ndc.is_finite()).then(|| (ndc * Vec2::new(0.5, -0.5) + 0.5) * size)
}

/// Returns the point that a pointer at the pixel `at` would grab: the nearest handle within its pickable area, or
/// otherwise the skin under the pointer. `handles` are node indices, and `size` is the size of the image in pixels.
///
/// ```
/// use sinew_character::glam::Vec2;
/// use sinew_render::scene::picking::{pick, pixel};
/// use sinew_character::view::{AUTO_FOV_Y, Camera};
/// use sinew_character::{asset, puppet::Puppet};
///
/// let mut puppet = Puppet::new(asset::mannequin()?, 0);
/// puppet.update()?;
/// let hand = puppet.character().skeleton.find("leftHand").ok_or("no hand")?;
/// let size = Vec2::new(640.0, 480.0);
/// let camera = Camera::framing(&puppet.bounds(), AUTO_FOV_Y, size.x / size.y);
/// let position = puppet.world_from_node()[hand].translation.into();
/// let at = pixel(&camera, position, size).ok_or("the hand is behind the camera")?;
/// let hit = pick(&puppet, &camera, at, size, &[hand]).ok_or("nothing is there")?;
/// assert!(hit.node == hand && hit.handle);
/// assert!(pick(&puppet, &camera, Vec2::ZERO, size, &[hand]).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pick(puppet: &Puppet, camera: &Camera, at: Vec2, size: Vec2, handles: &[usize]) -> Option<Hit> {
    let ray = Ray::through(camera, at, size)?;
    let skin = pick_skin(puppet, &ray);
    // A handle far behind the skin belongs to another limb.
    let depth = skin.map_or(f32::INFINITY, |h| {
        let depth = h.point.distance(ray.origin);
        match camera.projection {
            Projection::Perspective { .. } => depth * HANDLE_DEPTH,
            // The distance of an orthographic camera is arbitrary.
            Projection::Orthographic { height } => depth + height * (HANDLE_DEPTH - 1.0),
        }
    });
    let handle = |&node: &usize| {
        let position: Vec3 = puppet.world_from_node().get(node)?.translation.into();
        let distance = pixel(camera, position, size)?.distance(at);
        (distance < HANDLE_RADIUS && position.distance(ray.origin) < depth)
            .then_some((distance, node, position))
    };
    let nearest = handles.iter().filter_map(handle).min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|(_, node, point)| Hit { node, point, offset: DVec3::ZERO, handle: true }).or(skin)
}

/// Returns the point of the posed skin whose image is nearest to a pixel, if it is at most `margin` pixels away. This lets a
/// pointer beside a thin part grab it. `size` is the size of the image in pixels.
pub fn pick_beside(puppet: &Puppet, camera: &Camera, at: Vec2, size: Vec2, margin: f32) -> Option<Hit> {
    let mut skinned = Skinned::default();
    let mut pixels: Vec<Option<Vec2>> = Vec::new();
    let mut nearest: Option<(f32, Vec3, usize)> = None;
    let is_beside = |corners: [Vec2; 3]| {
        let [a, b, c] = corners;
        let (lo, hi) = (a.min(b).min(c) - margin, a.max(b).max(c) + margin);
        at.cmpge(lo).all() && at.cmple(hi).all()
    };
    for (index, part) in puppet.parts().iter().enumerate().filter(|(index, _)| !puppet.is_hidden(*index)) {
        puppet.skin(index, &mut skinned);
        pixels.clear();
        pixels.extend(skinned.positions.iter().map(|position| pixel(camera, *position, size)));
        for triangle in &puppet.character().primitive(*part).triangles {
            let corner = |i: usize| {
                let vertex = triangle[i] as usize;
                Some((pixels.get(vertex).copied().flatten()?, *skinned.positions.get(vertex)?))
            };
            let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) else { continue };
            if !is_beside([a.0, b.0, c.0]) {
                continue;
            }
            let edges = [(a, b, Vec3::X, Vec3::Y), (b, c, Vec3::Y, Vec3::Z), (c, a, Vec3::Z, Vec3::X)];
            for ((from, start, x), (to, end, y)) in edges.map(|(a, b, x, y)| ((a.0, a.1, x), (b.0, b.1, y))) {
                let along = (at - from).dot(to - from) / (to - from).length_squared().max(1e-6);
                let along = along.clamp(0.0, 1.0);
                let distance = at.distance(from.lerp(to, along));
                if distance <= margin && nearest.is_none_or(|(known, ..)| distance < known) {
                    let node = dominant_node(puppet.character(), *part, *triangle, x.lerp(y, along));
                    nearest = Some((distance, start.lerp(end, along), node));
                }
            }
        }
    }
    let (_, point, node) = nearest?;
    let offset = puppet.world_from_node().get(node)?.inverse().transform_point3(point).as_dvec3();
    (point.is_finite() && offset.is_finite()).then_some(Hit { node, point, offset, handle: false })
}

/// Returns the nearest hit of a ray with the posed skin. The hit's node is the joint that has the largest skin weight
/// there.
pub fn pick_skin(puppet: &Puppet, ray: &Ray) -> Option<Hit> {
    let mut nearest: Option<(f32, usize)> = None;
    for_each_triangle(puppet, |part, triangle, corners| {
        let Some((distance, weights)) = ray.hit_triangle(corners) else { return };
        if nearest.is_none_or(|(d, _)| distance < d) {
            nearest = Some((distance, dominant_node(puppet.character(), part, triangle, weights)));
        }
    });
    let (distance, node) = nearest?;
    let point = ray.origin + distance * ray.direction;
    let offset = puppet.world_from_node().get(node)?.inverse().transform_point3(point).as_dvec3();
    offset.is_finite().then_some(Hit { node, point, offset, handle: false })
}

/// Calls a function with each visible triangle of the posed skin: its part, the indices of its three vertices, and their positions in
/// world metres.
pub fn for_each_triangle(puppet: &Puppet, mut each: impl FnMut(Part, [u32; 3], [Vec3; 3])) {
    let mut skinned = Skinned::default();
    for (index, part) in puppet.parts().iter().enumerate().filter(|(index, _)| !puppet.is_hidden(*index)) {
        puppet.skin(index, &mut skinned);
        for triangle in &puppet.character().primitive(*part).triangles {
            let corner = |i: usize| skinned.positions.get(triangle[i] as usize).copied();
            if let Some(((a, b), c)) = corner(0).zip(corner(1)).zip(corner(2)) {
                each(*part, *triangle, [a, b, c]);
            }
        }
    }
}
