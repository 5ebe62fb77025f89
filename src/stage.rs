//! A posed puppet, seen by a camera: all that a renderer is told. Pictures and the window both come through here, so
//! that what a test compares is what a person sees.

use glam::{Vec3, Vec4};

use crate::camera::{Bounds, Camera};
use crate::puppet::Puppet;
use crate::render::{Background, Draw, Frame, Ghost, Ground, Line, Mode};

/// How a puppet is looked at.
#[derive(Clone, Debug)]
pub struct Shot {
    /// From where.
    pub camera: Camera,
    /// How surfaces look.
    pub mode: Mode,
    /// What is behind everything.
    pub background: Background,
    /// Samples a pixel: 1 or 4.
    pub samples: u32,
    /// The box around all that will be seen, in this frame and those that follow: floor and light are made for it.
    pub bounds: Bounds,
    /// Whether there is a floor, at the lowest point of that box.
    pub floor: bool,
    /// Whether the key light casts shadows.
    pub shadow: bool,
    /// Pixels to a point: what overlays are drawn larger by where pixels are small.
    pub scale: f32,
}

/// Linear colours of the overlays.
mod color {
    use glam::Vec4;

    pub(super) const OUTLINE: Vec4 = Vec4::new(0.012, 0.016, 0.03, 0.85);
    pub(super) const BONE: Vec4 = Vec4::new(0.93, 0.95, 1.0, 1.0);
    pub(super) const JOINT: Vec4 = Vec4::new(0.02, 0.32, 0.88, 1.0);
    pub(super) const TARGET: Vec4 = Vec4::new(1.0, 0.16, 0.02, 1.0);
}

/// Points: width of a bone at its parent and at its end, and the sizes of dots.
const BONE_WIDTHS: [f32; 2] = [5.0, 1.5];
const JOINT_SIZE: f32 = 6.0;
const TARGET_SIZE: f32 = 10.0;
/// Points of dark around every overlay, on either side.
const OUTLINE: f32 = 1.25;
/// The floor reaches this many radii of what stands on it.
const FLOOR_RADII: f32 = 4.0;

/// What the renderer shall draw of a puppet after [`Puppet::update`].
pub fn frame<'a>(puppet: &'a Puppet, shot: &Shot) -> Frame<'a> {
    let (center, radius) = shot.bounds.sphere();
    let height = if shot.bounds.is_empty() { 0.0 } else { shot.bounds.lo.y };
    let ground = Ground { center: center.with_y(height), radius: radius * FLOOR_RADII };
    Frame {
        draws: draws(puppet, &puppet.part_bounds()),
        palette: &puppet.palette().matrices,
        camera: shot.camera,
        mode: shot.mode,
        background: shot.background,
        samples: shot.samples,
        ground: shot.floor.then_some(ground),
        shadow: shot.shadow,
        sphere: (center, radius),
        ghosts: Vec::new(),
        fills: Vec::new(),
        lines: if shows_skeleton(puppet, shot.mode) { skeleton(puppet, shot.scale) } else { Vec::new() },
    }
}

/// Every part of a puppet, where its matrices and weights are.
pub fn draws<'a>(puppet: &'a Puppet, part_bounds: &[Bounds]) -> Vec<Draw<'a>> {
    let draw = |(index, part): (usize, &crate::asset::Part)| Draw {
        part: index,
        first_matrix: puppet.palette().first_matrix(index),
        dual: puppet.palette().is_dual(index),
        // Joints turn a mesh's triangles as they place them; the node of a skinned mesh has no say.
        mirrored: part.skin.is_none() && puppet.world_from_node()[part.node].matrix3.determinant() < 0.0,
        morph_weights: puppet.morph_weights(*part),
        bounds: part_bounds.get(index).copied().unwrap_or_default(),
    };
    puppet.parts().iter().enumerate().map(draw).collect()
}

/// What of a puppet stands otherwise than another of the same character, as a ghost beside it. `color`: linear RGB.
pub fn ghost<'a>(puppet: &'a Puppet, beside: &Puppet, color: Vec3) -> Ghost<'a> {
    let mut draws = draws(puppet, &[]);
    draws.retain(|d| {
        puppet.palette().of_part(d.part) != beside.palette().of_part(d.part)
            || puppet
                .parts()
                .get(d.part)
                .is_some_and(|p| puppet.morph_weights(*p) != beside.morph_weights(*p))
    });
    Ghost { draws, palette: &puppet.palette().matrices, color }
}

/// Whether a mode shows bones and joints of a puppet: where they are asked for, and where there is nothing else to see.
pub fn shows_skeleton(puppet: &Puppet, mode: Mode) -> bool {
    mode == Mode::Skeleton || puppet.parts().is_empty() && !mode.is_data()
}

/// A stroke from each joint to the one above it, a dot on each joint, and one on each target. Without a skin all
/// nodes are joints.
pub fn skeleton(puppet: &Puppet, scale: f32) -> Vec<Line> {
    let skeleton = &puppet.character().skeleton;
    let nodes = &skeleton.nodes;
    let skins = &puppet.character().skins;
    let mut is_joint = vec![skins.is_empty(); nodes.len()];
    for &joint in skins.iter().flat_map(|s| &s.joints) {
        is_joint[joint] = true;
    }
    let place = |n: usize| Vec3::from(puppet.world_from_node()[n].translation);
    let joints: Vec<usize> = (0..nodes.len()).filter(|&n| is_joint[n]).collect();
    let bone = |&n: &usize| {
        let up = |n: usize| puppet.rig.above(skeleton, n);
        // A rig may carry joints in a circle, which solving refuses.
        let mut above = std::iter::successors(up(n), |&p| up(p)).take(nodes.len());
        let above = above.find(|&p| is_joint[p])?;
        Some(stroke(place(above), place(n), BONE_WIDTHS, color::BONE))
    };
    let dot = |at: Vec3, size: f32, color: Vec4| stroke(at, at, [size; 2], color);
    let bones = joints.iter().filter_map(bone);
    let dots = joints.iter().map(|&n| dot(place(n), JOINT_SIZE, color::JOINT));
    let targets = puppet.targets.iter().filter_map(|t| t.position);
    let targets = targets.map(|place| dot(place.as_vec3(), TARGET_SIZE, color::TARGET));
    outlined(bones, scale).chain(outlined(dots, scale)).chain(outlined(targets, scale)).collect()
}

fn stroke(start: Vec3, end: Vec3, widths: [f32; 2], color: Vec4) -> Line {
    Line { start, end, widths, color }
}

/// Strokes over dark ones that are a little wider, so that they stand out from anything.
fn outlined(lines: impl Iterator<Item = Line>, scale: f32) -> impl Iterator<Item = Line> {
    let lines: Vec<Line> = lines.collect();
    let widened = |line: &Line, by: f32| Line { widths: line.widths.map(|w| (w + by) * scale), ..*line };
    let under = lines.iter().map(|l| Line { color: color::OUTLINE, ..widened(l, 2.0 * OUTLINE) });
    let over = lines.iter().map(|l| widened(l, 0.0));
    under.chain(over).collect::<Vec<_>>().into_iter()
}
