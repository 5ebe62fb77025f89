//! Broken and changed BVH files: they are rejected with the line of the error, and cause neither a panic nor excessive memory use.

use std::path::Path;
use std::time::{Duration, Instant};

use sinew::asset::bvh;

use super::super::corpus::ALLOCATOR;
use super::{UNUSUAL, files, read, single};
use sinew_base::Random;

#[test]
fn broken_files_are_refused_with_their_line() {
    let frames =
        |motion: &str| single("2 Xposition Xrotation", &format!("Frames: 2\nFrame Time: 1\n{motion}"));
    let joint = |inside: &str| format!("HIERARCHY\nROOT a\n{{\n{inside}\n}}\n");
    let long = format!("HIERARCHY\nROOT a {{ OFFSET {} 0 0 }}", "x".repeat(5000));
    for (text, line) in [
        (String::new(), "line 1: the file is empty"),
        ("\n\nSKELETON".into(), "line 3: expected HIERARCHY, found \"SKELETON\""),
        ("HIERARCHY\n\n".into(), "line 1: the file has no ROOT"),
        ("HIERARCHY\nMOTION".into(), "line 2: the file has no ROOT"),
        ("HIERARCHY\nJOINT a { }".into(), "line 2: expected ROOT or MOTION, found \"JOINT\""),
        ("HIERARCHY\nROOT a { } }".into(), "line 2: expected ROOT or MOTION, found \"}\""),
        ("HIERARCHY\nROOT a\nOFFSET".into(), "line 3: expected { after joint \"a\", found \"OFFSET\""),
        ("HIERARCHY\nROOT a".into(), "line 2: expected { after joint \"a\", but the file ends"),
        (
            "HIERARCHY\nROOT a {\nOFFSET 0 0 0\n\n".into(),
            "line 3: the file ends inside joint \"a\", which starts in line 2",
        ),
        ("HIERARCHY\nROOT a {\nOFFSET 0 0".into(), "line 3: the file ends inside OFFSET"),
        ("HIERARCHY\nROOT a {\nOFFSET 0 0\n\n\n".into(), "line 3: the file ends inside OFFSET"),
        (
            "HIERARCHY\nROOT a {\nCHANNELS\n\n".into(),
            "line 3: CHANNELS must be followed by a number of channels, found \"\"",
        ),
        ("HIERARCHY\nROOT a\n\n".into(), "line 2: expected { after joint \"a\", but the file ends"),
        (joint("OFFSET 0 0 MOTION"), "line 4: \"MOTION\" is not a number"),
        (joint("OFFSET 0 nan 0"), "line 4: \"nan\" is not finite"),
        (joint("OFFSET 0 1e999 0"), "line 4: \"1e999\" is not finite"),
        (joint("OFFSET 0 1e99 0"), "line 4: \"1e99\" is too large"),
        (joint("OFFSET 0 0 0 1"), "line 4: unexpected \"1\" in joint \"a\""),
        (joint("OFFSET 0 0 0\nOFFSET 0 0 0"), "line 5: second OFFSET in joint \"a\""),
        (joint("CHANNELS 0 CHANNELS 0"), "line 4: second CHANNELS in joint \"a\""),
        (joint("CHANNELS -3"), "line 4: CHANNELS must be followed by a number of channels, found \"-3\""),
        (joint("CHANNELS 3 Xrotation Yrotation"), "line 5: CHANNELS: \"}\" is not a channel, after 2 of 3"),
        (
            joint("CHANNELS 99999999999 Xrotation"),
            "line 5: CHANNELS: \"}\" is not a channel, after 1 of 99999999999",
        ),
        (joint("CHANNELS 1 Wrotation"), "line 4: CHANNELS: \"Wrotation\" is not a channel, after 0 of 1"),
        (joint("CHANNELS 1 Ärotation"), "line 4: CHANNELS: \"Ärotation\" is not a channel, after 0 of 1"),
        (joint("CHANNELS 2 Xposition xPosition"), "line 4: CHANNELS: \"xPosition\" is repeated"),
        (joint("CHANNELS 1 Xrotation Yrotation"), "line 4: unexpected \"Yrotation\" in joint \"a\""),
        (joint("ROOT b { }"), "line 4: unexpected \"ROOT\" in joint \"a\""),
        (joint("End Site { JOINT b { } }"), "line 4: unexpected \"JOINT\" in End Site \"a_end\""),
        (joint("End Site { CHANNELS 1 Xrotation }"), "line 4: End Site \"a_end\" cannot have channels"),
        (joint("MOTION"), "line 4: unexpected \"MOTION\" in joint \"a\""),
        (frames("1 2\n1 nan\n"), "line 11: \"nan\" is not finite"),
        (frames("1 2\n1 2,5\n"), "line 11: \"2,5\" is not a number"),
        (frames("1 2\n1\n1 2\n"), "line 11: expected 2 numbers for a frame, found 1"),
        (frames("1 2\n1 2 3\n1 2\n"), "line 11: expected 2 numbers for a frame, found 3"),
        (frames("1\n1 2\n"), "line 10: expected 2 numbers for a frame, found 1"),
        (frames("1 2 1\n2\n1\n"), "line 10: expected 2 numbers for a frame, found 3"),
        (frames("1 2 3\n"), "line 10: expected 2 numbers for a frame, found 3"),
        (frames("1 2\n}\n"), "line 11: \"}\" is not a number"),
        (frames("1 2\nFrames: 3\n"), "line 11: \"Frames:\" is not a number"),
        (
            single("0", "Frames: 1\nFrame Time: 1\n1"),
            "line 10: unexpected \"1\" because no joint has channels",
        ),
        (long, "line 2: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\" is not a number"),
    ] {
        assert_eq!(read(&text).unwrap_err(), format!("walk.bvh: {line}"), "{text:.200}");
    }
    let line = bvh::read(&joint(""), Path::new("walk.bvh"), Some(0.0)).unwrap_err().to_string();
    assert_eq!(line, "walk.bvh: units must be between 1e-6 and 1e6 metres, not 0");
}

