//! Kind i: a hand that is pulled onto or into the body stays on its skin.
//!
//! A vertex of the hand or the forearm is inside if two conditions hold: the winding number of the rest of the skin around it is above one
//! half (Jacobson, Kavan & Sorkine-Hornung 2013, "Robust inside-outside segmentation using generalized winding numbers"), and the nearest
//! triangle belongs to the trunk, the head or a leg. Its depth is its distance from that triangle.

use glam::Vec3;
use sinew::puppet::Puppet;
use sinew::skin::Skinned;
use sinew_base::mathematics::triangle::nearest_point;

use super::drag::Drag;
use super::person::Person;
use super::runner::Side;
use super::verdict::{CheckResult, Rule};

/// The places to which the hand is dragged.
const PLACES: [&str; 5] = ["other shoulder", "chest", "belly", "other thigh", "top of the head"];
/// Length of a step in metres at human size, and the number of frames between two measurements.
const STEP: f32 = 0.016;
const FRAMES: usize = 6;
/// Maximum number of measured vertices of the hand and the forearm.
const VERTICES: usize = 300;

/// The names of the checks.
pub fn names() -> Vec<String> {
    let ends = |place: &str| [format!("hand onto the {place}"), format!("hand into the {place}")];
    PLACES.into_iter().flat_map(ends).collect()
}

/// Drags the left hand onto or into a place on the body.
pub fn surface(person: &Person, (_, number): (u64, usize), result: &mut CheckResult) -> Result<(), String> {
    let index = number - 1;
    let is_inside = index % 2 == 1;
    let skin = Skin::new(person)?;
    let (within, towards) = place(person, index / 2)?;
    let target = if is_inside {
        within
    } else {
        let body = skin.pose(&person.puppet);
        body.first_hit(within + person.metres(0.7) * towards, -towards).ok_or("no skin")?
    };
    let hand = person.body().arm(Side::Left)?[2];
    let mut drag = Drag::new(person, hand);
    // The hand moves around the body, not through it.
    let before = target + person.metres(0.25) * towards;
    let mut frame = 0;
    for to in [before, target] {
        drag.line_with(to, person.metres(STEP), result, |drag, result| {
            frame += 1;
            if frame % FRAMES == 0 {
                judge(person, &skin, drag, result);
            }
        });
    }
    drag.rest(result);
    judge(person, &skin, &drag, result);
    let posed = skin.pose(drag.puppet());
    let height = 1e3 * person.scaled(posed.height());
    let missed = 1e3 * person.scaled(drag.position().distance(target));
    if is_inside {
        let text = || format!("the hand is {height:.1} mm above the skin and misses by {missed:.0} mm");
        result.judge(Rule::Above, height, text);
    }
    Ok(())
}

/// Returns a place inside the body, and the direction from which the hand approaches it.
fn place(person: &Person, index: usize) -> Result<(Vec3, Vec3), String> {
    let body = person.body();
    let shoulders = [body.at("leftUpperArm")?, body.at("rightUpperArm")?];
    let (middle, hips) = (0.5 * (shoulders[0] + shoulders[1]), body.at("hips")?);
    let front = body.facing;
    Ok(match index {
        0 => (shoulders[1], front),
        1 => (middle.lerp(hips, 0.3), front),
        2 => (middle.lerp(hips, 0.75), front),
        3 => (body.at("rightUpperLeg")?.lerp(body.at("rightLowerLeg")?, 0.6), front),
        _ => (body.at("head")? + person.metres(0.08) * Vec3::Y, Vec3::Y),
    })
}

fn judge(person: &Person, skin: &Skin, drag: &Drag<'_>, result: &mut CheckResult) {
    let depth = 1e3 * person.scaled(skin.pose(drag.puppet()).depth());
    let text = || format!("the hand or the forearm is {depth:.1} mm inside {}", drag.place());
    result.judge(Rule::Inside, depth, text);
}

/// The part of the body that a vertex belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SkinPart {
    /// The dragged hand and its forearm.
    Hand,
    /// The trunk, the head, or a leg.
    Body,
    /// Another part of an arm.
    Arm,
}

/// The parts of all vertices of a character.
struct Skin {
    parts: Vec<Vec<SkinPart>>,
}

