use glam::{Quat, Vec3};

use super::*;
use crate::asset;
use crate::pose::Pose;
use crate::record::{Attribute, MaterialRecord};
use crate::render::{AdapterChoice, Background, DecodedImages, Frame, Gpu, Pending, Renderer, ShadingMode};
use crate::scene::{ViewSettings, frame};
use crate::view::{AUTO_FOV_Y, Bounds, Camera};

const SIZE: (u32, u32) = (192, 192);
const SAME_MACHINE: Conditions = Conditions { same_machine: true, restricted: false, other_shadows: false };

/// A posed mannequin with its record, and an image in which each joint has a different colour.
struct Drawing {
    puppet: Puppet,
    record: SceneRecord,
    image: DecodedImage,
}

fn view(puppet: &Puppet) -> ViewSettings {
    let bounds = Bounds { lo: Vec3::new(-1.0, 0.0, -0.4), hi: Vec3::new(1.0, 1.75, 0.4) };
    let camera = Camera::framing(&bounds, AUTO_FOV_Y, 1.0);
    ViewSettings::new(camera, puppet.bounds()).with_samples(1).with_floor(false).with_shadow(false)
}

fn drawing(change: impl FnOnce(&Puppet, &mut Pose)) -> Drawing {
    drawing_of(asset::mannequin().unwrap(), change)
}

fn drawing_of(character: asset::Character, change: impl FnOnce(&Puppet, &mut Pose)) -> Drawing {
    let mut puppet = Puppet::new(character, 0);
    let mut pose = Pose::rest(&puppet.character().skeleton);
    change(&puppet, &mut pose);
    puppet.follow(&pose, &[]).unwrap();
    let record = SceneRecord::of(&puppet, &frame(&puppet, &view(&puppet)), SIZE);
    let image = paint(&puppet, &record);
    Drawing { puppet, record, image }
}

fn paint(puppet: &Puppet, record: &SceneRecord) -> DecodedImage {
    let ids = Ids::draw(puppet, &Surfaces::of(puppet, record), &record.camera.camera(), SIZE);
    let color = |hit: &Option<raster::Hit>| {
        let node = hit.as_ref().and_then(|hit| raster::node(puppet, hit));
        node.map_or([40, 40, 40, 255], |node| {
            let n = u8::try_from(node % 64).unwrap();
            [80 + 2 * n, 200 - 2 * n, 90 + n, 255]
        })
    };
    DecodedImage { width: SIZE.0, height: SIZE.1, rgba: ids.hits.iter().flat_map(color).collect() }
}

fn explain(golden: &Drawing, actual: &Drawing) -> Explanation {
    let golden = (&golden.image, &golden.record);
    let tolerance = KindTolerance::default();
    Explanation::new(&actual.puppet, golden, (&actual.image, &actual.record), &tolerance, SAME_MACHINE)
        .unwrap()
}

fn node(puppet: &Puppet, name: &str) -> usize {
    puppet.character().skeleton.find(name).unwrap()
}

#[test]
fn a_turned_joint_is_named_with_its_angle_and_the_movement_of_its_skin() {
    let golden = drawing(|_, _| {});
    let actual = drawing(|puppet, pose| {
        pose.locals[node(puppet, "leftLowerArm")].rotation *= Quat::from_rotation_y(2_f32.to_radians());
    });
    let explanation = explain(&golden, &actual);
    let [change] = &explanation.changes[..] else { panic!("{:?}", explanation.changes) };
    assert_eq!((change.kind, change.joint.as_deref()), (ChangeKind::Moved, Some("leftLowerArm")));
    assert!((change.angle.unwrap().to_degrees() - 2.0).abs() < 1e-3, "{change:?}");
    // The visible finger tips are about 0.28 m from the elbow.
    let distance = change.distance.unwrap();
    assert!((0.008..0.012).contains(&distance), "{distance}");
    assert!(change.fails && change.shift.unwrap() > 0.4, "{change:?}");
    assert!(
        explanation.verdict.starts_with("Moved: left lower arm 9.9 mm at most ("),
        "{}",
        explanation.verdict
    );
    assert!(
        explanation.verdict.ends_with("px: joint `leftLowerArm` turned 2.00°."),
        "{}",
        explanation.verdict
    );
    // Exactly the pixels that differ are on the map.
    let differs = golden.image.rgba.chunks(4).zip(actual.image.rgba.chunks(4)).map(|(a, b)| a != b);
    assert!(differs.eq(explanation.map.iter().map(|change| *change == 1)));
}

