//! Live characters: poses from clips and targets, and skinned vertices.

use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;

use glam::{Mat4, Vec3};
use sinew::asset::{Transform, gltf};
use sinew::export;
use sinew::files::atomic;
use sinew::ik::Options;
use sinew::motion::Motion;
use sinew::puppet::{GoalKind, GoalReport, Pin, Puppet};
use sinew::rig;
use sinew::skin::Skinned;

use crate::character::{Origin, SinewCharacter, missing};
use crate::goal::{SinewResult, apply};
use crate::pointers::{check_output, exclusive, free, give, shared, slice, text, write};
use crate::status::{Failure, SinewStatus, guard, value_or};
use crate::target::SinewTarget;

/// Number of values per node in `sinew_puppet_pose`.
pub const SINEW_POSE_STRIDE: usize = 10;

/// A character with a motion, and the pose that results from the motion and the targets.
pub struct SinewPuppet {
    puppet: Puppet,
    origin: Origin,
}

/// Creates a puppet in its rest pose, and stores it in `*out`. Free it with `sinew_puppet_free`. The character may be freed before the
/// puppet.
///
/// `rig` is the path of a .rig.toml file. If it is NULL, `NAME.rig.toml` beside the character is used, or the rig is detected.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_new(
    character: *const SinewCharacter,
    rig: *const c_char,
    out: *mut *mut SinewPuppet,
) -> SinewStatus {
    let create = || {
        // SAFETY: the caller passes a character.
        let SinewCharacter { character, origin, .. } = unsafe { shared("character", character) }?;
        // SAFETY: the caller passes NULL or a valid string.
        let path = if rig.is_null() { None } else { Some(Path::new(unsafe { text("rig", rig) }?)) };
        let rig = match (origin, path) {
            (Origin::Memory(_), None) => rig::detect(character),
            (_, path) => rig::load(character, path).map_err(|e| Failure::new(SinewStatus::File, e))?,
        };
        let puppet = Puppet::with_rig(Arc::clone(character), character.default_scene, rig);
        Ok(SinewPuppet { puppet, origin: origin.clone() })
    };
    // SAFETY: the caller passes memory for a handle.
    guard(|| unsafe { give(out, create) })
}

/// Frees a puppet. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_free(puppet: *mut SinewPuppet) {
    // SAFETY: the caller passes a puppet that is not used again.
    unsafe { free(puppet) }
}

/// Plays a clip, and sets its time in seconds. The pose changes with the next `sinew_puppet_update`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_play(
    puppet: *mut SinewPuppet,
    clip: usize,
    seconds: f32,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a puppet that nothing else uses.
        let puppet = &mut unsafe { exclusive("puppet", puppet) }?.puppet;
        let count = puppet.character().clips.len();
        if clip >= count {
            return Err(missing("clip", clip, count));
        }
        if !seconds.is_finite() {
            return Err(Failure::invalid("seconds is not finite"));
        }
        puppet.play(clip, seconds);
        Ok(())
    })
}

/// Stops playing. The character is in its rest pose after the next `sinew_puppet_update`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_stop(puppet: *mut SinewPuppet) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a puppet that nothing else uses.
        unsafe { exclusive("puppet", puppet) }?.puppet.motion = Motion::default();
        Ok(())
    })
}

