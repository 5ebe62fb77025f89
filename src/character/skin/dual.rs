//! Dual-quaternion skinning: Kavan, Collins, Žára & O'Sullivan 2007, "Skinning with dual quaternions", section 4, with
//! the two phases of section 5 for transforms that are not rigid. `shaders/skinning.wgsl` performs the same steps.
//!
//! The matrix of a joint is split into a symmetric stretch, followed by a rotation and a translation. Stretches are
//! blended as matrices. Rotations and translations are blended as dual quaternions. This blend is rigid, whereas a
//! blend of matrices shrinks the parts that rotate.

use glam::{DMat3, DQuat, DVec3, Mat3, Mat4, Quat, Vec3, Vec4, Vec4Swizzles};

use crate::asset::Influences;

/// Maximum number of steps of the polar decomposition. Near the solution, the iteration converges quadratically.
const STEPS: usize = 40;
/// A matrix counts as singular if its determinant is below this fraction of the cube of its largest component.
const SINGULAR: f64 = 1e-9;

/// Packs a `world_from_mesh` into the columns of one matrix for the shader's storage buffer. The columns are the real
/// part and the dual part of the dual quaternion, and the stretch as xx yy zz xy, then yz zx.
pub(super) fn pack(matrix: &Mat4) -> Mat4 {
    let linear = Mat3::from_mat4(*matrix).as_dmat3();
    let rotation = rotation(linear);
    let stretch = DMat3::from_quat(rotation).transpose() * linear;
    let translation = matrix.w_axis.xyz().as_dvec3();
    let dual = DQuat::from_vec4(translation.extend(0.0)) * rotation * 0.5;
    let (x, y, z) = (stretch.x_axis, stretch.y_axis, stretch.z_axis);
    let off = DVec3::new(x.y + y.x, y.z + z.y, z.x + x.z) * 0.5;
    Mat4::from_cols(
        Vec4::from(rotation.as_quat()),
        Vec4::from(dual.as_quat()),
        DVec3::new(x.x, y.y, z.z).extend(off.x).as_vec4(),
        DVec3::new(off.y, off.z, 0.0).extend(0.0).as_vec4(),
    )
}

/// Returns the determinant of the linear part of a packed matrix.
pub(super) fn determinant(packed: &Mat4) -> f32 {
    stretch(packed.z_axis, packed.w_axis).determinant()
}

/// Returns the symmetric stretch of packed columns.
fn stretch(diagonal: Vec4, off: Vec4) -> Mat3 {
    Mat3::from_cols(
        Vec3::new(diagonal.x, diagonal.w, off.y),
        Vec3::new(diagonal.w, diagonal.y, off.x),
        Vec3::new(off.y, off.x, diagonal.z),
    )
}

/// Returns the rotation of the polar decomposition. If the matrix contains a reflection, the stretch inverts all three axes.
fn rotation(matrix: DMat3) -> DQuat {
    let size = matrix.to_cols_array().iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    if size == 0.0 || !matrix.is_finite() {
        return DQuat::IDENTITY;
    }
    let mut q = matrix * size.recip();
    let flat = |q: &DMat3| q.determinant().abs() < SINGULAR;
    if flat(&q) {
        // The cofactors restore the direction that the matrix flattens.
        q += cofactors(q);
    }
    if flat(&q) {
        return line_rotation(matrix * size.recip());
    }
    // Higham 1986: the mean of a matrix and its inverse transpose.
    for _ in 0..STEPS {
        let inverse = cofactors(q) * q.determinant().recip();
        let next = (q + inverse) * 0.5;
        let step = next - q;
        q = next;
        if step.to_cols_array().iter().all(|x| x.abs() < 1e-15) {
            break;
        }
    }
    DQuat::from_mat3(&if q.determinant() < 0.0 { -q } else { q }).normalize()
}

/// Returns the rotation for a matrix that maps all of space to a line. It is the shortest arc to this line from the
/// only direction that the matrix does not flatten.
fn line_rotation(matrix: DMat3) -> DQuat {
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let longest = columns.into_iter().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    let to = longest.unwrap_or(DVec3::X).normalize_or(DVec3::X);
    DQuat::from_rotation_arc((matrix.transpose() * to).normalize_or(to), to)
}

fn cofactors(m: DMat3) -> DMat3 {
    DMat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis))
}

/// Transforms every vertex by the blend of its joints' packed transforms.
pub(super) fn transform_all(
    positions: &mut [Vec3],
    normals: &mut [Vec3],
    sets: &[Influences],
    joints: &[Mat4],
) {
    for (vertex, position) in positions.iter_mut().enumerate() {
        let blend = Blend::new(vertex, sets, joints);
        *position = blend.rotation * (blend.stretch * *position) + blend.translation;
        if let Some(normal) = normals.get_mut(vertex) {
            *normal = (blend.rotation * (blend.normals * *normal)).normalize_or_zero();
        }
    }
}

/// The blended transform of one vertex.
struct Blend {
    rotation: Quat,
    translation: Vec3,
    stretch: Mat3,
    /// Cofactors of the stretch, times the sign of its determinant.
    normals: Mat3,
}

impl Blend {
    fn new(vertex: usize, sets: &[Influences], joints: &[Mat4]) -> Self {
        let first = sets.first().map_or(0, |set| usize::from(set.joints[vertex][0]));
        let pivot = joints[first].x_axis;
        let mut sum = Mat4::ZERO;
        for set in sets {
            for (&joint, weight) in set.joints[vertex].iter().zip(set.weights[vertex].to_array()) {
                let m = &joints[usize::from(joint)];
                // A rotation has two quaternions. Use the quaternion in the same hemisphere as the first joint's quaternion.
                let side = if m.x_axis.dot(pivot) < 0.0 { -weight } else { weight };
                sum.x_axis += m.x_axis * side;
                sum.y_axis += m.y_axis * side;
                sum.z_axis += m.z_axis * weight;
                sum.w_axis += m.w_axis * weight;
            }
        }
        let length = sum.x_axis.length();
        let (real, dual) =
            if length > 0.0 { (sum.x_axis / length, sum.y_axis / length) } else { (Vec4::W, Vec4::ZERO) };
        let stretch = stretch(sum.z_axis, sum.w_axis);
        let Mat3 { x_axis: x, y_axis: y, z_axis: z } = stretch;
        let yz = y.cross(z);
        let side = if x.dot(yz) < 0.0 { -1.0 } else { 1.0 };
        Self {
            rotation: Quat::from_vec4(real),
            translation: 2.0 * (real.w * dual.xyz() - dual.w * real.xyz() + real.xyz().cross(dual.xyz())),
            stretch,
            normals: Mat3::from_cols(yz, z.cross(x), x.cross(y)) * side,
        }
    }
}
