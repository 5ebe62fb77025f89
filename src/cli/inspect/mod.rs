//! `sinew inspect`: shows the contents of a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::asset::{Character, LightKind, Mesh};
use crate::ik::Limit;
use crate::motion::Cycle;
use crate::rig;
use crate::rig::{BodyKind, Chain, JointRig, MimicRig, Rig};
use crate::robot::Robot;

use super::failure::Failure;
use super::rig_args::RigArgs;
use super::timing::Stopwatch;
use super::{ModelArg, Verbosity, output};

mod body;
mod robot;
mod text;

use body::BodyReport;
use robot::RobotReport;

#[derive(Args, Debug)]
#[command(after_help = "Example: sinew inspect character.glb --json")]
pub(super) struct InspectArgs {
    #[command(flatten)]
    model: ModelArg,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Find the part of each clip that loops most smoothly
    #[arg(long)]
    cycles: bool,
    #[command(flatten)]
    rig: RigArgs,
    /// Write the chains and limits to a rig file, keeping the comments of an existing one
    #[arg(long, value_name = "OUT.rig.toml")]
    write_rig: Option<PathBuf>,
}

/// Nodes by bone name.
type Bones = BTreeMap<String, usize>;

#[derive(Serialize)]
struct InspectReport<'a> {
    format: &'static str,
    generator: Option<&'a str>,
    /// Metres per unit, for a file format that does not define its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<f64>,
    extensions: &'a [String],
    nodes: usize,
    /// Number of nodes for mesh instances that the file stores without nodes. These nodes come last.
    #[serde(skip_serializing_if = "is_zero")]
    instances: usize,
    meshes: Vec<MeshReport<'a>>,
    skins: Vec<SkinReport<'a>>,
    animations: Vec<ClipReport<'a>>,
    /// Names of the alternative materials.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    variants: &'a [String],
    /// Number of lights of each kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    lights: BTreeMap<&'static str, usize>,
    /// The joints and tips of a robot, if the character is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    robot: Option<RobotReport>,
    body: BodyReport,
    /// Nodes by the bone names of VRM 1.0, if the character is a biped.
    humanoid: Option<Bones>,
    /// Nodes by bone names, if the character is a quadruped.
    quadruped: Option<Bones>,
    chains: Vec<ChainReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    prismatic: Vec<PrismaticReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mimics: Vec<MimicReport>,
    warnings: &'a [String],
}

/// A prismatic joint, with its range of displacements in metres.
#[derive(Serialize)]
struct PrismaticReport {
    joint: String,
    min: f64,
    max: f64,
}

/// A mimic joint. The offset is in radians for a hinge and in metres for a prismatic joint.
#[derive(Serialize)]
struct MimicReport {
    joint: String,
    leader: String,
    ratio: f64,
    offset: f64,
}

#[derive(Serialize)]
struct ChainReport {
    name: String,
    effector: String,
    base: String,
    joints: Vec<String>,
    kind: &'static str,
    /// Bend direction in the rest pose, as a unit vector in world space.
    bend: Option<[f32; 3]>,
}

#[derive(Serialize)]
struct MeshReport<'a> {
    name: Option<&'a str>,
    primitives: usize,
    vertices: usize,
    triangles: usize,
    influences: usize,
    morph_targets: usize,
}

#[derive(Serialize)]
struct SkinReport<'a> {
    name: Option<&'a str>,
    joints: usize,
    has_inverse_binds: bool,
}

#[derive(Serialize)]
struct ClipReport<'a> {
    name: Option<&'a str>,
    seconds: f32,
    channels: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<CycleReport>,
}

/// The part of a clip that can be repeated. Times are in seconds, and distances in metres.
#[derive(Serialize)]
struct CycleReport {
    from: f32,
    to: f32,
    error: f64,
    change: f64,
}

