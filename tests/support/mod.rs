//! What several test binaries need: test data, and small files built on the spot.
#![allow(dead_code, reason = "each binary uses its part")]
#![allow(unreachable_pub, reason = "a module of several binaries")]
#[path = "picture.rs"]
pub mod picture;
#[path = "test_data.rs"]
mod test_data;

use base64::Engine;
use serde_json::{Value, json};

#[allow(unused_imports, reason = "each binary uses its part")]
pub use test_data::*;

/// Builds a `.gltf` with its bytes inside, accessor by accessor.
#[derive(Default)]
pub struct Builder {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Builder {
    /// Appends an accessor and gives its index.
    pub fn accessor(&mut self, kind: &str, component: u32, count: usize, data: &[u8]) -> usize {
        let view = self.view(data);
        self.accessors
            .push(json!({"bufferView": view, "type": kind, "componentType": component, "count": count}));
        self.accessors.len() - 1
    }

    pub fn view(&mut self, data: &[u8]) -> usize {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        self.views.push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": data.len()}));
        self.bytes.extend_from_slice(data);
        self.views.len() - 1
    }

    pub fn floats(&mut self, kind: &str, width: usize, values: &[f32]) -> usize {
        let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(kind, 5126, values.len() / width, &data)
    }

    /// The last accessor's JSON, to be changed.
    pub fn last(&mut self) -> &mut Value {
        self.accessors.last_mut().unwrap()
    }

    /// The file: `rest` with buffers, views and accessors added.
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
