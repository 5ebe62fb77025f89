//! MToon materials of both versions of VRM.

use glam::{Affine2, Vec2, Vec3};
use serde_json::{Value, json};
use sinew::asset::{AlphaMode, Material, Outline, OutlineWidth, Toon};

use crate::{load, refusal};

fn version_1(extension: Value) -> Vec<u8> {
    let materials = json!([{"extensions": {
        "VRMC_materials_mtoon": extension, "KHR_materials_unlit": {},
    }}]);
    file(materials, json!({}))
}

fn version_0(properties: Value) -> Vec<u8> {
    let count = properties.as_array().unwrap().len();
    let plain = json!({"doubleSided": true});
    file(vec![plain; count].into(), json!({"VRM": {"materialProperties": properties}}))
}

fn file(materials: Value, extensions: Value) -> Vec<u8> {
    let document = json!({
        "asset": {"version": "2.0"},
        "materials": materials,
        "textures": [{}, {}],
        "extensions": extensions,
    });
    document.to_string().into_bytes()
}

fn toon(material: &Material) -> Toon {
    material.toon.unwrap()
}

#[test]
fn version_1_is_read_and_replaces_unlit() {
    let character = load(&version_1(json!({
        "shadeColorFactor": [0.5, 0.25, 0],
        "shadingShiftTexture": {"index": 1, "scale": -2},
        "shadingToonyFactor": 0.5,
        "matcapTexture": {"index": 0, "texCoord": 1},
        "outlineWidthMode": "screenCoordinates",
        "outlineWidthFactor": 0.01,
        "outlineColorFactor": [0, 0, 1],
        "uvAnimationScrollYSpeedFactor": 2,
        "transparentWithZWrite": true,
        "renderQueueOffsetNumber": 40,
    })));
    let material = &character.unwrap().materials[0];
    let outline =
        Outline { width: OutlineWidth::Screen(0.01), width_texture: None, color: Vec3::Z, lighting_mix: 1.0 };
    let found = toon(material);
    assert!(!material.unlit && found.writes_depth);
    assert_eq!((found.shade_color, found.toony), (Vec3::new(0.5, 0.25, 0.0), 0.5));
    assert_eq!((found.shading_shift_texture.unwrap().texture, found.shading_shift_scale), (1, -2.0));
    assert_eq!(found.matcap_texture.unwrap().uv_set, 1);
    assert_eq!(found.outline, Some(outline));
    assert_eq!(found.uv_motion.scroll, Vec2::new(0.0, 2.0));
    assert_eq!(found.queue_offset, 9);
    assert_eq!(toon(&load(&version_1(json!({}))).unwrap().materials[0]), Toon::default());
}

#[test]
fn invalid_values_are_refused_or_limited() {
    let toon_of = |json| toon(&load(&version_1(json)).unwrap().materials[0]);
    let limited = toon_of(json!({
        "shadeColorFactor": [-1, 2, "red"], "shadingToonyFactor": 7, "outlineWidthMode": "worldCoordinates",
        "outlineWidthFactor": -1, "parametricRimFresnelPowerFactor": -3, "renderQueueOffsetNumber": "last",
    }));
    assert_eq!(limited.shade_color, Vec3::new(0.0, 2.0, 0.0));
    assert_eq!((limited.toony, limited.rim_fresnel_power, limited.queue_offset), (1.0, 0.0, 0));
    assert_eq!(limited.outline, None);
    let huge = refusal(&version_1(json!({"shadingShiftFactor": 1e39})));
    assert!(huge.contains("materials[0].extensions.VRMC_materials_mtoon.shadingShiftFactor"), "{huge}");
    let missing = refusal(&version_1(json!({"rimMultiplyTexture": {"index": 2}})));
    assert!(missing.contains("rimMultiplyTexture.index: texture 2 does not exist"), "{missing}");
    let missing =
        refusal(&version_0(json!([{"shader": "VRM/MToon", "textureProperties": {"_SphereAdd": 7}}])));
    assert!(missing.contains("_SphereAdd.index: texture 7 does not exist"), "{missing}");
    let huge = refusal(&version_0(json!([{"shader": "VRM/MToon", "vectorProperties": {"_Color": [1e30]}}])));
    assert!(huge.contains("materialProperties[0].vectorProperties._Color"), "{huge}");
}

