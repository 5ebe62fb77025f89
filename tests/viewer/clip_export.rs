//! Exported clips: they play the same motion as the timeline, and nothing is overwritten by mistake.

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;
use sinew::asset;
use sinew::motion::{Motion, Strip};
use sinew::puppet::Puppet;
use sinew::viewer::{ClipExport, Command, NodePoint, Session};
use sinew_testkit::{asset_path, folder};

use crate::support::{SIZE, detected_session, node, position};

/// Returns a session in which two clips play one after the other, with a goal for a hand.
fn played() -> Session {
    let mut session = detected_session();
    let strips = vec![Strip { seconds: Some(0.6), ..Strip::new(0) }, Strip { start: 0.6, ..Strip::new(1) }];
    session.apply(Command::Motion(Box::new(Motion { strips, ..Motion::default() })));
    session.apply(Command::KeepGoals(true));
    let hand = node(&session, "leftHand");
    let place = position(&session, hand).as_dvec3();
    session.apply(Command::GrabNode(NodePoint { node: hand, offset: DVec3::ZERO }));
    session.apply(Command::DragTo(place + DVec3::new(0.1, 0.3, 0.1)));
    session.apply(Command::Release);
    session
}

fn export(session: &Session) -> Result<ClipExport, String> {
    ClipExport::new(session.puppet(), session.file())
}

/// Returns the largest distance between corresponding joints, in metres.
fn difference(session: &Session, other: &Puppet) -> f32 {
    let (skeleton, there) = (&session.puppet().character().skeleton, &other.character().skeleton);
    let distance = |name: &str| {
        let at = |puppet: &Puppet, node: usize| puppet.world_from_node()[node].translation;
        at(session.puppet(), skeleton.find(name).unwrap()).distance(at(other, there.find(name).unwrap()))
    };
    ["hips", "leftHand", "rightHand", "head", "leftFoot", "rightFoot"]
        .map(distance)
        .into_iter()
        .fold(0.0, f32::max)
}

#[test]
fn exported_clip_plays_what_the_timeline_shows() {
    let folder = folder("export-clip");
    let mut session = played();
    for name in ["walk.glb", "walk.bvh"] {
        let path = folder.join(name);
        let mut parts = Vec::new();
        let summary = export(&session).unwrap().write(&path, |done| {
            parts.push(done);
            true
        });
        let summary = summary.unwrap().unwrap();
        assert!(summary.contains(name) && !summary.contains('\n'), "{summary}");
        assert!(parts.is_sorted() && parts.first() == Some(&0.0) && parts.last() > Some(&0.9), "{parts:?}");
        let mut copy = Puppet::new(asset::load(&path).unwrap(), 0);
        let clip = &copy.character().clips[0];
        assert_eq!(clip.name.as_deref(), Some("walk"));
        let seconds = session.puppet().seconds();
        assert!(
            copy.character().clips.len() == 1 && (clip.seconds - seconds).abs() < 0.04,
            "{}",
            clip.seconds
        );
        for time in [0.0, 0.3, 0.9] {
            session.apply(Command::Seek(time));
            copy.play(0, time);
            copy.update().unwrap();
            assert!(
                difference(&session, &copy) < 0.02,
                "{name} at {time} s: {}",
                difference(&session, &copy)
            );
        }
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "a temporary file was left behind");
}

#[test]
fn export_can_be_cancelled_and_replaces_no_input() {
    let folder = folder("export-clip-refused");
    let refused = |path: &Path, session: &Session| {
        export(session).and_then(|export| export.write(path, |_| true).map(|_| ())).unwrap_err()
    };
    assert!(refused(&folder.join("a.glb"), &detected_session()).contains("timeline is empty"));
    let played = played();
    for (name, cause) in [("a.fbx", "unknown file type"), ("missing/a.glb", "missing")] {
        let error = refused(&folder.join(name), &played);
        assert!(error.contains(cause) && !error.contains('\n'), "{error}");
    }
    let cancelled = export(&played).unwrap().write(&folder.join("a.glb"), |done| done < 0.5);
    assert_eq!(cancelled.unwrap(), None);
    // The function is called once more after the last frame, before the file is written.
    let mut calls = 0;
    let counted = |_: f32| {
        calls += 1;
        true
    };
    export(&played).unwrap().write(&folder.join("counted.glb"), counted).unwrap();
    fs::remove_file(folder.join("counted.glb")).unwrap();
    let mut left = calls;
    let until_the_last = |_: f32| {
        left -= 1;
        left > 0
    };
    assert_eq!(export(&played).unwrap().write(&folder.join("a.glb"), until_the_last).unwrap(), None);
    let own: PathBuf = folder.join("own.glb");
    fs::copy(asset_path("mannequin.glb"), &own).unwrap();
    let before = fs::read(&own).unwrap();
    let mut session = Session::new(asset::load(&own).unwrap(), None, SIZE);
    session.apply(Command::Clip(Some(0)));
    assert!(refused(&own, &session).contains("overwrite the character"));
    assert_eq!(fs::read(&own).unwrap(), before);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}
