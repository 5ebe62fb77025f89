//! The table of `ARCHITECTURE.md`: the modules, and the modules that each may use.

use std::collections::{BTreeMap, BTreeSet};

/// What a row allows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Uses {
    /// The modules of all rows above.
    AllAbove,
    /// These modules alone.
    Only(BTreeSet<String>),
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) module: String,
    pub(crate) uses: Uses,
}

/// The modules that each module uses, each with a file that does.
pub(crate) type Used = BTreeMap<String, BTreeMap<String, String>>;

/// The rows of the table whose last column is headed `may use`.
pub(crate) fn rows(page: &str) -> Vec<Row> {
    let lines = page.lines().skip_while(|l| !l.trim_end().ends_with("| may use |")).skip(2);
    lines.map_while(|line| line.strip_prefix('|')?.trim_end().strip_suffix('|')).map(row).collect()
}

fn row(line: &str) -> Row {
    let (first, last) = (line.split('|').next().unwrap(), line.rsplit('|').next().unwrap());
    let [module] = &names(first)[..] else { panic!("one module in {first:?}") };
    let uses = match last.trim() {
        "all above" => Uses::AllAbove,
        "nothing" => Uses::Only(BTreeSet::new()),
        list => Uses::Only(names(list).into_iter().collect()),
    };
    Row { module: module.clone(), uses }
}

/// The names of a comma-separated list, each in backticks.
fn names(list: &str) -> Vec<String> {
    let name = |item: &str| item.trim().strip_prefix('`')?.strip_suffix('`').map(str::to_owned);
    list.split(',')
        .map(|item| name(item).unwrap_or_else(|| panic!("no name in backticks: {item:?}")))
        .collect()
}

/// Where the table contradicts itself or the source, one line each.
pub(crate) fn faults(rows: &[Row], modules: &BTreeSet<String>, used: &Used) -> Vec<String> {
    let mut faults = Vec::new();
    let mut above: BTreeSet<&str> = BTreeSet::new();
    for Row { module, uses } in rows {
        if !modules.contains(module) {
            faults.push(format!("the row of `{module}` has no module"));
        }
        let nothing = BTreeMap::new();
        let used = used.get(module).unwrap_or(&nothing);
        if let Uses::Only(names) = uses {
            let upward = names.iter().filter(|n| !above.contains(n.as_str()));
            faults
                .extend(upward.map(|n| format!("the row of `{module}` names `{n}`, which is not above it")));
            let stale = names.iter().filter(|n| !used.contains_key(*n));
            faults
                .extend(stale.map(|n| format!("the row of `{module}` allows `{n}`, which it does not use")));
        }
        for (other, file) in used {
            let allowed = match uses {
                Uses::AllAbove => above.contains(other.as_str()),
                Uses::Only(names) => names.contains(other),
            };
            if !allowed {
                faults.push(format!("{file}: `{module}` must not use `{other}`"));
            }
        }
        if !above.insert(module) {
            faults.push(format!("`{module}` has two rows"));
        }
    }
    let missing = modules.iter().filter(|m| !above.contains(m.as_str()));
    faults.extend(missing.map(|m| format!("`{m}` has no row")));
    faults
}
