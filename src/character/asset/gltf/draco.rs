//! Decodes primitives that are compressed with `KHR_draco_mesh_compression`.
//!
//! The accessors of such a primitive have no data of their own. The data that is decoded here takes their place, so that the rest
//! of the loader reads compressed and uncompressed primitives in the same way.

use std::collections::HashMap;

use draco_core::{DataType, DecodeLimits, DecoderBuffer, Mesh, MeshDecoder, PointAttribute, PointIndex};
use gltf::json::Root;
use gltf::json::accessor::ComponentType;
use gltf::json::mesh::{Primitive, Semantic};
use gltf::json::validation::Checked;
use serde_json::Value;

use crate::files::Progress;

use super::buffer::Buffers;
use super::{ObjectError, Warnings, extension};

const NAME: &str = "KHR_draco_mesh_compression";
/// Maximum number of decoded bytes per compressed byte, in addition to the decoded data that every file may have. Both the decoder's output
/// and its copies count. Real meshes with all attributes reach about 30.
const FACTOR: u64 = 128;
/// Memory that the decoder may need for each triangle, in bytes.
const BYTES_PER_FACE: u64 = 32;
/// Maximum number of components of an attribute: a 4 × 4 matrix.
const MAX_WIDTH: u8 = 16;

/// The elements of an accessor of a compressed primitive.
pub(super) struct DecodedAccessor {
    pub(super) bytes: Vec<u8>,
    pub(super) component: ComponentType,
    /// Components per element.
    pub(super) width: usize,
    pub(super) count: usize,
    /// The buffer view and the identifier of the attribute from which the accessor was decoded. Indices have no identifier.
    source: (usize, Option<u32>),
}

/// Decoded accessors by their index.
pub(super) type DecodedAccessors = HashMap<usize, DecodedAccessor>;

/// A primitive that uses the extension.
struct Compressed<'a> {
    at: String,
    view: usize,
    primitive: &'a Primitive,
    /// Identifiers of attributes by their names in glTF.
    attributes: &'a Value,
}

/// Returns whether the data of a primitive was compressed and is decoded.
pub(super) fn is_decoded(primitive: &Primitive, decoded: &DecodedAccessors) -> bool {
    let is_compressed = primitive.extensions.as_ref().is_some_and(|e| e.others.contains_key(NAME));
    is_compressed && primitive.indices.is_some_and(|indices| decoded.contains_key(&indices.value()))
}

/// Decodes all compressed primitives of a file. If a primitive cannot be decoded but its accessors also have uncompressed data, that data
/// is used, with a warning.
pub(super) fn decode(
    root: &Root,
    buffers: &Buffers<'_>,
    warnings: &mut Warnings,
    progress: &Progress,
) -> Result<DecodedAccessors, ObjectError> {
    let mut compressed = compressed_primitives(root)?;
    // A view is decoded only once, however many primitives refer to it.
    compressed.sort_by_key(|c| c.view);
    let mut decoded = DecodedAccessors::new();
    let mut rest = buffers.total_bytes();
    for of_view in compressed.chunk_by(|a, b| a.view == b.view) {
        progress.check()?;
        let Some(first) = of_view.first() else { continue };
        let mesh = decode_view(buffers, first, &mut rest);
        for c in of_view {
            let added = match &mesh {
                // A primitive takes all of its accessors from the compressed data, or none of them.
                Ok(mesh) => accessors(mesh, c, buffers, &decoded).map(|new| decoded.extend(new)),
                Err(cause) => Err(ObjectError::new(&*c.at, cause.clone())),
            };
            match added {
                Err(ObjectError { at, cause }) if has_fallback(root, c.primitive) => {
                    warnings.push(&format!("{at}: {cause}, so the uncompressed data is used"));
                }
                other => other?,
            }
        }
    }
    Ok(decoded)
}

fn compressed_primitives(root: &Root) -> Result<Vec<Compressed<'_>>, ObjectError> {
    let mut all = Vec::new();
    for (m, mesh) in root.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let Some(json) = primitive.extensions.as_ref().and_then(|e| e.others.get(NAME)) else {
                continue;
            };
            let at = format!("meshes[{m}].primitives[{p}].extensions.{NAME}");
            let view = extension::index(json, "bufferView")
                .ok_or_else(|| ObjectError::new(&*at, "bufferView is missing or not an unsigned integer"))?;
            let attributes = json.get("attributes").unwrap_or(&Value::Null);
            all.push(Compressed { at, view, primitive, attributes });
        }
    }
    Ok(all)
}

/// Returns whether the positions and indices of a primitive also have uncompressed data.
fn has_fallback(root: &Root, primitive: &Primitive) -> bool {
    let has_view = |accessor: usize| root.accessors.get(accessor).is_some_and(|a| a.buffer_view.is_some());
    let positions = primitive.attributes.get(&Checked::Valid(Semantic::Positions));
    positions.is_some_and(|accessor| has_view(accessor.value()))
        && primitive.indices.is_none_or(|i| has_view(i.value()))
}