/// Samples the motion and solves for targets. `pins` are the indices of nodes that must stay in place with priority over all
/// targets.
///
/// `options` is NULL or a string of assignments, for example `"method=ccd; tolerance=1mm"`. If no results are wanted, `results` is NULL and
/// `result_count` is 0. Otherwise, `result_count` must be `target_count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_update(
    puppet: *mut SinewPuppet,
    targets: *const SinewTarget,
    target_count: usize,
    pins: *const usize,
    pin_count: usize,
    options: *const c_char,
    results: *mut SinewResult,
    result_count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a puppet that nothing else uses.
        let puppet = &mut unsafe { exclusive("puppet", puppet) }?.puppet;
        // SAFETY: the caller passes `target_count` targets.
        let targets = unsafe { slice("targets", targets, target_count) }?;
        // SAFETY: the caller passes `pin_count` indices.
        let pins = unsafe { slice("pins", pins, pin_count) }?;
        let targets = targets.iter().map(SinewTarget::target).collect::<Result<Vec<_>, _>>()?;
        if result_count != 0 {
            check_output("results", results, result_count, targets.len())?;
        }
        let count = puppet.character().skeleton.nodes.len();
        let bases = targets.iter().filter_map(|target| target.base);
        let mut nodes = targets.iter().map(|target| target.node).chain(bases).chain(pins.iter().copied());
        if let Some(node) = nodes.find(|node| *node >= count) {
            return Err(missing("node", node, count));
        }
        let mut options_of_rig = Options::default();
        puppet.rig.options.apply(&mut options_of_rig);
        // SAFETY: the caller passes NULL or a valid string.
        unsafe { apply(&mut options_of_rig, options) }?;
        puppet.options.solver = options_of_rig;
        puppet.targets = targets;
        puppet.pins = pins.iter().copied().map(Pin::from).collect();
        let reports = puppet.update().map_err(|e| Failure::new(SinewStatus::Solve, e))?.to_vec();
        let values: Vec<SinewResult> = results_of(puppet, &reports).into_iter().take(result_count).collect();
        // SAFETY: the caller passes memory for `result_count` results.
        unsafe { write("results", results, result_count, &values) }
    })
}

/// Returns the results in the order of the targets. The reports are sorted by solve, but reports of several targets for the same node are
/// in the order of these targets.
fn results_of(puppet: &Puppet, reports: &[GoalReport]) -> Vec<SinewResult> {
    let mut is_used = vec![false; reports.len()];
    let mut result = |node: usize| {
        let mut found = reports
            .iter()
            .zip(&mut is_used)
            .filter(|(r, used)| r.kind == GoalKind::Goal && r.node == node && !**used);
        let report = found.next().map(|(report, used)| {
            *used = true;
            report
        });
        report.map_or(SinewResult::new(Default::default(), None, None), |r| {
            SinewResult::new(r.outcome, r.position_error, r.orientation_error)
        })
    };
    puppet.targets.iter().map(|target| result(target.node)).collect()
}

/// Writes the local transform of each node: translation (x, y, z), rotation (x, y, z, w) and scale (x, y, z). `count` must be
/// `SINEW_POSE_STRIDE` times the number of nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_pose(
    puppet: *const SinewPuppet,
    transforms: *mut f32,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a puppet.
        let puppet = &unsafe { shared("puppet", puppet) }?.puppet;
        let mut values: Vec<f32> = Vec::with_capacity(count);
        for Transform { translation, rotation, scale, .. } in &puppet.pose().locals {
            values.extend(translation.to_array());
            values.extend(rotation.to_array());
            values.extend(scale.to_array());
        }
        // SAFETY: the caller passes memory for `count` numbers.
        unsafe { write("transforms", transforms, count, &values) }
    })
}

/// Writes the `world_from_node` matrices of all nodes, in column-major order. `count` must be 16 times the number of nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_world_matrices(
    puppet: *const SinewPuppet,
    matrices: *mut f32,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a puppet.
        let puppet = &unsafe { shared("puppet", puppet) }?.puppet;
        let columns = puppet.world_from_node().iter().map(|matrix| Mat4::from(*matrix).to_cols_array());
        let values: Vec<f32> = columns.flatten().collect();
        // SAFETY: the caller passes memory for `count` numbers.
        unsafe { write("matrices", matrices, count, &values) }
    })
}

/// Returns the number of parts, or 0 if `puppet` is NULL. Each part is skinned and drawn as a unit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_part_count(puppet: *const SinewPuppet) -> usize {
    // SAFETY: the caller passes a puppet.
    value_or(0, || Ok(unsafe { shared("puppet", puppet) }?.puppet.parts().len())).0
}