#[test]
fn version_0_is_converted() {
    let properties = json!([{
        "shader": "VRM/MToon",
        "keywordMap": {"_ALPHATEST_ON": true},
        "floatProperties": {
            "_Cutoff": 0.25, "_CullMode": 2, "_ShadeShift": -0.5, "_ShadeToony": 0.6,
            "_IndirectLightIntensity": 0.25, "_OutlineWidthMode": 1, "_OutlineWidth": 0.5,
            "_OutlineColorMode": 1, "_OutlineLightingMix": 0.75, "_UvAnimScrollX": 1, "_UvAnimScrollY": 2,
        },
        "vectorProperties": {
            "_Color": [1, 0.5, 0, 0.5], "_ShadeColor": [0.5, 0, 0, 1], "_MainTex": [0.25, 0.5, 2, 4],
        },
        "textureProperties": {"_MainTex": 1, "_SphereAdd": 0},
    }]);
    let character = load(&version_0(properties)).unwrap();
    let material = &character.materials[0];
    let half = 0.214_041_14;
    assert_eq!(material.alpha_mode, AlphaMode::Mask(0.25));
    assert!(!material.double_sided);
    assert!((material.base_color.truncate() - Vec3::new(1.0, half, 0.0)).length() < 1e-6);
    assert_eq!(material.base_color.w, 0.5);
    // Unity's texture coordinates begin at the bottom: 1 − 4 − 0.5.
    let transform = Affine2::from_scale_angle_translation(Vec2::new(2.0, 4.0), 0.0, Vec2::new(0.25, -3.5));
    assert_eq!(material.base_color_texture.unwrap().uv_transform, transform);
    let found = toon(material);
    assert_eq!(found.matcap_texture.unwrap().uv_transform, Affine2::IDENTITY);
    // 0.6 + 0.4 × 0.25, and 0.5 − 0.3.
    assert!((found.toony - 0.7).abs() < 1e-6 && (found.shading_shift - 0.2).abs() < 1e-6);
    assert!((found.shade_color - Vec3::new(half, 0.0, 0.0)).length() < 1e-6);
    assert_eq!(found.gi_equalization, 0.75);
    assert_eq!(found.uv_motion.scroll, Vec2::new(1.0, -2.0));
    let outline = found.outline.unwrap();
    assert_eq!((outline.width, outline.lighting_mix), (OutlineWidth::World(0.005), 0.75));
}

#[test]
fn unlit_shaders_and_queues_of_version_0_are_read() {
    let blended = |queue: i64, writes_depth: i32| {
        json!({
            "shader": "VRM/MToon", "renderQueue": queue, "keywordMap": {"_ALPHABLEND_ON": true},
            "floatProperties": {"_ZWrite": writes_depth},
        })
    };
    let character = load(&version_0(json!([
        {"shader": "VRM/UnlitTexture"},
        {"shader": "VRM/UnlitTransparentZWrite", "renderQueue": 2501},
        {"shader": "VRM/UnlitCutout", "floatProperties": {"_Cutoff": 0.125}},
        {"shader": "VRM_USE_GLTFSHADER"},
        blended(3000, 0), blended(2990, 0), blended(2995, 0), blended(2510, 1),
    ])));
    let materials = character.unwrap().materials;
    let unlit: Vec<bool> = materials.iter().map(|m| m.unlit).collect();
    assert_eq!(unlit, [true, true, true, false, false, false, false, false]);
    assert_eq!(materials[0].alpha_mode, AlphaMode::Opaque);
    assert_eq!(materials[1].alpha_mode, AlphaMode::Blend);
    assert_eq!(materials[2].alpha_mode, AlphaMode::Mask(0.125));
    assert!(materials[3].toon.is_none() && materials[3].double_sided);
    let order: Vec<(i32, bool)> =
        [1, 4, 5, 6, 7].map(|i| toon(&materials[i])).map(|t| (t.queue_offset, t.writes_depth)).to_vec();
    assert_eq!(order, [(0, true), (0, false), (-2, false), (-1, false), (1, true)]);
}

/// Unity properties for materials that the file lacks, and Unity properties of the wrong types.
#[test]
fn odd_properties_of_version_0_are_ignored() {
    let odd = file(
        json!([{}]),
        json!({"VRM": {"materialProperties": [
            {"shader": "VRM/MToon", "floatProperties": [], "vectorProperties": {"_Color": "red"}, "keywordMap": 3,
             "textureProperties": {"_MainTex": -1}},
            {"shader": "VRM/MToon"},
        ]}}),
    );
    let character = load(&odd).unwrap();
    assert_eq!(character.materials[0].base_color, glam::Vec4::ONE);
    assert!(character.materials[0].base_color_texture.is_none());
    let line = "extensions.VRM.materialProperties: 1 materials are not in the file and are ignored";
    assert!(character.warnings.iter().any(|w| w == line), "{:?}", character.warnings);
    assert!(load(&version_0(json!([3, null]))).is_ok());
}
