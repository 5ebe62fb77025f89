//! Goldens of regression tests: images, and the world matrices of joints.

use std::sync::LazyLock;

use sinew::regress::{Conditions, Drawn, Explanation, GoldenState, Joints, KindTolerance, SceneRecord};
use sinew::render::DecodedImage;
use sinew::scene;
use sinew::scene::ViewSettings;
use sinew::view::Camera;

use crate::character::figure;
use crate::format::{Format, file};
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "golden", inputs_per_round: 150, make, check };

const SIDE: u32 = 4;

/// The joints of the built-in character in its rest pose.
static JOINTS: LazyLock<Joints> = LazyLock::new(|| Joints::of(&figure()));

/// The scene of the built-in character in its rest pose, as JSON.
static SCENE: LazyLock<String> = LazyLock::new(|| {
    let figure = figure();
    let view = ViewSettings::new(Camera::framing(&figure.bounds(), 0.8, 1.0), figure.bounds());
    serde_json::to_string(&SceneRecord::of(&figure, &scene::frame(&figure, &view), (64, 64)))
        .unwrap_or_default()
});

fn make(random: &mut Random) -> Vec<u8> {
    if random.once_in(2) {
        let joints = String::from_utf8_lossy(&JOINTS.encode().unwrap_or_default()).into_owned();
        return mutate::text(&joints, random).into_bytes();
    }
    let rgba = (0..4 * SIDE * SIDE).map(|_| random.byte()).collect();
    let image = DecodedImage { width: SIDE, height: SIDE, rgba };
    let mut drawn = Drawn::new(image);
    drawn.drawn_by = Some("a machine".to_owned());
    if random.once_in(2) {
        return with_scene(&drawn, &mutate::text(&SCENE, random));
    }
    let mut bytes = drawn.encode().unwrap_or_default();
    random.mutate_bytes(&mut bytes);
    bytes
}

/// Encodes an image with the text of a scene. The text may be damaged.
fn with_scene(drawn: &Drawn, scene: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, SIDE, SIDE);
    encoder.set_color(png::ColorType::Rgba);
    let text: String = scene.chars().filter(char::is_ascii).collect();
    let written = encoder.add_ztxt_chunk("Scene".into(), text).and_then(|()| encoder.write_header());
    let written = written.and_then(|mut writer| writer.write_image_data(&drawn.image.rgba));
    if written.is_ok() { bytes } else { Vec::new() }
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    if bytes.starts_with(b"\x89PNG") {
        return check_image(bytes);
    }
    let path = file("golden.json", bytes)?;
    let Ok(Some(joints)) = Joints::read(&path) else { return Ok(false) };
    for difference in JOINTS.compare(&joints).into_iter().flatten() {
        if difference.distance.is_nan() || difference.angle.is_nan() {
            return Err(format!("difference is NaN: {difference:?}"));
        }
    }
    let reread = Joints::read(&file("rewritten.json", &joints.encode().map_err(|e| e.to_string())?)?);
    match reread {
        Ok(Some(reread)) if reread == joints => Ok(true),
        Ok(_) => Err("written joints differ: reading them gives other joints".to_owned()),
        Err(cause) => Err(format!("written joints rejected: {cause}")),
    }
}

fn check_image(bytes: &[u8]) -> Result<bool, String> {
    let Ok(Some(GoldenState::Drawn(drawn))) = Drawn::read(&file("golden.png", bytes)?, SIDE, SIDE) else {
        return Ok(false);
    };
    explain(&drawn)?;
    let rewritten = file("rewritten.png", &drawn.encode().map_err(|e| e.to_string())?)?;
    match Drawn::read(&rewritten, SIDE, SIDE) {
        Ok(Some(GoldenState::Drawn(reread))) if reread.image == drawn.image => Ok(true),
        other => Err(format!("written image differs: {other:?}").chars().take(200).collect()),
    }
}

/// Explains the difference from another image with the same scene. Whatever the scene contains, this must terminate and result in finite
/// numbers.
fn explain(drawn: &Drawn) -> Result<(), String> {
    let Some(scene) = drawn.scene.as_ref().and_then(|scene| scene.decode().ok()) else { return Ok(()) };
    let figure = figure();
    let view = ViewSettings::new(Camera::framing(&figure.bounds(), 0.8, 1.0), figure.bounds());
    let now = SceneRecord::of(&figure, &scene::frame(&figure, &view), (64, 64));
    let mut other = drawn.image.clone();
    other.rgba.iter_mut().for_each(|value| *value = value.wrapping_add(40));
    let tolerance = KindTolerance::default();
    let explanation =
        Explanation::new(&figure, (&drawn.image, &scene), (&other, &now), &tolerance, Conditions::default());
    let explanation = explanation.ok_or("images of the same size are not explained")?;
    let numbers = explanation.changes.iter().flat_map(|c| [c.distance, c.angle, c.shift]).flatten();
    match numbers.into_iter().find(|number| number.is_nan()) {
        Some(_) => Err(format!("a change is not a number: {explanation:?}")),
        None => Ok(()),
    }
}
