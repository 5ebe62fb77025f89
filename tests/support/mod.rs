//! What several test binaries need: the collected models, and small files made on the spot.
#![allow(dead_code, reason = "each binary uses its part")]
#![allow(unreachable_pub, reason = "a module of several binaries")]
use std::io::Write;
use std::path::PathBuf;

use base64::Engine;
use serde_json::{Value, json};

/// A folder of the models that the project is tested with but does not ship. Says visibly where there is none.
pub fn models(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/models").join(folder);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("{} is not there", path.display()));
    None
}

/// Says that a test skips what it cannot do here; also where the test harness keeps what tests print.
pub fn skip(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// All `.gltf` and `.glb` files below a folder, sorted.
pub fn gltf_files(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("gltf" | "glb") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

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
