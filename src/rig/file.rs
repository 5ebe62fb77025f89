//! Rigs as files, `NAME.rig.toml`: read with every key checked, written with comments kept. `docs/rig.md` has the schema.

use std::ops::Range;

use glam::{DVec3, EulerRot, Vec3};
use toml_edit::{Array, ArrayOfTables, Document, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::asset::Skeleton;
use crate::ik::Limit;

use super::RigError;
use super::carry::carry;
use super::model::{Chain, ChainKind, JointRig, Rig, path};

const VERSION: i64 = 1;
const ORDERS: [(&str, EulerRot); 6] = [
    ("xyz", EulerRot::XYZ),
    ("xzy", EulerRot::XZY),
    ("yxz", EulerRot::YXZ),
    ("yzx", EulerRot::YZX),
    ("zxy", EulerRot::ZXY),
    ("zyx", EulerRot::ZYX),
];

/// Reads a rig for a skeleton.
///
/// # Errors
/// [`RigError::File`] with the line of what is no TOML, of a key that is not known or missing, of a value that will
/// not do, of a node that does not exist.
pub fn read(text: &str, skeleton: &Skeleton) -> Result<Rig, RigError> {
    let document = Document::parse(text.to_owned())
        .map_err(|e| RigError::File { line: line(text, e.span()), cause: e.message().replace('\n', ", ") })?;
    Reader { text, skeleton }.rig(document.as_table())
}

/// A value that will not do: where, and why.
struct Fault {
    span: Option<Range<usize>>,
    cause: String,
}

impl Fault {
    fn at(item: &Item, cause: impl Into<String>) -> Self {
        Self { span: item.span(), cause: cause.into() }
    }
}

struct Reader<'a> {
    text: &'a str,
    skeleton: &'a Skeleton,
}

impl Reader<'_> {
    fn rig(&self, root: &Table) -> Result<Rig, RigError> {
        let read = || {
            known(root, &["version", "pins", "chain", "joint"])?;
            let version = root.get("version").ok_or_else(|| missing(root.span(), "version"))?;
            if version.as_integer() != Some(VERSION) {
                return Err(Fault::at(version, format!("version is not {VERSION}")));
            }
            let mut rig = Rig::default();
            if let Some(pins) = root.get("pins") {
                let array = pins.as_array().ok_or_else(|| Fault::at(pins, "pins is no list of nodes"))?;
                for pin in array {
                    rig.pins.push(self.node(&Item::Value(pin.clone()), pin.span())?);
                }
            }
            for joint in tables(root, "joint")? {
                let (node, joint) = self.joint(joint)?;
                rig.joints.insert(node, joint);
            }
            let carriers = rig.carriers();
            let circle = |e: RigError| Fault { span: root.span(), cause: e.to_string() };
            let carried = (!carriers.is_empty()).then(|| carry(self.skeleton, &carriers)).transpose();
            let carried = carried.map_err(circle)?;
            for chain in tables(root, "chain")? {
                rig.chains.push(self.chain(chain, carried.as_ref().unwrap_or(self.skeleton))?);
            }
            Ok(rig)
        };
        read()
            .map_err(|fault: Fault| RigError::File { line: line(self.text, fault.span), cause: fault.cause })
    }

    fn chain(&self, table: &Table, skeleton: &Skeleton) -> Result<Chain, Fault> {
        known(table, &["name", "kind", "base", "effector", "bend", "pole", "weight"])?;
        let node = |key| {
            let item = need(table, key)?;
            self.node(item, item.span())
        };
        let (base, effector) = (node("base")?, node("effector")?);
        let joints = path(skeleton, base, effector)
            .filter(|joints| joints.len() > 1)
            .ok_or_else(|| Fault::at(need_item(table, "base"), "base is not above effector"))?;
        let kind = match table.get("kind") {
            None => ChainKind::Limb,
            Some(item) => {
                let of = |name| ChainKind::ALL.into_iter().find(|k| k.name() == name);
                let names = || ChainKind::ALL.map(ChainKind::name).join(", ");
                item.as_str()
                    .and_then(of)
                    .ok_or_else(|| Fault::at(item, format!("kind is none of {}", names())))?
            }
        };
        let name = match table.get("name") {
            None => self.skeleton.label(effector),
            Some(item) => item.as_str().ok_or_else(|| Fault::at(item, "name is no text"))?.to_owned(),
        };
        let vector = |key| table.get(key).map(|item| Ok(numbers::<3>(item, key)?.map(narrow))).transpose();
        let bend = match vector("bend")?.map(Vec3::from_array) {
            Some(bend) => Some(
                bend.try_normalize()
                    .ok_or_else(|| Fault::at(need_item(table, "bend"), "bend has no length"))?,
            ),
            None => None,
        };
        let pole = vector("pole")?.map(Vec3::from_array);
        let weight = optional(table, "weight", 1.0, 0.0..=f64::MAX)?;
        Ok(Chain { name, kind, effector, base, joints, bend, pole, weight })
    }

    fn joint(&self, table: &Table) -> Result<(usize, JointRig), Fault> {
        known(table, &["node", "stiffness", "limit", "carrier"])?;
        let item = need(table, "node")?;
        let node = self.node(item, item.span())?;
        let stiffness = optional(table, "stiffness", 0.0, 0.0..=1.0)?;
        let limit = table.get("limit").map_or(Ok(Limit::Free), limit)?;
        let carrier = table.get("carrier").map(|item| self.node(item, item.span())).transpose()?;
        Ok((node, JointRig { limit, stiffness, carrier }))
    }

    /// A node by name, or `#INDEX`.
    fn node(&self, item: &Item, span: Option<Range<usize>>) -> Result<usize, Fault> {
        let name =
            item.as_str().ok_or_else(|| Fault { span: span.clone(), cause: "a node is a text".into() })?;
        named(self.skeleton, name)
            .ok_or_else(|| Fault { span, cause: format!("node \"{name}\" does not exist") })
    }
}

