//! Tests the levels of detail of whole characters.

use std::collections::HashMap;
use std::sync::Arc;

use super::Actor;
use crate::crowd::Crowd;
use crate::crowd::levels::levels;
use crate::gpu_types::COARSE;
use crate::{DecodedImages, Gpu, Renderer};

/// Returns the number of edges that have only one triangle. Vertices in equal places count as one.
fn open_edges(triangles: &[[u32; 3]], positions: &[glam::Vec3]) -> usize {
    let mut edges: HashMap<_, u32> = HashMap::new();
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| positions[corner as usize].to_array().map(f32::to_bits));
        for (from, to) in [(a, b), (b, c), (c, a)] {
            *edges.entry((from.min(to), from.max(to))).or_default() += 1;
        }
    }
    edges.values().filter(|count| **count == 1).count()
}

#[test]
fn the_levels_of_the_built_in_figure_are_small_and_closed() {
    let model = Actor::mannequin().model;
    let primitive = model.character.primitive(model.parts[0]);
    let started = std::time::Instant::now();
    let levels = levels(&model);
    println!("{:?}, errors {:?}", started.elapsed(), levels.errors);
    assert_eq!(levels.parts.len(), 1);
    let [mut count, mut error] = [primitive.triangles.len() as f32, 0.0];
    let before = open_edges(&primitive.triangles, &primitive.positions);
    for (range, &next) in levels.parts[0].iter().zip(&levels.errors) {
        let triangles = levels.indices[range.start as usize..range.end as usize].as_chunks::<3>().0;
        let open = open_edges(triangles, &primitive.positions);
        println!("{} triangles, {open} of {before} open edges, error {next}", triangles.len());
        assert!(triangles.as_flattened().iter().all(|vertex| (*vertex as usize) < primitive.vertices()));
        assert!(!triangles.is_empty() && (triangles.len() as f32) < 0.7 * count);
        assert!(next > error && open <= before);
        (count, error) = (triangles.len() as f32, next);
    }
    // Less than a finger, and less than an arm.
    assert!(levels.errors[0] < 0.01 && levels.errors[COARSE - 1] < 0.5);
}

#[test]
fn levels_are_made_when_they_are_needed() {
    let mut renderer = Renderer::new(Gpu::of_tests());
    let model = Arc::new(Actor::mannequin().model);
    let surface = renderer.model(model.character(), model.parts(), &DecodedImages::default()).unwrap();
    let mut crowd = Crowd::new(&renderer, Arc::clone(&model), None).unwrap();
    assert!(model.detail.get().is_none(), "there are no characters");
    crowd.set_pixel_error(0.0).unwrap();
    crowd.reserve(&mut renderer, &surface, 1).unwrap();
    assert!(model.detail.get().is_none(), "all characters have all triangles");
    crowd.set_pixel_error(1.0).unwrap();
    let are_drawn = renderer.gpu().capabilities.has_first_instance;
    assert_eq!(model.detail.get().is_some(), are_drawn);
    // Another crowd uses the same levels.
    let made = model.detail.get().map(std::ptr::from_ref);
    let mut other = Crowd::new(&renderer, Arc::clone(&model), None).unwrap();
    other.reserve(&mut renderer, &surface, 1).unwrap();
    assert_eq!(model.detail.get().map(std::ptr::from_ref), made);
}
