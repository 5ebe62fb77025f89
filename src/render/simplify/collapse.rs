//! Collapses edges in the order of their errors.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Shape;
use super::cost::Costs;
use super::pieces::{Piece, pieces};
use super::surface::Surface;

/// The collapses of a surface, in the order of their errors.
pub(super) struct Collapses<'a> {
    pub(super) surface: Surface,
    costs: Costs<'a>,
    /// The number of changes around each class.
    changes: Vec<u32>,
    /// For each class, the smallest error of its collapses without looks, and the neighbour onto which it would be collapsed. The error is a
    /// lower bound. Some of these collapses may also be impossible.
    cheapest: Vec<Option<(f64, u32)>>,
    /// The best collapses that were found, but had a larger error than expected.
    found: Vec<Option<Collapse>>,
    /// The classes to collapse: error, class, and the number of changes for which the error was computed.
    queue: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// The separate pieces of the surface, in decreasing order of error.
    pieces: Vec<Piece>,
}

/// A collapse of a class onto a neighbour.
struct Collapse {
    error: f64,
    onto: u32,
    /// The vertices of the class, and the vertices that replace them.
    replaced: Vec<[u32; 2]>,
    /// The number of changes around the class for which this collapse was found.
    changes: u32,
}

impl<'a> Collapses<'a> {
    pub(super) fn new(shape: &'a Shape<'a>) -> Self {
        let surface = Surface::new(shape);
        let (count, costs) = (surface.classes().len(), Costs::new(shape, &surface));
        let mut collapses = Self {
            pieces: pieces(shape, &surface, |area| costs.importance(3.0 * area)),
            costs,
            surface,
            changes: vec![0; count],
            cheapest: vec![None; count],
            found: (0..count).map(|_| None).collect(),
            queue: BinaryHeap::new(),
        };
        for class in (0..).take(count) {
            if collapses.surface.class_of(class) == class {
                collapses.cheapest[class as usize] = collapses.cheapest_of(class);
                collapses.enqueue(class);
            }
        }
        collapses
    }

    /// Removes triangles until at most `count` are left, or until nothing more can be removed.
    pub(super) fn reduce(&mut self, count: usize) {
        while self.surface.count() > count {
            let next = self.queue.pop();
            let error = next.map_or(f64::INFINITY, |Reverse((error, ..))| f64::from_bits(error));
            // The largest piece remains.
            if self.pieces.len() > 1 && self.pieces.last().is_some_and(|piece| piece.error <= error) {
                self.queue.extend(next);
                let piece = self.pieces.pop();
                piece.iter().flat_map(|piece| &piece.triangles).for_each(|&triangle| self.remove(triangle));
                continue;
            }
            let Some(Reverse((_, class, changes))) = next else { return };
            if self.changes[class as usize] != changes {
                continue;
            }
            let found = self.found[class as usize].take().filter(|found| found.changes == changes);
            let Some(collapse) = found.or_else(|| self.best_collapse(class)) else { continue };
            if collapse.error > error {
                // The estimate ignored looks, and that some collapses are impossible.
                self.queue.push(Reverse((collapse.error.to_bits(), class, changes)));
                self.found[class as usize] = Some(collapse);
                continue;
            }
            self.collapse(class, &collapse);
        }
    }

    /// Removes a triangle. Its corners are not collapsed any more.
    fn remove(&mut self, triangle: usize) {
        for corner in self.surface.remove(triangle).into_iter().flatten() {
            self.changes[self.surface.class_of(corner) as usize] += 1;
        }
    }

    /// Returns the neighbour onto which a class can be collapsed with the smallest error, and a lower bound of this error.
    fn cheapest_of(&self, class: u32) -> Option<(f64, u32)> {
        let onto = self.surface.neighbours(class).into_iter();
        let errors = onto.map(|(onto, _)| (self.costs.error_of(&self.surface, class, onto), onto));
        errors.min_by(|(a, _), (b, _)| a.total_cmp(b))
    }

