//! The directions of a palm in the rest pose.

use glam::Vec3;

/// Minimum bend of a finger in its rest pose that shows where the palm is, in radians.
const CLEAR_BEND: f32 = 0.25;

/// Three perpendicular unit directions in world space, in the rest pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Palm {
    /// From the wrist to the knuckles.
    pub(super) along: Vec3,
    /// From the little finger to the thumb.
    pub(super) across: Vec3,
    /// Unit vector out of the palm, towards the side to which the fingers curl.
    pub(super) normal: Vec3,
}

/// The known geometry of a hand in the rest pose. Positions are relative to the wrist, in world space.
pub(super) struct Shape<'a> {
    /// 1 for a left hand, -1 for a right one.
    pub(super) side: f32,
    /// From the elbow to the wrist.
    pub(super) forearm: Vec3,
    /// From the right of the body to its left.
    pub(super) left: Vec3,
    /// The joints of each finger except the thumb. Contains at least one finger.
    pub(super) fingers: &'a [Vec<Vec3>],
    /// The end of the thumb.
    pub(super) thumb: Option<Vec3>,
}

impl Palm {
    /// Finds the palm of a hand. Returns `None` if the positions do not determine its directions.
    pub(super) fn new(shape: &Shape<'_>) -> Option<Self> {
        let knuckles: Vec<Vec3> = shape.fingers.iter().filter_map(|finger| finger.first().copied()).collect();
        #[expect(clippy::cast_precision_loss, reason = "a hand has few fingers")]
        let middle = knuckles.iter().sum::<Vec3>() / knuckles.len().max(1) as f32;
        let along = middle.try_normalize().or_else(|| shape.forearm.try_normalize())?;
        let aside = |v: Vec3| v.reject_from_normalized(along);
        // Seen from the back of a left hand with the fingers up, the thumb is on the right.
        let normal_of = |across: Vec3| shape.side * along.cross(across);
        let thumb = shape.thumb.map(|thumb| aside(thumb - middle));
        let line = widest(&knuckles).map(aside).and_then(Vec3::try_normalize);
        let normal = match (line, thumb) {
            (Some(line), Some(thumb)) => normal_of(if line.dot(thumb) < 0.0 { -line } else { line }),
            // The thumb of a mitten is not quite beside the palm, so bent fingers show the palm better.
            (None, Some(thumb)) => {
                let normal = normal_of(thumb.try_normalize()?);
                bend(shape.fingers).map(aside).filter(|bend| bend.dot(normal) > 0.0).unwrap_or(normal)
            }
            // The palms of hanging arms face the body, and the palms of raised arms face down.
            (line, None) => {
                let inwards = aside(Vec3::NEG_Y - shape.side * shape.left);
                let normal = line.map_or(inwards, normal_of);
                if normal.dot(inwards) < 0.0 { -normal } else { normal }
            }
        }
        .try_normalize()?;
        Some(Self { along, across: shape.side * normal.cross(along), normal })
    }
}

/// Returns the vector between the two points that are farthest apart, or `None` for fewer than two points.
fn widest(points: &[Vec3]) -> Option<Vec3> {
    let pairs = points.iter().enumerate().flat_map(|(i, &a)| points[..i].iter().map(move |&b| a - b));
    pairs.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))
}

/// Returns the direction in which the fingers are bent in the rest pose, or `None` if they are almost straight.
fn bend(fingers: &[Vec<Vec3>]) -> Option<Vec3> {
    let of_finger = |finger: &Vec<Vec3>| {
        let ([first, second, ..], [.., before, last]) = (&finger[..], &finger[..]) else { return None };
        bent(second - first, last - before)
    };
    fingers.iter().filter_map(of_finger).sum::<Vec3>().try_normalize()
}

/// Returns the component of a bone perpendicular to the preceding bone, if the angle between them is large enough.
fn bent(before: Vec3, bone: Vec3) -> Option<Vec3> {
    let is_clear = before.angle_between(bone) > CLEAR_BEND;
    before.try_normalize().filter(|_| is_clear).map(|before| bone.reject_from_normalized(before))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{Palm, Shape};

    const FOREARM: Vec3 = Vec3::X;

    /// A left hand along +X. The body faces +Z.
    fn left(fingers: &[Vec<Vec3>], thumb: Option<Vec3>) -> Option<Palm> {
        Palm::new(&Shape { side: 1.0, forearm: FOREARM, left: Vec3::X, fingers, thumb })
    }

    fn straight(at: Vec3) -> Vec<Vec3> {
        [0.0, 0.03, 0.06].map(|x| at + x * Vec3::X).to_vec()
    }

    #[test]
    fn thumb_and_side_decide_where_the_palm_is() {
        let fingers = [-0.02, 0.0, 0.02].map(|z| straight(Vec3::new(0.1, 0.0, z)));
        for (thumb, normal) in [(0.06, Vec3::NEG_Y), (-0.06, Vec3::Y)] {
            let palm = left(&fingers, Some(Vec3::new(0.05, 0.0, thumb))).unwrap();
            assert!(palm.normal.distance(normal) < 1e-3 && palm.along.distance(Vec3::X) < 1e-3, "{palm:?}");
            assert!(palm.across.distance(thumb.signum() * Vec3::Z) < 1e-3, "{palm:?}");
            // Left and right are mirror images.
            let right = Palm::new(&Shape {
                side: -1.0,
                forearm: -FOREARM,
                left: Vec3::X,
                fingers: &fingers
                    .clone()
                    .map(|f| f.into_iter().map(|p| p * Vec3::new(-1.0, 1.0, 1.0)).collect()),
                thumb: Some(Vec3::new(-0.05, 0.0, thumb)),
            });
            assert!(right.unwrap().normal.distance(normal) < 1e-3);
        }
    }

    #[test]
    fn a_hand_without_a_thumb_has_its_palm_below() {
        let fingers = [-0.02, 0.0, 0.02].map(|z| straight(Vec3::new(0.1, 0.0, z)));
        assert!(left(&fingers, None).unwrap().normal.distance(Vec3::NEG_Y) < 1e-3);
        assert!(left(&fingers[..1], None).unwrap().normal.y < -0.9);
    }

    #[test]
    fn a_bent_mitten_shows_its_palm() {
        let bent = vec![Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.16, 0.0, 0.0), Vec3::new(0.2, -0.03, 0.0)];
        let thumb = Vec3::new(0.05, -0.04, 0.05);
        assert!(left(&[bent], Some(thumb)).unwrap().normal.distance(Vec3::NEG_Y) < 1e-3);
        let tilted = left(&[straight(Vec3::new(0.1, 0.0, 0.0))], Some(thumb)).unwrap().normal;
        assert!(tilted.y < -0.5 && tilted.z < -0.3, "{tilted}");
    }

    #[test]
    fn a_hand_in_one_point_has_no_palm() {
        let fingers = [vec![Vec3::ZERO; 3], vec![Vec3::ZERO; 3]];
        let palm = Palm::new(&Shape {
            side: 1.0,
            forearm: Vec3::ZERO,
            left: Vec3::X,
            fingers: &fingers,
            thumb: None,
        });
        assert!(palm.is_none());
    }
}
