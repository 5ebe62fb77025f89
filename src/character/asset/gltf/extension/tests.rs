//! The table of extensions matches the behaviour of the loader and of posed copies.

use std::path::Path;

use base64::Engine;
use serde_json::{Value, json};

use crate::asset::gltf::{container, load_bytes, posed_copy};
use crate::asset::support::{EXTENSIONS, Extension, Support};
use crate::asset::{Character, LoadError};

/// A small file that uses an extension.
struct Fixture {
    root: Value,
    bytes: Vec<u8>,
    /// JSON pointer to the object that has the extension.
    place: &'static str,
    extension: Value,
}

impl Fixture {
    /// Returns a file with a textured triangle that does not use its extension yet.
    fn new() -> Self {
        let root = json!({
            "asset": {"version": "2.0"},
            "accessors": [],
            "bufferViews": [],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
            "nodes": [{"mesh": 0, "children": [1]}, {}],
            "scenes": [{"nodes": [0]}],
            "materials": [
                {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "emissiveFactor": [1, 1, 1]},
                {"name": "other"},
            ],
            "textures": [{"source": 0}],
            "images": [],
        });
        let mut fixture = Self { root, bytes: Vec::new(), place: "", extension: json!({}) };
        fixture.floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], 3, "VEC3");
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, 1, 1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().and_then(|mut w| w.write_image_data(&[9; 3])).unwrap();
        fixture.image(&png);
        fixture
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        self.bytes.extend(bytes);
        push(&mut self.root["bufferViews"], view)
    }

    fn floats(&mut self, values: &[f32], width: usize, kind: &str) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let count = values.len() / width;
        let accessor = json!({"bufferView": view, "type": kind, "componentType": 5126, "count": count});
        push(&mut self.root["accessors"], accessor)
    }

    fn image(&mut self, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        push(&mut self.root["images"], json!({"bufferView": view}))
    }

    fn at(mut self, place: &'static str, extension: Value) -> Self {
        (self.place, self.extension) = (place, extension);
        self
    }

    /// Returns the file with its extension. If `applied` is false, the file requires the extension, but nothing uses
    /// it.
    fn file(&self, name: &str, applied: bool) -> Vec<u8> {
        let mut root = self.root.clone();
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        let uri = format!("data:application/octet-stream;base64,{data}");
        root["buffers"] = json!([{"byteLength": self.bytes.len(), "uri": uri}]);
        root["extensionsUsed"] = json!([name]);
        root["extensionsRequired"] = json!([name]);
        if applied {
            root.pointer_mut(self.place).unwrap()["extensions"][name] = self.extension.clone();
        }
        root.to_string().into_bytes()
    }
}

fn push(list: &mut Value, item: Value) -> usize {
    let list = list.as_array_mut().unwrap();
    list.push(item);
    list.len() - 1
}

