//! The order in which triangles are drawn. A GPU keeps the results of the last vertices, so a triangle takes less time if it shares its
//! vertices with triangles shortly before it.

/// Number of vertices that a GPU is assumed to keep. The order suits larger caches equally well.
const CACHE: usize = 16;

/// A vertex and the triangles around it.
#[derive(Clone, Copy, Debug, Default)]
struct Hub {
    /// The index of its first triangle in the list of the triangles around all vertices.
    first: usize,
    /// Number of its triangles in the list.
    triangles: usize,
    /// Number of its triangles that are not in order yet.
    rest: usize,
    /// When it last entered the cache, as the number of entries before it.
    entered: usize,
}

/// Returns triangles in an order in which they share vertices with recent triangles. It draws all triangles around a vertex, and continues
/// with one of their vertices that will still be in the cache afterwards: "Tipsify" (Sander, Nehab & Barczak 2007, "Fast Triangle
/// Reordering for Vertex Locality and Reduced Overdraw"). The time is proportional to the number of triangles. Each triangle keeps its
/// first vertex, so that its pixels are rounded as before.
pub(super) fn for_vertex_cache(triangles: &[[u32; 3]], vertices: usize) -> Vec<[u32; 3]> {
    let mut hubs = vec![Hub::default(); vertices];
    let around = list_around(triangles, &mut hubs);
    let mut left: Vec<Option<[u32; 3]>> = triangles.iter().copied().map(Some).collect();
    let mut ordered = Vec::with_capacity(triangles.len());
    // The vertices of all ordered triangles, without those that have already been a dead end.
    let mut recent: Vec<usize> = Vec::new();
    let mut now = CACHE + 1;
    let mut in_file = 0..vertices;
    let mut center = in_file.next();
    while let Some(vertex) = center {
        let first = recent.len();
        let fan = hubs.get(vertex).map_or(0..0, |hub| hub.first..hub.first + hub.triangles);
        for &index in around.get(fan).unwrap_or_default() {
            let Some(triangle) = left.get_mut(index as usize).and_then(Option::take) else { continue };
            ordered.push(triangle);
            for corner in triangle.map(|corner| corner as usize) {
                let Some(hub) = hubs.get_mut(corner) else { continue };
                hub.rest -= 1;
                if now - hub.entered > CACHE {
                    hub.entered = now;
                    now += 1;
                }
                recent.push(corner);
            }
        }
        let is_open = |vertex: &usize| hubs.get(*vertex).is_some_and(|hub| hub.rest > 0);
        // The oldest vertex in the cache whose remaining triangles can be drawn before it is lost. They add two vertices each.
        let priority = |vertex: &usize| {
            let hub = hubs.get(*vertex).copied().unwrap_or_default();
            let age = now - hub.entered;
            if age + 2 * hub.rest <= CACHE { age } else { 0 }
        };
        let corners = recent.iter().skip(first).rev().copied();
        center = corners.filter(is_open).max_by_key(priority);
        if center.is_none() {
            center = std::iter::from_fn(|| recent.pop()).find(is_open).or_else(|| in_file.find(is_open));
        }
    }
    ordered
}

/// Returns the indices of the triangles around each vertex, one vertex after another, and counts them in `hubs`.
fn list_around(triangles: &[[u32; 3]], hubs: &mut [Hub]) -> Vec<u32> {
    for &corner in triangles.as_flattened() {
        if let Some(hub) = hubs.get_mut(corner as usize) {
            hub.rest += 1;
        }
    }
    let mut end = 0;
    for hub in &mut *hubs {
        hub.first = end;
        end += hub.rest;
    }
    let mut around = vec![0; end];
    for (triangle, index) in triangles.iter().zip(0..) {
        for &corner in triangle {
            let Some(hub) = hubs.get_mut(corner as usize) else { continue };
            if let Some(entry) = around.get_mut(hub.first + hub.triangles) {
                *entry = index;
                hub.triangles += 1;
            }
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the triangles of a grid of squares, row by row, and the number of its vertices.
    fn grid(width: u32) -> (Vec<[u32; 3]>, usize) {
        let row = width + 1;
        let square = |at: u32| [[at, at + row, at + 1], [at + 1, at + row, at + row + 1]];
        let squares = (0..width).flat_map(|y| (0..width).map(move |x| y * row + x));
        (squares.flat_map(square).collect(), (row * row) as usize)
    }

    /// Returns how many vertices a first-in-first-out cache of 16 vertices misses.
    fn misses(triangles: &[[u32; 3]]) -> usize {
        let mut cache = std::collections::VecDeque::new();
        let mut misses = 0;
        for corner in triangles.as_flattened() {
            if !cache.contains(corner) {
                cache.push_front(*corner);
                cache.truncate(16);
                misses += 1;
            }
        }
        misses
    }

    /// Returns the misses before and after ordering, and checks that the triangles are the same.
    fn misses_of(triangles: &[[u32; 3]], vertices: usize) -> (usize, usize) {
        let mut ordered = for_vertex_cache(triangles, vertices);
        let result = (misses(triangles), misses(&ordered));
        let mut expected = triangles.to_vec();
        expected.sort_unstable();
        ordered.sort_unstable();
        assert_eq!(ordered, expected);
        result
    }

    #[test]
    fn the_triangles_of_a_grid_miss_fewer_vertices() {
        let (triangles, vertices) = grid(50);
        let (before, after) = misses_of(&triangles, vertices);
        assert!(before > triangles.len(), "{before}");
        assert!(after * 10 < triangles.len() * 7, "{after} of {}", triangles.len());
    }

    #[test]
    fn the_built_in_figure_transforms_few_vertices_twice() {
        let character = crate::asset::mannequin().unwrap();
        for primitive in character.meshes.iter().flat_map(|mesh| &mesh.primitives) {
            let (before, after) = misses_of(&primitive.triangles, primitive.vertices());
            assert!(after * 10 < primitive.vertices() * 13, "{before} before, {after} after");
        }
    }

    #[test]
    fn any_triangles_are_ordered() {
        // Equal triangles, triangles with equal corners, several separate ones, and vertices without triangles.
        let triangles = [[7, 8, 9], [0, 1, 2], [0, 1, 2], [3, 3, 3], [2, 1, 0], [5, 5, 4]];
        misses_of(&triangles, 12);
        assert!(for_vertex_cache(&[], 0).is_empty());
        assert!(for_vertex_cache(&[], 3).is_empty());
    }
}
