//! Tables of measured values: masses of a body's segments and stiffness of its joints.

use glam::DVec3;

use super::constant::GRAVITY;
use super::model::{FigureJoint, Freedom, Model};
use crate::figure::{Figure, FigurePart, LimbParts};
use crate::{Body, Options};

/// Mass of a person, in kilograms.
pub(super) const MASS: f64 = 75.0;
/// Masses of segments as fractions of the body's mass. `CENTRE` is the distance of a long segment's centre of mass from the joint
/// above, as a fraction of the segment's length (Winter 2009, "Biomechanics and Motor Control of Human Movement", table 4.1).
const PELVIS: f64 = 0.142;
const TRUNK: f64 = 0.355;
const NECK: f64 = 0.020;
const HEAD: f64 = 0.061;
const ARM: [f64; 3] = [0.028, 0.016, 0.006];
const LEG: [f64; 3] = [0.100, 0.0465, 0.0145];
const CENTRE: f64 = 0.43;
/// Masses of an animal's hips, back, head with neck, and all limbs together, as fractions of its mass.
const ANIMAL: [f64; 4] = [0.2, 0.4, 0.1, 0.3];

/// Stiffness in newton metres per radian. The components of a vector are the stiffness for bending, twist and sideways bending. The
/// stiffness of the back and the neck is divided among their joints. The ratios matter: with a stiff ankle and a soft knee, the hips move
/// back as they go down.
const SPINE: DVec3 = DVec3::new(25.0, 30.0, 40.0);
const NECK_SPRING: DVec3 = DVec3::new(6.0, 6.0, 8.0);
const COLLAR: f64 = 60.0;
const ARM_SPRINGS: [f64; 3] = [14.0, 7.0, 4.0];
/// The stiffness of an arm's joint is at least this factor times the largest moment of the weight that the joint carries. Otherwise
/// an idle arm would fall.
const HANGING: f64 = 1.5;
const HIP: DVec3 = DVec3::new(2.0, 20.0, 12.0);
const KNEE: f64 = 9.0;
const ANKLE: f64 = 60.0;
/// An animal's paws turn easily.
const PAW: f64 = 8.0;

/// Sets the masses of the links and their centres.
pub(super) fn weigh(model: &mut Model, figure: &Figure) {
    let (spine, neck) = (&figure.parts.spine, &figure.parts.neck);
    let share = |whole: f64, among: usize| whole / f64::from(u32::try_from(among.max(1)).unwrap_or(1));
    let is_person = model.is_person;
    let (hips, back) = if is_person { (PELVIS, TRUNK) } else { (ANIMAL[0], ANIMAL[1]) };
    let set = |model: &mut Model, link: usize, mass: f64, centre: DVec3| {
        let joint = &mut model.joints[link];
        (joint.mass, joint.centre, joint.balance_mass) = (mass, centre, mass);
    };
    set(model, 0, if spine.is_empty() { hips + back } else { hips }, DVec3::ZERO);
    for (index, &link) in spine.iter().enumerate() {
        let to = spine.get(index + 1).map(|n| offset_of(&model.joints, link.0, n.0));
        let centre = if is_person { DVec3::Y * 0.17 } else { to.unwrap_or_default() * 0.5 };
        set(model, link.0, share(back, spine.len()), centre);
    }
    for (index, &link) in neck.iter().enumerate() {
        let is_head = index + 1 == neck.len();
        let centre = DVec3::Y * if is_head { 0.2 } else { 0.08 };
        let person = if is_head { HEAD } else { share(NECK, neck.len() - 1) };
        let animal = (share(ANIMAL[2], neck.len()), DVec3::ZERO);
        let (mass, centre) = if is_person { (person, centre) } else { animal };
        set(model, link.0, mass, centre);
    }
    for limb in &figure.parts.limbs {
        for (index, &link) in limb.joints.iter().enumerate() {
            let last = index + 1 == limb.joints.len();
            let bone = limb.joints.get(index + 1).map(|n| offset_of(&model.joints, link.0, n.0));
            // A hand extends along its forearm, and a foot points forwards.
            let end = if limb.is_arm {
                offset_of(&model.joints, limb.joints[index.saturating_sub(1)].0, link.0).normalize_or_zero()
                    * 0.18
            } else {
                DVec3::Z * 0.133
            };
            let table = if limb.is_arm { ARM } else { LEG };
            let place = if last { 2 } else { index.min(1) };
            let person =
                table[place] / f64::from(u8::from(place == 1)).mul_add(inner(limb.joints.len()) - 1.0, 1.0);
            let animal = share(share(ANIMAL[3], figure.parts.limbs.len()), limb.joints.len());
            let mass = if is_person { person } else { animal };
            set(model, link.0, mass, bone.map_or(end * 0.5, |bone| bone * CENTRE));
        }
        if limb.is_arm {
            let mass: f64 = limb.joints.iter().map(|&l| model.joints[l.0].mass).sum();
            for (index, &link) in limb.joints.iter().enumerate() {
                let joint = &mut model.joints[link.0];
                joint.balance_mass = if index == 0 { mass } else { 0.0 };
                joint.counts_above = true;
            }
        }
    }
    let total: f64 = model.joints.iter().map(|j| j.mass).sum();
    for joint in &mut model.joints {
        joint.mass /= total;
        joint.balance_mass /= total;
    }
}

