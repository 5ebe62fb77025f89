//! The joints of a body by their VRM names, and its measurements in the rest pose. They are taken from poses, independently of solvers.

use std::collections::BTreeMap;

use glam::{Affine3A, Vec3};
use sinew::puppet::Puppet;
use sinew::rig::{BodyKind, BodyLimb, BodyPlan, LimbKind, LimbSide};
use sinew::skin::Skinned;

/// Lengths are given for a person of this height and for an animal whose shoulder is this high, in metres.
const PERSON: f32 = 1.75;
const ANIMAL_SHOULDER: f32 = 0.6;

/// Height above the lowest foot at which a foot counts as being in the air, in metres.
const STANDING: f32 = 0.1;

/// The side of the body whose hand or foot makes a gesture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

impl Side {
    pub fn other(self) -> Self {
        if self == Self::Left { Self::Right } else { Self::Left }
    }

    pub fn name(self) -> &'static str {
        if self == Self::Left { "left" } else { "right" }
    }
}

/// A recognised body in its rest pose.
#[derive(Clone, Debug)]
pub struct GestureBody {
    pub kind: BodyKind,
    /// Nodes by the VRM names of their bones or, for a quadruped, by names such as `leftFrontFoot`.
    pub joints: BTreeMap<String, usize>,
    /// World positions of all nodes in the rest pose.
    pub rest: Vec<Vec3>,
    /// Unit horizontal direction in which the body faces.
    pub facing: Vec3,
    /// Height of the floor in metres.
    pub floor: f32,
    /// Factor for the lengths of the protocol.
    pub scale: f32,
}

impl GestureBody {
    /// Returns the body of a puppet in its rest pose, or the reason why it cannot make gestures.
    pub fn new(puppet: &Puppet) -> Result<Self, String> {
        let position = |world: &Affine3A| Vec3::from(world.translation);
        let rest: Vec<Vec3> = puppet.world_from_node().iter().map(position).collect();
        let (kind, joints) = match &puppet.rig.body {
            Some(plan) if plan.kind == BodyKind::Biped => (plan.kind, biped(plan, puppet)),
            Some(plan) if plan.kind == BodyKind::Quadruped => (plan.kind, quadruped(plan, &rest)),
            Some(plan) => return Err(format!("a {} has no gestures", plan.kind.name())),
            None if puppet.rig.bones.is_empty() => return Err("the body is not recognised".into()),
            None => (BodyKind::Biped, puppet.rig.bones.clone()),
        };
        let (lowest, highest) = extent(puppet, &rest);
        // The surface may belong to something above the feet, for example to a sign.
        let lowest = puppet.rig.body.as_ref().map_or(lowest, |plan| lowest.min(plan.floor));
        let mut body = Self { kind, joints, rest, facing: Vec3::Z, floor: lowest, scale: 1.0 };
        let plan = puppet.rig.body.as_ref();
        body.facing = plan.map_or_else(|| body.own_facing(), |plan| Ok(plan.facing))?;
        body.scale = match kind {
            BodyKind::Biped => (highest - lowest) / PERSON,
            _ => (body.at("leftFrontUpperLeg")?.y - lowest) / ANIMAL_SHOULDER,
        };
        if !(body.scale.is_finite() && body.scale > 1e-6) {
            return Err("the body has no height".into());
        }
        Ok(body)
    }

    /// Returns a node by its name.
    pub fn node(&self, name: &str) -> Result<usize, String> {
        self.joints.get(name).copied().ok_or_else(|| format!("no {name}"))
    }

    /// Returns the rest position of a named node.
    pub fn at(&self, name: &str) -> Result<Vec3, String> {
        Ok(self.rest[self.node(name)?])
    }

    /// Returns the node of a bone of one side.
    pub fn side(&self, side: Side, bone: &str) -> Result<usize, String> {
        self.node(&format!("{}{bone}", side.name()))
    }

    /// Returns the nodes of a limb, from its ball joint to its end.
    pub fn limb(&self, side: Side, bones: [&str; 3]) -> Result<[usize; 3], String> {
        let [upper, lower, end] = bones;
        Ok([self.side(side, upper)?, self.side(side, lower)?, self.side(side, end)?])
    }

    pub fn arm(&self, side: Side) -> Result<[usize; 3], String> {
        self.limb(side, ["UpperArm", "LowerArm", "Hand"])
    }

    pub fn leg(&self, side: Side) -> Result<[usize; 3], String> {
        self.limb(side, ["UpperLeg", "LowerLeg", "Foot"])
    }

    /// Returns the length of a limb in the rest pose.
    pub fn length(&self, [upper, lower, end]: [usize; 3]) -> f32 {
        self.rest[upper].distance(self.rest[lower]) + self.rest[lower].distance(self.rest[end])
    }

    /// Returns all limbs that the body has.
    pub fn limbs(&self) -> Vec<[usize; 3]> {
        let names = [
            ["UpperArm", "LowerArm", "Hand"],
            ["UpperLeg", "LowerLeg", "Foot"],
            ["FrontUpperLeg", "FrontLowerLeg", "FrontFoot"],
            ["HindUpperLeg", "HindLowerLeg", "HindFoot"],
        ];
        let sides = [Side::Left, Side::Right];
        names
            .iter()
            .flat_map(|&bones| sides.into_iter().filter_map(move |s| self.limb(s, bones).ok()))
            .collect()
    }

    /// Returns the feet, or the paws.
    pub fn feet(&self) -> Vec<usize> {
        let names = ["Foot", "FrontFoot", "HindFoot"];
        let sides = [Side::Left, Side::Right];
        names.iter().flat_map(|foot| sides.into_iter().filter_map(|s| self.side(s, foot).ok())).collect()
    }

