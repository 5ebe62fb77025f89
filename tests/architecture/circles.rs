//! Finds cycles of files that use each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::paths::{paths, words};
use crate::source::SourceFile;

/// The keywords that precede the name of an item in its definition.
const ITEMS: [&str; 7] = ["const", "enum", "fn", "static", "struct", "trait", "type"];
/// Maximum number of re-exports to follow, because two re-exports may refer to each other.
const MAX_STEPS: usize = 8;

/// The module in a file, and the items it defines and imports.
struct Module {
    path: Vec<String>,
    items: BTreeSet<String>,
    /// For each name that an import brings into scope, the absolute path of the imported item.
    imports: BTreeMap<String, Vec<String>>,
    /// Modules that are imported with `*`.
    globs: Vec<Vec<String>>,
    /// Absolute paths that the file uses, except for those that it only re-exports.
    uses: Vec<Vec<String>>,
}

/// Returns the cycles of files that use each other. Each cycle is a list of module names in the order of use.
///
/// A file may use the items of the modules that contain it. This does not count as a cycle, although those modules may use the
/// file too.
pub(crate) fn circles(files: &[SourceFile]) -> Vec<Vec<String>> {
    let modules: Vec<Module> = files.iter().filter(|f| !f.is_test()).map(Module::new).collect();
    let index: BTreeMap<&[String], usize> =
        modules.iter().enumerate().map(|(i, m)| (&m.path[..], i)).collect();
    let used: Vec<BTreeSet<usize>> = modules
        .iter()
        .enumerate()
        .map(|(i, module)| {
            let targets = module.uses.iter().filter_map(|path| resolve(&modules, &index, path, MAX_STEPS));
            targets.filter(|&t| t != i && !module.path.starts_with(&modules[t].path)).collect()
        })
        .collect();
    let reached: Vec<BTreeSet<usize>> = (0..modules.len()).map(|i| reachable(&used, i)).collect();
    let mut circles = BTreeSet::new();
    for i in 0..modules.len() {
        let circle: Vec<String> = (0..modules.len())
            .filter(|&j| reached[i].contains(&j) && reached[j].contains(&i))
            .map(|j| modules[j].path.join("::"))
            .collect();
        if !circle.is_empty() {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

impl Module {
    fn new(file: &SourceFile) -> Self {
        let words = words(&file.text);
        let items = words.windows(2).filter(|w| ITEMS.contains(&&*w[0])).map(|w| w[1].clone()).collect();
        let path = file.module().into_iter().map(str::to_owned).collect();
        let mut module = Self { path, items, imports: BTreeMap::new(), globs: Vec::new(), uses: Vec::new() };
        for found in paths(&file.text).iter().filter(|f| !f.enclosing.iter().any(|m| m == "tests")) {
            // A path without `crate` or `super` may lead to a module that the file declares. A path to another crate
            // resolves to the file itself and is then ignored.
            let in_file = || module.path.iter().chain(&found.path).cloned().collect();
            let mut path: Vec<String> = file.absolute(found).unwrap_or_else(in_file);
            if path.last().is_some_and(|name| name == "self") {
                path.pop();
            }
            if found.is_import {
                match path.last().cloned() {
                    Some(name) if name == "*" => {
                        path.pop();
                        module.globs.push(path.clone());
                    }
                    Some(name) => drop(module.imports.insert(name, path.clone())),
                    None => {}
                }
            }
            if !found.is_exported {
                module.uses.push(path);
            }
        }
        module
    }
}

/// Returns the module that defines the item at an absolute path, even if the path leads through re-exports.
fn resolve(
    modules: &[Module],
    index: &BTreeMap<&[String], usize>,
    path: &[String],
    steps: usize,
) -> Option<usize> {
    let (found, rest) =
        (1..=path.len()).rev().find_map(|end| Some((*index.get(&path[..end])?, &path[end..])))?;
    let Some((name, below)) = rest.split_first() else { return Some(found) };
    let module = &modules[found];
    if module.items.contains(name) || steps == 0 {
        return Some(found);
    }
    if let Some(import) = module.imports.get(name) {
        let path: Vec<String> = import.iter().chain(below).cloned().collect();
        return resolve(modules, index, &path, steps - 1).or(Some(found));
    }
    let defines = |m: &usize| modules[*m].items.contains(name);
    module.globs.iter().filter_map(|g| index.get(&g[..]).copied()).find(defines).or(Some(found))
}

/// Returns the modules that a module uses, directly or through other modules.
fn reachable(used: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        for &target in &used[next] {
            if reached.insert(target) {
                open.push(target);
            }
        }
    }
    reached
}
