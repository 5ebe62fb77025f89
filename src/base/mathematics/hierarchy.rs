//! Transforms along a hierarchy.

use std::ops::Mul;

/// Computes the world transforms of nodes: the world transform of the parent times the node's own local transform. For a root, this is the
/// local transform.
///
/// `T` may be a matrix or a rotation. `parents_first` contains the nodes with their parents, each after its parent. If a parent is not
/// among them, its transform in `world` must be up to date. Indices that are not in `world` are ignored. Allocates nothing.
///
/// ```
/// # use sinew_base::mathematics::accumulate;
/// use glam::{Affine3A, Vec3};
///
/// // Three nodes in a row. Each is one metre above its parent and half as large.
/// let local = Affine3A::from_translation(Vec3::Y) * Affine3A::from_scale(Vec3::splat(0.5));
/// let mut world = [Affine3A::IDENTITY; 3];
/// accumulate([(0, None), (1, Some(0)), (2, Some(1))], &mut world, |_| local);
/// assert_eq!(Vec3::from(world[2].translation), Vec3::Y * 1.75);
/// ```
#[inline]
pub fn accumulate<T: Copy + Mul<Output = T>>(
    parents_first: impl IntoIterator<Item = (usize, Option<usize>)>,
    world: &mut [T],
    mut local: impl FnMut(usize) -> T,
) {
    propagate(parents_first, world, |above, node| {
        let own = local(node);
        above.map_or(own, |above| *above * own)
    });
}

/// Does the same as [`accumulate`], but in the space `base`: the world transform of a root is `base` times its local transform.
#[inline]
pub fn accumulate_below<T: Copy + Mul<Output = T>>(
    parents_first: impl IntoIterator<Item = (usize, Option<usize>)>,
    base: T,
    world: &mut [T],
    mut local: impl FnMut(usize) -> T,
) {
    propagate(parents_first, world, |above, node| *above.unwrap_or(&base) * local(node));
}

/// Computes a value for each node from the value of its parent, or from `None` for a root. This is for products that [`accumulate`] cannot
/// express, such as rotations that are normalised, and local transforms that depend on the parent's world transform.
///
/// The order and the indices are as in [`accumulate`].
#[inline]
pub fn propagate<T>(
    parents_first: impl IntoIterator<Item = (usize, Option<usize>)>,
    values: &mut [T],
    mut compute: impl FnMut(Option<&T>, usize) -> T,
) {
    for (node, parent) in parents_first {
        let own = compute(parent.and_then(|parent| values.get(parent)), node);
        if let Some(value) = values.get_mut(node) {
            *value = own;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DMat2;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_world_transform_is_the_product_along_the_ancestors(
            nodes in prop::collection::vec(
                (0..40_usize, prop::bool::weighted(0.1), prop::array::uniform4(-1.0_f64..1.0)), 1..30,
            ),
            is_reversed in any::<bool>(),
        ) {
            let count = nodes.len();
            // The order of the pairs may affect the result, but the order of the indices must not.
            let name = |n: usize| if is_reversed { count - 1 - n } else { n };
            let parent = |n: usize| {
                let (above, is_root, _) = nodes[n];
                n.checked_sub(1).filter(|_| !is_root).map(|last| last - above % n)
            };
            let order: Vec<(usize, Option<usize>)> =
                (0..count).map(|n| (name(n), parent(n).map(name))).collect();
            let local = |node: usize| DMat2::from_cols_array(&nodes[name(node)].2);
            let path = |node: usize| {
                let mut path: Vec<usize> = std::iter::successors(Some(name(node)), |&n| parent(n)).collect();
                path.reverse();
                path.into_iter().map(name).map(local)
            };

            let mut world = vec![DMat2::NAN; count];
            accumulate(order.iter().copied(), &mut world, local);
            for (node, found) in world.iter().enumerate() {
                prop_assert_eq!(Some(*found), path(node).reduce(|above, own| above * own));
            }
            let base = DMat2::from_angle(0.5);
            accumulate_below(order.iter().copied(), base, &mut world, local);
            for (node, found) in world.iter().enumerate() {
                prop_assert_eq!(*found, path(node).fold(base, |above, own| above * own));
            }
        }
    }

    #[test]
    fn a_part_of_the_hierarchy_can_be_updated() {
        let nodes = [(0, None), (1, Some(0)), (2, Some(1))];
        let mut world = [2.0_f64, 6.0, 0.0];
        accumulate(nodes.into_iter().skip(2), &mut world, |_| 5.0);
        assert_eq!(world, [2.0, 6.0, 30.0]);
    }

    #[test]
    fn indices_that_do_not_exist_are_ignored() {
        let mut world = [0.0_f64; 2];
        accumulate([(0, None), (7, Some(0)), (1, Some(9))], &mut world, |_| 3.0);
        assert_eq!(world, [3.0, 3.0]);
    }
}