    /// Returns the feet or paws that stand on the floor at rest: those that are almost as low as the lowest one.
    pub fn standing(&self) -> Vec<usize> {
        let feet = self.feet();
        let lowest = feet.iter().map(|&foot| self.rest[foot].y).fold(f32::INFINITY, f32::min);
        feet.into_iter().filter(|&foot| self.rest[foot].y < lowest + STANDING * self.scale).collect()
    }

    /// Returns the unit direction to the body's left.
    pub fn left(&self) -> Vec3 {
        Vec3::Y.cross(self.facing).normalize_or(Vec3::X)
    }

    /// Returns the direction from the feet to the toes or, if it is unknown, the forward direction derived from the upper legs.
    fn own_facing(&self) -> Result<Vec3, String> {
        let toes =
            |side| Some(self.rest[self.side(side, "Toes").ok()?] - self.rest[self.side(side, "Foot").ok()?]);
        let forward: Vec3 = [Side::Left, Side::Right].into_iter().filter_map(toes).sum();
        let across = self.at("leftUpperLeg")? - self.at("rightUpperLeg")?;
        let flat = |v: Vec3| Vec3::new(v.x, 0.0, v.z).try_normalize();
        flat(forward).or_else(|| flat(across.cross(Vec3::Y))).ok_or_else(|| "its facing is unknown".into())
    }
}

/// Returns the lowest and the highest point of the surface or, without one, of the joints.
fn extent(puppet: &Puppet, joints: &[Vec3]) -> (f32, f32) {
    let mut heights: Vec<f32> = Vec::new();
    let mut skinned = Skinned::default();
    for part in 0..puppet.parts().len() {
        puppet.skin(part, &mut skinned);
        heights.extend(skinned.positions.iter().map(|p| p[1]).filter(|y| y.is_finite()));
    }
    if heights.is_empty() {
        heights.extend(joints.iter().map(|p| p.y));
    }
    heights.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(lo, hi), &y| (lo.min(y), hi.max(y)))
}

/// Maps the VRM names of the joints of a body plan to nodes. Names in the file's own map replace them.
fn biped(plan: &BodyPlan, puppet: &Puppet) -> BTreeMap<String, usize> {
    let mut joints = BTreeMap::from([("hips".to_owned(), plan.hips)]);
    let mut add = |name: String, node: Option<&usize>| joints.extend(node.map(|&node| (name, node)));
    match &plan.spine[..] {
        [spine, _, .., upper] => {
            add("spine".into(), Some(spine));
            add("chest".into(), plan.spine.get(plan.spine.len() / 2));
            add("upperChest".into(), Some(upper));
        }
        [spine, chest] => {
            add("spine".into(), Some(spine));
            add("chest".into(), Some(chest));
        }
        other => add("spine".into(), other.first()),
    }
    add("head".into(), plan.neck.last());
    add("neck".into(), plan.neck.first().filter(|_| plan.neck.len() > 1));
    for limb in &plan.limbs {
        let Some(side) = side_of(limb) else { continue };
        let names = match limb.kind {
            LimbKind::Arm | LimbKind::Wing => ["UpperArm", "LowerArm", "Hand"],
            LimbKind::Leg => ["UpperLeg", "LowerLeg", "Foot"],
        };
        for (name, node) in names.into_iter().zip(three(limb)) {
            add(format!("{side}{name}"), Some(&node));
        }
        if limb.kind == LimbKind::Leg {
            add(format!("{side}Toes"), limb.digits.first().and_then(|toe| toe.first()));
        }
    }
    let own = puppet.character().humanoid.iter().flat_map(|map| &map.bones);
    joints.extend(own.map(|(name, &node)| (name.clone(), node)));
    joints
}

fn quadruped(plan: &BodyPlan, rest: &[Vec3]) -> BTreeMap<String, usize> {
    let mut joints = BTreeMap::from([("hips".to_owned(), plan.hips), ("chest".to_owned(), plan.chest())]);
    joints.extend(plan.head().map(|head| ("head".to_owned(), head)));
    let middle = plan.spine.get(plan.spine.len() / 2);
    joints.extend(middle.map(|&spine| ("spine".to_owned(), spine)));
    for side in ["left", "right"] {
        let mut limbs: Vec<&BodyLimb> = plan.limbs.iter().filter(|l| side_of(l) == Some(side)).collect();
        let forward = |limb: &BodyLimb| limb.joints.first().map_or(0.0, |&n| rest[n].dot(plan.facing));
        limbs.sort_by(|a, b| forward(b).total_cmp(&forward(a)));
        let [front, .., hind] = limbs[..] else { continue };
        for (place, limb) in [("Front", front), ("Hind", hind)] {
            for (name, node) in ["UpperLeg", "LowerLeg", "Foot"].into_iter().zip(three(limb)) {
                joints.insert(format!("{side}{place}{name}"), node);
            }
        }
    }
    joints
}

fn side_of(limb: &BodyLimb) -> Option<&'static str> {
    match limb.side {
        LimbSide::Left => Some("left"),
        LimbSide::Right => Some("right"),
        LimbSide::Middle => None,
    }
}

/// Returns the first joint of a limb, its middle, and its end.
fn three(limb: &BodyLimb) -> Vec<usize> {
    let middle = limb.joints.get(limb.joints.len() / 2);
    [limb.joints.first(), middle, limb.joints.last()].into_iter().flatten().copied().collect()
}
