//! Conversion between the pose of a body and a chain.

use glam::{DQuat, DVec3};
use wide::f64x2;

use crate::Body;
use crate::lanes::{Lane, Lanes, Quaternion, Vec3};
use crate::rotation::{any_perpendicular, shortest_arc};

use super::FreeChain;

/// Two vectors count as opposite if one plus the cosine of the angle between them is at most this value. The shortest
/// arc between such vectors has no definite axis.
const OPPOSITE: f64 = 1e-9;

impl FreeChain {
    /// Loads the pose of a body. `is_result` indicates whether the body is still in the last written pose.
    pub(crate) fn load(&mut self, body: &Body, is_result: bool) {
        if !(is_result && self.is_current) {
            self.forward_kinematics(body.rotations());
        }
        self.is_current = false;
    }

    /// Discards the stored pose because another solver poses the body.
    pub(crate) fn discard_pose(&mut self) {
        self.is_current = false;
    }

    fn forward_kinematics(&mut self, rotations: &[DQuat]) {
        let mut orientation = DQuat::IDENTITY;
        for (&link, out) in self.links.iter().zip(&mut self.orientations) {
            orientation = multiply(orientation, rotations[link]);
            *out = orientation;
        }
        let (orientations, last_orientation) = self.orientations.as_chunks::<2>();
        let (locals, last_local) = self.locals.as_chunks::<2>();
        let (vectors, last_vector) = self.vectors.as_chunks_mut::<2>();
        let most = joint_vectors::<f64x2, 2>(orientations, locals, vectors);
        let [even, odd] = most.each();
        self.end_now = even + odd;
        let last = last_vector.as_chunks_mut::<1>().0;
        let [last] =
            joint_vectors::<f64, 1>(last_orientation.as_chunks::<1>().0, last_local.as_chunks::<1>().0, last)
                .each();
        self.end_now += last;
    }

    /// Starting at the base, turns every link by the shortest arc so that it points at a target that is out of reach. Stores the resulting
    /// position of the end. `target` is relative to the base.
    ///
    /// Once a link points at the target, the direction of the target in its turned frame is the direction of the link
    /// itself. The rotation of a joint therefore does not depend on the orientations above it.
    pub(crate) fn straighten(&mut self, body: &mut Body, target: DVec3) {
        self.is_current = false;
        let Some(mut way) = target.try_normalize() else { return };
        let rotations = body.rotations_mut();
        let (mut orientation, mut end) = (DQuat::IDENTITY, DVec3::ZERO);
        for ((&link, &local), &length) in self.links.iter().zip(&self.locals).zip(&self.lengths) {
            let rotation = rotations[link];
            let now = rotation * local;
            // Compute the shortest arc from the known lengths.
            let w = length + now.dot(way);
            let arc = if w > OPPOSITE * length {
                DQuat::from_vec4(now.cross(way).extend(w)).normalize()
            } else {
                shortest_arc(now, way, any_perpendicular(now))
            };
            rotations[link] = renormalized(arc * rotation);
            orientation *= rotations[link];
            end += orientation * local;
            way = local / length;
        }
        self.end_now = end;
    }

    /// Writes the rotations of the joints to the body and stores the resulting position of the end.
    pub(crate) fn write(&mut self, body: &mut Body) {
        let rotations = body.rotations_mut();
        let (orientations, last_orientation) = self.orientations.as_chunks::<2>();
        let (links, last_link) = self.links.as_chunks::<2>();
        let mut parent = DQuat::IDENTITY;
        for (links, orientations) in links.iter().zip(orientations) {
            let orientations = normalized(Quaternion::<f64x2>::gather(orientations));
            let [first, second] = orientations.each();
            let own = relative(Quaternion::gather(&[parent, first]), orientations).each();
            (rotations[links[0]], rotations[links[1]]) = (own[0], own[1]);
            parent = second;
        }
        if let ([link], [q]) = (last_link, last_orientation) {
            let [own] =
                relative(Quaternion::<f64>::gather(&[parent]), normalized(Quaternion::gather(&[*q]))).each();
            rotations[*link] = own;
        }
        self.forward_kinematics(body.rotations());
        self.is_current = true;
    }

    /// Turns a range of joints as one rigid part about the first of them.
    pub(super) fn turn_all(&mut self, joints: std::ops::Range<usize>, arc: DQuat) {
        self.vectors[joints.clone()].iter_mut().for_each(|v| *v = arc * *v);
        self.orientations[joints].iter_mut().for_each(|q| *q = arc * *q);
    }
}

/// Multiplies two quaternions, two components at a time. In forward kinematics, each product depends on the previous
/// one, and these products take most of the time.
#[inline]
pub(super) fn multiply(a: DQuat, b: DQuat) -> DQuat {
    let (xy, zw) = (f64x2::new([b.x, b.y]), f64x2::new([b.z, b.w]));
    let (wz, yx) = (f64x2::new([b.w, -b.z]), f64x2::new([b.y, -b.x]));
    // `array::map` is not inlined reliably.
    let (x, y, z, w) = (f64x2::splat(a.x), f64x2::splat(a.y), f64x2::splat(a.z), f64x2::splat(a.w));
    let [first, second] = [(w * xy + x * wz) + (y * zw - z * yx), (w * zw + x * yx) + (z * wz - y * xy)];
    let ([x, y], [z, w]) = (first.to_array(), second.to_array());
    DQuat::from_xyzw(x, y, z, w)
}

/// Rotates vectors, each by its own quaternion. Returns the sum of the results.
#[inline]
pub(super) fn joint_vectors<L: Lanes<N>, const N: usize>(
    orientations: &[[DQuat; N]],
    locals: &[[DVec3; N]],
    out: &mut [[DVec3; N]],
) -> Vec3<L> {
    let mut sum = Vec3::splat(DVec3::ZERO);
    for ((orientations, locals), out) in orientations.iter().zip(locals).zip(out) {
        let orientation = Quaternion::<L>::gather(orientations);
        let (axis, local) = (orientation.axis(), Vec3::gather(locals, |l| *l));
        let across = axis.cross(local);
        let twice = across.plus(across);
        let vector = local.plus(twice.times(orientation.w)).plus(axis.cross(twice));
        *out = vector.each();
        sum = sum.plus(vector);
    }
    sum
}

#[inline]
fn normalized<L: Lane>(q: Quaternion<L>) -> Quaternion<L> {
    q.times((q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w).sqrt().inverse())
}

/// Returns the rotation `b` relative to `a`.
#[inline]
fn relative<L: Lane>(a: Quaternion<L>, b: Quaternion<L>) -> Quaternion<L> {
    Quaternion {
        x: a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y,
        y: a.w * b.y + a.x * b.z - a.y * b.w - a.z * b.x,
        z: a.w * b.z - a.x * b.y + a.y * b.x - a.z * b.w,
        w: a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z,
    }
}

/// Normalises a quaternion that has unit length except for rounding errors, by one Newton step of 1/√x.
#[inline]
fn renormalized(q: DQuat) -> DQuat {
    q * (1.5 - 0.5 * q.length_squared())
}
