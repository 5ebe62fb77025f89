//! The name and the path of an assertion's golden.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

/// The location of an assertion in the source.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    /// The folder of the package, `CARGO_MANIFEST_DIR`.
    pub manifest: &'static str,
    /// The source file. It is usually relative to the workspace, whose folder may be an ancestor of the package folder.
    pub file: &'static str,
    /// The path of the module.
    pub module: &'static str,
    /// The path of a helper function that is declared inside the test function.
    pub function: &'static str,
}

/// Which goldens an assertion writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Update {
    /// No goldens, not even missing ones.
    No,
    /// Goldens of failing assertions, and missing ones.
    Failing,
    /// All goldens.
    All,
}

impl Update {
    /// Reads the variable `SINEW_UPDATE`.
    pub(super) fn from_environment() -> Result<Self, String> {
        match std::env::var_os("SINEW_UPDATE") {
            None => Ok(Self::No),
            Some(value) => Self::parse(&value.to_string_lossy()),
        }
    }

    pub(super) fn parse(value: &str) -> Result<Self, String> {
        match value {
            "" | "0" => Ok(Self::No),
            "1" => Ok(Self::Failing),
            "all" => Ok(Self::All),
            other => Err(format!("SINEW_UPDATE is {other:?}, but must be 0, 1 or all")),
        }
    }
}

/// The golden of an assertion.
#[derive(Clone, Debug)]
pub(super) struct GoldenFile {
    /// The assertion's name in messages.
    pub(super) name: String,
    pub(super) path: PathBuf,
}

/// Number of assertions without a name, by test and kind.
static UNNAMED: LazyLock<Mutex<HashMap<String, usize>>> = LazyLock::new(Mutex::default);
/// The names of the goldens of this process. Two names must not share a file.
static NAMES: LazyLock<Mutex<HashMap<PathBuf, String>>> = LazyLock::new(Mutex::default);

impl GoldenFile {
    /// Returns the golden of an assertion. `extension` is its file extension.
    pub(super) fn new(site: &CallSite, name: Option<&str>, extension: &str) -> Result<Self, String> {
        let name = match name {
            Some(name) => name.to_owned(),
            None => unnamed(site, extension),
        };
        let file_name = file_name(&name);
        if !file_name.contains(char::is_alphanumeric) {
            return Err(format!("the name {name:?} of an assertion must contain a letter or a digit"));
        }
        let folder = folder(site)?.join("goldens");
        let path =
            folder.join(format!("{}__{file_name}.{extension}", self::file_name(&module_name(site.module))));
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let first = names.entry(path.clone()).or_insert_with(|| name.clone());
        if *first != name {
            return Err(format!("the names {first:?} and {name:?} have the same golden, {}", path.display()));
        }
        Ok(Self { name, path })
    }

    /// Returns the path of a result that differs from the golden: `NAME.new.png` for `NAME.png`.
    pub(super) fn new_path(&self) -> PathBuf {
        self.beside("new", self.path.extension().and_then(|e| e.to_str()).unwrap_or_default())
    }

    /// Returns the path of the difference image.
    pub(super) fn difference_path(&self) -> PathBuf {
        self.beside("diff", "png")
    }

    fn beside(&self, word: &str, extension: &str) -> PathBuf {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{stem}.{word}.{extension}"))
    }
}

/// Returns a name for an assertion without one: the name of its test, with a number appended from the second assertion onwards.
fn unnamed(site: &CallSite, extension: &str) -> String {
    let mut parts: Vec<&str> = site.function.split("::").collect();
    parts.pop(); // the function inside the test
    while parts.last().is_some_and(|part| part.contains("{{closure}}")) {
        parts.pop();
    }
    let test = parts.last().copied().unwrap_or_default();
    let mut counts = UNNAMED.lock().unwrap_or_else(PoisonError::into_inner);
    let count = counts.entry(format!("{}.{extension}", parts.join("::"))).or_default();
    *count += 1;
    if *count == 1 { test.to_owned() } else { format!("{test}-{count}") }
}

fn module_name(module: &str) -> String {
    module.replace("::", "__")
}

/// Replaces characters that some systems do not allow in file names.
fn file_name(name: &str) -> String {
    let allowed = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    name.chars().map(allowed).collect::<String>().trim_matches(['.', '-']).to_owned()
}

/// Returns the folder of the source file.
///
/// The compiler names a source file relative to the folder of the workspace, in which it ran. The workspace folder is the package folder or
/// one of its ancestors.
fn folder(site: &CallSite) -> Result<PathBuf, String> {
    let file = Path::new(site.file);
    // If tests run on a different machine than they were built on, cargo sets this variable to the package's folder on that machine.
    let at_run = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let manifests = [Some(PathBuf::from(site.manifest)), at_run];
    let source = manifests.iter().flatten().find_map(|manifest| source(manifest, file)).ok_or_else(|| {
        format!("the source file {} of the assertion is not in {} or above", site.file, site.manifest)
    })?;
    Ok(source.parent().unwrap_or(Path::new("")).to_owned())
}

/// Finds a source file that is relative to a package folder or to one of its ancestors.
pub(super) fn source(manifest: &Path, file: &Path) -> Option<PathBuf> {
    let candidates = || manifest.ancestors().map(|folder| folder.join(file)).filter(|path| path.is_file());
    // A file of the same path may exist above the workspace, so a file inside the package is preferred. If there are several inside, the
    // one with the outermost base is chosen: `crates/a/src/lib.rs` below the package `crates/a` would belong to another package.
    let inside = candidates().filter(|path| path.starts_with(manifest)).last();
    inside.or_else(|| candidates().next())
}
