//! `docs/options.md` lists the keys of all solver options.

use std::fs;

use sinew::ik::SolverOption;

use crate::root;

#[test]
fn the_page_of_options_has_all_keys() {
    let page = fs::read_to_string(root().join("docs/options.md")).unwrap();
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for option in SolverOption::all() {
        let (group, name) = option.key.rsplit_once('.').unwrap_or(("", option.key));
        let name = format!("`{name}`");
        match groups.iter_mut().find(|(other, _)| *other == group) {
            Some((_, names)) => names.push(name),
            None => groups.push((group, vec![name])),
        }
    }
    for (group, names) in groups {
        let group = if group.is_empty() { "without a prefix".to_owned() } else { format!("`{group}.`") };
        let row = format!("| {group} | {} |", names.join(", "));
        assert!(page.contains(&row), "docs/options.md lacks the row\n{row}");
    }
}
