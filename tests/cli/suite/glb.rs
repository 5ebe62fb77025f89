//! Changes numbers of a GLB file in place.

use serde_json::{Value, json};

/// A GLB file with one buffer.
#[derive(Clone)]
pub(super) struct Glb {
    pub(super) json: Value,
    data: Vec<u8>,
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or(0) as usize
}

impl Glb {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        Self { json, data: bytes[28 + length..].to_vec() }
    }

    /// Returns the accessor of an attribute of the first primitive of a mesh.
    pub(super) fn attribute(&self, mesh: usize, name: &str) -> usize {
        number(&self.json["meshes"][mesh]["primitives"][0]["attributes"][name])
    }

    /// Returns the size in bytes of the numbers of an accessor.
    pub(super) fn size(&self, accessor: usize) -> usize {
        match self.json["accessors"][accessor]["componentType"].as_u64() {
            Some(5121) => 1,
            Some(5123) => 2,
            _ => 4,
        }
    }

    fn width(&self, accessor: usize) -> usize {
        match self.json["accessors"][accessor]["type"].as_str() {
            Some("SCALAR") => 1,
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            _ => 16,
        }
    }

    fn start(&self, accessor: usize, element: usize) -> usize {
        let of = &self.json["accessors"][accessor];
        let view = &self.json["bufferViews"][number(&of["bufferView"])];
        let packed = self.width(accessor) * self.size(accessor);
        let stride = view["byteStride"].as_u64().map_or(packed, |stride| stride as usize);
        number(&view["byteOffset"]) + number(&of["byteOffset"]) + element * stride
    }

    /// Returns the stored numbers of an element.
    pub(super) fn read(&self, accessor: usize, element: usize) -> Vec<f64> {
        let (start, size) = (self.start(accessor, element), self.size(accessor));
        let bytes = self.data[start..start + self.width(accessor) * size].chunks(size);
        let numbers = bytes.map(|bytes| match bytes {
            [a] => f64::from(*a),
            [a, b] => f64::from(u16::from_le_bytes([*a, *b])),
            other => f32::from_le_bytes(other.try_into().unwrap()).into(),
        });
        numbers.collect()
    }

    /// Replaces the stored numbers of an element.
    pub(super) fn write(&mut self, accessor: usize, element: usize, numbers: &[f64]) {
        let (start, size) = (self.start(accessor, element), self.size(accessor));
        for (index, number) in numbers.iter().enumerate() {
            let bytes = match size {
                1 => vec![*number as u8],
                2 => (*number as u16).to_le_bytes().to_vec(),
                _ => (*number as f32).to_le_bytes().to_vec(),
            };
            let at = start + index * size;
            self.data[at..at + size].copy_from_slice(&bytes);
        }
    }

    /// Adds an accessor with numbers, and returns its index.
    pub(super) fn add(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        let start = self.data.len();
        self.data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let list = |json: &mut Value, name: &str, value: Value| {
            let list = json[name].as_array_mut().unwrap();
            list.push(value);
            list.len() - 1
        };
        let bytes = 4 * numbers.len();
        let view = json!({"buffer": 0, "byteOffset": start, "byteLength": bytes});
        let view = list(&mut self.json, "bufferViews", view);
        self.json["buffers"][0]["byteLength"] = self.data.len().into();
        let (low, high) = (0..width)
            .map(|axis| {
                let values = || numbers.iter().skip(axis).step_by(width).copied();
                (values().fold(f32::MAX, f32::min), values().fold(f32::MIN, f32::max))
            })
            .unzip::<f32, f32, Vec<f32>, Vec<f32>>();
        let count = numbers.len() / width;
        let accessor = json!({"bufferView": view, "componentType": 5126, "count": count, "type": kind, "min": low, "max": high});
        list(&mut self.json, "accessors", accessor)
    }

    /// Returns the bytes of the file.
    pub(super) fn file(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec(&self.json).unwrap();
        text.resize(text.len().next_multiple_of(4), b' ');
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
        let total = u32::try_from(28 + text.len() + self.data.len()).unwrap();
        let head =
            [&b"glTF"[..], &2_u32.to_le_bytes(), &total.to_le_bytes(), &length(&text), b"JSON"].concat();
        [&head[..], &text, &length(&self.data), b"BIN\0", &self.data].concat()
    }
}
