//! Reads and writes the limit of a joint in a rig file.

use glam::DVec3;
use toml_edit::{InlineTable, Item, Value};

use crate::ik::{Limit, shared};
use crate::text::toml::{SpannedError, check_keys, number, numbers, required, table_like};

use super::values::{list, round};

/// Reads a limit with angles in degrees and displacements in metres.
pub fn read(item: &Item) -> Result<Limit, SpannedError> {
    let table = table_like(item, "limit must be a table")?;
    let kind = required(table, "kind", |item, _| Ok(item))?;
    let metres = |key: &str| required(table, key, number);
    let angle = |key: &str| required(table, key, number).map(f64::to_radians);
    let angles = |key: &str| required(table, key, numbers::<2>).map(|list| list.map(f64::to_radians));
    let three = |key: &str| required(table, key, numbers::<3>).map(|list| list.map(f64::to_radians));
    let axis = |key: &str| {
        required(table, key, |item, key| {
            let axis = DVec3::from_array(numbers(item, key)?).try_normalize();
            axis.ok_or_else(|| SpannedError::at(item, format!("{key} must not be zero")))
        })
    };
    let limit = match kind.as_str() {
        Some("free") => check_keys(table, &["kind"]).map(|()| Limit::Free)?,
        Some("locked") => check_keys(table, &["kind"]).map(|()| Limit::Locked)?,
        Some("hinge") => {
            check_keys(table, &["kind", "axis", "min", "max"])?;
            Limit::Hinge { axis: axis("axis")?, min: angle("min")?, max: angle("max")? }
        }
        Some("prismatic") => {
            check_keys(table, &["kind", "axis", "min", "max"])?;
            Limit::Prismatic { axis: axis("axis")?, min: metres("min")?, max: metres("max")? }
        }
        Some("cone") => {
            check_keys(table, &["kind", "axis", "side", "swing", "twist"])?;
            let (axis, side) = (axis("axis")?, axis("side")?);
            // The file may round the second axis, so make it exactly perpendicular to the first.
            let side = side.reject_from_normalized(axis).try_normalize();
            let side =
                side.ok_or_else(|| SpannedError::at_key(table, "side", "side must not be parallel to axis"))?;
            Limit::Cone { axis, side, swing: angles("swing")?, twist: angles("twist")? }
        }
        Some("euler") => {
            check_keys(table, &["kind", "order", "min", "max"])?;
            let order = required(table, "order", |item, _| {
                let order = item.as_str().and_then(shared::euler_order);
                order.ok_or_else(|| SpannedError::at(item, "order must be a permutation of xyz"))
            })?;
            Limit::Euler { order, min: three("min")?, max: three("max")? }
        }
        _ => {
            return Err(SpannedError::at(
                kind,
                "kind must be one of free, locked, hinge, prismatic, cone, euler",
            ));
        }
    };
    check(&limit).map_err(|error| error.or_at(item.span()))?;
    Ok(limit)
}

/// Checks a limit. The error has no position.
pub(super) fn check(limit: &Limit) -> Result<(), SpannedError> {
    limit.validate().map_err(|property| SpannedError::new(None, format!("the {property} is invalid")))
}

/// Returns a limit in the format of rig files. A free joint has none.
pub fn limit_value(limit: &Limit) -> Option<Value> {
    let mut table = InlineTable::new();
    let mut add = |key: &str, value: Value| {
        table.insert(key, value);
    };
    let degrees = |angle: f64| round(angle.to_degrees());
    match *limit {
        Limit::Free => return None,
        Limit::Locked => add("kind", "locked".into()),
        Limit::Hinge { axis, min, max } => {
            add("kind", "hinge".into());
            add("axis", list(axis.to_array()));
            add("min", degrees(min).into());
            add("max", degrees(max).into());
        }
        Limit::Prismatic { axis, min, max } => {
            add("kind", "prismatic".into());
            add("axis", list(axis.to_array()));
            add("min", round(min).into());
            add("max", round(max).into());
        }
        Limit::Cone { axis, side, swing, twist } => {
            add("kind", "cone".into());
            add("axis", list(axis.to_array()));
            add("side", list(side.to_array()));
            add("swing", list(swing.map(f64::to_degrees)));
            add("twist", list(twist.map(f64::to_degrees)));
        }
        Limit::Euler { order, min, max } => {
            add("kind", "euler".into());
            add("order", shared::euler_order_name(order).unwrap_or("xyz").into());
            add("min", list(min.map(f64::to_degrees)));
            add("max", list(max.map(f64::to_degrees)));
        }
    }
    Some(table.into())
}
