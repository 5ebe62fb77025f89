//! The surfaces and joints of both poses, for the three-dimensional view of a report.

use std::collections::{BTreeSet, HashMap};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::Vec3;
use serde::Serialize;

use crate::puppet::Puppet;
use crate::record::{CameraRecord, SceneRecord, part_names};
use crate::view::Bounds;

use super::facts::Facts;
use super::surfaces::Surfaces;

/// Maximum number of triangles. A finer mesh is simplified.
const MAX_TRIANGLES: usize = 20_000;

/// Both poses of a comparison. Numbers are little-endian, and encoded in Base64.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoseView {
    vertices: usize,
    /// Positions in the golden: three 16-bit integers per vertex. A position in metres is the box's centre plus the integer
    /// divided by 32767, times half the size of the box.
    golden: String,
    /// Positions in the actual pose.
    actual: String,
    #[serde(rename = "box")]
    cube: Cube,
    /// Three 32-bit indices of vertices per triangle.
    triangles: String,
    parts: Vec<ViewPart>,
    /// Names of the parts that have moved.
    changed_parts: Vec<String>,
    joints: Vec<ViewJoint>,
    camera: CameraRecord,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Cube {
    centre: [f32; 3],
    half: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct ViewPart {
    name: String,
    first_triangle: usize,
    triangles: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct ViewJoint {
    name: String,
    /// Index of the parent, or -1.
    parent: i64,
    golden: [f32; 3],
    actual: [f32; 3],
    /// How far the joint has turned and moved relative to its parent, in radians and metres.
    angle: f32,
    distance: f32,
}

/// A mesh in both poses.
#[derive(Default)]
struct Mesh {
    positions: Vec<[Vec3; 2]>,
    triangles: Vec<[u32; 3]>,
    parts: Vec<ViewPart>,
    moved: Vec<String>,
}

impl PoseView {
    /// Poses a puppet twice. A part that is only in one of the scenes is shown in the pose of that scene.
    pub fn new(puppet: &Puppet, golden: &SceneRecord, actual: &SceneRecord) -> Self {
        let golden = &golden.named_like(actual);
        let surfaces = [golden, actual].map(|record| Surfaces::of(puppet, record));
        let mut mesh = Mesh::default();
        let total: usize =
            puppet.parts().iter().map(|p| puppet.character().primitive(*p).triangles.len()).sum();
        // The number of triangles of a surface grows with the square of the number of cells per axis.
        let mut cells = if total > MAX_TRIANGLES { Some(128.0_f32) } else { None };
        loop {
            mesh.fill(puppet, &surfaces, cells);
            match &mut cells {
                Some(cells) if mesh.triangles.len() > MAX_TRIANGLES && *cells > 8.0 => *cells *= 0.75,
                _ => break,
            }
        }
        let bounds = Bounds::around(mesh.positions.iter().flatten().copied());
        let is_empty = bounds.is_empty();
        let centre = if is_empty { Vec3::ZERO } else { (bounds.lo + bounds.hi) * 0.5 };
        let half = if is_empty { 1.0 } else { (bounds.hi - centre).max_element().max(f32::MIN_POSITIVE) };
        let encode = |pose: usize| {
            #[expect(clippy::cast_possible_truncation, reason = "clamped to the range of 16 bits")]
            let number = |x: f32| ((x / half).clamp(-1.0, 1.0) * 32767.0).round() as i16;
            let positions = mesh.positions.iter().filter_map(|position| position.get(pose));
            let numbers =
                positions.flat_map(|p| (*p - centre).to_array()).flat_map(|x| number(x).to_le_bytes());
            STANDARD.encode(numbers.collect::<Vec<u8>>())
        };
        let indices: Vec<u8> =
            mesh.triangles.iter().flatten().flat_map(|index| index.to_le_bytes()).collect();
        Self {
            vertices: mesh.positions.len(),
            golden: encode(0),
            actual: encode(1),
            cube: Cube { centre: centre.to_array(), half },
            triangles: STANDARD.encode(indices),
            changed_parts: mesh.moved,
            parts: mesh.parts,
            joints: joints(puppet, golden, actual),
            camera: golden.camera.clone(),
        }
    }
}

impl Mesh {
    /// Collects the surfaces. If `cells` is given, all vertices in a grid cell are merged into one. The grid has this number of cells along
    /// its longest side (vertex clustering, Rossignac & Borrel 1993).
    fn fill(&mut self, puppet: &Puppet, surfaces: &[Surfaces; 2], cells: Option<f32>) {
        *self = Self::default();
        let [golden, actual] = surfaces;
        let all = actual.parts.iter().flatten().flat_map(|surface| &surface.positions);
        let bounds = Bounds::around(all.copied());
        let size = if bounds.is_empty() { 1.0 } else { (bounds.hi - bounds.lo).max_element() };
        for (index, (part, name)) in puppet.parts().iter().zip(part_names(puppet)).enumerate() {
            let pose = |surfaces: &Surfaces| {
                surfaces.parts.get(index).and_then(|s| s.as_ref().map(|s| s.positions.clone()))
            };
            let (Some(was), Some(is)) =
                (pose(golden).or_else(|| pose(actual)), pose(actual).or_else(|| pose(golden)))
            else {
                continue;
            };
            if was != is {
                self.moved.push(name.clone());
            }
            let mut known: HashMap<[i64; 3], u32> = HashMap::new();
            let mut vertices = Vec::with_capacity(is.len());
            for (index, (was, is)) in was.into_iter().zip(is).enumerate() {
                #[expect(clippy::cast_possible_truncation, reason = "cells of finite positions")]
                let cell = match cells {
                    Some(cells) => (is * (cells / size)).to_array().map(|x| x.floor() as i64),
                    None => [i64::try_from(index).unwrap_or(i64::MAX), 0, 0],
                };
                let next = u32::try_from(self.positions.len()).unwrap_or(u32::MAX);
                let vertex = *known.entry(cell).or_insert(next);
                if vertex == next {
                    self.positions.push([was, is]);
                }
                vertices.push(vertex);
            }
            let first_triangle = self.triangles.len();
            let mut seen = BTreeSet::new();
            for triangle in &puppet.character().primitive(*part).triangles {
                let corner = |i: usize| triangle.get(i).and_then(|v| vertices.get(*v as usize)).copied();
                let Some(((a, b), c)) = corner(0).zip(corner(1)).zip(corner(2)) else { continue };
                let is_flat = a == b || b == c || c == a;
                if cells.is_none() || !is_flat && seen.insert([a, b, c]) {
                    self.triangles.push([a, b, c]);
                }
            }
            self.parts.push(ViewPart {
                name,
                first_triangle,
                triangles: self.triangles.len() - first_triangle,
            });
        }
    }
}

fn joints(puppet: &Puppet, golden: &SceneRecord, actual: &SceneRecord) -> Vec<ViewJoint> {
    let skeleton = &puppet.character().skeleton;
    let facts = Facts::between(puppet, golden, actual);
    let [was, is] = [golden, actual].map(|record| record.world_from_node(skeleton));
    let joints = was.iter().zip(&is).enumerate().map(|(node, (was, is))| {
        let change = facts.joints.get(&node).copied().unwrap_or_default();
        let parent = skeleton.nodes.get(node).and_then(|n| n.parent).and_then(|p| i64::try_from(p).ok());
        ViewJoint {
            name: skeleton.label(node),
            parent: parent.unwrap_or(-1),
            golden: was.translation.to_array(),
            actual: is.translation.to_array(),
            angle: change.angle,
            distance: change.distance,
        }
    });
    joints.collect()
}
