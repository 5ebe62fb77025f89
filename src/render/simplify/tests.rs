//! Tests simplification with tori, bent tubes and painted squares.

use std::collections::HashMap;
use std::f32::consts::TAU;

use glam::{Quat, Vec2, Vec3, vec3};

use crate::mathematics::triangle::{mix, nearest_weights};

use super::{LOOKS, Level, Look, Shape, simplify};

/// A grid of `width` × `height` squares on a surface. Vertices are repeated where the surface closes.
struct Grid {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Grid {
    fn new(width: u32, height: u32, at: impl Fn(Vec2) -> Vec3) -> Self {
        let (size, row) = (Vec2::new(width as f32, height as f32), width + 1);
        let vertices = (0..=height).flat_map(|y| (0..=width).map(move |x| Vec2::new(x as f32, y as f32)));
        let square = |i: u32| [[i, i + 1, i + row], [i + 1, i + row + 1, i + row]];
        let squares = (0..height).flat_map(|y| (0..width).map(move |x| y * row + x));
        Self {
            positions: vertices.map(|v| at(v / size)).collect(),
            triangles: squares.flat_map(square).collect(),
        }
    }

    /// Returns a torus, in the coordinates of its two angles as fractions of a turn.
    fn torus(center: Vec3, [large, small]: [f32; 2], squares: u32) -> Self {
        Self::new(2 * squares, squares, |uv| {
            // The ends of a turn coincide exactly.
            let turn = |u: f32| Vec2::from_angle(u.fract() * TAU);
            let (around, across) = (turn(uv.x), turn(uv.y));
            let distance = large + small * across.x;
            center + vec3(around.x * distance, small * across.y, -around.y * distance)
        })
    }

    fn join(mut self, other: &Self) -> Self {
        let first = self.positions.len() as u32;
        self.positions.extend_from_slice(&other.positions);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|corner| corner + first)));
        self
    }

    fn simplify(&self, poses: &[Vec<Vec3>], counts: &[usize]) -> Vec<Level> {
        let looks = vec![[0.0; LOOKS]; self.positions.len()];
        self.simplify_painted(poses, &looks, counts)
    }

    fn simplify_painted(&self, poses: &[Vec<Vec3>], looks: &[Look], counts: &[usize]) -> Vec<Level> {
        let shape = Shape {
            poses,
            triangles: &self.triangles,
            looks,
            difference: &|_, _| 0.0,
            jump: &|_, _| Some(0.0),
            contrast: &|_, _| 0.0,
        };
        simplify(&shape, counts)
    }
}

fn distance_from_triangle(point: Vec3, corners: [Vec3; 3]) -> f32 {
    point.distance(mix(corners, nearest_weights(point, corners)))
}

/// Returns the mean distance of the centres of triangles from a surface: the root mean square, weighted by area.
fn mean_distance(from: &[[Vec3; 3]], to: &[[Vec3; 3]]) -> f32 {
    let (mut sum, mut area) = (0.0, 0.0);
    for &[a, b, c] in from {
        let nearest = to.iter().map(|corners| distance_from_triangle((a + b + c) / 3.0, *corners));
        let weight = (b - a).cross(c - a).length();
        sum += weight * nearest.fold(f32::INFINITY, f32::min).powi(2);
        area += weight;
    }
    (sum / area).sqrt()
}

fn corners(triangles: &[[u32; 3]], pose: &[Vec3]) -> Vec<[Vec3; 3]> {
    triangles.iter().map(|corners| corners.map(|corner| pose[corner as usize])).collect()
}

fn level_corners(level: &Level, pose: &[Vec3]) -> Vec<[Vec3; 3]> {
    level.triangles.iter().map(|(_, corners)| corners.map(|corner| pose[corner as usize])).collect()
}

/// Returns the largest distance of points on one surface from the other.
fn distance(from: &[[Vec3; 3]], to: &[[Vec3; 3]]) -> f32 {
    let weights = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5], [1.0 / 3.0; 3]];
    let samples = from.iter().flat_map(|[a, b, c]| weights.map(|[u, v, w]| *a * u + *b * v + *c * w));
    let nearest = |point: Vec3| {
        to.iter().map(|corners| distance_from_triangle(point, *corners)).fold(f32::INFINITY, f32::min)
    };
    samples.map(nearest).fold(0.0, f32::max)
}

/// Returns how often each edge occurs, as a pair of positions. An edge in the opposite direction counts as -1.
fn edges(triangles: &[[Vec3; 3]]) -> HashMap<[[u32; 3]; 2], [i32; 2]> {
    let mut edges: HashMap<_, [i32; 2]> = HashMap::new();
    for [a, b, c] in triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let [from, to] = [from, to].map(|p| p.to_array().map(f32::to_bits));
            let count = edges.entry([from.min(to), from.max(to)]).or_default();
            count[0] += 1;
            count[1] += if from < to { 1 } else { -1 };
        }
    }
    edges
}

