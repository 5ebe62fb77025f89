//! Files with a different up axis.

use std::path::Path;

use glam::{DVec3, Vec3};
use sinew::asset::{self, UpAxis, bvh};
use sinew::motion::Playhead;
use sinew::pose::{Pose, world_matrices};

use sinew_testkit::external_or_skip;

fn positions(character: &asset::Character, time: f32) -> Vec<Vec3> {
    let (mut pose, mut world) = (Pose::rest(&character.skeleton), Vec::new());
    Playhead::default().sample(&character.clips[0], time, &character.skeleton, &mut pose);
    world_matrices(&character.skeleton, &pose, &mut world);
    world.iter().map(|m| m.translation.into()).collect()
}

/// Writes the same motion with Z up: Y of the file becomes Z, and Z becomes −Y.
fn with_z_up(text: &str) -> String {
    let (mut lines, mut frames) = (Vec::new(), false);
    let mut channels: Vec<String> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["OFFSET", x, y, z] => {
                let [x, y, z] = [x, y, z].map(|n| n.parse::<f64>().unwrap());
                let DVec3 { x, y, z } = DVec3::new(x, -z, y);
                lines.push(format!("OFFSET {x} {y} {z}"));
            }
            ["CHANNELS", count, ..] => {
                let turned = words[2..].iter().map(|name| match name.chars().next() {
                    Some('Y') => name.replacen('Y', "Z", 1),
                    Some('Z') => name.replacen('Z', "Y", 1),
                    _ => (*name).to_owned(),
                });
                let turned: Vec<String> = turned.collect();
                lines.push(format!("CHANNELS {count} {}", turned.join(" ")));
                channels.extend(turned);
            }
            ["Frame", "Time:", ..] => {
                lines.push(line.to_owned());
                frames = true;
            }
            _ if frames && !words.is_empty() => {
                let sign = |channel: &str| if channel.starts_with('Y') { -1.0 } else { 1.0 };
                let numbers = words.iter().zip(&channels);
                let numbers = numbers.map(|(n, c)| (sign(c) * n.parse::<f64>().unwrap()).to_string());
                lines.push(numbers.collect::<Vec<_>>().join(" "));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// Regression: figures in files with Z up lay on the ground.
#[test]
fn a_file_with_z_up_stands_after_it_is_turned() {
    let Some(path) = external_or_skip("models/bvh/pybvh/cmu_12_01_walk.bvh") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let upright = bvh::read(&text, Path::new("y.bvh"), Some(0.0564)).unwrap();
    let mut turned = bvh::read(&with_z_up(&text), Path::new("z.bvh"), Some(0.0564)).unwrap();
    let lying = positions(&turned, 1.0);
    assert!(turned.turn_up(UpAxis::Z));
    for time in [0.0, 1.0, 3.3] {
        let (expected, standing) = (positions(&upright, time), positions(&turned, time));
        for (a, b) in expected.iter().zip(&standing) {
            assert!(a.distance(*b) < 1e-4, "{a} {b}");
        }
    }
    let height = |points: &[Vec3]| {
        let of = points.iter().map(|p| p.y);
        of.clone().fold(f32::MIN, f32::max) - of.fold(f32::MAX, f32::min)
    };
    let standing = positions(&turned, 1.0);
    assert!(height(&lying) < 0.8 * height(&standing), "{} {}", height(&lying), height(&standing));
    // Other formats define their axes.
    let mut mannequin = asset::mannequin().unwrap();
    assert!(!mannequin.turn_up(UpAxis::Z));
}
