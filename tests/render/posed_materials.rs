//! Materials and visibility that expressions, clips and the time change.

use serde_json::{Value, json};
use sinew::puppet::Puppet;
use sinew::render::ShadingMode;

use crate::{add_square, assert_near, draw_puppet, load, pixel, settings};
use sinew_testkit::{Builder, image};

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLACK: [u8; 4] = [0, 0, 0, 255];

/// A square from −1 to 1 with an unlit material and a texture whose left half is red and whose right half is green. It is white if the
/// material does not use the texture.
struct Square {
    builder: Builder,
    document: Value,
}

impl Square {
    fn new(material: Value) -> Self {
        let mut builder = Builder::default();
        let (attributes, indices) = add_square(&mut builder);
        let pixels = [RED, GREEN];
        let view = builder.view(&image::png(2, 1, image::ColorType::Rgba, pixels.as_flattened()));
        let document = json!({
            "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
            "nodes": [{"children": [1]}, {"mesh": 0}],
            "scenes": [{"nodes": [0]}],
            "materials": [material],
            "images": [{"bufferView": view, "mimeType": "image/png"}],
            "samplers": [{"magFilter": 9728, "minFilter": 9728}],
            "textures": [{"source": 0, "sampler": 0}],
        });
        Self { builder, document }
    }

    fn with_expression(mut self, expression: Value) -> Puppet {
        self.document["extensions"] = json!({"VRMC_vrm": {"expressions": {"preset": {"happy": expression}}}});
        self.puppet()
    }

    /// Adds a clip that animates a pointer with the given values at 0, 1, … seconds.
    fn with_clip(mut self, pointer: &str, kind: &str, width: usize, values: &[f32]) -> Puppet {
        let times: Vec<f32> = (0..values.len() / width).map(|i| i as f32).collect();
        let input = self.builder.floats("SCALAR", 1, &times);
        let output = self.builder.floats(kind, width, values);
        let pointer = json!({"KHR_animation_pointer": {"pointer": pointer}});
        self.document["animations"] = json!([{
            "channels": [{"sampler": 0, "target": {"path": "pointer", "extensions": pointer}}],
            "samplers": [{"input": input, "output": output}],
        }]);
        let mut puppet = self.puppet();
        assert!(puppet.character().warnings.is_empty(), "{:?}", puppet.character().warnings);
        puppet.play(0, 0.0);
        puppet
    }

    fn puppet(self) -> Puppet {
        Puppet::new(load(&self.builder.file(self.document)), 0)
    }
}

fn unlit(mut material: Value) -> Value {
    material["extensions"]["KHR_materials_unlit"] = json!({});
    material
}

fn textured() -> Value {
    json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}})
}

/// Returns the colour of the square's left half at a time.
fn seen(puppet: &mut Puppet, time: f32) -> [u8; 4] {
    puppet.time = time;
    puppet.update().unwrap();
    pixel(&draw_puppet(puppet, &settings(ShadingMode::Shaded), (64, 64)), 24, 32)
}

/// Returns the colour of the square's left half when the first expression has the given value.
fn with_value(puppet: &mut Puppet, value: f32) -> [u8; 4] {
    let mut pose = sinew::pose::Pose::rest(&puppet.character().skeleton);
    for bind in &puppet.character().expressions[0].binds {
        pose.weights[bind.weight] = value * bind.amount;
    }
    puppet.held = Some(pose);
    seen(puppet, 0.0)
}

#[test]
fn an_expression_changes_a_colour() {
    let color = json!({"material": 0, "type": "color", "targetValue": [1, 0, 0, 1]});
    let mut puppet = Square::new(unlit(json!({}))).with_expression(json!({"materialColorBinds": [color]}));
    assert_eq!(with_value(&mut puppet, 0.0), [255; 4]);
    assert_eq!(with_value(&mut puppet, 1.0), RED);
    assert_near(with_value(&mut puppet, 0.5), [255, 188, 188, 255], 1);
    assert_eq!(with_value(&mut puppet, 0.0), [255; 4]);
}

#[test]
fn an_expression_moves_a_texture() {
    let bind = json!({"material": 0, "offset": [0.5, 0]});
    let square = Square::new(unlit(textured()));
    let mut puppet = square.with_expression(json!({"textureTransformBinds": [bind]}));
    assert_eq!(with_value(&mut puppet, 0.0), RED);
    assert_eq!(with_value(&mut puppet, 1.0), GREEN);
}

