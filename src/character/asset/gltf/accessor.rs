//! Reads typed numbers from accessors and checks every read against the available bytes.

use gltf::json::accessor::{ComponentType, IndexComponentType, Type, sparse::Sparse};
use gltf::json::validation::Checked;

use crate::api::Missing;
use crate::files::Progress;

use super::buffer::BufferView;
use super::{GltfFile, ObjectError};

/// Number of elements that are decoded between two checks for a stop request.
const PIECE: usize = 1 << 16;

/// An accessor of a known type, whose elements are all inside its buffer view.
struct Accessor<'a> {
    count: usize,
    component: ComponentType,
    /// Components per element.
    width: usize,
    normalized: bool,
    /// `None` if the accessor has no buffer view. All elements are then zero unless sparse values replace them.
    elements: Option<Elements<'a>>,
    sparse: Option<(Vec<usize>, Elements<'a>)>,
}

/// Elements at a constant stride. All of them are inside `bytes`.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> Elements<'a> {
    fn new(
        view: &BufferView<'a>,
        offset: usize,
        count: usize,
        size: usize,
        at: &str,
    ) -> Result<Self, ObjectError> {
        let stride = view.stride.unwrap_or(size);
        let last = count.saturating_sub(1).checked_mul(stride);
        let end = last.and_then(|l| l.checked_add(offset)?.checked_add(if count == 0 { 0 } else { size }));
        let available = view.bytes.len();
        match end {
            Some(end) if end <= available && (stride >= size || count < 2) => {
                Ok(Self { bytes: view.bytes.get(offset..).unwrap_or_default(), stride, size })
            }
            Some(end) if end <= available => {
                Err(ObjectError::new(at, format!("byteStride {stride} is less than the element size {size}")))
            }
            _ => Err(ObjectError::new(
                at,
                format!(
                    "{count} elements of {size} bytes from byte {offset} exceed the buffer view of {available} bytes"
                ),
            )),
        }
    }

    fn get(&self, index: usize) -> &'a [u8] {
        let start = index * self.stride;
        self.bytes.get(start..start + self.size).unwrap_or_default()
    }
}

fn component_size(component: ComponentType) -> usize {
    match component {
        ComponentType::I8 | ComponentType::U8 => 1,
        ComponentType::I16 | ComponentType::U16 => 2,
        ComponentType::U32 | ComponentType::F32 => 4,
    }
}

/// Converts a component to a float as specified in glTF 2.0, section 3.11.
fn to_f32(component: ComponentType, normalized: bool, bytes: &[u8]) -> f32 {
    let raw = |range: f32, value: f32| if normalized { (value / range).max(-1.0) } else { value };
    match (component, bytes) {
        (ComponentType::I8, &[a]) => raw(127.0, f32::from(a.cast_signed())),
        (ComponentType::U8, &[a]) => raw(255.0, f32::from(a)),
        (ComponentType::I16, &[a, b]) => raw(32767.0, f32::from(i16::from_le_bytes([a, b]))),
        (ComponentType::U16, &[a, b]) => raw(65535.0, f32::from(u16::from_le_bytes([a, b]))),
        #[expect(clippy::cast_precision_loss, reason = "the conversion to a float is intended")]
        (ComponentType::U32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]) as f32,
        (ComponentType::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
        _ => 0.0,
    }
}

