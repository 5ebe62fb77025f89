//! Builds small glTF files.

use base64::Engine;
use serde_json::{Value, json};

/// Returns a `.gltf` file with two nodes. The first one shows a triangle twice, as nodes 2 and 3.
pub fn instances() -> Vec<u8> {
    let mut b = Builder::default();
    b.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let translation = b.floats("VEC3", 3, &[1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let attributes = json!({"TRANSLATION": translation});
    b.file(json!({
        "extensionsRequired": ["EXT_mesh_gpu_instancing"],
        "extensionsUsed": ["EXT_mesh_gpu_instancing"],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [
            {"name": "twice", "mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}}},
            {"name": "last"},
        ],
        "scenes": [{"nodes": [0, 1]}],
    }))
}

/// Returns a `.gltf` file with a square that is red, or blue in its only variant.
pub fn square_with_variant() -> Vec<u8> {
    let mut b = Builder::default();
    let corners = [-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0];
    b.floats("VEC3", 3, &corners);
    let indices = b.accessor("SCALAR", 5121, 6, &[0, 1, 2, 0, 2, 3]);
    let material = |color: Value| {
        json!({
            "pbrMetallicRoughness": {"baseColorFactor": color}, "doubleSided": true,
            "extensions": {"KHR_materials_unlit": {}},
        })
    };
    let mappings = json!([{"material": 1, "variants": [0]}]);
    let primitive = json!({
        "attributes": {"POSITION": 0}, "indices": indices, "material": 0,
        "extensions": {"KHR_materials_variants": {"mappings": mappings}},
    });
    b.file(json!({
        "extensionsUsed": ["KHR_materials_unlit", "KHR_materials_variants"],
        "extensions": {"KHR_materials_variants": {"variants": [{"name": "blue"}]}},
        "materials": [material(json!([1, 0, 0, 1])), material(json!([0, 0, 1, 1]))],
        "meshes": [{"primitives": [primitive]}],
        "nodes": [{"mesh": 0}],
    }))
}

/// Builds a `.gltf` file with embedded binary data.
#[derive(Default)]
pub struct Builder {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Builder {
    /// Adds an accessor with its data and returns its index.
    pub fn accessor(&mut self, kind: &str, component: u32, count: usize, data: &[u8]) -> usize {
        let view = self.view(data);
        self.accessors
            .push(json!({"bufferView": view, "type": kind, "componentType": component, "count": count}));
        self.accessors.len() - 1
    }

    /// Adds accessors, which may have no data.
    pub fn add_accessors(&mut self, accessors: Vec<Value>) {
        self.accessors.extend(accessors);
    }

    /// Adds a buffer view with its data and returns its index.
    pub fn view(&mut self, data: &[u8]) -> usize {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        self.views.push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": data.len()}));
        self.bytes.extend_from_slice(data);
        self.views.len() - 1
    }

    /// Adds an accessor of floats, `width` per element, and returns its index.
    pub fn floats(&mut self, kind: &str, width: usize, values: &[f32]) -> usize {
        let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(kind, 5126, values.len() / width, &data)
    }

    /// Returns the JSON of the last accessor, so that it can be changed.
    pub fn last(&mut self) -> &mut Value {
        self.accessors.last_mut().unwrap()
    }

    /// Returns the file, which consists of `rest` and the added buffer, buffer views and accessors.
    pub fn file(self, mut rest: Value) -> Vec<u8> {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        rest["asset"] = json!({"version": "2.0"});
        rest["buffers"] = json!([{
            "byteLength": self.bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{data}"),
        }]);
        rest["bufferViews"] = self.views.into();
        rest["accessors"] = self.accessors.into();
        serde_json::to_vec(&rest).unwrap()
    }
}
