//! `sinew pose`: solve, and write the pose.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Args, ValueEnum};
use glam::{Mat4, Vec3};
use serde::Serialize;

use crate::asset::Part;
use crate::puppet::{GoalReport, Puppet};
use crate::render::{AdapterChoice, Gpu, Pictures, RenderError, Renderer};
use crate::skin::Skinned;
use crate::stage;

use super::failure::Failure;
use super::posing::PosingArgs;
use super::timing::Stopwatch;
use super::{ModelArg, Talk, output};

#[derive(Args, Debug)]
#[command(after_help = "Example: sinew pose character.glb --reach hand_l=0.3,1.2,0.4 -o posed.json")]
pub(super) struct PoseArgs {
    #[command(flatten)]
    model: ModelArg,
    /// JSON (OUT.json), or a posed copy of the model (OUT.glb) [default: JSON to stdout]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Posed vertices too: from the CPU, or read back from the GPU
    #[arg(long, value_name = "FROM", num_args = 0..=1, require_equals = true, default_missing_value = "cpu")]
    vertices: Option<VerticesArg>,
    /// Where --vertices=gpu computes: auto, cpu, or vulkan, gl, metal, dx12 with part of its name
    #[arg(long, value_name = "KIND[:TEXT]", default_value = "auto")]
    adapter: AdapterChoice,
    #[command(flatten)]
    posing: PosingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum VerticesArg {
    Cpu,
    Gpu,
}

#[derive(Serialize)]
struct Document {
    format: &'static str,
    nodes: Vec<NodeRecord>,
    reports: Vec<ReportRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    primitives: Option<Vec<PrimitiveRecord>>,
}

#[derive(Serialize)]
struct NodeRecord {
    index: usize,
    name: Option<String>,
    parent: Option<usize>,
    world: [f32; 16],
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

#[derive(Serialize)]
struct ReportRecord {
    node: usize,
    effector: String,
    solve: usize,
    method: String,
    outcome: String,
    iterations: usize,
    position_error: Option<f64>,
    orientation_error: Option<f64>,
    seconds: f64,
}

#[derive(Serialize)]
struct PrimitiveRecord {
    node: usize,
    mesh: usize,
    primitive: usize,
    skin: Option<usize>,
    count: usize,
    positions: Vec<f32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    normals: Vec<f32>,
}

impl PoseArgs {
    /// Where a posed copy goes, if it is one that is asked for.
    fn copy(&self) -> Result<Option<&Path>, Failure> {
        let Some(path) = self.output.as_deref() else { return Ok(None) };
        let is = |extension: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
        match path {
            _ if is("glb") && self.vertices.is_some() => {
                Err(Failure::Usage("--vertices is for JSON; a posed copy has its own".into()))
            }
            _ if is("glb") => Ok(Some(path)),
            _ if is("json") || path == Path::new("-") || path.starts_with("/dev") => Ok(None),
            _ => {
                let why = "a pose is written as .json, a posed copy as .glb";
                Err(Failure::Usage(format!("--output {}: {why}", path.display())))
            }
        }
    }
}

pub(super) fn run(args: &PoseArgs, matches: &ArgMatches, talk: Talk) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(talk.verbose);
    let copy = args.copy()?;
    let character = args.model.load()?;
    watch.stage("load");
    let mut puppet = args.posing.puppet(character, matches, talk)?;
    let reports = puppet.update()?;
    watch.stage("pose");
    if let Some(path) = copy {
        output::file(path, &args.model.posed_copy(&puppet)?)?;
        watch.stage("write");
        watch.total();
        return Ok(args.posing.exit_code(&reports));
    }
    let vertices = match args.vertices {
        None => None,
        Some(VerticesArg::Cpu) => Some(cpu_vertices(&puppet)),
        Some(VerticesArg::Gpu) => Some(gpu_vertices(&puppet, &args.adapter, &watch)?),
    };
    watch.stage("vertices");
    let document = Document {
        format: "sinew-pose-1",
        nodes: nodes(&puppet),
        reports: reports.iter().map(|r| record(r, &puppet)).collect(),
        primitives: vertices.map(|v| primitives(&puppet, v)),
    };
    output::json(args.output.as_deref(), &document)?;
    watch.stage("write");
    watch.total();
    Ok(args.posing.exit_code(&reports))
}

fn nodes(puppet: &Puppet) -> Vec<NodeRecord> {
    let nodes =
        puppet.character().skeleton.nodes.iter().zip(&puppet.pose().locals).zip(puppet.world_from_node());
    let record = |(index, ((node, local), world)): (
        usize,
        ((&crate::asset::Node, &crate::asset::Transform), &glam::Affine3A),
    )| NodeRecord {
        index,
        name: node.name.clone(),
        parent: node.parent,
        world: Mat4::from(*world).to_cols_array(),
        translation: local.translation.into(),
        rotation: local.rotation.into(),
        scale: local.scale.into(),
    };
    nodes.enumerate().map(record).collect()
}

fn record(report: &GoalReport, puppet: &Puppet) -> ReportRecord {
    ReportRecord {
        node: report.node,
        effector: puppet.character().skeleton.label(report.node),
        solve: report.solve,
        method: report.method.to_string(),
        outcome: report.outcome.to_string(),
        iterations: report.iterations,
        position_error: report.position_error,
        orientation_error: report.orientation_error,
        seconds: report.seconds,
    }
}

fn cpu_vertices(puppet: &Puppet) -> Vec<Skinned> {
    let skinned = |part| {
        let mut skinned = Skinned::default();
        puppet.skin(part, &mut skinned);
        skinned
    };
    (0..puppet.parts().len()).map(skinned).collect()
}

fn gpu_vertices(
    puppet: &Puppet,
    adapter: &AdapterChoice,
    watch: &Stopwatch,
) -> Result<Vec<Skinned>, RenderError> {
    let mut renderer = Renderer::new(Gpu::new(adapter)?);
    watch.note("adapter", &renderer.gpu().describe());
    let model = renderer.model(puppet.character(), puppet.parts(), &Pictures::default())?;
    let draws = stage::draws(puppet, &[]);
    let palette = &puppet.palette().matrices;
    let mut read = |draw| {
        let mut skinned = Skinned::default();
        (skinned.positions, skinned.normals) = renderer.read_vertices(&model, draw, palette)?;
        Ok(skinned)
    };
    draws.iter().map(&mut read).collect()
}

fn primitives(puppet: &Puppet, vertices: Vec<Skinned>) -> Vec<PrimitiveRecord> {
    let record = |(part, skinned): (&Part, Skinned)| {
        let primitive = puppet.character().primitive(*part);
        PrimitiveRecord {
            node: part.node,
            mesh: part.mesh,
            primitive: primitive.index,
            skin: part.skin,
            count: primitive.vertices(),
            positions: flat(&skinned.positions),
            normals: flat(&skinned.normals),
        }
    };
    puppet.parts().iter().zip(vertices).map(record).collect()
}

fn flat(vectors: &[Vec3]) -> Vec<f32> {
    vectors.iter().flat_map(Vec3::to_array).collect()
}
