//! How much memory hostile files take. Alone in its binary, and in one test: what is measured is the process.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::path::Path;

use peak_alloc::PeakAlloc;
use sinew::asset::mannequin;
use sinew::bake::Source;
use sinew::motion::capture::parse_csv;
use sinew::regress::{Drawn, Found};
use sinew::rig::Rig;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What a call returns, and the most bytes that it had at once beyond those that were there.
fn peak<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = call();
    (result, ALLOCATOR.peak_usage().saturating_sub(before))
}

/// A long take becomes a clip, all of it, within a few times its text.
fn takes() {
    let frames = 200_000_u32;
    let mut text = String::from("time,hips.x,hips.y,hips.z\n");
    (0..frames).for_each(|i| writeln!(text, "{},0,{},0", f64::from(i) / 100.0, i % 7).unwrap());
    let character = mannequin().unwrap();
    let (clips, bytes) = peak(|| {
        let take = parse_csv(Path::new("long.csv"), &text).unwrap();
        Source::Take(take).clips(&character, &Rig::default(), false).unwrap()
    });
    assert!(bytes < 10 * text.len(), "{bytes} bytes for a text of {}", text.len());
    let longest = clips.iter().flat_map(|c| &c.timelines).map(Vec::len).max();
    assert_eq!(longest, Some(frames as usize));
}

/// A picture of another size than the one that it is compared with is not decoded.
fn goldens() {
    let side = 2048;
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory-golden.png");
    let file = std::fs::File::create(&path).unwrap();
    let mut encoder = png::Encoder::new(file, side, side);
    encoder.set_color(png::ColorType::Rgba);
    let row = vec![0; 4 * side as usize * side as usize];
    encoder.write_header().unwrap().write_image_data(&row).unwrap();
    let (found, bytes) = peak(|| Drawn::read(&path, 64, 48).unwrap());
    assert_eq!(found, Some(Found::OtherSize(side, side)));
    assert!(bytes < 1 << 20, "{bytes} bytes");
    assert!(matches!(Drawn::read(&path, side, side).unwrap(), Some(Found::Drawn(_))));
}

#[test]
fn memory_is_in_proportion_to_what_is_read() {
    takes();
    goldens();
}