#[test]
fn movements_of_less_than_a_quarter_of_a_pixel_are_tolerated() {
    let golden = drawing(|_, _| {});
    let turned = |angle: f32| {
        let actual = drawing(|puppet, pose| {
            pose.locals[node(puppet, "spine")].rotation *= Quat::from_rotation_z(angle);
        });
        let explanation = explain(&golden, &actual);
        (explanation.shift(), explanation.fails())
    };
    let (small, passes) = (turned(0.003), turned(0.02));
    assert!(small.0 > 0.0 && small.0 < 0.25 && !small.1, "{small:?}");
    assert!(passes.0 >= 0.25 && passes.1, "{passes:?}");
}

#[test]
fn a_moved_camera_is_the_cause_of_every_pixel() {
    let golden = drawing(|_, _| {});
    let mut actual = drawing(|_, _| {});
    for point in [&mut actual.record.camera.position, &mut actual.record.camera.target] {
        point[0] += 0.02;
    }
    actual.image = paint(&actual.puppet, &actual.record);
    let explanation = explain(&golden, &actual);
    let [change] = &explanation.changes[..] else { panic!("{:?}", explanation.changes) };
    assert!(change.kind == ChangeKind::Camera && change.fails, "{change:?}");
    assert!((1.0..3.0).contains(&change.shift.unwrap()), "{change:?}");
    assert!(change.text.ends_with("its position differs by 20.0 mm"), "{}", change.text);
}

#[test]
fn materials_are_named_and_count_from_fifty_pixels() {
    let golden = drawing(|_, _| {});
    let shaded = |pixels: usize| {
        let mut actual = drawing(|_, _| {});
        let surface = (0..actual.image.rgba.len() / 4).filter(|i| golden.image.rgba[4 * i] != 40);
        for pixel in surface.take(pixels).collect::<Vec<_>>() {
            actual.image.rgba[4 * pixel + 1] += 2;
        }
        let MaterialRecord { color, .. } = &mut actual.record.materials[0];
        color[0] *= 0.9;
        explain(&golden, &actual)
    };
    let (few, many) = (shaded(49), shaded(50));
    assert!(!few.fails() && many.fails());
    let change = &many.changes[0];
    assert_eq!((change.kind, change.visible, many.changed()), (ChangeKind::Shaded, 50, 50));
    assert!(many.verdict.starts_with("Shaded: material `"), "{}", many.verdict);
    assert!(many.verdict.contains("its base colour is #"), "{}", many.verdict);
}

#[test]
fn parts_that_are_not_drawn_are_missing_and_new_ones_are_added() {
    let golden = drawing(|_, _| {});
    let mut actual = drawing(|_, _| {});
    let part = actual.record.parts.remove(0);
    actual.image = paint(&actual.puppet, &actual.record);
    let missing = explain(&golden, &actual);
    assert_eq!(missing.changes[0].kind, ChangeKind::Missing);
    assert_eq!(missing.changes[0].part.as_ref(), Some(&part.name));
    assert!(missing.fails() && missing.verdict.starts_with(&format!("Part `{}` is not drawn: ", part.name)));
    let added = explain(&actual, &golden);
    assert!(added.changes[0].kind == ChangeKind::Added && added.fails(), "{}", added.verdict);
    // A part of the golden that the character no longer has cannot be drawn, but is named.
    let mut renamed = drawing(|_, _| {});
    renamed.record.parts[0].name = "cape".into();
    let gone = explain(&renamed, &actual);
    assert!(
        gone.verdict.is_empty()
            || !gone.verdict.contains("cape")
            || gone.changes[0].kind == ChangeKind::Missing
    );
}

