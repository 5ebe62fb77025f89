//! What is under the pointer: a ray from a pixel, and the handle or the triangle of the posed skin that it meets.

use glam::{DVec3, Mat4, Vec2, Vec3};

use crate::asset::{Part, Primitive};
use crate::camera::Camera;
use crate::puppet::Puppet;
use crate::skin::Skinned;

/// A half line in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Metres.
    pub origin: Vec3,
    /// Unit vector.
    pub direction: Vec3,
}

/// A place of the character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The node that carries it.
    pub node: usize,
    /// World metres.
    pub point: Vec3,
    /// The same in the node's frame.
    pub offset: DVec3,
    /// Whether it is the node's own origin.
    pub handle: bool,
}

/// Pixels around a handle that belong to it.
const HANDLE: f32 = 12.0;

impl Ray {
    /// From the camera through a pixel; `size`: of the picture, pixels. `None` where there is no picture.
    pub fn through(camera: &Camera, pixel: Vec2, size: Vec2) -> Option<Self> {
        let ndc = Vec2::new(pixel.x / size.x * 2.0 - 1.0, 1.0 - pixel.y / size.y * 2.0);
        let world_from_clip: Mat4 = camera.clip_from_world(size.x / size.y).inverse();
        let through = world_from_clip.project_point3(ndc.extend(0.5));
        let direction = (through - camera.position).normalize_or_zero();
        let sound = size.min_element() >= 1.0 && direction.is_finite() && direction != Vec3::ZERO;
        sound.then_some(Self { origin: camera.position, direction })
    }

    /// Where it meets a plane, in front of its origin.
    pub fn meet_plane(&self, point: Vec3, normal: Vec3) -> Option<Vec3> {
        let along = (point - self.origin).dot(normal) / self.direction.dot(normal);
        (along.is_finite() && along > 0.0).then(|| self.origin + along * self.direction)
    }

    /// The point of a line that comes nearest to it; `axis`: a unit vector. `None` where both are parallel.
    pub fn nearest_on_line(&self, point: Vec3, axis: Vec3) -> Option<Vec3> {
        let cosine = axis.dot(self.direction);
        let slope = 1.0 - cosine * cosine;
        let between = point - self.origin;
        let along = (cosine * self.direction.dot(between) - axis.dot(between)) / slope;
        (slope > 1e-4 && along.is_finite()).then(|| point + along * axis)
    }

    /// Distance to a triangle and the weights of its corners there, either side; Möller and Trumbore 1997.
    fn meet_triangle(&self, [a, b, c]: [Vec3; 3]) -> Option<(f32, Vec3)> {
        let (ab, ac) = (b - a, c - a);
        let p = self.direction.cross(ac);
        let determinant = ab.dot(p);
        let from = self.origin - a;
        let u = from.dot(p) / determinant;
        let q = from.cross(ab);
        let v = self.direction.dot(q) / determinant;
        let distance = ac.dot(q) / determinant;
        let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0;
        (inside && distance.is_finite()).then(|| (distance, Vec3::new(1.0 - u - v, u, v)))
    }
}

/// The pixel of a world position; `None` behind the camera.
pub fn pixel(camera: &Camera, point: Vec3, size: Vec2) -> Option<Vec2> {
    let clip = camera.clip_from_world(size.x / size.y) * point.extend(1.0);
    let ndc = Vec2::new(clip.x, clip.y) / clip.w;
    (clip.w > 0.0 && ndc.is_finite()).then(|| (ndc * Vec2::new(0.5, -0.5) + 0.5) * size)
}

/// What a pointer would grab: the nearest handle of `handles` (nodes) within reach of it, else the skin under it.
pub fn pick(puppet: &Puppet, camera: &Camera, at: Vec2, size: Vec2, handles: &[usize]) -> Option<Hit> {
    let ray = Ray::through(camera, at, size)?;
    let skin = surface(puppet, &ray);
    // A handle that stands far behind the skin is another limb's.
    let depth = skin.map_or(f32::INFINITY, |h| h.point.distance(ray.origin) * 1.08);
    let handle = |&node: &usize| {
        let place: Vec3 = puppet.world_from_node().get(node)?.translation.into();
        let away = pixel(camera, place, size)?.distance(at);
        (away < HANDLE && place.distance(ray.origin) < depth).then_some((away, node, place))
    };
    let nearest = handles.iter().filter_map(handle).min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|(_, node, point)| Hit { node, point, offset: DVec3::ZERO, handle: true }).or(skin)
}

/// The nearest triangle of the posed skin that a ray meets, and the joint that moves it most there.
pub fn surface(puppet: &Puppet, ray: &Ray) -> Option<Hit> {
    let mut skinned = Skinned::default();
    let mut nearest: Option<(f32, usize)> = None;
    for (index, part) in puppet.parts().iter().enumerate() {
        puppet.skin(index, &mut skinned);
        let primitive = puppet.character().primitive(*part);
        for triangle in &primitive.triangles {
            let corner = |i: usize| skinned.positions.get(triangle[i] as usize).copied();
            let Some(((a, b), c)) = corner(0).zip(corner(1)).zip(corner(2)) else { continue };
            let Some((distance, weights)) = ray.meet_triangle([a, b, c]) else { continue };
            if nearest.is_none_or(|(d, _)| distance < d) {
                nearest = Some((distance, carrier(puppet, *part, primitive, *triangle, weights)));
            }
        }
    }
    let (distance, node) = nearest?;
    let point = ray.origin + distance * ray.direction;
    let offset = puppet.world_from_node().get(node)?.inverse().transform_point3(point).as_dvec3();
    offset.is_finite().then_some(Hit { node, point, offset, handle: false })
}

/// The node that moves a place of a triangle most.
fn carrier(puppet: &Puppet, part: Part, primitive: &Primitive, triangle: [u32; 3], at: Vec3) -> usize {
    let Some(skin) = part.skin.and_then(|s| puppet.character().skins.get(s)) else { return part.node };
    let mut shares: Vec<(u16, f32)> = Vec::new();
    for (vertex, share) in triangle.iter().zip(at.to_array()) {
        for set in &primitive.influences {
            let vertex = *vertex as usize;
            let Some((joints, weights)) = set.joints.get(vertex).zip(set.weights.get(vertex)) else {
                continue;
            };
            for (joint, weight) in joints.iter().zip(weights.to_array()) {
                match shares.iter_mut().find(|(j, _)| j == joint) {
                    Some((_, sum)) => *sum += share * weight,
                    None => shares.push((*joint, share * weight)),
                }
            }
        }
    }
    let most = shares.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    most.and_then(|(joint, _)| skin.joints.get(usize::from(*joint)).copied()).unwrap_or(part.node)
}
