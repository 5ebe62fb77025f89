//! Reads BVH, Biovision's motion capture format: a hierarchy of joints, then one line of numbers per frame. A file is
//! loaded as one clip and a skeleton without meshes.
//!
//! There is no standard for BVH except Biovision's own notes and the files that programs write. By common practice, a
//! joint's rotation is the product of its rotation channels in file order (`Zrotation Xrotation Yrotation` is Rz · Rx ·
//! Ry for column vectors, in degrees), a position channel replaces the `OFFSET` on its axis, and +Y is up.
//!
//! Deep hierarchies do not overflow the stack. Memory is bounded by the length of the text and not by the counts that
//! the file declares.

pub(crate) mod detect;
mod frames;
mod hierarchy;
mod units;
mod words;

pub(crate) use detect::is_bvh;
pub(crate) use frames::FRAME_TIMES;
pub use units::common_units;
pub(crate) use words::LARGEST;

use std::path::Path;

use glam::DVec3;

use crate::files::{Progress, Stopped};

use super::hierarchy::children;
use super::{Character, Clip, LoadError, Node, Skeleton, Transform};
use hierarchy::BvhJoint;
use words::Words;

/// Valid lengths of one unit in metres.
const UNITS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// Reads the text of a BVH file.
///
/// Joints become nodes in file order. End Sites become leaf nodes that are named after their joint, such as `hand_end`.
/// The rest pose uses the offsets, without rotations. The clip is named after the file, and the time of frame i is i
/// times the frame time.
///
/// `path` names the file in messages. `units` is the length of one unit in metres, from 1e-6 to 1e6. If it is `None`,
/// the unit is guessed from the size of the skeleton, and a warning is added.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::asset::bvh;
/// use sinew_character::glam::Vec3;
///
/// let text = "HIERARCHY
///     ROOT hips {
///         OFFSET 0 95 0
///         CHANNELS 3 Zrotation Xrotation Yrotation
///         JOINT head {
///             OFFSET 0 60 0
///             CHANNELS 3 Zrotation Xrotation Yrotation
///             End Site { OFFSET 0 20 0 }
///         }
///     }
///     MOTION
///     Frames: 2
///     Frame Time: 0.5
///     0 0 0  0 0 0
///     90 0 0  0 0 0";
/// let character = bvh::read(text, Path::new("bow.bvh"), Some(0.01))?;
/// assert_eq!(character.skeleton.nodes[1].rest.translation, Vec3::Y * 0.6);
/// assert_eq!(character.clips[0].seconds, 0.5);
/// # Ok::<(), sinew_character::asset::LoadError>(())
/// ```
///
/// # Errors
/// [`LoadError`]. The message is a single line with the file, the line number and the cause.
pub fn read(text: &str, path: &Path, units: Option<f64>) -> Result<Character, LoadError> {
    read_with(text, path, units, &Progress::default())
}

/// Reads the text of a BVH file like [`read`]. After [`Progress::stop`], reading fails with an unspecified error.
pub(super) fn read_with(
    text: &str,
    path: &Path,
    units: Option<f64>,
    progress: &Progress,
) -> Result<Character, LoadError> {
    if let Some(units) = units.filter(|u| !UNITS.contains(u)) {
        let cause = format!("units must be between 1e-6 and 1e6 metres, not {units}");
        return Err(LoadError::Format { path: path.into(), cause });
    }
    let error = |error: LineError| LoadError::Object {
        path: path.into(),
        at: format!("line {}", error.line),
        cause: error.cause,
    };
    let mut warnings = Vec::new();
    let mut words = Words::new(text);
    let hierarchy = hierarchy::read(&mut words, &mut warnings, progress).map_err(error)?;
    let metres = units.unwrap_or_else(|| units::guess(&hierarchy.joints, &mut warnings));
    let motion = if hierarchy.has_motion {
        frames::read(&mut words, &hierarchy, metres, &mut warnings, progress).map_err(error)?
    } else {
        warnings.push("the file has no MOTION section and therefore no clip".to_owned());
        None
    };
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let clips = motion.map(|m| Clip { name, ..m.clip() }).into_iter().collect();
    let skeleton = skeleton(hierarchy.joints, metres);
    skeleton
        .check_rest()
        .map_err(|(_, source)| LoadError::Format { path: path.into(), cause: source.to_string() })?;
    Ok(Character { path: path.into(), units: Some(metres), clips, warnings, ..Character::new(skeleton) })
}

/// Returns the name of a joint's End Site: `hand_end`, then `hand_end2`. Long names are shortened, so that a joint with
/// many End Sites does not need much more memory than its text in the file.
pub(crate) fn end_site_name(joint: &str, index: usize) -> String {
    match index {
        0 => format!("{joint:.64}_end"),
        _ => format!("{joint:.64}_end{}", index + 1),
    }
}

/// An error in a line of the file. Lines are counted from 1.
#[derive(Debug)]
struct LineError {
    line: usize,
    cause: String,
}

impl LineError {
    fn new(line: usize, cause: impl Into<String>) -> Self {
        Self { line, cause: cause.into() }
    }
}

impl From<Stopped> for LineError {
    fn from(stopped: Stopped) -> Self {
        Self::new(0, stopped.to_string())
    }
}

fn skeleton(joints: Vec<BvhJoint>, metres: f64) -> Skeleton {
    // The file lists every joint before its children.
    let parents_first = joints.iter().enumerate().map(|(n, joint)| (n, joint.parent)).collect();
    let children = children(joints.len(), |n| joints.get(n)?.parent);
    let node = |(joint, children): (BvhJoint, Vec<usize>)| Node {
        name: joint.name,
        children,
        ..Node::unnamed(joint.parent, Transform::from_translation((joint.offset * metres).as_vec3()))
    };
    Skeleton {
        nodes: joints.into_iter().zip(children).map(node).collect(),
        parents_first,
        ..Skeleton::default()
    }
}

/// Returns the rest positions of the joints, in units of the file.
fn positions(joints: &[BvhJoint]) -> Vec<DVec3> {
    let mut positions: Vec<DVec3> = Vec::with_capacity(joints.len());
    for joint in joints {
        let above = joint.parent.and_then(|p| positions.get(p)).copied().unwrap_or_default();
        positions.push(above + joint.offset);
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A deep hierarchy must not overflow the stack, and it must be read within ten seconds.
    #[test]
    fn a_million_nested_joints_are_read() {
        let count = 1_000_000;
        let text = format!("HIERARCHY ROOT a{{{}{}", "JOINT a{".repeat(count), "}".repeat(count + 1));
        let start = std::time::Instant::now();
        let character = read(&text, Path::new("deep.bvh"), None).unwrap();
        assert_eq!(character.skeleton.nodes.len(), count + 1);
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }
}