#[test]
fn the_same_scene_on_another_driver_is_noise_or_an_outline() {
    let golden = drawing(|_, _| {});
    let mut actual = drawing(|_, _| {});
    // Differences of single levels anywhere, and pixels at outlines that switch to the other side's colour.
    for value in actual.image.rgba.iter_mut().step_by(44) {
        *value = value.saturating_add(1);
    }
    let width = SIZE.0 as usize;
    let is_surface = |i: usize| golden.image.rgba[4 * i] != 40;
    let outline = (1..golden.image.rgba.len() / 4 - 1)
        .filter(|&i| i % width > 0 && is_surface(i) && !is_surface(i - 1));
    for pixel in outline.step_by(40) {
        let background: [u8; 4] = golden.image.rgba[4 * (pixel - 1)..4 * pixel].try_into().unwrap();
        actual.image.rgba[4 * pixel..4 * pixel + 4].copy_from_slice(&background);
    }
    let explanation = explain(&golden, &actual);
    assert!(!explanation.fails(), "{}", explanation.verdict);
    let kinds: Vec<ChangeKind> = explanation.changes.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [ChangeKind::Silhouette, ChangeKind::Noise]);
}

/// A drawing whose record lacks the positions of vertices, as in a scene with too many vertices.
fn without_places(mut drawing: Drawing) -> Drawing {
    drawing.record.parts.iter_mut().for_each(|part| part.seen = None);
    drawing
}

#[test]
fn a_changed_mesh_fails_if_the_shading_inside_it_differs() {
    let golden = without_places(drawing(|_, _| {}));
    let fails = |pixels: usize, levels: u8, same_machine: bool| {
        let mut actual = drawing(|_, _| {});
        actual.record.parts[0].digests.insert(Attribute::Positions, "0".into());
        let width = SIZE.0 as usize;
        let is_surface = |i: usize| golden.image.rgba[4 * i] != 40;
        // Pixels of the trunk, far from its edges.
        let inside = (3 * width..golden.image.rgba.len() / 4 - 3 * width)
            .filter(|&i| (i - 3..=i + 3).chain([i - 3 * width, i + 3 * width]).all(is_surface));
        for pixel in inside.take(pixels).collect::<Vec<_>>() {
            actual.image.rgba[4 * pixel] += levels;
        }
        let (expected, drawn) = ((&golden.image, &golden.record), (&actual.image, &actual.record));
        let tolerance = KindTolerance::default();
        let explanation = Explanation::new(
            &actual.puppet,
            expected,
            drawn,
            &tolerance,
            Conditions { same_machine, ..Conditions::default() },
        )
        .unwrap();
        assert_eq!(explanation.changes[0].kind, ChangeKind::Mesh);
        explanation.fails()
    };
    // A mesh that was written with different rounding, or without a few triangles at an edge, passes.
    assert!(!fails(10, 2, true) && !fails(60, 1, true));
    // A vertex that moved within a surface of one colour fails.
    assert!(fails(11, 2, true));
    // Slight colour changes from another driver pass.
    assert!(!fails(60, 8, false) && fails(60, 9, false));
}

/// Draws a figure with few enough vertices that they are recorded. One of its skin weights is multiplied by `weight`.
fn small(weight: f32) -> Drawing {
    let mut figure = asset::load(&sinew_testkit::asset_path("awkward.glb")).unwrap();
    figure.meshes[0].primitives[0].influences[0].weights[300].x *= weight;
    drawing_of(figure, |_, _| {})
}

#[test]
fn a_weight_is_not_blamed_for_the_noise_of_another_driver() {
    let golden = small(1.0);
    let is_surface = |pixel: &usize| golden.image.rgba[4 * pixel] != 40;
    let with_noise = |same_machine: bool| {
        let mut actual = Drawing { image: golden.image.clone(), ..small(0.5) };
        for pixel in (0..actual.image.rgba.len() / 4).filter(is_surface).step_by(17) {
            actual.image.rgba[4 * pixel] += 12;
        }
        let images = ((&golden.image, &golden.record), (&actual.image, &actual.record));
        let conditions = Conditions { same_machine, ..Conditions::default() };
        let tolerance = KindTolerance::default();
        Explanation::new(&actual.puppet, images.0, images.1, &tolerance, conditions).unwrap()
    };
    // On the same machine, every pixel has a cause.
    let (other, same) = (with_noise(false), with_noise(true));
    assert!(!other.fails() && same.fails(), "{}\n{}", other.verdict, same.verdict);
    assert!(same.verdict.starts_with("Weights of one vertex of `body` differ: "), "{}", same.verdict);
    assert!(other.verdict.ends_with("; weights of one vertex of `body` differ."), "{}", other.verdict);
}