pub(super) fn run(args: &InspectArgs, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(verbosity.verbose);
    let character = args.model.load()?;
    watch.stage("load");
    let rig = args.rig.load(&character)?;
    if let Some(path) = &args.write_rig {
        write_rig(&rig, &character, path)?;
    }
    let mut report = InspectReport::new(&character, rig);
    if args.cycles {
        for (clip, report) in report.animations.iter_mut().enumerate() {
            report.cycle = Cycle::find(&character, clip).map(CycleReport::from);
        }
        watch.stage("cycles");
    }
    if args.json {
        output::json(None, &report)?;
    } else {
        verbosity.warn(&character.warnings);
        output::lines(report.lines(&character))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a rig to a file. An existing file is updated.
fn write_rig(rig: &Rig, character: &Character, path: &Path) -> Result<(), Failure> {
    let (_, text) = rig::updated(rig, character, path).map_err(|e| Failure::Usage(e.to_string()))?;
    output::file(path, text.as_bytes())
}

impl<'a> InspectReport<'a> {
    fn new(character: &'a Character, rig: Rig) -> Self {
        let skins = character.skins.iter().map(|s| SkinReport {
            name: s.name.as_deref(),
            joints: s.joints.len(),
            has_inverse_binds: s.has_inverse_binds,
        });
        let clips = character.clips.iter().map(|c| ClipReport {
            name: c.name.as_deref(),
            seconds: c.seconds,
            channels: c.channels.len() + c.properties.len(),
            cycle: None,
        });
        let label = |node: usize| character.skeleton.label(node);
        let chain = |c: Chain| ChainReport {
            effector: label(c.effector),
            base: label(c.base),
            joints: c.joints.iter().map(|&j| label(j)).collect(),
            kind: c.kind.name(),
            bend: c.bend.map(|b| b.to_array()),
            name: c.name,
        };
        let prismatic = |(&node, joint): (&usize, &JointRig)| match joint.limit {
            Limit::Prismatic { min, max, .. } => Some(PrismaticReport { joint: label(node), min, max }),
            _ => None,
        };
        let mimic = |(&node, joint): (&usize, &JointRig)| {
            let MimicRig { joint: leader, ratio, offset } = joint.mimic?;
            Some(MimicReport { joint: label(node), leader: label(leader), ratio, offset })
        };
        let body = rig::recognize_with(character, &rig.given_bones);
        let known = |kind| body.as_ref().ok().filter(|body| body.plan.kind == kind);
        let bones = |kind| known(kind).map(|body| body.bones.clone());
        let (humanoid, quadruped) = (bones(BodyKind::Biped), bones(BodyKind::Quadruped));
        Self {
            humanoid,
            quadruped,
            robot: Robot::new(character).ok().map(|robot| RobotReport::new(&robot)),
            body: BodyReport::new(body.map(|body| body.plan)),
            prismatic: rig.joints.iter().filter_map(prismatic).collect(),
            mimics: rig.joints.iter().filter_map(mimic).collect(),
            format: "sinew-inspect-1",
            generator: character.generator.as_deref(),
            units: character.units,
            extensions: &character.extensions,
            nodes: character.skeleton.nodes.len(),
            instances: character.skeleton.instances.len(),
            meshes: character.meshes.iter().map(MeshReport::new).collect(),
            skins: skins.collect(),
            animations: clips.collect(),
            variants: &character.variants.names,
            lights: lights(character),
            chains: rig.chains.into_iter().map(chain).collect(),
            warnings: &character.warnings,
        }
    }
}

impl From<Cycle> for CycleReport {
    fn from(cycle: Cycle) -> Self {
        Self { from: cycle.from, to: cycle.to, error: cycle.error, change: cycle.change }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Returns the number of lights of each kind.
fn lights(character: &Character) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for light in &character.lights {
        let kind = match light.kind {
            LightKind::Directional => "directional",
            LightKind::Point => "point",
            LightKind::Spot { .. } => "spot",
        };
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

impl<'a> MeshReport<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        Self {
            name: mesh.name.as_deref(),
            primitives: mesh.primitives.len(),
            vertices: mesh.primitives.iter().map(crate::asset::Primitive::vertices).sum(),
            triangles: mesh.primitives.iter().map(|p| p.triangles.len()).sum(),
            influences: mesh.primitives.iter().map(|p| p.influences.len() * 4).max().unwrap_or(0),
            morph_targets: mesh.morph_targets(),
        }
    }
}
