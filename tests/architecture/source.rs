//! Reads the source files, and finds the modules and crates that they use.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::paths::{FoundPath, paths, words};
use crate::table::Used;

/// Names before `::` that are neither crates nor modules: primitive types, path keywords, and the tools in attributes.
const NOT_CRATES: [&str; 22] = [
    "bool", "char", "clippy", "crate", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "rustfmt",
    "self", "str", "super", "u128", "u16", "u32", "u64", "u8", "usize",
];

/// A crate in a folder of `src`.
struct Library {
    name: &'static str,
    folder: &'static str,
    /// Whether the items outside `modules` belong to a row named after the folder.
    has_row: bool,
    /// Modules of the crate that have their own rows. If the list is empty and `has_row` is false, every module has its own row.
    modules: &'static [&'static str],
    /// Modules that have their own rows and that the crate root imports from other crates.
    imports: &'static [&'static str],
}

const LIBRARIES: [Library; 5] = [
    Library {
        name: "sinew_base",
        folder: "base",
        has_row: true,
        modules: &["files", "platform", "text", "view"],
        imports: &[],
    },
    Library { name: "sinew_ik", folder: "ik", has_row: true, modules: &[], imports: &[] },
    Library { name: "sinew_character", folder: "character", has_row: false, modules: &[], imports: &[] },
    Library {
        name: "sinew_render",
        folder: "render",
        has_row: true,
        modules: &["crowd", "gpu_ik", "scene"],
        imports: &[
            "asset", "body", "files", "ik", "motion", "platform", "pose", "puppet", "rig", "skin", "view",
        ],
    },
    Library {
        name: "sinew_regress",
        folder: "regress",
        has_row: true,
        modules: &[],
        imports: &[
            "asset", "check", "files", "platform", "pose", "puppet", "render", "rig", "scene", "skin",
            "text", "view",
        ],
    },
];
/// The names at the root of `sinew_base` that belong to its row and are imported by the roots of other crates.
const OF_BASE: [&str; 3] = ["Instant", "api", "mathematics"];

impl Library {
    /// Returns the row of an item at the crate root, unless the name is a module with its own row.
    fn row(&self, name: Option<&str>) -> Option<&'static str> {
        let has_own = |name| self.modules.contains(&name) || self.imports.contains(&name);
        match name {
            Some(name) if self.name != "sinew_ik" && OF_BASE.contains(&name) => Some("base"),
            Some(name) if has_own(name) => None,
            _ => self.has_row.then_some(self.folder),
        }
    }

    /// Returns the path of a file as the table names it, which omits the folder if the module has its own row.
    fn file_name<'a>(&self, inside: &'a [&'a str]) -> &'a [&'a str] {
        match inside {
            [_, module, _, ..] if !self.has_row || self.modules.contains(module) => &inside[1..],
            _ => inside,
        }
    }
}

pub(crate) struct SourceFile {
    /// The path of the file under `src`, separated by `/`. It omits the folder of a crate whose modules have their own rows.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Returns all files of the libraries, except `main.rs` and the `lib.rs` of crates without their own row.
pub(crate) fn files() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let inside = path.strip_prefix(&root).unwrap();
                let names: Vec<&str> = inside.iter().map(|n| n.to_str().unwrap()).collect();
                let library = LIBRARIES.iter().find(|library| library.folder == names[0]);
                let names = library.map_or(&names[..], |library| library.file_name(&names));
                files.push(SourceFile { name: names.join("/"), text: fs::read_to_string(&path).unwrap() });
            }
        }
    }
    files.retain(|f| !["lib.rs", "main.rs", "character/lib.rs"].contains(&f.name.as_str()));
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

impl SourceFile {
    /// Returns the path of the file's module under `src`.
    pub(crate) fn module(&self) -> Vec<&str> {
        let path: Vec<&str> = self.name.trim_end_matches(".rs").split('/').collect();
        match &path[..] {
            [above @ .., "mod" | "lib"] => above.to_vec(),
            _ => path,
        }
    }

