//! Turns a posed puppet and a camera into a [`Frame`] for the renderer. Offline images and the viewer's window both use
//! this code, so tests compare the same scene that users see.

use glam::{Affine3A, Vec3, Vec4};

use crate::api::with_methods;
use crate::puppet::Puppet;
use crate::view::{Bounds, Camera};
use crate::{Background, Draw, Floor, Frame, Grid, Instance, Light, LightSource, Line, ShadingMode};

use super::lights::file_lights;

/// The camera and view settings for a puppet.
#[derive(Clone, Debug)]
pub struct ViewSettings {
    /// The camera.
    pub camera: Camera,
    /// The shading mode.
    pub mode: ShadingMode,
    /// The light in the shaded modes.
    pub light: Light,
    /// The background.
    pub background: Background,
    /// Samples per pixel: 1 or 4.
    pub samples: u32,
    /// Bounds of everything that is visible in this frame and in later ones. The floor and the key light are fitted to
    /// this box.
    pub bounds: Bounds,
    /// Whether to draw the floor, at the bottom of the bounds.
    pub floor: bool,
    /// Whether the key light casts shadows.
    pub shadow: bool,
    /// Pixels per point. This factor multiplies the sizes of overlays, and is larger on high-resolution screens.
    pub scale: f32,
}

impl ViewSettings {
    /// Returns the settings of a shaded image with a floor and shadows in studio light, with four samples per pixel.
    pub fn new(camera: Camera, bounds: Bounds) -> Self {
        let light = Light::new(LightSource::Studio);
        Self {
            camera,
            mode: ShadingMode::Shaded,
            background: Background::of_light(&light.source),
            light,
            samples: 4,
            bounds,
            floor: true,
            shadow: true,
            scale: 1.0,
        }
    }
}

with_methods!(ViewSettings {
    with_camera(camera: Camera),
    with_mode(mode: ShadingMode),
    with_light(light: Light),
    with_background(background: Background),
    with_samples(samples: u32),
    with_bounds(bounds: Bounds),
    with_floor(floor: bool),
    with_shadow(shadow: bool),
    with_scale(scale: f32),
});

/// Linear colours of the overlays.
mod color {
    use glam::Vec4;

    pub(crate) const OUTLINE: Vec4 = Vec4::new(0.012, 0.016, 0.03, 0.85);
    pub(crate) const BONE: Vec4 = Vec4::new(0.93, 0.95, 1.0, 1.0);
    pub(crate) const JOINT: Vec4 = Vec4::new(0.02, 0.32, 0.88, 1.0);
    pub(crate) const TARGET: Vec4 = Vec4::new(1.0, 0.16, 0.02, 1.0);
}

/// Widths of a bone's line at the parent and at the child joint, in points. The two sizes below are the diameters
/// of dots, also in points.
const BONE_WIDTHS: [f32; 2] = [5.0, 1.5];
const JOINT_SIZE: f32 = 6.0;
const TARGET_SIZE: f32 = 10.0;
/// Width of the dark outline on each side of an overlay, in points.
const OUTLINE: f32 = 1.25;
/// Radius of the floor, as a multiple of the scene's bounding radius.
const FLOOR_RADII: f32 = 4.0;

/// Returns the frame to draw for a puppet after [`Puppet::update`].
///
/// ```
/// use sinew_render::ShadingMode;
/// use sinew_render::scene::{self, ViewSettings};
/// use sinew_character::view::{AUTO_FOV_Y, Camera};
/// use sinew_character::{asset, puppet::Puppet};
///
/// let puppet = Puppet::new(asset::mannequin()?, 0);
/// let camera = Camera::framing(&puppet.bounds(), AUTO_FOV_Y, 1.0);
/// let settings = ViewSettings::new(camera, puppet.bounds()).with_mode(ShadingMode::Skeleton);
/// let frame = scene::frame(&puppet, &settings);
/// assert_eq!(frame.instances[0].draws.len(), puppet.parts().len());
/// // A line for each bone, and dots.
/// assert!(frame.lines.len() > puppet.character().skins[0].joints.len());
/// # Ok::<(), asset::LoadError>(())
/// ```
pub fn frame<'a>(puppet: &'a Puppet, settings: &ViewSettings) -> Frame<'a> {
    let (center, radius) = settings.bounds.sphere();
    let height = if settings.bounds.is_empty() { 0.0 } else { settings.bounds.lo.y };
    let floor = Floor { center: center.with_y(height), radius: radius * FLOOR_RADII, grid: Grid::Faint };
    Frame {
        instances: vec![instance(puppet)],
        camera: settings.camera,
        mode: settings.mode,
        light: settings.light.clone(),
        lights: file_lights(puppet, settings.light.file_lights, center),
        background: settings.background,
        samples: settings.samples,
        ground: settings.floor.then_some(floor),
        shadow: settings.shadow,
        ambient_occlusion: false,
        sphere: (center, radius),
        crowds: Vec::new(),
        ghosts: Vec::new(),
        fills: Vec::new(),
        lines: if shows_skeleton(puppet, settings.mode) {
            skeleton(puppet, settings.scale)
        } else {
            Vec::new()
        },
    }
}

