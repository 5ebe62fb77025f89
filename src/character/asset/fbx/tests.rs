use std::fs;
use std::path::PathBuf;

use glam::Vec4;

use crate::asset::Values;

use super::*;

/// A strip of two quads in centimetres with +Z up. Two joints deform it, one clip bends it, and one shape moves a corner.
const STRIP: &str = include_str!("strip.fbx");

fn read(text: &str) -> Result<Character, String> {
    read_with(Path::new("strip.fbx"), text.as_bytes(), &References::default(), &Progress::default())
        .map_err(|e| e.to_string())
}

fn named(character: &Character, name: &str) -> usize {
    character.skeleton.find(name).unwrap_or_else(|| panic!("{name} is missing"))
}

#[test]
fn axes_and_units_become_those_of_the_character() {
    let strip = read(STRIP).unwrap();
    let tip = &strip.skeleton.nodes[named(&strip, "tip")];
    assert_eq!(tip.parent, Some(named(&strip, "root")));
    // In the file, the tip is 100 cm along +Z from the origin.
    let above = strip.skeleton.ancestors(named(&strip, "tip")).collect::<Vec<_>>();
    let world = above
        .iter()
        .rev()
        .fold(glam::Affine3A::IDENTITY, |w, &n| w * strip.skeleton.nodes[n].rest.to_affine());
    assert!(Vec3::from(world.translation).distance(Vec3::Y) < 1e-6, "{world}");
    let mesh = &strip.skeleton.nodes[named(&strip, "mesh")];
    assert!(mesh.rest.scale.distance(Vec3::ONE) < 1e-6, "{:?}", mesh.rest);
    let primitive = &strip.meshes[mesh.mesh.unwrap()].primitives[0];
    let top = primitive.positions.iter().map(|p| p.max_element()).fold(0.0, f32::max);
    assert!((top - 2.0).abs() < 1e-6, "{top}");
}

#[test]
fn corners_with_the_same_attributes_become_one_vertex() {
    let strip = read(STRIP).unwrap();
    let primitive = &strip.meshes[0].primitives[0];
    assert_eq!((primitive.vertices(), primitive.triangles.len()), (6, 4));
    assert_eq!((primitive.normals.len(), primitive.uvs[0].len()), (6, 6));
    assert_eq!(primitive.material, Some(0));
    // Texture coordinates have their origin at the top.
    let tops = primitive.uvs[0].iter().filter(|uv| uv.y == 0.0).count();
    assert_eq!(tops, 2, "{:?}", primitive.uvs[0]);
}

#[test]
fn weights_sum_to_one_and_a_vertex_without_weights_moves_with_its_node() {
    let strip = read(STRIP).unwrap();
    let node = named(&strip, "mesh");
    let skin = &strip.skins[strip.skeleton.nodes[node].skin.unwrap()];
    assert_eq!(skin.joints, [named(&strip, "root"), named(&strip, "tip"), node]);
    let primitive = &strip.meshes[0].primitives[0];
    let influences = &primitive.influences[0];
    let sums = influences.weights.iter().map(|w| w.element_sum());
    assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-6));
    // Vertex 2 has two weights of 0.25, and vertex 5 has none.
    let halves = influences.weights.iter().filter(|w| **w == Vec4::new(0.5, 0.5, 0.0, 0.0)).count();
    let alone = influences.joints.iter().filter(|joints| joints[0] == 2).count();
    assert_eq!((halves, alone), (2, 1));
}

#[test]
fn shapes_become_morph_targets() {
    let strip = read(STRIP).unwrap();
    let mesh = &strip.meshes[0];
    assert_eq!((&*mesh.target_names, &*mesh.weights), (&["bulge".to_owned()][..], &[0.5][..]));
    assert_eq!(strip.skeleton.rest_weights, [0.5]);
    let moved: Vec<Vec3> =
        mesh.primitives[0].morph_targets[0].positions.iter().copied().filter(|p| *p != Vec3::ZERO).collect();
    assert_eq!(moved.len(), 1);
    assert!((moved[0].length() - 0.1).abs() < 1e-6, "{}", moved[0]);
    assert!(mesh.primitives[0].morph_targets[0].normals.is_empty());
}