/// The node of a name, or of an index behind `#`.
fn named(skeleton: &Skeleton, name: &str) -> Option<usize> {
    let index = name.strip_prefix('#').and_then(|i| i.parse().ok());
    index.filter(|&i: &usize| i < skeleton.nodes.len()).or_else(|| skeleton.find(name))
}

/// What [`named`] finds a node by: its own name, unless that says another one.
fn name(skeleton: &Skeleton, node: usize) -> String {
    let own = skeleton.label(node);
    if named(skeleton, &own) == Some(node) { own } else { format!("#{node}") }
}

/// A limit in degrees.
fn limit(item: &Item) -> Result<Limit, Fault> {
    let table = item.as_table_like().ok_or_else(|| Fault::at(item, "limit is no table"))?;
    let kind = need(table, "kind")?;
    let angles = |key: &str| {
        let item = need(table, key)?;
        Ok(numbers::<2>(item, key)?.map(f64::to_radians))
    };
    let number = |key: &str| {
        let item = need(table, key)?;
        real(item).map(f64::to_radians).ok_or_else(|| Fault::at(item, format!("{key} is no number")))
    };
    let axis = |key: &str| {
        let item = need(table, key)?;
        let axis = DVec3::from_array(numbers(item, key)?).try_normalize();
        axis.ok_or_else(|| Fault::at(item, format!("{key} has no length")))
    };
    let limit = match kind.as_str() {
        Some("free") => known(table, &["kind"]).map(|()| Limit::Free)?,
        Some("locked") => known(table, &["kind"]).map(|()| Limit::Locked)?,
        Some("hinge") => {
            known(table, &["kind", "axis", "min", "max"])?;
            Limit::Hinge { axis: axis("axis")?, min: number("min")?, max: number("max")? }
        }
        Some("cone") => {
            known(table, &["kind", "axis", "side", "swing", "twist"])?;
            let (axis, side) = (axis("axis")?, axis("side")?);
            // The second axis is exactly across the first.
            let side = side.reject_from_normalized(axis).try_normalize();
            let side = side.ok_or_else(|| Fault::at(need_item(table, "side"), "side is along axis"))?;
            Limit::Cone { axis, side, swing: angles("swing")?, twist: angles("twist")? }
        }
        Some("euler") => {
            known(table, &["kind", "order", "min", "max"])?;
            let order = need(table, "order")?;
            let of = |name: &str| ORDERS.iter().find(|(n, _)| *n == name).map(|(_, o)| *o);
            let order = order
                .as_str()
                .and_then(of)
                .ok_or_else(|| Fault::at(order, "order is no order of x, y, z"))?;
            let three = |key: &str| Ok(numbers::<3>(need(table, key)?, key)?.map(f64::to_radians));
            Limit::Euler { order, min: three("min")?, max: three("max")? }
        }
        _ => return Err(Fault::at(kind, "kind is none of free, locked, hinge, cone, euler")),
    };
    limit.fault().map_or(Ok(limit), |what| Err(Fault::at(item, format!("the {what} will not do"))))
}

