//! Expressions of both versions of VRM. Invalid binds are ignored with a warning.

use serde_json::{Value, json};
use sinew::asset::{Character, Expression, MorphBind, Overrides};

use crate::{load, refusal};

/// Returns a file with three nodes. The first has no mesh, the mesh of the second has two morph targets, and the mesh of the
/// third has one.
fn file(extensions: Value) -> Vec<u8> {
    let target = json!({"POSITION": 0});
    let mesh =
        |targets: &[Value]| json!({"primitives": [{"attributes": {"POSITION": 0}, "targets": targets}]});
    let file = json!({
        "asset": {"version": "2.0"},
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3}],
        "meshes": [mesh(&[target.clone(), target.clone()]), mesh(&[target])],
        "nodes": [{}, {"mesh": 0}, {"mesh": 1}],
        "extensions": extensions,
    });
    serde_json::to_vec(&file).unwrap()
}

fn version_1(expressions: Value) -> Vec<u8> {
    file(json!({"VRMC_vrm": {"expressions": expressions}}))
}

fn version_0(groups: Value) -> Vec<u8> {
    file(json!({"VRM": {"blendShapeMaster": {"blendShapeGroups": groups}}}))
}

fn expression(
    name: &str,
    preset: Option<&'static str>,
    is_binary: bool,
    binds: &[(usize, f32)],
) -> Expression {
    let binds = binds.iter().map(|&(weight, amount)| MorphBind { weight, amount }).collect();
    Expression {
        name: name.to_owned(),
        preset,
        is_binary,
        overrides: Overrides::default(),
        binds,
        materials: Vec::new(),
    }
}

#[test]
fn both_versions_are_read() {
    let v1 = version_1(json!({
        "preset": {"happy": {"morphTargetBinds": [
            {"node": 1, "index": 1, "weight": 0.5}, {"node": 2, "index": 0, "weight": 1},
        ]}},
        "custom": {"happy?": {"isBinary": true, "morphTargetBinds": [{"node": 1, "index": 0, "weight": 1}]}},
    }));
    let both = [
        expression("happy", Some("happy"), false, &[(1, 0.5), (2, 1.0)]),
        expression("happy?", None, true, &[(0, 1.0)]),
    ];
    let character = load(&v1).unwrap();
    assert_eq!((character.expressions, character.warnings.len()), (both.to_vec(), 0));
    let v0 = version_0(json!([
        {"name": "よろこび", "presetName": "joy", "binds": [{"mesh": 0, "index": 1, "weight": 25}]},
        {"presetName": "Blink_R", "isBinary": true, "binds": [{"mesh": 1, "index": 0, "weight": 100}]},
    ]));
    let both = [
        expression("よろこび", Some("happy"), false, &[(1, 0.25)]),
        expression("Blink_R", Some("blinkRight"), true, &[(2, 1.0)]),
    ];
    assert_eq!(load(&v0).unwrap().expressions, both);
}

#[test]
fn invalid_binds_are_ignored_with_a_warning() {
    let load_with_warning = |bytes: &[u8]| -> (Character, String) {
        let character = load(bytes).unwrap();
        let warning = character.warnings.first().cloned().unwrap_or_default();
        assert!(character.warnings.len() <= 1, "{:?}", character.warnings);
        (character, warning)
    };
    let at = "extensions.VRMC_vrm.expressions.preset.aa.morphTargetBinds";
    for (bind, cause) in [
        (
            json!({"node": 9, "index": 0, "weight": 1}),
            "node 9 does not exist; the file has 3, counted from 0, so the bind is ignored",
        ),
        (
            json!({"node": 0, "index": 0, "weight": 1}),
            "morph target 0 does not exist; node 0 has no morph targets, so the bind is ignored",
        ),
        (
            json!({"node": 2, "index": 18_446_744_073_709_551_615_u64, "weight": 1}),
            "morph target 18446744073709551615 does not exist; node 2 has 1, counted from 0, so the bind is ignored",
        ),
        (
            json!({"node": -1, "index": 0, "weight": 1}),
            "\"node\" is missing or not an index, so the bind is ignored",
        ),
        (
            json!({"node": 1, "index": 0.5, "weight": 1}),
            "\"index\" is missing or not an index, so the bind is ignored",
        ),
        (json!({"node": 1, "index": 0}), "\"weight\" is missing or not a number, so the bind is ignored"),
        (json!("none"), "\"node\" is missing or not an index, so the bind is ignored"),
    ] {
        // The valid bind beside it is kept.
        let binds = json!([{"node": 1, "index": 1, "weight": 1}, bind, bind]);
        let (character, warning) =
            load_with_warning(&version_1(json!({"preset": {"aa": {"morphTargetBinds": binds}}})));
        assert_eq!(warning, format!("{at}[1]: {cause}"));
        assert_eq!(character.expressions, [expression("aa", Some("aa"), false, &[(1, 1.0)])]);
    }
    let (character, warning) = load_with_warning(&version_0(
        json!([{}, {"name": "A", "binds": [{"mesh": 2, "index": 0, "weight": 1}]}]),
    ));
    let at = "extensions.VRM.blendShapeMaster.blendShapeGroups[1].binds[0]";
    assert_eq!(
        warning,
        format!("{at}: mesh 2 does not exist; the file has 2, counted from 0, so the bind is ignored")
    );
    assert!(character.expressions.is_empty());
    let too_large = version_0(json!([{"name": "A", "binds": [{"mesh": 1, "index": 0, "weight": 1000}]}]));
    let (character, warning) = load_with_warning(&too_large);
    assert_eq!(
        warning,
        format!("{}: weight 1000 is not between 0 and 100 and was clamped", at.replace("[1]", "[0]"))
    );
    assert_eq!(character.expressions, [expression("A", None, false, &[(2, 1.0)])]);
    // Values of the wrong type are ignored where a list is expected.
    for invalid in
        [json!(null), json!(7), json!([7, null, [], {"binds": 3}]), json!({"preset": [], "custom": "x"})]
    {
        assert!(load_with_warning(&version_0(invalid.clone())).0.expressions.is_empty());
        assert!(load_with_warning(&version_1(invalid)).0.expressions.is_empty());
    }
}

