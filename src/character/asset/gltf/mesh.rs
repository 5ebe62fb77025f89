//! Reads meshes: triangles, vertex attributes and morph targets.

use glam::{Vec2, Vec3, Vec4};
use gltf::json::mesh::{Mode, Primitive as Json, Semantic};
use gltf::json::validation::Checked;

use crate::asset::{Mesh, MorphTarget, Primitive};

use super::{GltfFile, ObjectError, draco, label};

impl GltfFile<'_> {
    pub(super) fn meshes(&self) -> Result<Vec<Mesh>, ObjectError> {
        let mut meshes = Vec::with_capacity(self.root.meshes.len());
        for (m, json) in self.root.meshes.iter().enumerate() {
            let mut primitives = Vec::new();
            for (p, primitive) in json.primitives.iter().enumerate() {
                let at = format!("meshes[{m}].primitives[{p}]");
                primitives.extend(self.primitive(primitive, p, &at)?);
            }
            let weights = json.weights.clone().unwrap_or_default();
            if primitives.is_empty() {
                self.warn(format!("mesh {} has no triangles", label(json.name.as_ref(), m)));
            }
            let target_names = target_names(&json.extras);
            meshes.push(Mesh { name: json.name.clone(), primitives, weights, target_names });
        }
        Ok(meshes)
    }

    /// Reads a primitive. Returns `None`, with a warning, if it cannot be drawn as triangles.
    fn primitive(&self, json: &Json, index: usize, at: &str) -> Result<Option<Primitive>, ObjectError> {
        self.progress.check()?;
        let mode = match json.mode {
            // The compressed data always contains a list of triangles, even for a strip.
            Checked::Valid(_) if draco::is_decoded(json, &self.decoded) => Mode::Triangles,
            Checked::Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) => mode,
            Checked::Valid(mode) => {
                self.warn(format!("{at}: mode {mode:?} is not supported, so the primitive is not drawn"));
                return Ok(None);
            }
            Checked::Invalid => return Err(ObjectError::new(format!("{at}.mode"), "value is unknown")),
        };
        let Some(accessor) = attribute(json, Semantic::Positions) else {
            self.warn(format!("{at}: has no POSITION and is not drawn"));
            return Ok(None);
        };
        let vectors = self.finite::<3>(accessor, &format!("{at}.attributes.POSITION"))?;
        let positions: Vec<Vec3> = vectors.into_iter().map(Vec3::from).collect();
        let count = positions.len();
        let material = json.material.map(|m| m.value());
        if let Some(material) = material.filter(|&m| m >= self.root.materials.len()) {
            let count = self.root.materials.len();
            return Err(ObjectError::missing(format!("{at}.material"), "material", material, count));
        }
        Ok(Some(Primitive {
            index,
            triangles: self.triangles(json, mode, count, at)?,
            normals: self.attribute::<3, Vec3>(json, Semantic::Normals, count, at)?,
            tangents: self.attribute::<4, Vec4>(json, Semantic::Tangents, count, at)?,
            uvs: [
                self.attribute::<2, Vec2>(json, Semantic::TexCoords(0), count, at)?,
                self.attribute::<2, Vec2>(json, Semantic::TexCoords(1), count, at)?,
            ],
            colors: self.colors(json, count, at)?,
            influences: self.influences(json, count, at)?,
            morph_targets: self.morph_targets(json, count, at)?,
            material,
            positions,
        }))
    }

    /// Reads one finite vector per vertex. Returns an empty list if the attribute is missing.
    fn attribute<const N: usize, V: From<[f32; N]>>(
        &self,
        json: &Json,
        semantic: Semantic,
        count: usize,
        at: &str,
    ) -> Result<Vec<V>, ObjectError> {
        let at = format!("{at}.attributes.{}", semantic.to_string());
        match attribute(json, semantic) {
            Some(accessor) => self.vertex_vectors::<N, V>(accessor, count, &at),
            None => Ok(Vec::new()),
        }
    }

    fn vertex_vectors<const N: usize, V: From<[f32; N]>>(
        &self,
        accessor: usize,
        count: usize,
        at: &str,
    ) -> Result<Vec<V>, ObjectError> {
        let vectors = self.finite::<N>(accessor, at)?;
        check_count(vectors.len(), count, at)?;
        Ok(vectors.into_iter().map(V::from).collect())
    }

    /// Reads `COLOR_0`, which is RGB or RGBA.
    fn colors(&self, json: &Json, count: usize, at: &str) -> Result<Vec<Vec4>, ObjectError> {
        let at = format!("{at}.attributes.COLOR_0");
        let Some(accessor) = attribute(json, Semantic::Colors(0)) else {
            return Ok(Vec::new());
        };
        use gltf::json::accessor::Type;
        let kind = self.root.accessors.get(accessor).map(|a| a.type_);
        if let Some(Checked::Valid(Type::Vec3)) = kind {
            let rgb = self.vertex_vectors::<3, Vec3>(accessor, count, &at)?;
            return Ok(rgb.into_iter().map(|c| c.extend(1.0)).collect());
        }
        self.vertex_vectors::<4, Vec4>(accessor, count, &at)
    }

    /// Reads the triangles and checks every index. Strips and fans become lists as in glTF 2.0, section 3.7.2.1.
    fn triangles(
        &self,
        json: &Json,
        mode: Mode,
        count: usize,
        at: &str,
    ) -> Result<Vec<[u32; 3]>, ObjectError> {
        let indices: Vec<u32> = match json.indices {
            Some(accessor) => {
                let at = format!("{at}.indices");
                let indices = self.integers::<1>(accessor.value(), &at)?;
                if let Some(i) = indices.iter().position(|[v]| *v as usize >= count) {
                    let vertex = indices[i][0];
                    return Err(ObjectError::missing(format!("{at}[{i}]"), "vertex", vertex as usize, count));
                }
                indices.into_iter().map(|[v]| v).collect()
            }
            None => {
                self.buffers.claim(count as u64 * 4, at)?;
                let count =
                    u32::try_from(count).map_err(|_| ObjectError::new(at, "has too many vertices"))?;
                (0..count).collect()
            }
        };
        self.buffers.claim(indices.len() as u64 * 12, at)?;
        Ok(match mode {
            Mode::TriangleStrip => {
                let triangle = |(i, w): (usize, &[u32])| {
                    if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[0], w[2], w[1]] }
                };
                indices.windows(3).enumerate().map(triangle).collect()
            }
            Mode::TriangleFan => match indices.split_first() {
                Some((&hub, rim)) => rim.windows(2).map(|w| [w[0], w[1], hub]).collect(),
                None => Vec::new(),
            },
            _ => indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        })
    }

    fn morph_targets(&self, json: &Json, count: usize, at: &str) -> Result<Vec<MorphTarget>, ObjectError> {
        let mut targets = Vec::new();
        for (t, target) in json.targets.iter().flatten().enumerate() {
            let read = |accessor: Option<gltf::json::Index<gltf::json::Accessor>>, name: &str| match accessor
            {
                Some(a) => {
                    self.vertex_vectors::<3, Vec3>(a.value(), count, &format!("{at}.targets[{t}].{name}"))
                }
                None => Ok(Vec::new()),
            };
            self.buffers.claim(size_of::<MorphTarget>() as u64, at)?;
            targets.push(MorphTarget {
                positions: read(target.positions, "POSITION")?,
                normals: read(target.normals, "NORMAL")?,
                tangents: read(target.tangents, "TANGENT")?,
            });
        }
        Ok(targets)
    }
}

/// Reads the names of morph targets from `extras.targetNames`, a convention from the implementation note in glTF 2.0,
/// section 3.7.2.2. Other extras are ignored.
fn target_names(extras: &gltf::json::Extras) -> Vec<String> {
    #[derive(Default, serde::Deserialize)]
    struct Named {
        #[serde(default, rename = "targetNames")]
        target_names: Vec<String>,
    }
    let extras_with_names = extras.as_ref().and_then(|raw| serde_json::from_str::<Named>(raw.get()).ok());
    extras_with_names.unwrap_or_default().target_names
}

/// Returns the accessor of an attribute.
pub(super) fn attribute(json: &Json, semantic: Semantic) -> Option<usize> {
    json.attributes.get(&Checked::Valid(semantic)).map(gltf::json::Index::value)
}

/// Checks that an attribute has one element for every vertex.
pub(super) fn check_count(count: usize, vertices: usize, at: &str) -> Result<(), ObjectError> {
    if count == vertices {
        Ok(())
    } else {
        Err(ObjectError::new(at, format!("has {count} elements, but POSITION has {vertices}")))
    }
}