/// Returns a file in which an extension changes the loaded character, if the loader reads the extension.
fn fixture(name: &str) -> Fixture {
    let mut f = Fixture::new();
    match name {
        "EXT_meshopt_compression" | "KHR_meshopt_compression" => {
            let vertices: [[f32; 3]; 3] = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
            let encoded = meshopt::encode_vertex_buffer(&vertices).unwrap();
            let view = f.view(&encoded);
            let mut compressed = f.root["bufferViews"][view].clone();
            compressed["byteStride"] = json!(12);
            compressed["count"] = json!(3);
            compressed["mode"] = json!("ATTRIBUTES");
            f.at("/bufferViews/0", compressed)
        }
        "EXT_texture_webp" => {
            let mut webp = Vec::new();
            let encoder = image_webp::WebPEncoder::new(&mut webp);
            encoder.encode(&[1, 2, 3], 1, 1, image_webp::ColorType::Rgb8).unwrap();
            let image = f.image(&webp);
            f.at("/textures/0", json!({"source": image}))
        }
        "KHR_animation_pointer" => {
            let (input, output) = (f.floats(&[0.0, 1.0], 1, "SCALAR"), f.floats(&[1.0; 6], 3, "VEC3"));
            f.root["animations"] = json!([{
                "channels": [{"sampler": 0, "target": {"path": "pointer"}}],
                "samplers": [{"input": input, "output": output}],
            }]);
            f.at("/animations/0/channels/0/target", json!({"pointer": "/nodes/1/translation"}))
        }
        "KHR_texture_basisu" => {
            let image = f.image(include_bytes!("../../ktx2/uastc.ktx2"));
            f.at("/textures/0", json!({"source": image}))
        }
        "EXT_mesh_gpu_instancing" => {
            let translation = f.floats(&[1.0, 0.0, 0.0, 2.0, 0.0, 0.0], 3, "VEC3");
            f.at("/nodes/0", json!({"attributes": {"TRANSLATION": translation}}))
        }
        "KHR_lights_punctual" => {
            let lights =
                json!({"lights": [{"type": "spot", "intensity": 3, "spot": {"outerConeAngle": 0.5}}]});
            f.root["extensions"] = json!({"KHR_lights_punctual": lights});
            f.at("/nodes/1", json!({"light": 0}))
        }
        "KHR_materials_variants" => {
            f.root["extensions"] = json!({"KHR_materials_variants": {"variants": [{"name": "red"}]}});
            let mapping = json!({"material": 1, "variants": [0]});
            f.at("/meshes/0/primitives/0", json!({"mappings": [mapping]}))
        }
        "KHR_materials_volume" => f.at("/materials/0", json!({"thicknessFactor": 1})),
        "KHR_node_visibility" => f.at("/nodes/0", json!({"visible": false})),
        "KHR_draco_mesh_compression" => {
            let points = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
            let view = f.view(&draco_triangle(points));
            let indices = json!({"type": "SCALAR", "componentType": 5123, "count": 3});
            f.root["meshes"][0]["primitives"][0]["indices"] = push(&mut f.root["accessors"], indices).into();
            f.at("/meshes/0/primitives/0", json!({"bufferView": view, "attributes": {"POSITION": 0}}))
        }
        "KHR_materials_anisotropy" => f.at("/materials/0", json!({"anisotropyStrength": 0.5})),
        "KHR_materials_clearcoat" => f.at("/materials/0", json!({"clearcoatFactor": 1})),
        "KHR_materials_dispersion" => f.at("/materials/0", json!({"dispersion": 1})),
        "KHR_materials_emissive_strength" => f.at("/materials/0", json!({"emissiveStrength": 4})),
        "KHR_materials_ior" => f.at("/materials/0", json!({"ior": 1.8})),
        "KHR_materials_pbrSpecularGlossiness" => f.at("/materials/0", json!({"glossinessFactor": 0.5})),
        "KHR_materials_sheen" => f.at("/materials/0", json!({"sheenColorFactor": [1, 0, 0]})),
        "KHR_materials_iridescence" => f.at("/materials/0", json!({"iridescenceFactor": 1})),
        "KHR_materials_specular" => f.at("/materials/0", json!({"specularFactor": 0.5})),
        "KHR_materials_transmission" => f.at("/materials/0", json!({"transmissionFactor": 1})),
        "KHR_materials_unlit" => f.at("/materials/0", json!({})),
        "VRMC_materials_mtoon" => f.at("/materials/0", json!({"shadeColorFactor": [1, 0, 0]})),
        "VRMC_materials_hdr_emissiveMultiplier" => f.at("/materials/0", json!({"emissiveMultiplier": 4})),
        "KHR_texture_transform" => {
            f.at("/materials/0/pbrMetallicRoughness/baseColorTexture", json!({"scale": [2, 2]}))
        }
        "VRM" => f.at("", json!({"humanoid": {"humanBones": [{"bone": "hips", "node": 0}]}})),
        "VRMC_vrm" => f.at("", json!({"humanoid": {"humanBones": {"hips": {"node": 0}}}})),
        "VRMC_node_constraint" => f.at("/nodes/1", json!({"constraint": {"rotation": {"source": 0}}})),
        "VRMC_springBone" => {
            f.root["nodes"][1]["translation"] = json!([0, -1, 0]);
            f.at("", json!({"springs": [{"joints": [{"node": 0}, {"node": 1}]}]}))
        }
        "VRMC_springBone_extended_collider" => {
            let collider = json!({"node": 0, "shape": {"sphere": {"radius": 1}}});
            f.root["extensions"] = json!({"VRMC_springBone": {"colliders": [collider]}});
            let inside = json!({"shape": {"sphere": {"radius": 2, "inside": true}}});
            f.at("/extensions/VRMC_springBone/colliders/0", inside)
        }
        "VRMC_vrm_animation" => f.at("", json!({"humanoid": {"humanBones": {"hips": {"node": 0}}}})),
        _ => f,
    }
}