/// Converts a component to an index.
fn to_u32(component: ComponentType, bytes: &[u8]) -> u32 {
    match (component, bytes) {
        (ComponentType::U8, &[a]) => u32::from(a),
        (ComponentType::U16, &[a, b]) => u32::from(u16::from_le_bytes([a, b])),
        (ComponentType::U32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

impl GltfFile<'_> {
    /// Returns the number of elements of an accessor. `at` is the object that refers to it, for messages.
    pub(super) fn count(&self, index: usize, at: &str) -> Result<usize, ObjectError> {
        let json = self.accessor_json(index, at)?;
        let declared = || usize::try_from(json.count.0).unwrap_or(usize::MAX);
        Ok(self.decoded.get(&index).map_or_else(declared, |decoded| decoded.count))
    }

    fn accessor_json(&self, index: usize, at: &str) -> Result<&gltf::json::Accessor, ObjectError> {
        let all = &self.root.accessors;
        all.get(index).ok_or_else(|| ObjectError::missing(at, "accessor", index, all.len()))
    }

    /// Resolves and checks an accessor, and claims `bytes` of memory for each decoded element.
    fn accessor(&self, index: usize, bytes: usize, at: &str) -> Result<Accessor<'_>, ObjectError> {
        self.progress.check()?;
        let json = self.accessor_json(index, at)?;
        let at = format!("accessors[{index}]");
        let Checked::Valid(component) = json.component_type else {
            return Err(ObjectError::new(at, "componentType is unknown"));
        };
        let Checked::Valid(kind) = json.type_ else {
            return Err(ObjectError::new(at, "type is unknown"));
        };
        let decoded = self.decoded.get(&index);
        let component = decoded.map_or(component.0, |decoded| decoded.component);
        let width = match kind {
            Type::Scalar => 1,
            Type::Vec2 => 2,
            Type::Vec3 => 3,
            Type::Vec4 | Type::Mat2 => 4,
            Type::Mat3 => 9,
            Type::Mat4 => 16,
        };
        let width = decoded.map_or(width, |decoded| decoded.width);
        let count = self.count(index, &at)?;
        let size = width * component_size(component);
        let elements = match (decoded, json.buffer_view) {
            (Some(decoded), _) => Some(Elements { bytes: &decoded.bytes, stride: size, size }),
            (None, Some(view)) => {
                let view = self.buffers.view(view.value(), &format!("{at}.bufferView"))?;
                let offset = json.byte_offset.map_or(0, |o| usize::try_from(o.0).unwrap_or(usize::MAX));
                Some(Elements::new(&view, offset, count, size, &at)?)
            }
            (None, None) => None,
        };
        self.buffers.claim((count as u64).saturating_mul(bytes as u64), &at)?;
        let sparse = match &json.sparse {
            Some(sparse) => Some(self.sparse(sparse, count, size, &format!("{at}.sparse"))?),
            None => None,
        };
        Ok(Accessor { count, component, width, normalized: json.normalized, elements, sparse })
    }

    /// Returns the indices of the elements that sparse values replace, and the values.
    fn sparse(
        &self,
        json: &Sparse,
        total: usize,
        size: usize,
        at: &str,
    ) -> Result<(Vec<usize>, Elements<'_>), ObjectError> {
        let count = usize::try_from(json.count.0).unwrap_or(usize::MAX);
        let Checked::Valid(IndexComponentType(component)) = json.indices.component_type else {
            return Err(ObjectError::new(format!("{at}.indices"), "componentType is not valid for indices"));
        };
        let offset = |o: u64| usize::try_from(o).unwrap_or(usize::MAX);
        let view =
            self.buffers.view(json.indices.buffer_view.value(), &format!("{at}.indices.bufferView"))?;
        let indices_at = format!("{at}.indices");
        let start = offset(json.indices.byte_offset.0);
        let encoded_indices = Elements::new(&view, start, count, component_size(component), &indices_at)?;
        let view = self.buffers.view(json.values.buffer_view.value(), &format!("{at}.values.bufferView"))?;
        let values =
            Elements::new(&view, offset(json.values.byte_offset.0), count, size, &format!("{at}.values"))?;
        self.buffers.claim((count as u64).saturating_mul(8), at)?;
        let mut indices = Vec::with_capacity(count);
        for i in 0..count {
            let element = to_u32(component, encoded_indices.get(i)) as usize;
            if element >= total {
                let missing = Missing::index_in("the accessor", "element", element, total);
                return Err(ObjectError::new(format!("{indices_at}[{i}]"), missing.to_string()));
            }
            indices.push(element);
        }
        Ok((indices, values))
    }

    /// Decodes vectors of `N` floats. Normalised integers are mapped to -1..1 or 0..1, and other integers keep their
    /// values. The result may not be finite. `at` is the object that refers to the accessor, for messages.
    pub(super) fn floats<const N: usize>(
        &self,
        index: usize,
        at: &str,
    ) -> Result<Vec<[f32; N]>, ObjectError> {
        let accessor = self.accessor(index, N * 4, at)?;
        if accessor.width != N {
            let width = accessor.width;
            return Err(ObjectError::new(at, format!("accessor {index} has {width} components, not {N}")));
        }
        let step = component_size(accessor.component);
        let (component, normalized) = (accessor.component, accessor.normalized);
        accessor.decode([0.0; N], self.progress, |bytes| {
            let mut vector = [0.0; N];
            for (value, bytes) in vector.iter_mut().zip(bytes.chunks_exact(step)) {
                *value = to_f32(component, normalized, bytes);
            }
            vector
        })
    }

    /// Decodes vectors like [`GltfFile::floats`] and checks that every number is finite.
    pub(super) fn finite<const N: usize>(
        &self,
        index: usize,
        at: &str,
    ) -> Result<Vec<[f32; N]>, ObjectError> {
        let values = self.floats::<N>(index, at)?;
        match values.iter().position(|v| !v.iter().all(|x| x.is_finite())) {
            Some(i) => Err(ObjectError::new(format!("{at}[{i}]"), format!("{:?} is not finite", values[i]))),
            None => Ok(values),
        }
    }

    /// Decodes vectors of `N` unsigned integers.
    pub(super) fn integers<const N: usize>(
        &self,
        index: usize,
        at: &str,
    ) -> Result<Vec<[u32; N]>, ObjectError> {
        let accessor = self.accessor(index, N * 4, at)?;
        let component = accessor.component;
        if accessor.width != N
            || matches!(component, ComponentType::F32 | ComponentType::I8 | ComponentType::I16)
        {
            let width = accessor.width;
            return Err(ObjectError::new(
                at,
                format!("accessor {index} has {width} {component:?} components, not {N} unsigned integers"),
            ));
        }
        let step = component_size(component);
        accessor.decode([0; N], self.progress, |bytes| {
            let mut vector = [0; N];
            for (value, bytes) in vector.iter_mut().zip(bytes.chunks_exact(step)) {
                *value = to_u32(component, bytes);
            }
            vector
        })
    }
}

impl Accessor<'_> {
    /// Decodes all elements and replaces sparse ones.
    fn decode<T: Copy>(
        &self,
        zero: T,
        progress: &Progress,
        read: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>, ObjectError> {
        let mut values = match &self.elements {
            Some(elements) => {
                let mut values = Vec::with_capacity(self.count);
                for start in (0..self.count).step_by(PIECE) {
                    progress.check()?;
                    let end = start.saturating_add(PIECE).min(self.count);
                    values.extend((start..end).map(|i| read(elements.get(i))));
                }
                values
            }
            None => vec![zero; self.count],
        };
        if let Some((indices, replacements)) = &self.sparse {
            for (i, &element) in indices.iter().enumerate() {
                values[element] = read(replacements.get(i));
            }
        }
        Ok(values)
    }
}
