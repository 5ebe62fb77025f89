//! Tests of bones that the user names.

use std::fs;

use sinew::asset::load;
use sinew::viewer::{Command, Recording, Replay};
use sinew_testkit::{asset_path, folder};

use crate::support::session_of;

#[test]
fn a_named_bone_belongs_to_the_rig_the_project_and_undo() {
    let folder = folder("viewer-bones");
    let file = folder.join("man.glb");
    fs::copy(asset_path("mannequin.glb"), &file).unwrap();
    let mut session = session_of(load(&file).unwrap());
    let bones = session.rig().bones.clone();
    let (hand, elbow) = (bones["leftHand"], bones["leftLowerArm"]);
    session.apply(Command::Bone("leftHand".into(), Some(hand)));
    assert_eq!(session.error(), None);
    assert!(session.is_rig_changed() && session.rig().given_bones["leftHand"] == hand);
    assert_eq!((&session.rig().bones, session.rig().body.is_some()), (&bones, true));
    // A bone that contradicts the others changes nothing, and the reason is reported.
    session.apply(Command::Bone("rightFoot".into(), Some(elbow)));
    assert!(session.error().is_some(), "{:?}", session.rig().bones);
    assert_eq!(session.rig().given_bones.len(), 1);
    let project = folder.join("man.sinew");
    session.save_project(&project, false).unwrap();
    let text = fs::read_to_string(&project).unwrap();
    assert!(text.contains("[rig.humanoid]\nleftHand = \"leftHand\""), "{text}");
    let recording = Recording::open(&project).unwrap();
    let opened = session_of(load(&file).unwrap());
    let replay = Replay::new(&recording, opened.puppet().shared_character(), opened.rig().clone()).unwrap();
    assert_eq!(replay.session().rig(), session.rig());
    let saved = session.save_rig(&folder, false).unwrap();
    assert!(fs::read_to_string(saved).unwrap().contains("[humanoid]\nleftHand = \"leftHand\""));
    assert_eq!(session_of(load(&file).unwrap()).rig().given_bones["leftHand"], hand);
    session.apply(Command::Undo);
    assert!(session.rig().given_bones.is_empty());
    session.apply(Command::Redo);
    session.apply(Command::Bone("leftHand".into(), None));
    assert!(session.rig().given_bones.is_empty());
}
