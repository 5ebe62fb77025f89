//! Tests the memory use of malicious files. The test has its own binary because memory is measured per process.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::path::Path;

use peak_alloc::PeakAlloc;
use sinew::asset::mannequin;
use sinew::capture::parse_csv;
use sinew::export::bake::Source;
use sinew::regress::{Drawn, GoldenState};
use sinew::rig::Rig;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Returns the result of a call and its peak memory use, bytes.
fn peak<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = call();
    (result, ALLOCATOR.peak_usage().saturating_sub(before))
}

/// A long recording becomes a clip of the same length. The conversion uses less than ten times the size of the text.
fn check_recordings() {
    let frames = 200_000_u32;
    let mut text = String::from("time,hips.x,hips.y,hips.z\n");
    (0..frames).for_each(|i| writeln!(text, "{},0,{},0", f64::from(i) / 100.0, i % 7).unwrap());
    let character = mannequin().unwrap();
    let (clips, bytes) = peak(|| {
        let take = parse_csv(Path::new("long.csv"), &text).unwrap();
        Source::Take(take).clips(&character, &Rig::default(), false).unwrap().clips
    });
    assert!(bytes < 10 * text.len(), "{bytes} bytes for a text of {}", text.len());
    let longest = clips.iter().flat_map(|c| &c.timelines).map(Vec::len).max();
    assert_eq!(longest, Some(frames as usize));
}

/// A golden whose size differs from the image's is not decoded.
fn check_goldens() {
    let side = 2048;
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory-golden.png");
    let file = std::fs::File::create(&path).unwrap();
    let mut encoder = png::Encoder::new(file, side, side);
    encoder.set_color(png::ColorType::Rgba);
    let row = vec![0; 4 * side as usize * side as usize];
    encoder.write_header().unwrap().write_image_data(&row).unwrap();
    let (found, bytes) = peak(|| Drawn::read(&path, 64, 48).unwrap());
    assert_eq!(found, Some(GoldenState::OtherSize(side, side)));
    assert!(bytes < 1 << 20, "{bytes} bytes");
    assert!(matches!(Drawn::read(&path, side, side).unwrap(), Some(GoldenState::Drawn(_))));
}

#[test]
fn memory_is_proportional_to_the_input() {
    check_recordings();
    check_goldens();
}
