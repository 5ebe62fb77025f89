//! How strongly a limb pulls on the trunk, as set in a rig file.

use std::fs;

use glam::DVec3;
use sinew::puppet::{Puppet, Target};
use sinew::rig::{self, Rig};
use sinew_testkit::{folder, mannequin};

/// Returns the mannequin's rig with a rig file that sets this `pull` for the left hand.
fn with_pull(name: &str, pull: &str) -> Rig {
    let path = folder(&format!("pull-{name}")).join(format!("{name}.rig.toml"));
    let chain = "[[chain]]\nbase = \"leftUpperArm\"\neffector = \"leftHand\"\n";
    fs::write(&path, format!("version = 1\n{chain}{pull}\n")).unwrap();
    rig::load(&mannequin(), Some(&path)).unwrap()
}

/// Returns the distance that the hips move if the left hand is pulled to a point beyond the reach of the arm.
fn hips_follow(rig: Rig) -> f32 {
    let mut puppet = Puppet::with_rig(mannequin(), 0, rig);
    let skeleton = &puppet.character().skeleton;
    let (hips, hand) = (skeleton.find("hips").unwrap(), skeleton.find("leftHand").unwrap());
    let before = puppet.world_from_node()[hips].translation;
    let position = puppet.world_from_node()[hand].translation.as_dvec3() + DVec3::new(0.4, -0.3, 0.5);
    puppet.targets.push(Target::new(hand).with_position(position));
    puppet.update().unwrap();
    puppet.world_from_node()[hips].translation.distance(before)
}

#[test]
fn a_limb_without_pull_leaves_the_trunk_where_it_is() {
    let limb = |rig: &Rig| {
        let hand = rig.chains[0].effector;
        let body = rig.body.clone().unwrap();
        body.limbs.into_iter().find(|l| l.end() == hand).unwrap()
    };
    let (default, none) = (with_pull("default", ""), with_pull("none", "pull = 0"));
    assert_eq!((limb(&default).pull, limb(&none).pull), (1.0, 0.0));
    let (far, near) = (hips_follow(default), hips_follow(none));
    assert!(far > 0.1 && near < 0.02, "{far} {near}");
}
