//! A recorded session that is watched: the loader delivers it at its start, and the user may continue from it at any time.

use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use sinew::viewer::{CharacterLoader, Command, LoadedFile};

use crate::support::{SIZE, detected_session, pose};

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/drag.session");

/// Starts to read the recording with `start`, and returns the loaded file.
fn read(start: impl FnOnce(&mut CharacterLoader)) -> LoadedFile {
    let (sender, results) = channel();
    let mut loader = CharacterLoader::new(move |read| sender.send(read).unwrap_or_default());
    start(&mut loader);
    let read = results.recv_timeout(Duration::from_secs(60)).unwrap();
    loader.accept(read).unwrap().outcome.unwrap()
}

#[test]
fn watched_recording_ends_like_the_opened_one() {
    let path = Path::new(RECORDED);
    let LoadedFile::Watch(mut replay, length, _) = read(|l| l.start_watching(path, SIZE).unwrap()) else {
        panic!("the recording is not watched");
    };
    let LoadedFile::Project(mut opened, ..) = read(|l| l.start(path, false, None, SIZE).unwrap()) else {
        panic!("the recording is not opened");
    };
    // While the window shows the replay's session, the replay holds the window's session.
    let mut shown = detected_session();
    replay.swap_session(&mut shown);
    let start = pose(&shown);
    for part in [0.3, 0.31, 0.7, 1.0] {
        replay.advance_session(&mut shown, length.mul_f64(part)).unwrap();
        assert!(part >= 1.0 || pose(&shown) != start, "nothing has moved after {part} of the recording");
    }
    shown.apply(Command::Release);
    opened.apply(Command::Release);
    assert_eq!(pose(&shown), pose(&opened));
    // The session can be continued.
    shown.apply(Command::Clip(Some(0)));
    shown.apply(Command::Undo);
    assert_eq!(pose(&shown), pose(&opened));
}
