//! Reads the source files, and finds the modules and crates that they use.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::paths::{FoundPath, paths, words};

/// Names before `::` that are neither crates nor modules: primitive types, path keywords, and the tools in attributes.
const NOT_CRATES: [&str; 22] = [
    "bool", "char", "clippy", "crate", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "rustfmt",
    "self", "str", "super", "u128", "u16", "u32", "u64", "u8", "usize",
];

pub(crate) struct SourceFile {
    /// The path of the file under `src`, with `/` as the separator.
    pub(crate) name: String,
    pub(crate) text: String,
    /// Whether the first folder of the path is a crate. The other files belong to the crate `sinew`.
    pub(crate) has_crate: bool,
}

/// Returns all source files under `src`, except for the roots of the crate `sinew` and the tests in folders of their own.
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
                let has_crate = root.join(names[0]).join("Cargo.toml").is_file();
                let text = fs::read_to_string(&path).unwrap();
                files.push(SourceFile { name: names.join("/"), text, has_crate });
            }
        }
    }
    files.retain(|f| !["lib.rs", "main.rs"].contains(&f.name.as_str()) && !f.name.starts_with("ik/tests/"));
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

impl SourceFile {
    /// Returns the path of the file's module under `src`. It starts with the folder of the crate.
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

    /// Returns the absolute path of what a path names, or `None` for other crates and local names. Absolute paths start with the folder of
    /// the crate.
    pub(crate) fn absolute(&self, found: &FoundPath) -> Option<Vec<String>> {
        let inside = found.enclosing.iter().map(String::as_str);
        let mut module: Vec<&str> = self.module().into_iter().chain(inside).collect();
        let mut path = found.path.iter().map(String::as_str).peekable();
        match path.next()? {
            _ if found.is_global => return None,
            "crate" => module.truncate(usize::from(self.has_crate)),
            "super" => {
                module.pop();
                while path.next_if_eq(&"super").is_some() {
                    module.pop();
                }
            }
            _ => return None,
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
