//! The matrices of small frames in a uniform buffer. If software drivers read a storage buffer at a different index for each vertex, they
//! read only one number at a time.

use glam::Vec4;

use super::super::Frame;

/// Size of `few_bones` in `shaders/bones.wgsl`.
pub(crate) const COUNT: usize = 1024;

/// Returns whether the matrices of a frame fit into the buffer.
pub(crate) fn fit(frame: &Frame<'_>) -> bool {
    let vectors = frame.instances.iter().chain(&frame.ghosts).map(|instance| {
        let has_duals = instance.draws.iter().any(|draw| draw.dual);
        let has_rows = instance.draws.iter().any(|draw| !draw.dual);
        let per_matrix = if has_duals { 4 } else { 0 } + if has_rows { 3 } else { 0 };
        instance.palette.len().saturating_mul(per_matrix)
    });
    vectors.fold(0, usize::saturating_add) <= COUNT
}

/// Returns the contents of the buffer. The shaders declare its size, so all of it is bound even if they do not read it.
pub(crate) fn padded(bones: &[Vec4]) -> [Vec4; COUNT] {
    let mut padded = [Vec4::ZERO; COUNT];
    padded.iter_mut().zip(bones).for_each(|(to, from)| *to = *from);
    padded
}