/// Compresses a triangle. The identifier of its positions is 0.
fn draco_triangle(points: [[f32; 3]; 3]) -> Vec<u8> {
    use draco_core::{DataType, EncoderBuffer, EncoderOptions, GeometryAttributeType, Mesh, MeshEncoder};
    let mut mesh = Mesh::new();
    let mut positions = draco_core::PointAttribute::new();
    positions.init(GeometryAttributeType::Position, 3, DataType::Float32, false, 3);
    positions.buffer_mut().update_f32s_le(0, points.as_flattened());
    mesh.set_num_points(3);
    mesh.add_attribute(positions);
    mesh.add_face([0, 1, 2].map(draco_core::PointIndex));
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut bytes = EncoderBuffer::new();
    encoder.encode(&EncoderOptions::new(), &mut bytes).unwrap();
    bytes.data().to_vec()
}

fn load(bytes: &[u8]) -> Result<Character, LoadError> {
    load_bytes(Path::new("test.gltf"), bytes, None)
}

/// Returns everything about a character except its warnings, for comparison.
fn contents(bytes: &[u8]) -> String {
    let mut character = load(bytes).unwrap();
    character.warnings.clear();
    format!("{character:?}")
}

fn check(row: &Extension) {
    let (name, fixture) = (row.name, fixture(row.name));
    let (bytes, without) = (fixture.file(name, true), fixture.file(name, false));
    let loaded = load(&bytes);
    if row.support == Support::Refused {
        let line = loaded.unwrap_err().to_string();
        assert_eq!(line, format!("test.gltf: extensionsRequired: {name} is not supported"));
        return;
    }
    let character = loaded.unwrap_or_else(|e| panic!("{name}: {e}"));
    let is_ignored = row.support == Support::Ignored;
    assert_eq!(character.warnings.iter().any(|w| w.contains(name)), is_ignored, "{:?}", character.warnings);
    // Quantised accessors do not need an extension object.
    if name != "KHR_mesh_quantization" {
        assert_eq!(contents(&bytes) == contents(&without), is_ignored, "{name} is {:?}", row.support);
    }
    assert_eq!(is_in_copy(&fixture, name, &character, &bytes), row.is_kept(), "{name} in a posed copy");
}

/// Returns whether a posed copy contains the data of an extension.
fn is_in_copy(fixture: &Fixture, name: &str, character: &Character, bytes: &[u8]) -> bool {
    let skeleton = &character.skeleton;
    let rest: Vec<_> = skeleton.nodes.iter().map(|n| n.rest).collect();
    let weights = &skeleton.rest_weights;
    let copy = posed_copy(Path::new("test.gltf"), bytes, None, skeleton, &rest, weights, &[]).unwrap();
    load(&copy).unwrap_or_else(|e| panic!("{name}: the copy: {e}"));
    let json: Value = serde_json::from_slice(container::split(&copy).unwrap().json).unwrap();
    assert_eq!(json["extensionsRequired"], json!([name]));
    json.pointer(fixture.place).is_some_and(|object| object["extensions"].get(name).is_some())
}

#[test]
fn the_loader_does_what_the_table_says() {
    assert!(EXTENSIONS.is_sorted_by(|a, b| a.name < b.name));
    EXTENSIONS.iter().for_each(check);
}

#[test]
fn unknown_extensions_of_materials_are_ignored_and_others_are_refused() {
    let load_with = |name| load(&Fixture::new().file(name, true));
    let line = "extensionsRequired: KHR_materials_new is not supported, so the model looks different";
    assert_eq!(load_with("KHR_materials_new").unwrap().warnings, [line]);
    let refused = load_with("KHR_new_shapes").unwrap_err().to_string();
    assert_eq!(refused, "test.gltf: extensionsRequired: KHR_new_shapes is not supported");
}