/// Refuses keys that are not known, with their line.
fn known(table: &dyn TableLike, keys: &[&str]) -> Result<(), Fault> {
    for (name, item) in table.iter() {
        if !keys.contains(&name) {
            let span = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
            return Err(Fault { span, cause: format!("unknown key \"{name}\"; known: {}", keys.join(", ")) });
        }
    }
    Ok(())
}

fn missing(span: Option<Range<usize>>, key: &str) -> Fault {
    Fault { span, cause: format!("{key} is missing") }
}

fn need<'t>(table: &'t dyn TableLike, key: &str) -> Result<&'t Item, Fault> {
    let span = table.iter().next().and_then(|(name, _)| table.key(name)?.span());
    table.get(key).ok_or_else(|| missing(span, key))
}

/// An item that is known to be there, for its line.
fn need_item<'t>(table: &'t dyn TableLike, key: &str) -> &'t Item {
    const NONE: &Item = &Item::None;
    table.get(key).unwrap_or(NONE)
}

fn tables<'t>(root: &'t Table, key: &str) -> Result<Vec<&'t Table>, Fault> {
    match root.get(key) {
        None => Ok(Vec::new()),
        Some(item) => {
            let tables =
                item.as_array_of_tables().ok_or_else(|| Fault::at(item, format!("write [[{key}]]")))?;
            Ok(tables.iter().collect())
        }
    }
}

fn real(item: &Item) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "numbers of a rig are small")]
    let integer = item.as_integer().map(|i| i as f64);
    item.as_float().or(integer).filter(|x| x.is_finite())
}

fn optional(
    table: &Table,
    key: &str,
    default: f64,
    range: std::ops::RangeInclusive<f64>,
) -> Result<f64, Fault> {
    table.get(key).map_or(Ok(default), |item| {
        let value = real(item).filter(|v| range.contains(v));
        value.ok_or_else(|| Fault::at(item, format!("{key} is no number of at least {}", range.start())))
    })
}

fn numbers<const N: usize>(item: &Item, key: &str) -> Result<[f64; N], Fault> {
    let values: Option<Vec<f64>> =
        item.as_array().and_then(|a| a.iter().map(|v| real(&Item::Value(v.clone()))).collect());
    let fault = || Fault::at(item, format!("{key} is no list of {N} numbers"));
    values.ok_or_else(fault)?.try_into().map_err(|_| fault())
}

#[expect(clippy::cast_possible_truncation, reason = "places of joints are single precision")]
fn narrow(x: f64) -> f32 {
    x as f32
}

/// The line of a place in a text, from one.
fn line(text: &str, span: Option<Range<usize>>) -> usize {
    let start = span.map_or(0, |s| s.start);
    1 + text.bytes().take(start).filter(|b| *b == b'\n').count()
}

/// Writes a rig: into the text that was there, if there was one, so that its comments and order stay.
///
/// # Errors
/// [`RigError::File`] if the text that was there is no TOML.
pub fn write(rig: &Rig, skeleton: &Skeleton, there: &str) -> Result<String, RigError> {
    let mut document: DocumentMut = there.parse().map_err(|e: toml_edit::TomlError| RigError::File {
        line: line(there, e.span()),
        cause: e.message().replace('\n', ", "),
    })?;
    let root = document.as_table_mut();
    set(root, "version", VERSION.into());
    let pins: Array = rig.pins.iter().map(|&n| name(skeleton, n)).collect();
    if !rig.pins.is_empty() || root.contains_key("pins") {
        set(root, "pins", pins.into());
    }
    let chains = rig.chains.iter().map(|c| (c.effector, chain_keys(c, skeleton))).collect();
    update(root, skeleton, "chain", "effector", chains);
    let joints = rig.joints.iter().map(|(&n, j)| (n, joint_keys(n, j, skeleton))).collect();
    update(root, skeleton, "joint", "node", joints);
    Ok(document.to_string())
}