#[test]
fn lines_are_counted_for_every_line_ending() {
    for end in ["\n", "\r\n", "\r"] {
        let text =
            ["HIERARCHY", "ROOT a", "{", "OFFSET 0 0 0", "CHANNELS 1 Xrotation", "}", "MOTION", "Frames: 1"];
        let text = format!("{}{end}Frame Time: 1{end}{end}x", text.join(end));
        assert_eq!(read(&text).unwrap_err(), "walk.bvh: line 11: \"x\" is not a number", "{end:?}");
    }
}

#[test]
fn memory_stays_in_proportion_to_the_text() {
    let rows = "0 ".repeat(1000) + "\n";
    let joints = "JOINT a{CHANNELS 1 Xrotation}".repeat(1000);
    let ends = format!("JOINT {}{{{}}}", "a".repeat(20_000), "End{}".repeat(20_000));
    for text in [
        format!(
            "HIERARCHY ROOT a{{{joints}}}MOTION\nFrames: 999999999999\nFrame Time: 1\n{}",
            rows.repeat(1000)
        ),
        format!("HIERARCHY ROOT a{{{joints}}}MOTION\nFrames: 999999999999\nFrame Time: 1\n"),
        format!("HIERARCHY ROOT a{{{}}}", "End{}".repeat(20_000)),
        format!("HIERARCHY ROOT a{{{ends}}}"),
    ] {
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        read(&text).unwrap();
        let peak = ALLOCATOR.peak_usage().saturating_sub(before);
        // Other tests of this binary allocate at the same time, but far less than the bound.
        let bound = 32 * text.len() + (48 << 20);
        assert!(peak <= bound, "{peak} bytes exceed {bound}");
    }
}

/// Checks that a file is read with finite numbers or rejected with a one-line error, and never panics.
fn check_read_or_refused(label: &str, bytes: &[u8]) {
    let start = Instant::now();
    match bvh::read(&String::from_utf8_lossy(bytes), Path::new("walk.bvh"), None) {
        Ok(character) => {
            let nodes = character.skeleton.nodes.iter();
            assert!(nodes.map(|n| n.rest).all(|r| r.translation.is_finite()), "{label}");
            let _ = sinew::puppet::Puppet::new(character, 0);
        }
        Err(error) => {
            let line = error.to_string();
            assert!(line.starts_with("walk.bvh: line ") && !line.contains('\n'), "{label}: {line}");
        }
    }
    assert!(start.elapsed() < Duration::from_secs(2), "{label}: {:?}", start.elapsed());
}

#[test]
fn changed_and_truncated_files_never_panic() {
    let mut texts = vec![UNUSUAL.as_bytes().to_vec()];
    texts.extend(files().iter().map(|path| std::fs::read(path).unwrap()));
    let mut random = Random(7);
    for (file, original) in texts.iter().enumerate() {
        // Change mostly the hierarchy, where changes have the most effect.
        let original = &original[..original.len().min(20_000)];
        for i in 0..300 {
            let mut bytes = original.to_vec();
            for _ in 0..=i % 3 {
                let at = random.below(if i % 2 == 0 { bytes.len() } else { bytes.len().min(3000) });
                let signs = b"{}\n 0-9.eEnN:\xFF";
                bytes[at] = if i % 5 == 0 {
                    random.next().to_le_bytes()[0]
                } else {
                    signs[random.below(signs.len())]
                };
            }
            check_read_or_refused(&format!("file {file}, change {i}"), &bytes);
            let cut = random.below(original.len());
            check_read_or_refused(&format!("file {file} cut at {cut}"), &original[..cut]);
        }
    }
}
