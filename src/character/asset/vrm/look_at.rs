//! Gaze settings: `VRMC_vrm.lookAt`, and `VRM.firstPerson` of VRM 0.

use std::collections::BTreeMap;

use glam::DVec3;
use serde_json::{Map, Value};

use super::json::{number, vector};

/// How a character looks at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAt {
    /// Node of the head.
    pub head: usize,
    /// Nodes of the left and the right eye.
    pub eyes: [Option<usize>; 2],
    /// Position between the eyes, in the space of the head.
    pub offset: DVec3,
    /// Whether bones or expressions show the gaze.
    pub kind: LookAtKind,
    /// Whether the character faces −Z instead of +Z in the rest pose, as in VRM 0.
    pub faces_back: bool,
    /// Range map for turning an eye towards the nose.
    pub inner: RangeMap,
    /// Range map for turning an eye away from the nose. Expressions use this map for both sides.
    pub outer: RangeMap,
    /// Range map for looking down.
    pub down: RangeMap,
    /// Range map for looking up.
    pub up: RangeMap,
}

/// The parts that move when a character looks at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookAtKind {
    /// The bones of the eyes.
    Bone,
    /// The expressions `lookUp`, `lookDown`, `lookLeft` and `lookRight`.
    Expression,
}

/// A linear function from an angle to the rotation of an eye or the weight of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeMap {
    /// Positive angle in degrees above which the result is constant.
    pub input_max: f64,
    /// The result at `input_max`: degrees, or the weight of an expression.
    pub output_scale: f64,
}

impl RangeMap {
    /// Smallest [`RangeMap::input_max`] that keeps the result finite.
    const MIN_INPUT: f64 = 0.01;

    /// Returns the result for an angle in degrees.
    pub fn map(self, angle: f64) -> f64 {
        self.output_scale * (angle / self.input_max).clamp(0.0, 1.0)
    }

    fn read(json: &Value, keys: [&str; 3], defaults: (f64, f64)) -> Self {
        let [key, input, output] = keys;
        let field = |name| json.get(key).and_then(|map| number(map, name));
        Self {
            input_max: field(input).unwrap_or(defaults.0).max(Self::MIN_INPUT),
            output_scale: field(output).unwrap_or(defaults.1),
        }
    }
}

/// Reads the gaze settings of a humanoid. `bones` is its humanoid map. Returns `None` if the map has no head.
pub(in crate::asset) fn look_at(
    extensions: &Map<String, Value>,
    bones: Option<&BTreeMap<String, usize>>,
) -> Option<LookAt> {
    let bones = bones?;
    let node = |bone: &str| bones.get(bone).copied();
    let (head, eyes) = (node("head")?, [node("leftEye"), node("rightEye")]);
    let read = |json: &Value, names: [&str; 4], fields: [&str; 2], expression: bool| {
        let scale = if expression { 1.0 } else { 10.0 };
        let [inner, outer, down, up] =
            names.map(|name| RangeMap::read(json, [name, fields[0], fields[1]], (90.0, scale)));
        let kind = if expression { LookAtKind::Expression } else { LookAtKind::Bone };
        LookAt { head, eyes, offset: DVec3::ZERO, kind, faces_back: false, inner, outer, down, up }
    };
    match (extensions.get("VRMC_vrm"), extensions.get("VRM")) {
        (Some(v1), _) => {
            let json = v1.get("lookAt")?;
            let expression = json.get("type").and_then(Value::as_str) == Some("expression");
            let names = [
                "rangeMapHorizontalInner",
                "rangeMapHorizontalOuter",
                "rangeMapVerticalDown",
                "rangeMapVerticalUp",
            ];
            let offset = vector(json, "offsetFromHeadBone").unwrap_or(DVec3::new(0.0, 0.06, 0.0));
            Some(LookAt { offset, ..read(json, names, ["inputMaxValue", "outputScale"], expression) })
        }
        (None, Some(v0)) => {
            let json = v0.get("firstPerson")?;
            let expression = json.get("lookAtTypeName").and_then(Value::as_str) == Some("BlendShape");
            let names =
                ["lookAtHorizontalInner", "lookAtHorizontalOuter", "lookAtVerticalDown", "lookAtVerticalUp"];
            // Positions of VRM 0 are in Unity's left-handed space.
            let offset = vector(json, "firstPersonBoneOffset").unwrap_or(DVec3::new(0.0, 0.06, 0.0));
            let offset = offset * DVec3::new(1.0, 1.0, -1.0);
            Some(LookAt { offset, faces_back: true, ..read(json, names, ["xRange", "yRange"], expression) })
        }
        (None, None) => None,
    }
}