    /// Returns whether the file is compiled only for tests.
    pub(crate) fn is_test(&self) -> bool {
        self.module().contains(&"tests")
    }

    /// Returns the crates and the crate-root modules that the file uses, including its own module.
    pub(crate) fn targets(&self) -> BTreeSet<String> {
        paths(&self.text).iter().filter_map(|found| self.target(found)).collect()
    }

    /// Returns the module at the root of the crate that a path leads to, or `None` for other crates and local names.
    fn target(&self, found: &FoundPath) -> Option<String> {
        // A path that ends at the root may lead to any module. Such a path becomes the name `crate`, which no row of the table allows.
        Some(self.absolute(found)?.into_iter().next().unwrap_or_else(|| "crate".to_owned()))
    }

    /// Returns the file's crate, or `None` for the crate `sinew`.
    fn library(&self) -> Option<&'static Library> {
        let first = self.name.split('/').next().unwrap_or_default();
        let contains = |library: &&Library| {
            (library.has_row && library.folder == first) || library.modules.contains(&first)
        };
        LIBRARIES.iter().find(contains)
    }

    /// Returns a path under `src`, or `None` for other crates and local names.
    pub(crate) fn absolute(&self, found: &FoundPath) -> Option<Vec<String>> {
        let inside = found.enclosing.iter().map(String::as_str);
        let mut module: Vec<&str> = self.module().into_iter().chain(inside).collect();
        let mut path = found.path.iter().map(String::as_str).peekable();
        match path.next()? {
            _ if found.is_global => return None,
            "crate" => {
                let next = path.peek().copied();
                let of_base = || next.filter(|name| OF_BASE.contains(name)).map(|_| "base");
                module.clear();
                module.extend(self.library().map_or_else(of_base, |library| library.row(next)));
            }
            "super" => {
                module.pop();
                while path.next_if_eq(&"super").is_some() {
                    module.pop();
                }
            }
            name => {
                let library = LIBRARIES.iter().find(|library| library.name == name)?;
                module = library.row(path.peek().copied()).into_iter().collect();
            }
        }
        Some(module.into_iter().chain(path).map(str::to_owned).collect())
    }

    /// Returns the crates that the file names outside `mod tests`. A module that the file declares or imports shadows a
    /// crate of the same name.
    pub(crate) fn crates(&self) -> BTreeSet<String> {
        let found = paths(&self.text);
        let words = words(&self.text);
        let declared = words.windows(2).filter(|w| w[0] == "mod").map(|w| w[1].clone());
        // `a::b::{self}` imports the name `b`.
        let name = |f: &FoundPath| f.path.iter().rfind(|n| *n != "self").cloned();
        let imported = found.iter().filter(|f| f.is_import && f.path.len() > 1).filter_map(name);
        let local: BTreeSet<String> = declared.chain(imported).collect();
        let outside_tests = found.iter().filter(|f| !f.enclosing.iter().any(|m| m == "tests"));
        outside_tests
            .filter(|f| f.is_global || !local.contains(&f.path[0]))
            .map(|f| f.path[0].clone())
            .filter(|n| n.starts_with(char::is_lowercase) && !NOT_CRATES.contains(&n.as_str()))
            .collect()
    }
}

/// Returns the modules at the root of the crate.
pub(crate) fn modules(files: &[SourceFile]) -> BTreeSet<String> {
    files.iter().map(|f| f.module()[0].to_owned()).collect()
}

/// Returns the modules that each module uses, with the first file that uses them.
pub(crate) fn used(files: &[SourceFile]) -> Used {
    let mut used = Used::new();
    // Skip crate roots, because they also import items for modules that have their own rows.
    for file in files.iter().filter(|file| !file.name.ends_with("/lib.rs")) {
        let module = file.module()[0];
        for other in file.targets().into_iter().filter(|other| other != module) {
            used.entry(module.to_owned()).or_default().entry(other).or_insert(file.name.clone());
        }
    }
    used
}
