//! Reads the table of `ARCHITECTURE.md`, which lists the modules that each module may use.

use std::collections::{BTreeMap, BTreeSet};

/// The modules that a row allows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Uses {
    /// The module may use the modules of all rows above its own.
    AllAbove,
    /// The module may use only these modules.
    Only(BTreeSet<String>),
}

/// Exported macros, which are at the root of the crate wherever they are defined.
const MACROS: [&str; 4] = ["assert_image", "assert_pose", "__sinew_call_site", "__sinew_optional"];

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) module: String,
    pub(crate) uses: Uses,
}

/// The modules that each module uses, with a file that uses them.
pub(crate) type Used = BTreeMap<String, BTreeMap<String, String>>;

/// Reads the rows of the table whose last column has the heading `may use`.
pub(crate) fn rows(page: &str) -> Vec<Row> {
    let lines = page.lines().skip_while(|l| !l.trim_end().ends_with("| may use |")).skip(2);
    lines.map_while(|line| line.strip_prefix('|')?.trim_end().strip_suffix('|')).map(row).collect()
}

fn row(line: &str) -> Row {
    let (first, last) = (line.split('|').next().unwrap(), line.rsplit('|').next().unwrap());
    let [module] = &names(first)[..] else { panic!("the first column must name one module: {first:?}") };
    let uses = match last.trim() {
        "all above" => Uses::AllAbove,
        "nothing" => Uses::Only(BTreeSet::new()),
        list => Uses::Only(names(list).into_iter().collect()),
    };
    Row { module: module.clone(), uses }
}

/// Reads a comma-separated list of names in backticks.
fn names(list: &str) -> Vec<String> {
    let name = |item: &str| item.trim().strip_prefix('`')?.strip_suffix('`').map(str::to_owned);
    list.split(',')
        .map(|item| name(item).unwrap_or_else(|| panic!("expected a name in backticks, found {item:?}")))
        .collect()
}

/// Returns the contradictions within the table, and between the table and the source, one line each.
pub(crate) fn violations(rows: &[Row], modules: &BTreeSet<String>, used: &Used) -> Vec<String> {
    let mut violations = Vec::new();
    let mut above: BTreeSet<&str> = BTreeSet::new();
    for Row { module, uses } in rows {
        if !modules.contains(module) {
            violations.push(format!("the table has a row for `{module}`, which is not a module"));
        }
        let nothing = BTreeMap::new();
        let used = used.get(module).unwrap_or(&nothing);
        if let Uses::Only(names) = uses {
            let upward = names.iter().filter(|n| !above.contains(n.as_str()));
            violations.extend(
                upward.map(|n| format!("the row of `{module}` allows `{n}`, which is not in a row above it")),
            );
            let stale = names.iter().filter(|n| !used.contains_key(*n));
            violations
                .extend(stale.map(|n| format!("the row of `{module}` allows `{n}`, which it does not use")));
        }
        for (other, file) in used.iter().filter(|(other, _)| !MACROS.contains(&other.as_str())) {
            let allowed = match uses {
                Uses::AllAbove => above.contains(other.as_str()),
                Uses::Only(names) => names.contains(other),
            };
            if !allowed {
                violations.push(format!("{file}: `{module}` must not use `{other}`"));
            }
        }
        if !above.insert(module) {
            violations.push(format!("the table has two rows for `{module}`"));
        }
    }
    let missing = modules.iter().filter(|m| !above.contains(m.as_str()));
    violations.extend(missing.map(|m| format!("the table has no row for `{m}`")));
    violations
}
