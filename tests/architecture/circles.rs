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
    has_crate: bool,
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
    let modules = modules(files);
    let used = used(&modules);
    let names = modules.iter().map(|m| m.path.join("::")).collect::<Vec<_>>();
    among(&names, &used)
}

/// Returns the cycles of modules at the root of a crate that use each other, as [`circles`] does for files.
pub(crate) fn circles_of_modules(files: &[SourceFile]) -> Vec<Vec<String>> {
    let modules = modules(files);
    let used = used(&modules);
    let group = |i: usize| {
        modules[i]
            .path
            .iter()
            .take(1 + usize::from(modules[i].has_crate))
            .cloned()
            .collect::<Vec<_>>()
            .join("::")
    };
    let names: Vec<String> = (0..modules.len()).map(group).collect::<BTreeSet<_>>().into_iter().collect();
    let index = |name: &String| names.binary_search(name).unwrap();
    let mut between = vec![BTreeSet::new(); names.len()];
    for (i, targets) in used.iter().enumerate() {
        let from = index(&group(i));
        between[from].extend(targets.iter().map(|&t| index(&group(t))).filter(|&t| t != from));
    }
    among(&names, &between)
}

fn modules(files: &[SourceFile]) -> Vec<Module> {
    files.iter().filter(|f| !f.is_test()).map(Module::new).collect()
}

/// Returns the modules that each module uses, except for the modules that contain it.
fn used(modules: &[Module]) -> Vec<BTreeSet<usize>> {
    let index: BTreeMap<&[String], usize> =
        modules.iter().enumerate().map(|(i, m)| (&m.path[..], i)).collect();
    modules
        .iter()
        .enumerate()
        .map(|(i, module)| {
            let targets = module.uses.iter().filter_map(|path| resolve(modules, &index, path, MAX_STEPS));
            targets.filter(|&t| t != i && !module.path.starts_with(&modules[t].path)).collect()
        })
        .collect()
}

/// Returns the cycles of a graph: the names of nodes that reach each other.
fn among(names: &[String], used: &[BTreeSet<usize>]) -> Vec<Vec<String>> {
    let reached: Vec<BTreeSet<usize>> = (0..names.len()).map(|i| reachable(used, i)).collect();
    let mut circles = BTreeSet::new();
    for i in 0..names.len() {
        let both = |j: &usize| reached[i].contains(j) && reached[*j].contains(&i);
        let circle: Vec<String> = (0..names.len()).filter(both).map(|j| names[j].clone()).collect();
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
        let has_crate = file.has_crate;
        let mut module =
            Self { path, has_crate, items, imports: BTreeMap::new(), globs: Vec::new(), uses: Vec::new() };
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
