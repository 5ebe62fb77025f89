//! Ambient occlusion: the fraction of the surroundings that other surfaces hide from a point.
//!
//! Depth maps are drawn from directions that are evenly spread over the sphere. A fragment looks up the directions from which it is
//! visible, and weights each of them by the cosine of the angle between the direction and the surface normal (Sattler et al. 2004,
//! "Hardware-accelerated ambient occlusion computation"). In contrast to methods that search the depth of the image (Bavoil et al. 2008,
//! Jimenez et al. 2016), this includes surfaces that the camera does not see, so there are no halos around limbs. It also needs no random
//! samples, so there is no noise to blur. It costs as much as drawing a character's shadow once for each direction, which is fast enough
//! for images but not for a window. If compute shaders are available, the vertices are skinned only once.

mod directions;
mod maps;
mod posed;

pub(super) use directions::place;
pub(super) use maps::{OcclusionMaps, no_map};