fn volume(triangles: &[[Vec3; 3]]) -> f32 {
    triangles.iter().map(|[a, b, c]| a.dot(b.cross(*c)) / 6.0).sum()
}

#[test]
fn a_torus_stays_closed_and_near() {
    let torus = Grid::torus(Vec3::ZERO, [1.0, 0.4], 24);
    let poses = [torus.positions.clone()];
    let original = corners(&torus.triangles, &poses[0]);
    let mut before = 0.0;
    for (level, count) in torus.simplify(&poses, &[576, 144, 60]).iter().zip([576, 144, 60]) {
        let triangles = level_corners(level, &poses[0]);
        assert!(triangles.len() <= count && triangles.len() > count - 3, "{} of {count}", triangles.len());
        // Every edge has two triangles with the same sense, so there are neither cracks nor folds.
        assert!(edges(&triangles).values().all(|count| *count == [2, 0]));
        assert!((volume(&triangles) / volume(&original) - 1.0).abs() < 0.5, "{}", volume(&triangles));
        let [there, back] = [distance(&original, &triangles), distance(&triangles, &original)];
        let mean = mean_distance(&original, &triangles);
        println!("{count}: error {}, mean {mean}, largest {there} and {back}", level.error);
        // The search for the nearest point may end too early.
        assert!(level.error > mean * 0.999 && level.error < mean * 1.2 + 1e-4);
        assert!(there.max(back) < level.error * 7.0);
        assert!(level.error > before && level.error < 0.3);
        before = level.error;
    }
}

#[test]
fn equal_shapes_give_equal_levels() {
    let torus = Grid::torus(Vec3::ZERO, [1.0, 0.3], 16);
    let poses = [torus.positions.clone()];
    assert_eq!(torus.simplify(&poses, &[200, 50]), torus.simplify(&poses, &[200, 50]));
}

/// A straight tube needs no rings between its ends, but a tube that bends in another pose does.
#[test]
fn a_tube_keeps_rings_where_it_bends() {
    let tube = Grid::new(12, 40, |uv| {
        let around = Vec2::from_angle(uv.x.fract() * -TAU) * 0.1;
        vec3(around.x, uv.y * 2.0 - 1.0, around.y)
    });
    let bend = |p: &Vec3| Quat::from_rotation_z((p.y * 4.0).clamp(-0.8, 0.8)) * *p;
    let bent: Vec<Vec3> = tube.positions.iter().map(bend).collect();
    let counts = [120];
    let straight = &tube.simplify(std::slice::from_ref(&tube.positions), &counts)[0];
    let both = &tube.simplify(&[tube.positions.clone(), bent.clone()], &counts)[0];
    let original = corners(&tube.triangles, &bent);
    let [careless, careful] = [straight, both].map(|level| distance(&original, &level_corners(level, &bent)));
    println!("{careless} and {careful}, mean {} and {}", straight.error, both.error);
    assert!(careful < 0.5 * careless && careful < both.error * 12.0);
    // The ends stay open, and nothing else opens.
    let open = |triangles: &[[Vec3; 3]]| {
        let edges = edges(triangles);
        let open = edges.iter().filter(|(_, count)| count[0] == 1);
        open.map(|([a, _], _)| f32::from_bits(a[1]).abs()).fold(f32::INFINITY, f32::min)
    };
    assert!(open(&level_corners(both, &tube.positions)) > 0.99);
}

#[test]
fn small_pieces_disappear_before_large_ones_lose_their_shape() {
    let (large, small) =
        (Grid::torus(Vec3::ZERO, [1.0, 0.4], 24), Grid::torus(Vec3::Y * 3.0, [0.02, 0.01], 6));
    let both = large.join(&small);
    let poses = [both.positions.clone()];
    let levels = both.simplify(&poses, &[1000, 100]);
    let has_small = |level: &Level| level_corners(level, &poses[0]).iter().any(|[a, _, _]| a.y > 2.0);
    assert!(has_small(&levels[0]) && !has_small(&levels[1]));
    // The nearest remaining surface is far away. The small piece is a 2,000th of the surface.
    assert!(levels[1].error > 0.04 && levels[1].error < 0.5);
}