/// Decodes the mesh in a buffer view. `rest` is the number of compressed bytes that may still be decoded.
fn decode_view(buffers: &Buffers<'_>, first: &Compressed<'_>, rest: &mut u64) -> Result<Mesh, String> {
    let view = buffers.view(first.view, &first.at).map_err(|e| format!("{}: {}", e.at, e.cause))?;
    let size = view.bytes.len() as u64;
    // Without this check, a small file could make the decoder read the same bytes thousands of times.
    *rest = rest.checked_sub(size).ok_or("the buffer views of compressed primitives overlap")?;
    buffers.grant(size.saturating_mul(FACTOR));
    let budget = buffers.remaining();
    let limits = DecodeLimits::default()
        .with_max_decoded_bytes(budget)
        .with_max_faces(budget / BYTES_PER_FACE)
        .with_max_points(budget / BYTES_PER_FACE);
    let mut mesh = Mesh::new();
    let mut buffer = DecoderBuffer::new(view.bytes).with_limits(limits);
    MeshDecoder::new()
        .decode(&mut buffer, &mut mesh)
        .map_err(|error| format!("the compressed data is damaged ({error})"))?;
    buffers.claim(decoded_bytes(&mesh), &first.at).map_err(|e| e.cause)?;
    Ok(mesh)
}

fn decoded_bytes(mesh: &Mesh) -> u64 {
    let attributes = (0..mesh.num_attributes()).filter_map(|id| mesh.try_attribute(id).ok());
    let values: usize = attributes.map(|attribute| attribute.buffer().data().len()).sum();
    (values as u64).saturating_add((mesh.num_faces() as u64).saturating_mul(BYTES_PER_FACE))
}

/// Returns the accessors of a primitive that are not in `decoded` yet: its attributes and its indices.
fn accessors(
    mesh: &Mesh,
    c: &Compressed<'_>,
    buffers: &Buffers<'_>,
    decoded: &DecodedAccessors,
) -> Result<DecodedAccessors, ObjectError> {
    let Some(indices) = c.primitive.indices else {
        return Err(ObjectError::new(&*c.at, "the primitive has no indices"));
    };
    let mut new = DecodedAccessors::new();
    for (semantic, accessor) in &c.primitive.attributes {
        let Checked::Valid(semantic) = semantic else { continue };
        let name = semantic.to_string();
        let Some(id) = c.attributes.get(&name) else { continue };
        let at = format!("{}.attributes.{name}", c.at);
        let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
        let id = id.ok_or_else(|| ObjectError::new(&*at, "value is not an unsigned integer"))?;
        let source = (c.view, Some(id));
        if is_new([decoded, &new], accessor.value(), source, &at)? {
            let values = mesh
                .attribute_by_unique_id(id)
                .ok_or_else(|| ObjectError::new(&*at, format!("attribute {id} does not exist")))?;
            new.insert(accessor.value(), values_of_points(mesh, values, source, buffers, &at)?);
        }
    }
    let at = format!("{}.indices", c.at);
    if is_new([decoded, &new], indices.value(), (c.view, None), &at)? {
        let count = mesh.num_faces().saturating_mul(3);
        buffers.claim((count as u64).saturating_mul(4), &at)?;
        let bytes = mesh.faces().iter().flatten().flat_map(|point| point.0.to_le_bytes()).collect();
        let source = (c.view, None);
        let component = ComponentType::U32;
        new.insert(indices.value(), DecodedAccessor { bytes, component, width: 1, count, source });
    }
    Ok(new)
}

/// Returns whether an accessor has not been decoded yet. Fails if it was decoded from other data.
fn is_new(
    decoded: [&DecodedAccessors; 2],
    accessor: usize,
    source: (usize, Option<u32>),
    at: &str,
) -> Result<bool, ObjectError> {
    match decoded.iter().find_map(|decoded| decoded.get(&accessor)) {
        None => Ok(true),
        Some(known) if known.source == source => Ok(false),
        Some(_) => Err(ObjectError::new(at, format!("accessor {accessor} belongs to other compressed data"))),
    }
}

/// Copies the value of every point, because points of the compressed mesh may share values.
fn values_of_points(
    mesh: &Mesh,
    values: &PointAttribute,
    source: (usize, Option<u32>),
    buffers: &Buffers<'_>,
    at: &str,
) -> Result<DecodedAccessor, ObjectError> {
    let component = match values.data_type() {
        DataType::Int8 => ComponentType::I8,
        DataType::Uint8 | DataType::Bool => ComponentType::U8,
        DataType::Int16 => ComponentType::I16,
        DataType::Uint16 => ComponentType::U16,
        DataType::Int32 | DataType::Uint32 => ComponentType::U32,
        DataType::Float32 => ComponentType::F32,
        other => return Err(ObjectError::new(at, format!("data type {other:?} is not supported"))),
    };
    let width = values.num_components();
    if width == 0 || width > MAX_WIDTH {
        return Err(ObjectError::new(at, format!("{width} components are not supported")));
    }
    let size = usize::from(width) * values.data_type().byte_length();
    let stride = usize::try_from(values.byte_stride()).unwrap_or(0).max(size);
    let count = mesh.num_points();
    buffers.claim((count as u64).saturating_mul(size as u64), at)?;
    let data = values.buffer().data();
    let mut bytes = Vec::with_capacity(count.saturating_mul(size));
    for point in 0..u32::try_from(count).unwrap_or(u32::MAX) {
        let value = values.mapped_index(PointIndex(point)).0 as usize;
        let start = value.saturating_mul(stride);
        match data.get(start..start.saturating_add(size)) {
            Some(value) => bytes.extend_from_slice(value),
            None => return Err(ObjectError::new(at, format!("point {point} has no value"))),
        }
    }
    Ok(DecodedAccessor { bytes, component, width: width.into(), count, source })
}