/// Regression test: a vertex that moved by 3 pixels at an outline changed three pixels, and the case passed.
#[test]
fn one_clear_pixel_of_a_changed_vertex_fails() {
    let golden = without_places(small(1.0));
    let with_levels = |levels: u8| {
        let mut actual = Drawing { image: golden.image.clone(), ..small(0.5) };
        let is_surface = |pixel: &usize| golden.image.rgba[4 * pixel] != 40;
        // The first of these pixels are at the top outline of the figure.
        for pixel in (0..actual.image.rgba.len() / 4).filter(is_surface).take(2) {
            let red = &mut actual.image.rgba[4 * pixel];
            *red = if *red > 127 { *red - levels } else { *red + levels };
        }
        explain(&golden, &actual)
    };
    let (clear, faint) = (with_levels(96), with_levels(60));
    assert!(clear.fails() && !faint.fails(), "{}\n{}", clear.verdict, faint.verdict);
}

/// Whether a vertex has moved must not depend on the pixels that a driver draws.
#[test]
fn other_weights_are_judged_by_how_far_they_move_a_vertex() {
    let golden = small(1.0);
    let judged = |weight: f32, levels: u8| {
        let mut actual = Drawing { image: golden.image.clone(), ..small(weight) };
        let is_surface = |pixel: &usize| golden.image.rgba[4 * pixel] != 40;
        for pixel in (0..actual.image.rgba.len() / 4).filter(is_surface).step_by(3) {
            actual.image.rgba[4 * pixel] = actual.image.rgba[4 * pixel].saturating_add(levels);
        }
        let images = ((&golden.image, &golden.record), (&actual.image, &actual.record));
        let tolerance = KindTolerance::default();
        let conditions = Conditions::default();
        Explanation::new(&actual.puppet, images.0, images.1, &tolerance, conditions).unwrap()
    };
    let (far, near) = (judged(0.5, 1), judged(0.98, 100));
    assert!(far.fails(), "{}", far.verdict);
    assert!(far.verdict.contains(" levels, moved by 0."), "{}", far.verdict);
    assert!(!near.fails(), "{}", near.verdict);
}

/// Noise from another driver hides an exposure change of two levels, and makes an exposure change without effect look visible. Two images
/// from this driver show the difference.
#[test]
fn a_change_is_judged_by_two_images_of_this_driver() {
    let golden = drawing(|_, _| {});
    let mut actual = drawing(|_, _| {});
    actual.record.settings.insert("exposure".into(), "0.01".into());
    let tolerance = KindTolerance::default();
    let judged = |noise: u8, changed: usize| {
        let mut expected = golden.image.clone();
        for (index, channel) in expected.rgba.iter_mut().enumerate().filter(|(index, _)| index % 4 < 3) {
            *channel = channel.saturating_add(noise * u8::from(index % 3 == 0));
        }
        let mut again = actual.image.clone();
        (0..changed).for_each(|pixel| again.rgba[4 * pixel] += 2);
        let now = RecordedImage { image: &actual.image, record: &actual.record };
        let redrawn = Some([RecordedImage { image: &again, record: &golden.record }, now]);
        let golden = RecordedImage { image: &expected, record: &golden.record };
        let conditions = Conditions::default();
        Explanation::with_redrawn(&actual.puppet, golden, now, &tolerance, conditions, redrawn).unwrap()
    };
    let (few, many) = (judged(4, tolerance.changed), judged(0, tolerance.changed + 1));
    assert!(!few.fails(), "{}", few.verdict);
    assert!(many.fails() && many.verdict.starts_with("Light: "), "{}", many.verdict);
    assert!(many.map.iter().all(|change| *change == 0));
}

