//! BVH, Biovision's motion capture: a tree of joints, then a line of numbers a frame. A file becomes a skeleton without
//! meshes and one clip.
//!
//! There is no standard but Biovision's own notes and what programs write. As they do it, a joint's rotation is the
//! product of its rotation channels in the order of the file (`Zrotation Xrotation Yrotation` is Rz · Rx · Ry, column
//! vectors, degrees), a position channel stands in place of the `OFFSET` on its axis, and +Y is up. Depth costs no
//! stack, and memory is bounded by the length of the text: what a file says of its own length allocates nothing.

mod frames;
mod hierarchy;
mod units;
mod words;

pub(crate) use frames::FRAME_TIMES;
pub(crate) use words::LARGEST;

use std::path::Path;

use glam::DVec3;

use super::{Character, Clip, LoadError, Node, Scene, Skeleton, Transform};
use hierarchy::Joint;
use words::Words;

/// The ending of BVH files.
const ENDING: &str = "bvh";
/// What they begin with.
const FIRST_WORD: &[u8] = b"HIERARCHY";
/// Metres a unit that can be asked for.
const UNITS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// Whether a file is one of BVH: by its ending, or by its first word.
pub fn is_bvh(path: &Path, bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let first = text.get(..FIRST_WORD.len());
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ENDING))
        || first.is_some_and(|w| w.eq_ignore_ascii_case(FIRST_WORD))
}

/// Reads the text of a BVH file.
///
/// Joints become nodes in file order, and so do End Sites: leaves that are named for the joint above them, `hand_end`.
/// Rest is the offsets without any rotation. The clip is named for the file; frame i is at i times the frame time.
///
/// `path` is how messages name the file. `units`: metres a unit of its lengths, 1e-6 to 1e6; `None`: guessed from the
/// size of the skeleton, which a warning tells.
///
/// # Errors
/// [`LoadError`], one line: the file, the line at fault and the cause.
pub fn read(text: &str, path: &Path, units: Option<f64>) -> Result<Character, LoadError> {
    if let Some(units) = units.filter(|u| !UNITS.contains(u)) {
        let cause = format!("units: {units} metres a unit are not within 1e-6 and 1e6");
        return Err(LoadError::Format { path: path.into(), cause });
    }
    let fault = |fault: Fault| LoadError::Object {
        path: path.into(),
        at: format!("line {}", fault.line),
        cause: fault.cause,
    };
    let mut warnings = Vec::new();
    let mut words = Words::new(text);
    let hierarchy = hierarchy::read(&mut words, &mut warnings).map_err(fault)?;
    let metres = units.unwrap_or_else(|| units::guess(&hierarchy.joints, &mut warnings));
    let motion = if hierarchy.has_motion {
        frames::read(&mut words, &hierarchy, metres, &mut warnings).map_err(fault)?
    } else {
        warnings.push("there is no MOTION: a skeleton alone".to_owned());
        None
    };
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let clips = motion.map(|m| Clip { name, ..m.clip() }).into_iter().collect();
    let skeleton = skeleton(hierarchy.joints, metres);
    skeleton
        .check_rest()
        .map_err(|(_, source)| LoadError::Format { path: path.into(), cause: source.to_string() })?;
    let roots = skeleton.parents_first.iter().filter(|(_, parent)| parent.is_none()).map(|(n, _)| *n);
    Ok(Character {
        path: path.into(),
        units: Some(metres),
        scenes: vec![Scene { name: None, roots: roots.collect() }],
        skeleton,
        clips,
        warnings,
        ..Character::default()
    })
}

/// The name of a joint's End Site: `hand_end`, then `hand_end2`. Long names are cut, so that a joint's many End Sites
/// take no more than its text.
pub fn end_site_name(joint: &str, index: usize) -> String {
    match index {
        0 => format!("{joint:.64}_end"),
        _ => format!("{joint:.64}_end{}", index + 1),
    }
}

/// What is wrong in a file, and in which line, the first being 1.
#[derive(Debug)]
struct Fault {
    line: usize,
    cause: String,
}

impl Fault {
    fn new(line: usize, cause: impl Into<String>) -> Self {
        Self { line, cause: cause.into() }
    }
}

fn skeleton(joints: Vec<Joint>, metres: f64) -> Skeleton {
    let mut children = vec![Vec::new(); joints.len()];
    let parents_first: Vec<_> = joints.iter().enumerate().map(|(n, joint)| (n, joint.parent)).collect();
    for &(node, parent) in &parents_first {
        if let Some(siblings) = parent.and_then(|p| children.get_mut(p)) {
            siblings.push(node);
        }
    }
    let node = |(joint, children): (Joint, Vec<usize>)| Node {
        name: joint.name,
        parent: joint.parent,
        children,
        rest: Transform { translation: (joint.offset * metres).as_vec3(), ..Transform::IDENTITY },
        mesh: None,
        skin: None,
        morph_weights: 0..0,
    };
    Skeleton {
        nodes: joints.into_iter().zip(children).map(node).collect(),
        parents_first,
        ..Skeleton::default()
    }
}

/// Where joints stand at rest, in units of the file.
fn places(joints: &[Joint]) -> Vec<DVec3> {
    let mut places: Vec<DVec3> = Vec::with_capacity(joints.len());
    for joint in joints {
        let above = joint.parent.and_then(|p| places.get(p)).copied().unwrap_or_default();
        places.push(above + joint.offset);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neither the stack nor the time of what reads it grows with the depth.
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