/// The triangles of a flat square are where its look changes.
#[test]
fn looks_are_kept() {
    let square = Grid::new(32, 32, |uv| vec3(uv.x, uv.y, 0.0));
    let poses = [square.positions.clone()];
    let look = |p: &Vec3| {
        let mut look = [0.0; LOOKS];
        look[3] = 0.2 * (-150.0 * p.distance_squared(vec3(0.3, 0.6, 0.0))).exp();
        look
    };
    let looks: Vec<Look> = square.positions.iter().map(look).collect();
    let counts = [128];
    let careless = square.simplify(&poses, &counts);
    let careful = square.simplify_painted(&poses, &looks, &counts);
    // The largest difference of the look at a vertex from the look of the level.
    let difference = |level: &Level| {
        let of_vertex = |(p, look): (&Vec3, &Look)| {
            let distance =
                |corners: &[u32; 3]| distance_from_triangle(*p, corners.map(|c| poses[0][c as usize]));
            let all = level.triangles.iter().map(|(_, corners)| *corners);
            let corners = all.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
            let weights = nearest_weights(*p, corners.map(|corner| poses[0][corner as usize]));
            let found: f32 =
                corners.iter().zip(weights).map(|(c, weight)| looks[*c as usize][3] * weight).sum();
            (found - look[3]).abs()
        };
        square.positions.iter().zip(&looks).map(of_vertex).fold(0.0, f32::max)
    };
    let [before, after] = [&careless[0], &careful[0]].map(difference);
    println!("{before} and {after}, mean {}", careful[0].error);
    assert!(after < 0.5 * before && after < 0.05);
    // The square is flat, so the look is the whole difference.
    assert!(careless[0].error < 1e-5 && careful[0].error > 0.0 && careful[0].error < after);
}

/// The edge between two parts, which have their own vertices, has no gaps.
#[test]
fn parts_stay_together() {
    let part = |low: f32| {
        Grid::new(20, 20, move |uv| {
            let (x, y) = (uv.x * 2.0 - 1.0, low + uv.y);
            vec3(x, y, (x * 3.0).sin() * 0.2 + (y * 4.0).cos() * 0.2)
        })
    };
    let (lower, upper) = (part(-1.0), part(0.0));
    let first = lower.positions.len() as u32;
    let both = lower.join(&upper);
    let poses = [both.positions.clone()];
    let jump = |a: u32, b: u32| ((a < first) == (b < first)).then_some(1.0);
    let shape = Shape {
        poses: &poses,
        triangles: &both.triangles,
        looks: &vec![[0.0; LOOKS]; both.positions.len()],
        difference: &|_, _| 0.0,
        jump: &jump,
        contrast: &|_, _| 0.0,
    };
    let level = &simplify(&shape, &[160])[0];
    assert!(level.triangles.len() <= 160);
    assert!(
        level
            .triangles
            .iter()
            .all(|(_, [a, b, c])| (*a < first) == (*b < first) && (*a < first) == (*c < first))
    );
    let triangles = level_corners(level, &poses[0]);
    let edges = edges(&triangles);
    let inside = edges.iter().filter(|([a, b], _)| [a, b].iter().all(|p| f32::from_bits(p[1]) == 0.0));
    let counts: Vec<i32> = inside.map(|(_, count)| count[0]).collect();
    assert!(!counts.is_empty() && counts.iter().all(|count| *count == 2), "{counts:?}");
}

/// A border between two colours keeps its shape, although the surface is flat there.
#[test]
fn a_border_with_contrast_keeps_its_shape() {
    const SIDE: u32 = 40;
    let part = |low: f32| {
        Grid::new(SIDE, SIDE, move |uv| {
            let border = 0.1 * (uv.x * 20.0).sin();
            vec3(uv.x * 2.0, low + uv.y + border * (1.0 - (low + uv.y).abs()), 0.0)
        })
    };
    let (lower, upper) = (part(-1.0), part(0.0));
    let first = lower.positions.len() as u32;
    let border = first - SIDE - 1..first;
    let both = lower.join(&upper);
    let poses = [both.positions.clone()];
    let deviation = |contrast: f32| {
        let contrast = |a: u32, b: u32| if (a < first) == (b < first) { 0.0 } else { contrast };
        let shape = Shape {
            poses: &poses,
            triangles: &both.triangles,
            looks: &vec![[0.0; LOOKS]; both.positions.len()],
            difference: &|_, _| 0.0,
            jump: &|a, b| ((a < first) == (b < first)).then_some(1.0),
            contrast: &contrast,
        };
        let level = &simplify(&shape, &[160])[0];
        let edges = level.triangles.iter().flat_map(|(_, [a, b, c])| [[*a, *b], [*b, *c], [*c, *a]]);
        let on_border: Vec<[u32; 2]> =
            edges.filter(|edge| edge.iter().all(|vertex| border.contains(vertex))).collect();
        let nearest = |point: Vec3| {
            let to_edge = |&[a, b]: &[u32; 2]| {
                let [a, b] = [a, b].map(|vertex| poses[0][vertex as usize]);
                distance_from_triangle(point, [a, b, b])
            };
            on_border.iter().map(to_edge).fold(f32::INFINITY, f32::min)
        };
        border.clone().map(|vertex| nearest(poses[0][vertex as usize])).fold(0.0, f32::max)
    };
    let [careless, careful] = [0.0, 1.0].map(deviation);
    println!("{careless} and {careful}");
    assert!(careful < 0.5 * careless && careful < 0.05);
}