#[test]
fn an_expression_changes_the_shade_and_the_outline() {
    let outline = json!({
        "shadeColorFactor": [0, 0, 0], "shadingShiftFactor": -2, "outlineWidthMode": "screenCoordinates",
        "outlineWidthFactor": 0.1, "outlineColorFactor": [0, 0, 0], "outlineLightingMixFactor": 0,
    });
    let black = json!({"baseColorFactor": [0, 0, 0, 1]});
    let material = json!({"pbrMetallicRoughness": black, "extensions": {"VRMC_materials_mtoon": outline}, "doubleSided": true});
    let bind = |kind: &str| json!({"material": 0, "type": kind, "targetValue": [0, 1, 0, 1]});
    let binds = json!({"materialColorBinds": [bind("shadeColor"), bind("outlineColor")]});
    let mut puppet = Square::new(material).with_expression(binds);
    assert_eq!(puppet.character().expressions[0].materials.len(), 2);
    assert_eq!(with_value(&mut puppet, 0.0), BLACK);
    // The key light of the classic light is 0.8.
    assert_near(with_value(&mut puppet, 1.0), [0, 231, 0, 255], 1);
}

#[test]
fn expressions_of_vrm_0_change_materials_of_a_name() {
    let mut square = Square::new(unlit(json!({"name": "skin"})));
    let value = |property: &str, target: [f32; 4]| json!({"materialName": "skin", "propertyName": property, "targetValue": target});
    let group = json!({"presetName": "joy", "materialValues": [value("_Color", [0.5, 1.0, 1.0, 1.0])]});
    square.document["extensions"] = json!({"VRM": {"blendShapeMaster": {"blendShapeGroups": [group]}}});
    let mut puppet = square.puppet();
    // The colour is in sRGB.
    assert_near(with_value(&mut puppet, 1.0), [128, 255, 255, 255], 1);
}

#[test]
fn a_clip_changes_a_colour() {
    let pointer = "/materials/0/pbrMetallicRoughness/baseColorFactor";
    let values = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    let mut puppet = Square::new(unlit(json!({}))).with_clip(pointer, "VEC4", 4, &values);
    assert_eq!(seen(&mut puppet, 0.0), RED);
    assert_near(seen(&mut puppet, 0.25), [225, 137, 0, 255], 1);
    assert_eq!(seen(&mut puppet, 1.0), GREEN);
}

#[test]
fn a_clip_moves_a_texture() {
    let pointer =
        "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/offset";
    let mut puppet = Square::new(unlit(textured())).with_clip(pointer, "VEC2", 2, &[0.0, 0.0, 1.0, 0.0]);
    assert_eq!(seen(&mut puppet, 0.0), RED);
    assert_eq!(seen(&mut puppet, 0.5), GREEN);
}

#[test]
fn a_clip_shows_and_hides_a_node() {
    let pointer = "/nodes/0/extensions/KHR_node_visibility/visible";
    for hidden_at_rest in [false, true] {
        let mut square = Square::new(unlit(json!({})));
        square.document["nodes"][0]["extensions"] =
            json!({"KHR_node_visibility": {"visible": !hidden_at_rest}});
        let mut puppet = square.with_clip(pointer, "SCALAR", 1, &[1.0, 0.0, 1.0]);
        for (time, color) in [(0.0, [255; 4]), (0.9, [255; 4]), (1.0, BLACK), (1.9, BLACK), (2.0, [255; 4])] {
            assert_eq!(seen(&mut puppet, time), color, "at {time}");
        }
        assert!(!puppet.bounds().is_empty());
        seen(&mut puppet, 1.5);
        assert!(puppet.is_hidden(0) && puppet.part_bounds()[0].is_empty());
        puppet.motion = Default::default();
        assert_eq!(seen(&mut puppet, 0.0), if hidden_at_rest { BLACK } else { [255; 4] });
    }
}

#[test]
fn textures_of_mtoon_move_with_the_time() {
    let mut material = textured();
    let moving = json!({"uvAnimationScrollXSpeedFactor": 0.25, "shadeColorFactor": [0, 0, 0], "shadingShiftFactor": 2});
    material["extensions"]["VRMC_materials_mtoon"] = moving;
    let mut puppet = Square::new(material).puppet();
    assert_near(seen(&mut puppet, 0.0), RED, 1);
    assert_near(seen(&mut puppet, 2.0), GREEN, 1);
    assert_near(seen(&mut puppet, 4.0), RED, 1);
    // Half a turn about the middle of the texture exchanges the halves, too.
    let mut material = textured();
    let turning =
        json!({"uvAnimationRotationSpeedFactor": 1, "shadeColorFactor": [0, 0, 0], "shadingShiftFactor": 2});
    material["extensions"]["VRMC_materials_mtoon"] = turning;
    let mut puppet = Square::new(material).puppet();
    assert_near(seen(&mut puppet, std::f32::consts::PI), GREEN, 1);
}
