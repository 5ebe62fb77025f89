//! Materials with the layers of the `KHR_materials_*` extensions.

use serde_json::json;

use super::{BASE_MEMORY, Decoder, files};

pub(super) const LAYERS: Decoder = Decoder {
    name: "layers",
    seeds: || vec![materials()],
    mutate: files::extensions,
    truncate: files::truncate,
    decode: |input| {
        let Some(character) = files::load(input) else { return Ok(false) };
        // Material numbers are passed to the shaders unchanged. The `Debug` output contains the numbers of all layers.
        let text = format!("{:?}", character.materials);
        let is_missing = |word: &str| text.contains(word);
        // A volume without attenuation has an infinite attenuation distance.
        if is_missing("NaN") || text.replace("attenuation_distance: inf", "").contains("inf,") {
            return Err(format!("material not finite: {text}"));
        }
        Ok(true)
    },
    base_memory: BASE_MEMORY,
};

/// Returns a triangle with a material that has all layers, and one with each of the older extensions.
fn materials() -> Vec<u8> {
    let texture = |index: usize| {
        let transform = json!({ "offset": [0.1, 0.2], "rotation": 0.5, "scale": [2, 2], "texCoord": 1 });
        json!({ "index": index, "texCoord": 1, "extensions": { "KHR_texture_transform": transform } })
    };
    let mut normal = texture(1);
    normal["scale"] = json!(0.5);
    let layers = json!({
        "KHR_materials_ior": { "ior": 1.4 },
        "KHR_materials_specular": {
            "specularFactor": 0.5, "specularTexture": texture(0),
            "specularColorFactor": [1, 0.5, 2], "specularColorTexture": texture(1),
        },
        "KHR_materials_clearcoat": {
            "clearcoatFactor": 1, "clearcoatTexture": texture(0), "clearcoatRoughnessFactor": 0.2,
            "clearcoatRoughnessTexture": texture(0), "clearcoatNormalTexture": normal,
        },
        "KHR_materials_sheen": {
            "sheenColorFactor": [0.2, 0.3, 0.4], "sheenColorTexture": texture(0),
            "sheenRoughnessFactor": 0.4, "sheenRoughnessTexture": texture(1),
        },
        "KHR_materials_transmission": { "transmissionFactor": 0.9, "transmissionTexture": texture(0) },
        "KHR_materials_volume": {
            "thicknessFactor": 0.1, "thicknessTexture": texture(0),
            "attenuationDistance": 0.5, "attenuationColor": [0.9, 0.5, 0.4],
        },
        "KHR_materials_iridescence": {
            "iridescenceFactor": 1, "iridescenceTexture": texture(0), "iridescenceIor": 1.3,
            "iridescenceThicknessMinimum": 100, "iridescenceThicknessMaximum": 400,
            "iridescenceThicknessTexture": texture(1),
        },
        "KHR_materials_anisotropy": {
            "anisotropyStrength": 0.6, "anisotropyRotation": 1.2, "anisotropyTexture": texture(0),
        },
        "KHR_materials_emissive_strength": { "emissiveStrength": 5 },
        "KHR_materials_dispersion": { "dispersion": 0.1 },
    });
    let old = json!({
        "KHR_materials_unlit": {},
        "KHR_materials_pbrSpecularGlossiness": { "diffuseFactor": [1, 0, 0, 1], "glossinessFactor": 0.4 },
    });
    let names: Vec<&String> =
        [&layers, &old].iter().flat_map(|l| l.as_object().into_iter().flat_map(|map| map.keys())).collect();
    let image = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, crate::seeds::png());
    let file = json!({
        "asset": { "version": "2.0" }, "extensionsUsed": names,
        "accessors": [{ "componentType": 5126, "type": "VEC3", "count": 3 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "material": 0 }] }],
        "nodes": [{ "mesh": 0 }],
        "materials": [{ "emissiveFactor": [1, 1, 1], "extensions": layers }, { "extensions": old }],
        "textures": [{ "source": 0 }, { "source": 0, "sampler": 0 }],
        "samplers": [{ "wrapS": 33071 }],
        "images": [{ "uri": format!("data:image/png;base64,{image}") }],
    });
    serde_json::to_vec(&file).unwrap_or_default()
}