/// Returns the vector from a joint to one of its descendants in the rest pose, along the figure's axes. All offsets are expressed in these
/// axes, so they can be added.
fn offset_of(joints: &[FigureJoint], link: usize, below: usize) -> DVec3 {
    let up = std::iter::successors(Some(below), |&l| joints[l].parent).take_while(|&l| l != link);
    up.map(|l| joints[l].offset).sum()
}

/// Number of joints inside a limb.
fn inner(joints: usize) -> f64 {
    f64::from(u32::try_from(joints.saturating_sub(2).max(1)).unwrap_or(1))
}

/// Sets the stiffness of the joints.
pub(super) fn stiffen(model: &mut Model, body: &Body, figure: &Figure, options: &Options) {
    let parts = &figure.parts;
    let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(1)).max(1.0);
    for link in 0..model.joints.len() {
        let joint = &model.joints[link];
        let stiffness = match joint.part {
            Some(FigurePart::Spine) => {
                SPINE * count(parts.spine.len()) * options.full_body.spine_stiffness.max(1e-3)
            }
            Some(FigurePart::Neck) => NECK_SPRING * count(parts.neck.len()),
            Some(FigurePart::Collar(_)) => DVec3::splat(COLLAR),
            Some(FigurePart::Limb(limb, index)) => {
                let LimbShape { is_arm, is_first, is_last } = LimbShape::new(figure, limb, index);
                let arm = |spring: f64| {
                    DVec3::splat(spring.max(HANGING * moment(model, &parts.limbs[limb], index)))
                };
                match (is_arm, is_first, is_last) {
                    (true, true, _) => arm(ARM_SPRINGS[0]),
                    (true, _, false) => arm(ARM_SPRINGS[1]),
                    (true, _, true) => arm(ARM_SPRINGS[2]),
                    (false, true, _) => HIP,
                    (false, _, true) => DVec3::splat(if model.is_person { ANKLE } else { PAW }),
                    (false, ..) => DVec3::splat(KNEE),
                }
            }
            Some(FigurePart::Hips | FigurePart::Other) | None => DVec3::ZERO,
        };
        if joint.freedom != Freedom::None {
            model.joints[link].stiffness = stiffness / body.links()[link].weight.max(1e-6);
        }
    }
}

/// Returns the moment of the weight that a joint of an arm carries when the arm is level, in newton metres.
fn moment(model: &Model, arm: &LimbParts, index: usize) -> f64 {
    let mut reach = 0.0;
    let mut moment = 0.0;
    for (nth, &link) in arm.joints.iter().enumerate().skip(index) {
        let joint = &model.joints[link.0];
        moment += joint.mass * MASS * GRAVITY * (reach + joint.centre.length());
        let next = arm.joints.get(nth + 1);
        reach += next.map_or(0.0, |next| offset_of(&model.joints, link.0, next.0).length());
    }
    moment
}

struct LimbShape {
    is_arm: bool,
    is_first: bool,
    is_last: bool,
}

impl LimbShape {
    fn new(figure: &Figure, limb: usize, index: usize) -> Self {
        let limb = &figure.parts.limbs[limb];
        Self { is_arm: limb.is_arm, is_first: index == 0, is_last: index + 1 == limb.joints.len() }
    }
}