/// A golden's pose, camera, light, colours and material numbers are redrawn with the current character, and the pixels are identical.
#[test]
fn a_golden_is_drawn_again() {
    let mut renderer = Renderer::new(Gpu::new(&AdapterChoice::Cpu).unwrap());
    let mut draw = |puppet: &Puppet, frame: &Frame<'_>| {
        let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
        let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
        renderer.submit(&[&model], frame, SIZE).and_then(Pending::image).unwrap()
    };
    let was = drawing(|puppet, pose| {
        pose.locals[node(puppet, "leftUpperArm")].rotation *= Quat::from_rotation_z(0.7);
    });
    let mut settings = view(&was.puppet);
    settings.light.exposure = 0.25;
    settings.light.rotation = 0.5;
    let before = frame(&was.puppet, &settings);
    let (golden, image) = (SceneRecord::of(&was.puppet, &before, SIZE), draw(&was.puppet, &before));

    let mut character = asset::mannequin().unwrap();
    for material in &mut character.materials {
        material.base_color.x *= 0.5;
        material.roughness *= 0.5;
        material.emissive.y += 0.25;
    }
    let now = drawing_of(character, |_, _| {}).puppet;
    let mut settings = view(&now);
    settings.camera.position.x += 0.5;
    let actual = SceneRecord::of(&now, &frame(&now, &settings), SIZE);
    let redraw = Redraw::of(&now, &golden, &actual).unwrap();
    let again = draw(&now, &redraw.frame(&now, frame(&now, &settings)));
    assert!(draw(&now, &frame(&now, &settings)) != image);
    assert!(again == image);
    let text = &golden.materials[0].other_numbers(&actual.materials[0]).unwrap();
    assert_eq!(text, "its roughness is 0.275 instead of 0.550");
    assert!(Redraw::of(&now, &actual, &actual).is_none());
}

#[test]
fn weights_that_were_written_with_other_rounding_pass() {
    let golden = small(1.0);
    let mut actual = small(0.9999);
    for pixel in (0..actual.image.rgba.len() / 4).filter(|pixel| golden.image.rgba[4 * pixel] != 40).take(60)
    {
        actual.image.rgba[4 * pixel] += 1;
    }
    let explanation = explain(&golden, &actual);
    assert!(!explanation.fails(), "{}", explanation.verdict);
    let text = "Weights of part `body` differ slightly: 60 px";
    assert!(explanation.verdict.starts_with(text), "{}", explanation.verdict);
}

#[test]
fn shadows_that_are_sharp_instead_of_soft_do_not_count() {
    let golden = drawing(|_, _| {});
    let mut actual = drawing(|_, _| {});
    let background = (0..actual.image.rgba.len() / 4).filter(|pixel| golden.image.rgba[4 * pixel] == 40);
    for pixel in background.take(800).collect::<Vec<_>>() {
        actual.image.rgba[4 * pixel] += 16;
    }
    let images = ((&golden.image, &golden.record), (&actual.image, &actual.record));
    let conditions = Conditions { other_shadows: true, ..Conditions::default() };
    let tolerance = KindTolerance::default();
    let explanation = Explanation::new(&actual.puppet, images.0, images.1, &tolerance, conditions).unwrap();
    assert_eq!((explanation.changes[0].kind, explanation.changed()), (ChangeKind::Shadow, 0));
    assert!(explanation.verdict.starts_with("Soft shadows, which OpenGL draws sharp: 800 px"));
}

/// The ids are drawn on the CPU, but they must cover the same pixels as the image.
#[test]
fn ids_cover_the_same_pixels_as_the_renderer() {
    let Drawing { puppet, record, .. } = drawing(|puppet, pose| {
        pose.locals[node(puppet, "leftUpperArm")].rotation *= Quat::from_rotation_z(0.7);
        pose.locals[node(puppet, "spine")].rotation *= Quat::from_rotation_x(0.4);
    });
    let mut renderer = Renderer::new(Gpu::new(&AdapterChoice::Cpu).unwrap());
    let settings = view(&puppet).with_mode(ShadingMode::Mask).with_background(Background::BLACK);
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Mask);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let image =
        renderer.submit(&[&model], &frame(&puppet, &settings), SIZE).and_then(Pending::image).unwrap();
    let ids = Ids::draw(&puppet, &Surfaces::of(&puppet, &record), &record.camera.camera(), SIZE);
    let differing =
        image.rgba.chunks(4).zip(&ids.hits).filter(|(pixel, hit)| (pixel[0] > 0) != hit.is_some());
    let (differing, covered) = (differing.count(), ids.hits.iter().flatten().count());
    assert!(covered > 1500 && differing <= 2, "{differing} of {covered} pixels differ");
}
