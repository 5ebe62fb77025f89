//! Names of Euler angle orders. Rig files write `xyz` and sessions write `XYZ`. Both accept either case.

use glam::EulerRot;
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

/// Serialises an order in upper case.
pub(super) fn serialize<S: Serializer>(order: &EulerRot, serializer: S) -> Result<S::Ok, S::Error> {
    order.serialize(serializer)
}

/// Deserialises an order in upper or lower case.
///
/// # Errors
/// Fails if no order has this name.
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
    use super::*;
    use crate::Limit;

    #[test]
    fn sessions_read_an_order_in_upper_and_lower_case_and_write_it_in_upper_case() {
        let text = |order: &str| {
            format!(r#"{{"euler":{{"order":"{order}","min":[0.0,0.0,0.0],"max":[1.0,1.0,1.0]}}}}"#)
        };
        for (name, order) in ORDERS {
            let limit = Limit::Euler { order, min: [0.0; 3], max: [1.0; 3] };
            let upper = text(&name.to_uppercase());
            assert_eq!(serde_json::from_str::<Limit>(&upper).unwrap(), limit);
            assert_eq!(serde_json::from_str::<Limit>(&text(name)).unwrap(), limit);
            assert_eq!(serde_json::to_string(&limit).unwrap(), upper);
        }
        for order in ["XYZEx", "ZYZ", "xy", ""] {
            let error = serde_json::from_str::<Limit>(&text(order)).unwrap_err().to_string();
            assert!(error.contains("expected one of XYZ, XZY, YXZ, YZX, ZXY, ZYX"), "{error}");
        }
    }
}
