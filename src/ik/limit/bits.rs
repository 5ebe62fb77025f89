//! Limits as words that can be compared and hashed.

use super::Limit;

/// Appends the kind and all numbers of a limit to a key. Two limits append the same words only if all their numbers have the same bits.
pub fn append_bits(limit: &Limit, key: &mut Vec<u64>) {
    let mut append = |kind: u64, numbers: &[f64]| {
        key.push(kind);
        key.extend(numbers.iter().map(|number| number.to_bits()));
    };
    match *limit {
        Limit::Free => append(0, &[]),
        Limit::Locked => append(1, &[]),
        Limit::Hinge { axis, min, max } => append(2, &[axis.x, axis.y, axis.z, min, max]),
        Limit::Prismatic { axis, min, max } => append(3, &[axis.x, axis.y, axis.z, min, max]),
        Limit::Cone { axis, side, swing: [a, b], twist: [min, max] } => {
            append(4, &[axis.x, axis.y, axis.z, side.x, side.y, side.z, a, b, min, max]);
        }
        Limit::Euler { order, min: [a, b, c], max: [d, e, f] } => {
            append(5, &[a, b, c, d, e, f]);
            key.push(order as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, EulerRot};

    use super::*;

    #[test]
    fn limits_that_differ_in_any_number_have_different_keys() {
        let hinge = Limit::Hinge { axis: DVec3::X, min: -0.5, max: 0.5 };
        let cone = Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [1.0, 0.6], twist: [-0.7, 0.4] };
        let euler = Limit::Euler { order: EulerRot::XYZ, min: [-1.0; 3], max: [1.0; 3] };
        let limits = [
            Limit::Free,
            Limit::Locked,
            hinge,
            Limit::Hinge { axis: DVec3::Y, min: -0.5, max: 0.5 },
            // The difference is lost in single precision.
            Limit::Hinge { axis: DVec3::X, min: -0.5 - 1e-12, max: 0.5 },
            Limit::Hinge { axis: DVec3::X, min: -0.5, max: 0.25 },
            Limit::Prismatic { axis: DVec3::X, min: -0.5, max: 0.5 },
            Limit::Prismatic { axis: DVec3::X, min: -0.5, max: 0.25 },
            cone,
            Limit::Cone { axis: DVec3::Y, side: DVec3::Z, swing: [1.0, 0.6], twist: [-0.7, 0.4] },
            Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [1.0, 0.5], twist: [-0.7, 0.4] },
            Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [1.0, 0.6], twist: [-0.7, 0.3] },
            euler,
            Limit::Euler { order: EulerRot::XZY, min: [-1.0; 3], max: [1.0; 3] },
            Limit::Euler { order: EulerRot::XYZ, min: [-1.0, -1.0, -0.5], max: [1.0; 3] },
            Limit::Euler { order: EulerRot::XYZ, min: [-1.0; 3], max: [1.0, 0.5, 1.0] },
        ];
        let key = |limit: &Limit| {
            let mut key = Vec::new();
            append_bits(limit, &mut key);
            key
        };
        for (index, limit) in limits.iter().enumerate() {
            assert!(limits[..index].iter().all(|other| key(other) != key(limit)), "{limit:?}");
        }
    }
}