    /// Adds a class to the queue.
    fn enqueue(&mut self, class: u32) {
        if let Some((error, _)) = self.cheapest[class as usize] {
            self.queue.push(Reverse((error.to_bits(), class, self.changes[class as usize])));
        }
    }

    /// Returns the collapse of a class with the smallest error, or `None` if it cannot be collapsed.
    fn best_collapse(&self, class: u32) -> Option<Collapse> {
        let Self { surface, costs, .. } = self;
        let neighbours = surface.neighbours(class);
        let on_edge = neighbours.iter().filter(|(_, count)| *count != 2).count();
        // A class at the end or at a junction of open edges stays, and one on an open edge moves along this edge.
        let may_move = |count: usize| on_edge == 0 || on_edge == 2 && count != 2;
        let candidates = neighbours.iter().filter(|(_, count)| may_move(*count));
        let mut candidates: Vec<_> =
            candidates.map(|&(onto, count)| (costs.error_of(surface, class, onto), onto, count)).collect();
        candidates.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        let mut best: Option<Collapse> = None;
        for (error, onto, count) in candidates {
            if best.as_ref().is_some_and(|best| best.error <= error) {
                break;
            }
            if !surface.survives_collapse(class, onto, count, &neighbours) {
                continue;
            }
            let Some((replaced, looks)) = costs.replacements(surface, class, onto) else { continue };
            let error = error + looks;
            if best.as_ref().is_none_or(|best| error < best.error) {
                best = Some(Collapse { error, onto, replaced, changes: self.changes[class as usize] });
            }
        }
        best
    }

    fn collapse(&mut self, class: u32, collapse: &Collapse) {
        let onto = collapse.onto;
        self.surface.collapse(class, onto, &collapse.replaced);
        self.costs.join(&self.surface, class, onto, &collapse.replaced);
        self.changes[class as usize] += 1;
        for (other, _) in self.surface.neighbours(onto) {
            // The planes of this class are the same as before, so only the collapse onto its new neighbour has a new error.
            let known = self.cheapest[other as usize].filter(|(_, cheapest)| *cheapest != class);
            let error = self.costs.error_of(&self.surface, other, onto);
            self.cheapest[other as usize] = match known {
                Some((smallest, _)) if smallest <= error => known,
                Some(_) => Some((error, onto)),
                None => self.cheapest_of(other),
            };
            self.changes[other as usize] += 1;
            self.enqueue(other);
        }
        self.cheapest[onto as usize] = self.cheapest_of(onto);
        self.changes[onto as usize] += 1;
        self.enqueue(onto);
    }
}

#[cfg(test)]
mod tests {
    use glam::{Vec3, vec3};

    use super::super::LOOKS;
    use super::*;

    /// Only the errors that a collapse changes are computed again.
    #[test]
    fn known_errors_stay_up_to_date() {
        let at = |i: u32| {
            let (x, y) = ((i % 20) as f32, (i / 20) as f32);
            vec3(x, y, (0.7 * x).sin() + (0.9 * y).cos())
        };
        let poses: [Vec<Vec3>; 1] = [(0..400).map(at).collect()];
        let squares = (0..380).filter(|i| i % 20 < 19);
        let triangles: Vec<[u32; 3]> =
            squares.flat_map(|i| [[i, i + 1, i + 20], [i + 1, i + 21, i + 20]]).collect();
        let shape = Shape {
            poses: &poses,
            triangles: &triangles,
            looks: &[[0.0; LOOKS]; 400],
            difference: &|_, _| 0.0,
            jump: &|_, _| Some(0.0),
            contrast: &|_, _| 0.0,
        };
        let mut collapses = Collapses::new(&shape);
        for count in [600, 300, 100] {
            collapses.reduce(count);
            let is_live = |class: &u32| collapses.surface.around(*class).next().is_some();
            for class in (0..400).filter(is_live) {
                let [known, expected] = [collapses.cheapest[class as usize], collapses.cheapest_of(class)];
                assert_eq!(known.map(|(error, _)| error), expected.map(|(error, _)| error), "class {class}");
            }
        }
    }
}
