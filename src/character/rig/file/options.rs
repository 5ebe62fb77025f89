//! Reads and writes the solver options of a rig, in the table `[options]`. Keys may be dotted or nested:
//! `ccd.step = "5deg"`, or `step = "5deg"` in `[options.ccd]`.

use toml_edit::{InlineTable, Item, Table, TableLike, Value};

use crate::ik::{OptionKind, OptionOverrides, OptionValue, SolverOption, Unit};
use crate::text::toml::{SpannedError, table_like};

const TABLE: &str = "options";

/// Reads the table of options of a rig file.
pub fn read(item: &Item) -> Result<OptionOverrides, SpannedError> {
    let mut overrides = OptionOverrides::default();
    read_table(table_like(item, format!("{TABLE} must be written as [{TABLE}]"))?, "", &mut overrides)?;
    Ok(overrides)
}

/// Adds the options of a table. `prefix` is the path of the table with a dot at the end, or empty.
fn read_table(table: &dyn TableLike, prefix: &str, out: &mut OptionOverrides) -> Result<(), SpannedError> {
    for (name, item) in table.iter() {
        let key = format!("{prefix}{name}");
        let error = |cause: String| SpannedError::at_key(table, name, cause);
        if let (true, Some(inner)) = (is_group(&key), item.as_table_like()) {
            read_table(inner, &format!("{key}."), out)?;
            continue;
        }
        let option = SolverOption::find(&key).map_err(|e| error(e.to_string()))?;
        if let Some(why) = option.refusal {
            return Err(error(format!("{key} cannot be set for a character: {why}")));
        }
        let text = text(item).ok_or_else(|| error(format!("{key} must be {}", option.values())))?;
        let value = option.parse(&text).map_err(|e| error(e.to_string()))?;
        out.set(option, value).map_err(|e| error(e.to_string()))?;
    }
    Ok(())
}

/// Returns whether options have keys that begin with `key` and a dot.
fn is_group(key: &str) -> bool {
    SolverOption::all().iter().any(|o| o.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
}

/// Returns the text of a string, a number or a switch.
fn text(item: &Item) -> Option<String> {
    match item.as_value()? {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Float(number) => Some(format!("{:?}", number.value())),
        Value::Boolean(on) => Some(on.value().to_string()),
        _ => None,
    }
}

/// Updates the table of options in a document. Values whose meaning is unchanged keep their formatting.
pub fn update(root: &mut Table, wanted: &OptionOverrides) {
    if wanted.is_empty() && !root.contains_key(TABLE) {
        return;
    }
    if wanted.is_empty() {
        root.remove(TABLE);
        return;
    }
    let item = root.entry(TABLE).or_insert_with(|| Item::Table(Table::new()));
    if !item.is_table_like() {
        *item = Item::Table(Table::new());
    }
    if let Some(table) = item.as_table_like_mut() {
        remove_others(table, "", wanted);
    }
    for (option, value) in wanted.iter() {
        insert(item, option, value);
    }
}

/// Removes the options that are not in `wanted`, and the tables that become empty.
fn remove_others(table: &mut dyn TableLike, prefix: &str, wanted: &OptionOverrides) {
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let key = format!("{prefix}{name}");
        let is_kept = match table.get_mut(&name) {
            Some(item) if is_group(&key) && item.is_table_like() => {
                let Some(inner) = item.as_table_like_mut() else { continue };
                remove_others(inner, &format!("{key}."), wanted);
                !inner.is_empty()
            }
            _ => SolverOption::find(&key).is_ok_and(|option| wanted.get(option).is_some()),
        };
        if !is_kept {
            table.remove(&name);
        }
    }
}

/// Returns an empty table. A table within an inline table must be inline too.
fn empty_table(is_inline: bool) -> Item {
    if is_inline {
        return Item::Value(Value::InlineTable(InlineTable::new()));
    }
    let mut table = Table::new();
    table.set_dotted(true);
    Item::Table(table)
}

/// Sets one option in a table, and creates the tables on its path.
fn insert(mut item: &mut Item, option: &SolverOption, value: OptionValue) {
    let mut names: Vec<&str> = option.key.split('.').collect();
    let Some(last) = names.pop() else { return };
    for name in names {
        let is_inline = item.is_value();
        let Some(table) = item.as_table_like_mut() else { return };
        item = table.entry(name).or_insert_with(|| empty_table(is_inline));
        if !item.is_table_like() {
            *item = empty_table(is_inline);
        }
    }
    let Some(table) = item.as_table_like_mut() else { return };
    let means_the_same = |item: &Item| text(item).and_then(|t| option.parse(&t).ok()) == Some(value);
    match table.get_mut(last).and_then(Item::as_value_mut) {
        Some(existing) if means_the_same(&Item::Value(existing.clone())) => {}
        Some(existing) => {
            let mut new = toml_value(option, value);
            *new.decor_mut() = existing.decor().clone();
            *existing = new;
        }
        None => {
            table.insert(last, Item::Value(toml_value(option, value)));
        }
    }
}

fn toml_value(option: &SolverOption, value: OptionValue) -> Value {
    match (value, option.kind) {
        (OptionValue::Flag(on), _) => on.into(),
        (OptionValue::Count(count), _) if i64::try_from(count).is_ok() => {
            i64::try_from(count).unwrap_or(i64::MAX).into()
        }
        (OptionValue::Number(x), OptionKind::Number(domain)) if domain.unit == Unit::Plain => x.into(),
        _ => option.print(&value).into(),
    }
}
