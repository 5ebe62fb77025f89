//! `sinew render --turntable`.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use crate::{folder, refusal, stdout};
use sinew_testkit::image;

/// Draws a mask of the mannequin, which reaches to one side.
fn draw(out: &Path, count: &str) {
    let size = ["--resolution", "96,64", "--framing", "tight", "--mode", "mask"];
    let reach = ["--reach", "leftHand=0.7,1.4,0.1"];
    let [a, b, c, d, e, f] = size;
    stdout([
        "render",
        a,
        b,
        c,
        d,
        e,
        f,
        reach[0],
        reach[1],
        "--turntable",
        count,
        "-o",
        out.to_str().unwrap(),
    ]);
}

/// Returns the masks of all images of a numbered sequence.
fn numbered(folder: &Path, count: usize) -> Vec<Vec<bool>> {
    draw(&folder.join("{frame}.png"), &count.to_string());
    let images = (0..count).map(|frame| image::open(&folder.join(format!("{frame}.png"))).rgba);
    images.map(|rgba| rgba.as_chunks::<4>().0.iter().map(|pixel| pixel[0] > 127).collect()).collect()
}

#[test]
fn a_figure_turns_once_and_stays_in_the_image() {
    let folder = folder("turntable");
    let images = numbered(&folder, 8);
    for (index, image) in images.iter().enumerate() {
        let border = |i: usize| !(96..96 * 63).contains(&i) || [0, 95].contains(&(i % 96));
        assert!(!(0..96 * 64).any(|i| border(i) && image[i]), "image {index} is cut off");
        assert!(image.iter().filter(|is_figure| **is_figure).count() > 150, "image {index}");
        assert!(images.iter().skip(index + 1).all(|other| other != image), "image {index} is repeated");
    }
    assert!(!folder.join("8.png").exists());
}

#[test]
fn gif_and_png_contain_all_images_at_the_right_speed() {
    let folder = folder("turntable-files");
    let expected = numbered(&folder, 6);
    let (gif, png) = (folder.join("a.gif"), folder.join("a.png"));
    draw(&gif, "6");
    draw(&png, "6");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(&gif).unwrap()).unwrap();
    let (mut images, mut centiseconds) = (Vec::new(), 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        centiseconds += frame.delay;
        images
            .push(frame.buffer.as_chunks::<4>().0.iter().map(|pixel| pixel[0] > 127).collect::<Vec<bool>>());
    }
    assert_eq!(centiseconds, 25);
    assert_eq!(images, expected);
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(File::open(&png).unwrap())).read_info().unwrap();
    let control = *reader.info().animation_control().unwrap();
    assert_eq!((control.num_frames, control.num_plays), (6, 0));
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    for mask in &expected {
        reader.next_frame(&mut pixels).unwrap();
        let delay = reader.info().frame_control().unwrap();
        assert_eq!((delay.delay_num, delay.delay_den), (1, 24));
        let read: Vec<bool> = pixels.as_chunks::<3>().0.iter().map(|pixel| pixel[0] > 127).collect();
        assert_eq!(read, *mask);
    }
}

#[test]
fn a_video_needs_ffmpeg() {
    let folder = folder("turntable-video");
    let path = folder.join("a.mp4");
    if Command::new("ffmpeg").arg("-version").output().is_ok() {
        draw(&path, "4");
        assert_eq!(&fs::read(&path).unwrap()[4..8], b"ftyp");
    } else {
        let line = refusal(["render", "--turntable", "4", "-o", path.to_str().unwrap()]);
        assert!(
            line.ends_with("ffmpeg is not installed, which writes .mp4; install it, or use .gif or .png")
        );
        assert!(!path.exists());
    }
}

#[test]
fn errors_say_what_a_turntable_needs() {
    let line = refusal(["render", "--turntable", "4", "-o", "a.jpg"]);
    assert_eq!(line, "--output a.jpg: unknown file type; use .gif, .png, .mp4, or a name with {frame:04}");
    assert!(refusal(["render", "--turntable", "1", "-o", "a.gif"]).contains("2..=3600"));
    let line = refusal(["render", "--turntable", "4", "--fps", "60", "-o", "a.gif"]);
    assert!(line.contains("50 images per second"), "{line}");
    assert!(refusal(["render", "--turntable", "4", "-o", "/missing/a.gif"]).starts_with("/missing"));
}