#[test]
fn binds_of_a_mesh_on_many_nodes_are_bounded() {
    let target = json!({"POSITION": 0});
    let many = json!({
        "asset": {"version": "2.0"},
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [target]}]}],
        "nodes": vec![json!({"mesh": 0}); 4000],
        "extensions": {"VRM": {"blendShapeMaster": {"blendShapeGroups": [
            {"name": "A", "binds": vec![json!({"mesh": 0, "index": 0, "weight": 1}); 4000]},
        ]}}},
    });
    let message = refusal(&serde_json::to_vec(&many).unwrap());
    assert!(
        message.contains("blendShapeGroups[0].binds[") && message.contains("out of proportion"),
        "{message}"
    );
}

#[test]
fn changes_of_materials_are_read() {
    let file = |extensions: Value| {
        let document = json!({
            "asset": {"version": "2.0"},
            "nodes": [{}],
            "materials": [{"name": "face", "emissiveFactor": [0, 0, 0.25]}, {"name": "face"}],
            "extensions": extensions,
        });
        document.to_string().into_bytes()
    };
    let color = |material: usize, kind: &str, target: Value| json!({"material": material, "type": kind, "targetValue": target});
    let binds = json!([
        color(0, "emissionColor", json!([1, 0, 0, 1])),
        // Without MToon there is no shade.
        color(0, "shadeColor", json!([1, 0, 0, 1])),
        color(2, "color", json!([1, 0, 0, 1])),
        color(0, "specularColor", json!([1, 0, 0, 1])),
        color(1, "color", json!(["red"])),
        3,
    ]);
    let expressions = json!({"custom": {"glow": {"isBinary": true, "materialColorBinds": binds}}});
    let character = load(&file(json!({"VRMC_vrm": {"expressions": expressions}}))).unwrap();
    let [glow] = character.expressions.as_slice() else { panic!("{:?}", character.expressions) };
    let changes: Vec<_> = glow.materials.iter().map(|bind| (bind.material, bind.difference)).collect();
    assert_eq!(changes, [(0, [1.0, 0.0, -0.25, 0.0]), (1, [-1.0, -1.0, -1.0, 0.0])]);
    // Its value follows the morph weights, but there are none.
    assert_eq!(glow.binds, [MorphBind { weight: 0, amount: 1.0 }]);
    assert_eq!(character.skeleton.rest_weights, [0.0]);
    let lines: Vec<_> =
        character.warnings.iter().filter(|line| line.contains("glow.materialColorBinds")).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let value = |name: &str, property: &str, target: Value| json!({"materialName": name, "propertyName": property, "targetValue": target});
    let values = json!([
        value("face", "_Color", json!([0, 1, 1, 1])),
        value("nose", "_Color", json!([0, 1, 1, 1])),
        value("face", "_Shininess", json!([0, 1, 1, 1])),
    ]);
    let groups = json!([{"name": "blue", "materialValues": values}]);
    let character = load(&file(json!({"VRM": {"blendShapeMaster": {"blendShapeGroups": groups}}}))).unwrap();
    assert_eq!(character.expressions[0].materials.len(), 2);
    assert_eq!(character.warnings.len(), 2, "{:?}", character.warnings);
    let huge = json!([color(0, "color", json!([1e39]))]);
    let huge = json!({"custom": {"glow": {"materialColorBinds": huge}}});
    assert!(
        refusal(&file(json!({"VRMC_vrm": {"expressions": huge}})))
            .contains("targetValue: value is too large")
    );
}
