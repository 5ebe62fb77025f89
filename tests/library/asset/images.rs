//! Every kind of PNG and JPEG decodes to the same pixels.

use base64::Engine;
use png::{BitDepth, ColorType, Encoder};
use sinew::asset::{DecodedImage, MAX_IMAGE_SIDE};

use sinew_testkit::image::png;

/// JPEG files of 8 by 8 pixels: RGB (200, 100, 50), progressive grey 77, and CMYK for (200, 100, 50).
const COLOR: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGB\
    YUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAI\
    AAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAVAQEBAAAAAAAAAAAAAAAAAAAHCP/EAB\
    QRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/ACA9SD//2Q==";
const GREY: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGB\
    YUGBIUFRT/wgALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAB//aAAgBAQAAAAE7/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAB\
    BQJ//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAGPwJ//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPyF//9oACAEBAAAAEH//xA\
    AUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAE/EH//2Q==";
const CMYK: &str = "/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwADAgIDAgIDAwMDBAMDBAUIBQUEBAUKBwcGCAwKDAwLCgsLDQ4SEA0OEQ4LCxAWEBETFBUVFQwPFxgWFB\
    gSFBUU/9sAQwEDBAQFBAUJBQUJFA0LDRQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU/8AAFAgACAAI\
    BAERAAIRAQMRAQQRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAcI/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/EABQBAQAAAAAAAAAAAAAAAAAAAAj/xA\
    AUEQEAAAAAAAAAAAAAAAAAAAAA/9oADgQBAAIRAxEEAAA/ACwjRHWA/9k=";

fn jpeg(text: &str) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

/// Encodes and decodes a PNG of one by two pixels.
fn decoded_png(
    color: ColorType,
    depth: BitDepth,
    palette: Option<(&[u8], &[u8])>,
    data: &[u8],
) -> DecodedImage {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 1, 2);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if let Some((colors, alphas)) = palette {
        encoder.set_palette(colors.to_vec());
        encoder.set_trns(alphas.to_vec());
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    DecodedImage::decode(&bytes).unwrap()
}

#[test]
fn every_kind_of_png_becomes_rgba() {
    let pixels = |image: DecodedImage| image.pixels().collect::<Vec<_>>();
    let (one, eight, sixteen) = (BitDepth::One, BitDepth::Eight, BitDepth::Sixteen);
    assert_eq!(pixels(decoded_png(ColorType::Grayscale, one, None, &[0, 0x80])), [[0, 0, 0, 255], [255; 4]]);
    assert_eq!(
        pixels(decoded_png(ColorType::Grayscale, eight, None, &[7, 9])),
        [[7, 7, 7, 255], [9, 9, 9, 255]]
    );
    // Values are rounded to the nearest integer: 1.77 becomes 2, and 254.502 becomes 255.
    let wide = [1, 200, 2, 20, 3, 200, 0xff, 0x7f];
    assert_eq!(
        pixels(decoded_png(ColorType::GrayscaleAlpha, sixteen, None, &wide)),
        [[2, 2, 2, 2], [4, 4, 4, 255]]
    );
    let rgb = [1, 2, 3, 4, 5, 6];
    assert_eq!(pixels(decoded_png(ColorType::Rgb, eight, None, &rgb)), [[1, 2, 3, 255], [4, 5, 6, 255]]);
    let rgba = [1, 2, 3, 4, 5, 6, 7, 8];
    assert_eq!(pixels(decoded_png(ColorType::Rgba, eight, None, &rgba)), [[1, 2, 3, 4], [5, 6, 7, 8]]);
    let palette: (&[u8], &[u8]) = (&[1, 2, 3, 4, 5, 6], &[255, 9]);
    let indexed = decoded_png(ColorType::Indexed, eight, Some(palette), &[1, 0]);
    assert_eq!(pixels(indexed), [[4, 5, 6, 9], [1, 2, 3, 255]]);
}

#[test]
fn every_kind_of_jpeg_becomes_rgba() {
    for (text, expected, tolerance) in
        [(COLOR, [200, 100, 50], 2), (GREY, [77; 3], 2), (CMYK, [200, 100, 50], 12)]
    {
        let image = DecodedImage::decode(&jpeg(text)).unwrap();
        assert_eq!((image.width, image.height, image.pixels().count()), (8, 8, 64));
        for pixel in image.pixels() {
            let difference = pixel.iter().zip(expected).map(|(a, b): (&u8, u8)| a.abs_diff(b)).max();
            assert!(pixel[3] == 255 && difference.unwrap() <= tolerance, "{pixel:?} instead of {expected:?}");
        }
    }
}