type Keys = Vec<(&'static str, Option<Value>)>;

fn chain_keys(chain: &Chain, skeleton: &Skeleton) -> Keys {
    vec![
        ("name", Some(chain.name.as_str().into())),
        ("kind", Some(chain.kind.name().into())),
        ("base", Some(name(skeleton, chain.base).into())),
        ("effector", Some(name(skeleton, chain.effector).into())),
        ("bend", chain.bend.map(|b| list(b.to_array().map(f64::from)))),
        ("pole", chain.pole.map(|p| list(p.to_array().map(f64::from)))),
        ("weight", Some(chain.weight).filter(|w| (w - 1.0).abs() > 0.0).map(Into::into)),
    ]
}

fn joint_keys(node: usize, joint: &JointRig, skeleton: &Skeleton) -> Keys {
    vec![
        ("node", Some(name(skeleton, node).into())),
        ("stiffness", Some(joint.stiffness).filter(|s| *s > 0.0).map(Into::into)),
        ("limit", limit_value(&joint.limit)),
        ("carrier", joint.carrier.map(|c| skeleton.label(c).into())),
    ]
}

fn limit_value(limit: &Limit) -> Option<Value> {
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
        Limit::Cone { axis, side, swing, twist } => {
            add("kind", "cone".into());
            add("axis", list(axis.to_array()));
            add("side", list(side.to_array()));
            add("swing", list(swing.map(f64::to_degrees)));
            add("twist", list(twist.map(f64::to_degrees)));
        }
        Limit::Euler { order, min, max } => {
            add("kind", "euler".into());
            let name = ORDERS.iter().find(|(_, o)| *o == order).map_or("xyz", |(n, _)| *n);
            add("order", name.into());
            add("min", list(min.map(f64::to_degrees)));
            add("max", list(max.map(f64::to_degrees)));
        }
    }
    Some(table.into())
}

/// Six digits are what people can read, and finer than any joint.
fn round(x: f64) -> f64 {
    (x * 1e6).round() / 1e6 + 0.0
}

fn list<const N: usize>(values: [f64; N]) -> Value {
    values.into_iter().map(round).collect::<Array>().into()
}

/// Sets a key, with the comments and spaces that were around its value.
fn set(table: &mut Table, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        // Written as it was where it says the same.
        Some(there) if says_same(there, &value) => {}
        Some(there) => {
            *value.decor_mut() = there.decor().clone();
            *there = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// Whether two values are the same to a reader: a limit as it is read, else numbers to six digits.
fn says_same(there: &Value, new: &Value) -> bool {
    let real = |value: &Value| real(&Item::Value(value.clone()));
    match (there, new) {
        (Value::InlineTable(_), Value::InlineTable(_)) => {
            let read = |value: &Value| limit(&Item::Value(value.clone())).ok();
            let (there, new) = (read(there), read(new));
            let same = |value: &Limit| limit_value(value).map(|v| v.to_string());
            there.is_some() && there.as_ref().and_then(same) == new.as_ref().and_then(same)
        }
        (Value::Array(there), Value::Array(new)) => {
            there.len() == new.len() && there.iter().zip(new).all(|(a, b)| says_same(a, b))
        }
        (Value::String(there), Value::String(new)) => there.value() == new.value(),
        _ => real(there).zip(real(new)).is_some_and(|(a, b)| (a - b).abs() < 5e-7),
    }
}

/// Brings a list of tables to what it should hold, each told by the node that one of its keys names.
fn update(root: &mut Table, skeleton: &Skeleton, list: &str, id: &str, wanted: Vec<(usize, Keys)>) {
    if wanted.is_empty() && !root.contains_key(list) {
        return;
    }
    let item = root.entry(list).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if item.as_array_of_tables().is_none() {
        *item = Item::ArrayOfTables(ArrayOfTables::new());
    }
    let Some(tables) = item.as_array_of_tables_mut() else { return };
    let named = |table: &Table| named(skeleton, table.get(id).and_then(Item::as_str)?);
    tables.retain(|table| wanted.iter().any(|(node, _)| Some(*node) == named(table)));
    for (node, keys) in wanted {
        let known = tables.iter().position(|table| named(table) == Some(node));
        let place = known.unwrap_or(tables.len());
        if known.is_none() {
            tables.push(Table::new());
        }
        let Some(table) = tables.get_mut(place) else { continue };
        for (key, value) in keys {
            match value {
                Some(value) => set(table, key, value),
                None => {
                    table.remove(key);
                }
            }
        }
    }
}
