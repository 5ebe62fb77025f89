//! The index of a link.

use std::fmt;

/// The index of a link: its place in [`Body::links`](super::Body::links). The base has index 0.
///
/// Bodies are often built from skeletons. Indices of nodes and of links then occur in the same functions, and a link that is a plain
/// number could be mistaken for a node. There is no conversion from `usize`, so that each `LinkIndex(3)` in the source code is a
/// decision.
///
/// The number is a public field, because every number is a valid index of some body. A constructor would have nothing to check.
///
/// ```
/// use sinew_ik::glam::{DAffine3, DVec3};
/// use sinew_ik::{Body, Link, LinkIndex};
///
/// let hand = LinkIndex(1);
/// let arm = Body::new(vec![Link::base(), Link::child(LinkIndex(0), DVec3::X)], DAffine3::IDENTITY)?;
/// assert_eq!(arm.world_from_link(hand).map(|m| m.translation), Some(DVec3::X));
/// assert_eq!(arm.links()[hand.0].parent, Some(LinkIndex(0)));
/// # Ok::<(), sinew_ik::SolveError>(())
/// ```
///
/// The index of a node is not accepted:
///
/// ```compile_fail,E0308
/// let node: usize = 3;
/// let goal = sinew_ik::Goal::new(node);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkIndex(pub usize);

impl fmt::Display for LinkIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
