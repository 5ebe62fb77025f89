//! Options and errors of `sinew render --replay`. Its images are tested in `tests/viewer/recording/replay.rs`.

use std::fs;

use crate::support::image::{self, PixelAccess};
use crate::{folder, refusal, stdout};

/// A hand-written session of one minute with the built-in character.
const SESSION: &str = r#"{"format":"sinew-session-1","sinew":"0.1.0","character":null,"fingerprint":"crc32:00000000","size":[64.0,40.0],"scale":1.0}
{"at":0.5,"do":{"orbit":[40.0,5.0]}}
{"at":1,"do":{"shading-mode":"mask"}}
{"at":60}
"#;

#[test]
fn a_hand_written_session_is_drawn_in_its_size_with_a_warning() {
    let folder = folder("replay");
    let (session, image) = (folder.join("a.session"), folder.join("a.png"));
    fs::write(&session, SESSION).unwrap();
    let (session, out) = (session.to_str().unwrap(), image.to_str().unwrap());
    let output = crate::sinew(["render", "--replay", session, "-o", out]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("or its rig has changed"), "{text}");
    let drawn = image::open(&image);
    assert_eq!(drawn.size(), (64, 40));
    // The session ends in mask mode, with the character in the middle.
    assert_eq!([drawn.at(0, 0)[0], drawn.at(32, 16)[0]], [0, 255]);
    // The character and the image size can be changed.
    let spider = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/spider.glb");
    let before = fs::read(&image).unwrap();
    stdout(["render", "--replay", session, spider, "-o", out]);
    assert_ne!(before, fs::read(&image).unwrap());
    stdout(["render", "--replay", session, "--resolution", "30,20", "-o", out]);
    assert_eq!(image::open(&image).size(), (30, 20));
}

#[test]
fn options_that_a_session_determines_are_refused() {
    let session = folder("replay-contradicted").join("a.session");
    fs::write(&session, SESSION).unwrap();
    let session = session.to_str().unwrap();
    for [option, value] in [
        ["--camera-position", "1,2,3"],
        ["--mode", "mask"],
        ["--skinning", "linear"],
        ["--ground", "off"],
        ["--reach", "leftHand=0,1,1"],
        ["--animation", "wave"],
        ["--method", "ccd"],
        ["--rig", "a.rig.toml"],
    ] {
        let line = refusal(["render", "--replay", session, option, value, "-o", "a.png"]);
        assert!(line.contains("--replay") && line.contains(option), "{line}");
    }
    let line = refusal(["render", "--replay", session, "--frames", "0..2", "-o", "a.png"]);
    assert!(line.contains("{frame:04}"), "{line}");
}

#[test]
fn an_invalid_session_is_a_one_line_error_and_draws_nothing() {
    let folder = folder("replay-bad");
    let (session, image) = (folder.join("a.session"), folder.join("a.png"));
    fs::write(&session, SESSION.replace("orbit", "orbits")).unwrap();
    let (text, out) = (session.to_str().unwrap(), image.to_str().unwrap());
    let line = refusal(["render", "--replay", text, "-o", out]);
    assert!(line.starts_with(&format!("{text}: line 2: unknown variant `orbits`")), "{line}");
    assert!(refusal(["render", "--replay", "no.session", "-o", out]).starts_with("no.session: "));
    assert!(refusal(["render", "--replay", crate::MANNEQUIN, "-o", out]).contains("not a recorded session"));
    assert!(!image.exists());
}