/// Stores the number of vertices, triangles and normals of a part. There are as many normals as vertices, or none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_part_size(
    puppet: *const SinewPuppet,
    part: usize,
    vertices: *mut usize,
    triangles: *mut usize,
    normals: *mut usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a puppet.
        let primitive = primitive(&unsafe { shared("puppet", puppet) }?.puppet, part)?;
        for (name, pointer) in [("vertices", vertices), ("triangles", triangles), ("normals", normals)] {
            check_output(name, pointer, 1, 1)?;
        }
        // SAFETY: the caller passes memory for each number.
        unsafe {
            write("vertices", vertices, 1, &[primitive.positions.len()])?;
            write("triangles", triangles, 1, &[primitive.triangles.len()])?;
            write("normals", normals, 1, &[primitive.normals.len()])
        }
    })
}

/// Skins a part on the CPU in the pose of the last `sinew_puppet_update`, and writes world positions (x, y, z) in metres and unit normals
/// (x, y, z). If no normals are wanted, `normals` is NULL and `normal_count` is 0. Otherwise, each count must be three times the number
/// from `sinew_puppet_part_size`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_skin(
    puppet: *const SinewPuppet,
    part: usize,
    positions: *mut f32,
    position_count: usize,
    normals: *mut f32,
    normal_count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a puppet.
        let puppet = &unsafe { shared("puppet", puppet) }?.puppet;
        let primitive = primitive(puppet, part)?;
        check_output("positions", positions, position_count, 3 * primitive.positions.len())?;
        if normal_count != 0 {
            check_output("normals", normals, normal_count, 3 * primitive.normals.len())?;
        }
        let mut skinned = Skinned::default();
        puppet.skin(part, &mut skinned);
        let flat = |vectors: &[Vec3]| vectors.iter().flat_map(Vec3::to_array).collect::<Vec<f32>>();
        // SAFETY: the caller passes memory for `position_count` numbers.
        unsafe { write("positions", positions, position_count, &flat(&skinned.positions)) }?;
        let values = if normal_count == 0 { Vec::new() } else { flat(&skinned.normals) };
        // SAFETY: the caller passes memory for `normal_count` numbers.
        unsafe { write("normals", normals, normal_count, &values) }
    })
}

/// Writes three vertex indices for each triangle of a part, counter-clockwise as seen from outside. `count` must be three
/// times the number of triangles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_triangles(
    puppet: *const SinewPuppet,
    part: usize,
    indices: *mut u32,
    count: usize,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a puppet.
        let primitive = primitive(&unsafe { shared("puppet", puppet) }?.puppet, part)?;
        // SAFETY: the caller passes memory for `count` indices.
        unsafe { write("indices", indices, count, primitive.triangles.as_flattened()) }
    })
}

/// Writes a copy of the character's file to a .glb file, in the pose of the last `sinew_puppet_update`. An existing file is replaced.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sinew_puppet_write_glb(
    puppet: *const SinewPuppet,
    path: *const c_char,
) -> SinewStatus {
    guard(|| {
        // SAFETY: the caller passes a puppet and a valid string.
        let (puppet, path) = unsafe { (shared("puppet", puppet)?, Path::new(text("path", path)?)) };
        let SinewPuppet { puppet, origin } = puppet;
        let character = puppet.character();
        let glb = match origin {
            Origin::BuiltIn => export::posed_copy(puppet, None),
            Origin::File => export::posed_copy(puppet, Some(&character.path)),
            Origin::Memory(bytes) => {
                let (skeleton, pose) = (&character.skeleton, puppet.pose());
                gltf::posed_copy(&character.path, bytes, None, skeleton, &pose.locals, &pose.weights, &[])
            }
        };
        let glb = glb.map_err(|e| Failure::new(SinewStatus::File, e))?;
        let failed = |e| Failure::new(SinewStatus::File, format_args!("{}: {e}", path.display()));
        atomic::write(path, &glb).map_err(failed)
    })
}

fn primitive(puppet: &Puppet, part: usize) -> Result<&sinew::asset::Primitive, Failure> {
    let found = puppet.parts().get(part).ok_or_else(|| missing("part", part, puppet.parts().len()))?;
    Ok(puppet.character().primitive(*found))
}
