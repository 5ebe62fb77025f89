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

/// Returns the result of a call and its peak memory use, in bytes.
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

/// Regression test: an FBX file of less than 400 bytes declared an array of 134 million numbers, for which the parser
/// allocated two gigabytes.
fn check_fbx() {
    let number = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    // Each node consists of its end, the number and the size of its values, its name, and its inner nodes.
    let node = |at: usize, name: &str, values: &[&[u8]], inner: &dyn Fn(usize) -> Vec<u8>| {
        let data = values.concat();
        let start = at + 13 + name.len() + data.len();
        let inner = inner(start);
        let length = u8::try_from(name.len()).unwrap();
        let head = [number(start + inner.len()), number(values.len()), number(data.len())].concat();
        [&head[..], &[length], name.as_bytes(), &data, &inner].concat()
    };
    let array = [&b"l"[..], &number(1 << 27), &number(0), &number(128), &[0; 128]].concat();
    let text = |text: &[u8]| [&b"S"[..], &number(text.len()), text].concat();
    let vertices = |at| [node(at, "Vertices", &[&array], &|_| Vec::new()), vec![0; 13]].concat();
    let names = [[&b"L"[..], &10_u64.to_le_bytes()].concat(), text(b"a\0\x01Geometry"), text(b"Mesh")];
    let values = names.each_ref().map(Vec::as_slice);
    let geometry = |at| [node(at, "Geometry", &values, &vertices), vec![0; 13]].concat();
    let head = [&b"Kaydara FBX Binary  \0\x1a\0"[..], &number(7400)].concat();
    let bytes = [&head[..], &node(head.len(), "Objects", &[], &geometry), &[0; 13]].concat();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory.fbx");
    std::fs::write(&path, &bytes).unwrap();
    let (loaded, memory) = peak(|| sinew::asset::load(&path));
    assert!(memory < 80 << 20, "{memory} bytes for {} bytes", bytes.len());
    let error = loaded.unwrap_err().to_string();
    assert!(error.contains("Memory limit exceeded"), "{error}");
}

#[test]
fn memory_is_proportional_to_the_input() {
    check_recordings();
    check_goldens();
    check_fbx();
}