/// Returns a puppet as an instance of the first model, in its own colours.
pub fn instance(puppet: &Puppet) -> Instance<'_> {
    Instance {
        model: 0,
        draws: draws(puppet, &puppet.part_boxes()),
        palette: &puppet.palette().matrices,
        place: Affine3A::IDENTITY,
        tint: Vec4::ONE,
    }
}

/// Returns the draws of all parts that a puppet's pose shows, with the indices of their matrices, their morph weights and
/// their materials.
pub fn draws<'a>(puppet: &'a Puppet, part_bounds: &[Bounds]) -> Vec<Draw<'a>> {
    let draw = |(index, part): (usize, &crate::asset::Part)| Draw {
        part: index,
        first_matrix: puppet.palette().first_matrix(index),
        dual: puppet.palette().is_dual(index),
        mirrored: puppet.palette().is_mirrored(index),
        morph_weights: puppet.morph_weights(*part),
        material: puppet.posed_material(*part),
        bounds: part_bounds.get(index).copied().unwrap_or_default(),
    };
    puppet.parts().iter().enumerate().filter(|(index, _)| !puppet.is_hidden(*index)).map(draw).collect()
}

/// Returns an instance to draw as a ghost: the parts of a puppet that are posed differently from `beside`, a puppet of the same character.
/// `color` is linear RGB.
pub fn ghost<'a>(puppet: &'a Puppet, beside: &Puppet, color: Vec3) -> Instance<'a> {
    let mut ghost = Instance { tint: color.extend(1.0), ..instance(puppet) };
    ghost.draws.retain(|d| {
        puppet.palette().of_part(d.part) != beside.palette().of_part(d.part)
            || puppet
                .parts()
                .get(d.part)
                .is_some_and(|p| puppet.morph_weights(*p) != beside.morph_weights(*p))
    });
    ghost
}

/// Returns whether a mode shows the bones and joints of a puppet: [`ShadingMode::Skeleton`] always does, and the other
/// surface modes do if the puppet has no parts.
pub fn shows_skeleton(puppet: &Puppet, mode: ShadingMode) -> bool {
    mode == ShadingMode::Skeleton || puppet.parts().is_empty() && !mode.is_data()
}

/// Returns a line from each joint to its parent, a dot on each joint and a dot on each target. If the character has no
/// skin, every node counts as a joint. `scale` is the number of pixels per point.
pub fn skeleton(puppet: &Puppet, scale: f32) -> Vec<Line> {
    let skeleton = &puppet.character().skeleton;
    let nodes = &skeleton.nodes;
    let skins = &puppet.character().skins;
    let mut is_joint = vec![skins.is_empty(); nodes.len()];
    for &joint in skins.iter().flat_map(|s| &s.joints) {
        is_joint[joint] = true;
    }
    let position = |n: usize| Vec3::from(puppet.world_from_node()[n].translation);
    let joints: Vec<usize> = (0..nodes.len()).filter(|&n| is_joint[n]).collect();
    let bone = |&n: &usize| {
        let up = |n: usize| puppet.rig.above(skeleton, n);
        // The logical parents in a rig may form a cycle, which only the solver rejects.
        let mut above = std::iter::successors(up(n), |&p| up(p)).take(nodes.len());
        let above = above.find(|&p| is_joint[p])?;
        Some(stroke(position(above), position(n), BONE_WIDTHS, color::BONE))
    };
    let dot = |at: Vec3, size: f32, color: Vec4| stroke(at, at, [size; 2], color);
    let bones = joints.iter().filter_map(bone);
    let dots = joints.iter().map(|&n| dot(position(n), JOINT_SIZE, color::JOINT));
    let targets = puppet.targets.iter().filter_map(|t| t.position);
    let targets = targets.map(|p| dot(p.as_vec3(), TARGET_SIZE, color::TARGET));
    outlined(bones, scale).chain(outlined(dots, scale)).chain(outlined(targets, scale)).collect()
}

fn stroke(start: Vec3, end: Vec3, widths: [f32; 2], color: Vec4) -> Line {
    Line { start, end, widths, color }
}

/// Draws slightly wider dark lines under the given ones, so that they are visible on any background.
fn outlined(lines: impl Iterator<Item = Line>, scale: f32) -> impl Iterator<Item = Line> {
    let lines: Vec<Line> = lines.collect();
    let widened = |line: &Line, by: f32| Line { widths: line.widths.map(|w| (w + by) * scale), ..*line };
    let under = lines.iter().map(|l| Line { color: color::OUTLINE, ..widened(l, 2.0 * OUTLINE) });
    let over = lines.iter().map(|l| widened(l, 0.0));
    under.chain(over).collect::<Vec<_>>().into_iter()
}