#[test]
fn stacks_become_clips() {
    let strip = read(STRIP).unwrap();
    let clip = &strip.clips[0];
    assert_eq!((clip.name.as_deref(), clip.seconds), (Some("bend"), 1.0));
    let tip = named(&strip, "tip");
    let turns = clip.channels.iter().find_map(|channel| match &channel.values {
        Values::Rotation(values) if channel.node == tip => values.last().copied(),
        _ => None,
    });
    let angle = turns.unwrap().angle_between(strip.skeleton.nodes[tip].rest.rotation);
    assert!((angle - std::f32::consts::FRAC_PI_2).abs() < 1e-5, "{angle}");
    let weights = clip.channels.iter().find_map(|channel| match &channel.values {
        Values::Weights(weights) => Some((weights.first().copied(), weights.last().copied())),
        _ => None,
    });
    assert_eq!(weights, Some((Some(0.0), Some(1.0))));
}

#[test]
fn a_missing_image_is_a_warning_and_one_beside_the_file_is_found_by_its_name() {
    let strip = read(STRIP).unwrap();
    assert!(strip.materials[0].base_color_texture.is_none());
    assert!(strip.warnings.iter().any(|w| w.contains("checks.png\" does not exist")), "{:?}", strip.warnings);
    assert!((strip.materials[0].base_color - Vec4::new(0.8, 0.1, 0.05, 1.0)).length() < 1e-6);

    let folder = folder_with_image("fbx", "checks.png");
    let found = read_in(&folder, STRIP, false);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(found.warnings, [""; 0]);
    assert_eq!((found.images.len(), found.files.len()), (1, 1));
    assert_eq!(found.materials[0].base_color, Vec4::ONE);
}

/// Creates a folder with an image of one pixel.
fn folder_with_image(name: &str, image: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sinew-{name}-{}", std::process::id()));
    let image = folder.join(image);
    fs::create_dir_all(image.parent().unwrap()).unwrap();
    let mut encoder = png::Encoder::new(fs::File::create(image).unwrap(), 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[255, 0, 0]).unwrap();
    folder
}

fn read_in(folder: &Path, text: &str, allow_parent: bool) -> Character {
    let references = References { allow_parent, ..References::default() };
    read_with(&folder.join("strip.fbx"), text.as_bytes(), &references, &Progress::default()).unwrap()
}

#[test]
fn images_with_paths_of_windows_are_found() {
    let folder = folder_with_image("fbx-windows", "maps/checks.png");
    for (name, sub) in [("maps\\checks.png", ""), ("..\\maps\\checks.png", "model")] {
        let text = STRIP.replace("..\\elsewhere\\checks.png", name);
        let model = folder.join(sub);
        fs::create_dir_all(&model).unwrap();
        let strip = read_in(&model, &text, !sub.is_empty());
        assert_eq!((&*strip.warnings, strip.images.len()), (&[][..], 1), "{name}");
        if !sub.is_empty() {
            let refused = read_in(&model, &text, false);
            let cause = "is outside of the model's folder; --allow-parent allows it, so it is not drawn";
            assert!(refused.warnings.iter().any(|w| w.contains(cause)), "{:?}", refused.warnings);
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn damaged_files_are_refused_in_one_line() {
    for end in (0..STRIP.len()).step_by(97) {
        if let Err(error) = read(&STRIP[..end]) {
            assert!(error.starts_with("strip.fbx: ") && error.lines().count() == 1, "{error}");
        }
    }
    assert!(read("").unwrap_err().contains("not a valid FBX file"));
    let far = STRIP.replace("a: 0,46186158000", "a: 0,9000000000000000000");
    if let Ok(character) = read(&far) {
        assert!(character.clips.iter().all(|clip| clip.seconds.is_finite()));
    }
}

#[test]
fn reading_can_be_stopped() {
    let progress = Progress::default();
    progress.stop();
    assert!(read_with(Path::new("strip.fbx"), STRIP.as_bytes(), &References::default(), &progress).is_err());
}
