//! Names and axes of Euler angle orders. Rig files write `xyz` and sessions write `XYZ`. Both accept either case.

use glam::EulerRot;
#[cfg(feature = "serde")]
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const ORDERS: [(&str, EulerRot); 6] = [
    ("xyz", EulerRot::XYZ),
    ("xzy", EulerRot::XZY),
    ("yxz", EulerRot::YXZ),
    ("yzx", EulerRot::YZX),
    ("zxy", EulerRot::ZXY),
    ("zyx", EulerRot::ZYX),
];

/// Returns the order with the given name, in upper or lower case.
pub fn euler_order(name: &str) -> Option<EulerRot> {
    ORDERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, order)| *order)
}

/// Returns the name of an order in lower case, or `None` for an order that has no name in files.
pub fn euler_order_name(order: EulerRot) -> Option<&'static str> {
    ORDERS.iter().find(|(_, known)| *known == order).map(|(name, _)| *name)
}

/// Returns the axes of an order, where 0 is x, 1 is y, and 2 is z. Each rotation is in the frame that the preceding ones produce. Returns
/// `None` for an order that has no name in files.
pub fn euler_axes(order: EulerRot) -> Option<[u8; 3]> {
    let letters = euler_order_name(order)?.as_bytes().first_chunk::<3>()?;
    Some(letters.map(|letter| letter - b'x'))
}

/// Serialises an order in upper case.
#[cfg(feature = "serde")]
pub(super) fn serialize<S: Serializer>(order: &EulerRot, serializer: S) -> Result<S::Ok, S::Error> {
    order.serialize(serializer)
}

/// Deserialises an order in upper or lower case.
///
/// # Errors
/// Fails if no order has this name.
#[cfg(feature = "serde")]
pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<EulerRot, D::Error> {
    let name = String::deserialize(deserializer)?;
    let unknown = || {
        let known = ORDERS.map(|(name, _)| name.to_uppercase()).join(", ");
        de::Error::custom(format!("unknown Euler angle order {name:?}, expected one of {known}"))
    };
    euler_order(&name).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;

    #[test]
    fn axes_are_those_of_glam() {
        for (name, order) in ORDERS {
            let [a, b, c] = euler_axes(order).unwrap().map(|axis| DVec3::AXES[usize::from(axis)]);
            let turns = [(a, 0.3), (b, -0.5), (c, 0.7)];
            let product: DQuat =
                turns.iter().map(|(axis, angle)| DQuat::from_axis_angle(*axis, *angle)).product();
            assert!(product.abs_diff_eq(DQuat::from_euler(order, 0.3, -0.5, 0.7), 1e-12), "{name}");
        }
        assert_eq!(euler_axes(EulerRot::XYX), None);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn sessions_read_an_order_in_upper_and_lower_case_and_write_it_in_upper_case() {
        let text = |order: &str| {
            format!(r#"{{"euler":{{"order":"{order}","min":[0.0,0.0,0.0],"max":[1.0,1.0,1.0]}}}}"#)
        };
        for (name, order) in ORDERS {
            let limit = crate::Limit::Euler { order, min: [0.0; 3], max: [1.0; 3] };
            let upper = text(&name.to_uppercase());
            assert_eq!(serde_json::from_str::<crate::Limit>(&upper).unwrap(), limit);
            assert_eq!(serde_json::from_str::<crate::Limit>(&text(name)).unwrap(), limit);
            assert_eq!(serde_json::to_string(&limit).unwrap(), upper);
        }
        for order in ["XYZEx", "ZYZ", "xy", ""] {
            let error = serde_json::from_str::<crate::Limit>(&text(order)).unwrap_err().to_string();
            assert!(error.contains("expected one of XYZ, XZY, YXZ, YZX, ZXY, ZYX"), "{error}");
        }
    }
}