/// A header of 700 bytes made the decoder fill gigabytes of memory.
#[test]
fn a_jpeg_that_is_too_short_for_its_size_is_refused() {
    let mut bytes = jpeg(GREY);
    // The height and the width follow the length and the precision of the frame.
    let frame = bytes.windows(2).position(|marker| matches!(marker, [0xff, 0xc0..=0xc2])).unwrap();
    for side in [frame + 5, frame + 7] {
        bytes[side..side + 2].copy_from_slice(&12_000_u16.to_be_bytes());
    }
    let expected = format!("damaged: {} bytes cannot contain 12000x12000 pixels", bytes.len());
    assert_eq!(DecodedImage::decode(&bytes).unwrap_err().to_string(), expected);
}

/// The pixels of the small WebP and KTX2 files, which `scripts/compressed-models.mjs` writes.
fn gradient(has_alpha: bool) -> Vec<[u8; 4]> {
    let pixel = |x: u8, y: u8| [x * 12, y * 20, 128, if has_alpha { 255 - x * 6 } else { 255 }];
    (0..12).flat_map(|y| (0..20).map(move |x| pixel(x, y))).collect()
}

#[test]
fn webp_and_ktx2_images_become_rgba() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, has_alpha, tolerance) in [
        ("fuzz/webp/lossless-alpha.webp", true, 0),
        ("fuzz/webp/lossy.webp", false, 24),
        ("fuzz/webp/lossy-alpha.webp", true, 24),
        ("src/character/asset/ktx2/uastc.ktx2", true, 12),
        ("src/character/asset/ktx2/uastc-zstd.ktx2", true, 12),
        ("src/character/asset/ktx2/etc1s.ktx2", true, 60),
    ] {
        let image = DecodedImage::decode(&std::fs::read(folder.join(name)).unwrap()).unwrap();
        assert_eq!((image.width, image.height), (20, 12), "{name}");
        let differences = image
            .pixels()
            .zip(gradient(has_alpha))
            .map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap());
        let most = differences.max().unwrap();
        assert!(most <= tolerance, "{name} differs by {most}");
    }
}

#[test]
fn damaged_ktx2_headers_are_refused() {
    let file = include_bytes!("../../../src/character/asset/ktx2/uastc-zstd.ktx2");
    let with = |at: usize, value: u32| {
        let mut bytes = file.to_vec();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        DecodedImage::decode(&bytes).map_err(|error| error.to_string())
    };
    assert!(with(20, u32::MAX).unwrap_err().starts_with("damaged: the level has 240 bytes"));
    assert_eq!(
        with(36, 6).unwrap_err(),
        "KTX2: an image that is not a single two-dimensional one is not supported"
    );
    assert_eq!(with(64, u32::MAX).unwrap_err(), "damaged: a part of the KTX file is outside the file");
    assert_eq!(with(44, 3).unwrap_err(), "KTX2: colour model 166 with supercompression 3 is not supported");
    // The key/value data may end anywhere.
    for size in 0..64 {
        with(60, size).unwrap();
    }
    for cut in 0..file.len() {
        DecodedImage::decode(&file[..cut]).unwrap_err();
    }
}

#[test]
fn damaged_images_are_refused_with_the_reason() {
    let complete = png(3, 3, ColorType::Rgb, &[9; 27]);
    for cut in 0..complete.len() - 12 {
        assert!(DecodedImage::decode(&complete[..cut]).is_err(), "{cut} bytes");
    }
    let photo = jpeg(COLOR);
    for cut in 0..photo.len() {
        // A truncated photo may still be decoded, but the image must have its full size.
        if let Ok(image) = DecodedImage::decode(&photo[..cut]) {
            assert_eq!((image.width, image.height, image.rgba.len()), (8, 8, 256), "{cut} bytes");
        }
    }
    assert_eq!(
        DecodedImage::decode(b"GIF89a").unwrap_err().to_string(),
        "not a PNG, JPEG, WebP or KTX2 image"
    );
    // Only the size in the header is changed.
    let mut large = complete;
    large[16..20].copy_from_slice(&(MAX_IMAGE_SIDE + 1).to_be_bytes());
    let error = DecodedImage::decode(&large).unwrap_err().to_string();
    assert!(error.starts_with("damaged: "), "{error}");
}