impl Skin {
    fn new(person: &Person) -> Result<Self, String> {
        let (puppet, body) = (&person.puppet, person.body());
        let character = puppet.character();
        let skeleton = &character.skeleton;
        let mut of_node = vec![SkinPart::Body; skeleton.nodes.len()];
        let [left, right] = [body.arm(Side::Left)?, body.arm(Side::Right)?];
        for (node, part) in of_node.iter_mut().enumerate() {
            let is_below = |n: usize| skeleton.ancestors(node).any(|a| a == n);
            if is_below(left[1]) || is_below(left[2]) {
                *part = SkinPart::Hand;
            } else if is_below(left[0]) || right.into_iter().any(is_below) {
                *part = SkinPart::Arm;
            }
        }
        let part_of = |part: &sinew::asset::Part| {
            let primitive = character.primitive(*part);
            let joints = part.skin.map(|skin| &character.skins[skin].joints);
            let node = |vertex: usize| {
                let sets = primitive.influences.iter();
                let all = sets.flat_map(|s| s.joints[vertex].into_iter().zip(s.weights[vertex].to_array()));
                let joint = all.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| usize::from(joint));
                joints.and_then(|joints| Some(joints[joint?])).unwrap_or(part.node)
            };
            (0..primitive.positions.len()).map(|vertex| of_node[node(vertex)]).collect()
        };
        Ok(Self { parts: puppet.parts().iter().map(part_of).collect() })
    }

    /// Returns the skin in a pose.
    fn pose(&self, puppet: &Puppet) -> Posed {
        let (mut skinned, mut posed) = (Skinned::default(), Posed::default());
        for (index, (part, parts)) in puppet.parts().iter().zip(&self.parts).enumerate() {
            puppet.skin(index, &mut skinned);
            for triangle in &puppet.character().primitive(*part).triangles {
                let corners = triangle.map(|v| skinned.positions[v as usize]);
                let of = triangle.map(|v| parts[v as usize]);
                let is_hand = of.contains(&SkinPart::Hand);
                if !is_hand {
                    posed.triangles.push((corners, of.iter().all(|p| *p == SkinPart::Body)));
                }
            }
            let own = skinned.positions.iter().zip(parts).filter(|(_, part)| **part == SkinPart::Hand);
            posed.hand.extend(own.map(|(at, _)| *at));
        }
        let step = posed.hand.len().div_ceil(VERTICES).max(1);
        posed.hand = posed.hand.into_iter().step_by(step).collect();
        posed
    }
}

/// The skin in a pose: all triangles outside the dragged hand, and vertices of the hand and the forearm. The flag of a triangle is set for
/// the trunk, the head and the legs.
#[derive(Default)]
struct Posed {
    triangles: Vec<([Vec3; 3], bool)>,
    hand: Vec<Vec3>,
}

impl Posed {
    /// Returns the depth of the hand or the forearm inside the body, in metres.
    fn depth(&self) -> f32 {
        let depth = |&at: &Vec3| {
            let (distance, is_body) = self.nearest(at);
            if is_body && self.winding(at) > 0.5 { distance } else { 0.0 }
        };
        self.hand.iter().map(depth).fold(0.0, f32::max)
    }

    /// Returns the distance between the hand and the body, in metres.
    fn height(&self) -> f32 {
        let height = |&at: &Vec3| {
            let (distance, is_body) = self.nearest(at);
            if is_body && self.winding(at) > 0.5 { 0.0 } else { distance }
        };
        self.hand.iter().map(height).fold(f32::INFINITY, f32::min)
    }

    /// Returns the distance to the nearest triangle, and whether it belongs to the trunk, the head or a leg.
    fn nearest(&self, at: Vec3) -> (f32, bool) {
        let mut best = (f32::INFINITY, false);
        for (corners, is_body) in &self.triangles {
            let distance = at.distance_squared(nearest_point(at, *corners));
            if distance < best.0 {
                best = (distance, *is_body);
            }
        }
        (best.0.sqrt(), best.1)
    }

    /// Returns the winding number of the skin around a point.
    fn winding(&self, at: Vec3) -> f32 {
        let solid_angle = |([a, b, c], _): &([Vec3; 3], bool)| {
            let [a, b, c] = [*a - at, *b - at, *c - at];
            let [la, lb, lc] = [a.length(), b.length(), c.length()];
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * a.dot(b.cross(c)).atan2(below)
        };
        self.triangles.iter().map(solid_angle).sum::<f32>() / (4.0 * std::f32::consts::PI)
    }

    /// Returns where a ray first meets the skin.
    fn first_hit(&self, from: Vec3, along: Vec3) -> Option<Vec3> {
        let hit = |[a, b, c]: [Vec3; 3]| {
            let (u, v) = (b - a, c - a);
            let p = along.cross(v);
            let determinant = u.dot(p);
            let s = from - a;
            let (x, q) = (s.dot(p) / determinant, s.cross(u));
            let y = along.dot(q) / determinant;
            let t = v.dot(q) / determinant;
            (x >= 0.0 && y >= 0.0 && x + y <= 1.0 && t > 0.0).then_some(t)
        };
        let hits = self.triangles.iter().filter_map(|(corners, _)| hit(*corners));
        hits.reduce(f32::min).map(|t| from + t * along)
    }
}
