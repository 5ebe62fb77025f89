//! Linear blend skinning on the CPU: morph, blend, transform. `shaders/skinning.wgsl` performs the same steps.

use glam::{Mat4, Vec3, Vec4, Vec4Swizzles};

use crate::asset::{Influences, Primitive};

use super::dual;

/// Skinned vertices in world space.
#[derive(Clone, Debug, Default)]
pub struct Skinned {
    /// Positions in metres, one per vertex.
    pub positions: Vec<Vec3>,
    /// Unit normals, one per vertex. A normal is zero where the pose flattens the surface. Empty if the primitive has
    /// no normals.
    pub normals: Vec<Vec3>,
    /// Rows of the joints' matrices. The buffer is reused by the next call.
    rows: Vec<Rows>,
}

/// The first three rows of an affine matrix. The last row is constant, so blending rows takes three quarters of the
/// work of blending columns.
type Rows = [Vec4; 3];

/// Number of vertices that are transformed together, one per SIMD lane.
const LANES: usize = 4;

/// The skin matrices of a part.
#[derive(Clone, Copy, Debug)]
pub enum SkinMatrices<'a> {
    /// One `world_from_mesh` for all vertices. Influences are ignored.
    Node(&'a Mat4),
    /// One `world_from_mesh` per joint of the part's skin.
    Joints(&'a [Mat4]),
    /// The same matrices, packed for [`Skinning::DualQuaternion`](super::Skinning::DualQuaternion).
    Duals(&'a [Mat4]),
}

/// Skins one primitive into `out`, which is overwritten. Nothing is allocated if the buffers of `out` are large
/// enough.
///
/// `morph_weights`: one weight per morph target. Missing weights count as zero.
///
/// The blend follows Li & Peng 2013, listing 1 (linear blend skinning), with up to eight influences. Normals are
/// transformed by the cofactor matrix of the blended upper 3×3, times the sign of its determinant. This is the inverse
/// transpose up to a positive factor, and it is also defined for singular matrices.
///
/// ```
/// use sinew_character::asset::Primitive;
/// use sinew_character::glam::{Mat4, Vec3};
/// use sinew_character::skin::{SkinMatrices, Skinned, skin};
///
/// let triangle = Primitive { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], ..Primitive::default() };
/// let world_from_mesh = Mat4::from_translation(Vec3::Z);
/// let mut out = Skinned::default();
/// skin(&triangle, SkinMatrices::Node(&world_from_mesh), &[], &mut out);
/// assert_eq!(out.positions, [Vec3::Z, Vec3::X + Vec3::Z, Vec3::Y + Vec3::Z]);
/// ```
pub fn skin(primitive: &Primitive, matrices: SkinMatrices<'_>, morph_weights: &[f32], out: &mut Skinned) {
    out.positions.clear();
    out.normals.clear();
    out.positions.extend_from_slice(&primitive.positions);
    out.normals.extend_from_slice(&primitive.normals);
    morph(primitive, morph_weights, out);
    let Skinned { positions, normals, rows: joints } = out;
    joints.clear();
    match (matrices, &primitive.influences[..]) {
        (SkinMatrices::Node(matrix), _) => {
            let matrix = rows(matrix);
            transform_all(positions, normals, |_| matrix);
        }
        (SkinMatrices::Joints(_) | SkinMatrices::Duals(_), []) => {}
        (SkinMatrices::Duals(duals), sets) => dual::transform_all(positions, normals, sets, duals),
        (SkinMatrices::Joints(matrices), sets) => {
            joints.extend(matrices.iter().map(rows));
            match sets {
                [one] => transform_all(positions, normals, |v| blend(one, v, joints)),
                _ => transform_all(positions, normals, |v| {
                    let all = sets.iter().map(|set| blend(set, v, joints));
                    all.fold([Vec4::ZERO; 3], |a, m| std::array::from_fn(|i| a[i] + m[i]))
                }),
            }
        }
    }
}

/// Adds the weighted displacements. Normals are normalised later, when they are skinned.
fn morph(primitive: &Primitive, weights: &[f32], out: &mut Skinned) {
    for (target, &weight) in primitive.morph_targets.iter().zip(weights) {
        if weight == 0.0 {
            continue;
        }
        for (p, delta) in out.positions.iter_mut().zip(&target.positions) {
            *p += weight * *delta;
        }
        for (n, delta) in out.normals.iter_mut().zip(&target.normals) {
            *n += weight * *delta;
        }
    }
}

fn rows(matrix: &Mat4) -> Rows {
    let t = matrix.transpose();
    [t.x_axis, t.y_axis, t.z_axis]
}

/// Returns the weighted sum of the four matrices of a vertex.
#[inline]
fn blend(set: &Influences, vertex: usize, joints: &[Rows]) -> Rows {
    let [a, b, c, d] = set.joints[vertex].map(|j| &joints[usize::from(j)]);
    let w = set.weights[vertex];
    let (wa, wb, wc, wd) = (w.xxxx(), w.yyyy(), w.zzzz(), w.wwww());
    // Neighbouring vertices mostly have the same number of influences, so the processor predicts these branches well.
    if w == Vec4::X {
        return *a;
    }
    if w.z == 0.0 && w.w == 0.0 {
        return std::array::from_fn(|i| a[i] * wa + b[i] * wb);
    }
    std::array::from_fn(|i| a[i] * wa + b[i] * wb + c[i] * wc + d[i] * wd)
}

/// Transforms every vertex by its own matrix, four vertices at a time.
#[inline]
fn transform_all(positions: &mut [Vec3], normals: &mut [Vec3], world_from_mesh: impl Fn(usize) -> Rows) {
    let mut normals = normals.chunks_mut(LANES);
    for (chunk, positions) in positions.chunks_mut(LANES).enumerate() {
        // The last chunk may be short. Its last vertex then fills the unused lanes.
        let last = positions.len() - 1;
        let [a, b, c, d]: [Rows; LANES] =
            std::array::from_fn(|lane| world_from_mesh(chunk * LANES + lane.min(last)));
        let [x, y, z] = std::array::from_fn(|i| Mat4::from_cols(a[i], b[i], c[i], d[i]).transpose());
        let p = lanes(positions);
        store(
            positions,
            [x, y, z].map(|row| row.x_axis * p[0] + row.y_axis * p[1] + row.z_axis * p[2] + row.w_axis),
        );
        if let Some(normals) = normals.next() {
            let columns = [
                [x.x_axis, y.x_axis, z.x_axis],
                [x.y_axis, y.y_axis, z.y_axis],
                [x.z_axis, y.z_axis, z.z_axis],
            ];
            let turned = transform_normals(columns, lanes(normals));
            store(normals, turned);
        }
    }
}

/// Returns x, y and z of up to four vectors, one vector per lane.
#[inline]
fn lanes(v: &[Vec3]) -> [Vec4; 3] {
    let last = v.len() - 1;
    let [a, b, c, d] = match v {
        &[a, b, c, d] => [a, b, c, d],
        _ => std::array::from_fn(|lane| v[lane.min(last)]),
    };
    [Vec4::new(a.x, b.x, c.x, d.x), Vec4::new(a.y, b.y, c.y, d.y), Vec4::new(a.z, b.z, c.z, d.z)]
}

#[inline]
fn store(out: &mut [Vec3], [x, y, z]: [Vec4; 3]) {
    let (x, y, z) = (x.to_array(), y.to_array(), z.to_array());
    for (lane, out) in out.iter_mut().enumerate().take(LANES) {
        *out = Vec3::new(x[lane], y[lane], z[lane]);
    }
}

/// Transforms the normals of all lanes, each by the inverse transpose of its own upper 3×3 matrix. The matrices are
/// given by their columns.
#[inline]
fn transform_normals([x, y, z]: [[Vec4; 3]; 3], n: [Vec4; 3]) -> [Vec4; 3] {
    let (yz, zx, xy) = (cross(y, z), cross(z, x), cross(x, y));
    let turned: [Vec4; 3] = std::array::from_fn(|i| yz[i] * n[0] + zx[i] * n[1] + xy[i] * n[2]);
    let squared = turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2];
    let determinant = x[0] * yz[0] + x[1] * yz[1] + x[2] * yz[2];
    let sign = Vec4::select(determinant.cmplt(Vec4::ZERO), Vec4::NEG_ONE, Vec4::ONE);
    // A normal is zero where the pose flattens the surface.
    let scale = Vec4::select(squared.cmpgt(Vec4::ZERO), sign / squared.sqrt(), Vec4::ZERO);
    turned.map(|v| v * scale)
}

#[inline]
fn cross(a: [Vec4; 3], b: [Vec4; 3]) -> [Vec4; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
