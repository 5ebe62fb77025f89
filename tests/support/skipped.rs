//! Records of the tests that were skipped, or that ran on the built-in data only.
//!
//! The test harness hides what a passing test prints. So each test binary appends its records to a file of this
//! `cargo test` run, and the last test target, `tests/zz_skipped.rs`, prints them and deletes the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Files of runs that were not printed are deleted when they are older than this.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// What a test did not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It checked nothing, or left out an essential part.
    Skipped,
    /// It ran on the data of this repository, without the external test data.
    BuiltInOnly,
}

/// One test that did not do everything, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it did not do.
    pub kind: Kind,
    /// `binary::module::test`.
    pub test: String,
    /// A clause without a full stop, such as `SINEW_TEST_DATA is not set`.
    pub reason: String,
}

/// Appends a record to the file of this run. Each record is one write, so that test binaries can append side by side.
pub fn append(record: &Record) -> std::io::Result<()> {
    fs::create_dir_all(folder())?;
    OpenOptions::new().create(true).append(true).open(file())?.write_all(line(record).as_bytes())
}

/// The records of this run. They are deleted, and so are files of old runs that never got here.
pub fn take() -> Vec<Record> {
    let text = fs::read_to_string(file()).unwrap_or_default();
    let _ = fs::remove_file(file());
    for entry in fs::read_dir(folder()).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|m| m.modified());
        let is_old = modified.is_ok_and(|m| SystemTime::now().duration_since(m).is_ok_and(|a| a > LIFETIME));
        if is_old {
            let _ = fs::remove_file(entry.path());
        }
    }
    text.lines().filter_map(parse).collect()
}

/// A record as a line of the file: three fields with tabs between.
pub fn line(record: &Record) -> String {
    let kind = match record.kind {
        Kind::Skipped => "skipped",
        Kind::BuiltInOnly => "built-in",
    };
    let fields = [kind, &record.test, &record.reason].map(|field| field.replace(['\t', '\n', '\r'], " "));
    fields.join("\t") + "\n"
}

/// The record of a line; `None` for a line that [`line`] did not write.
pub fn parse(line: &str) -> Option<Record> {
    let mut fields = line.splitn(3, '\t');
    let kind = match fields.next()? {
        "skipped" => Kind::Skipped,
        "built-in" => Kind::BuiltInOnly,
        _ => return None,
    };
    Some(Record { kind, test: fields.next()?.to_owned(), reason: fields.next()?.to_owned() })
}

/// What `cargo test` ends with: how many tests were skipped, which and why, and how many ran on built-in data only. A test
/// counts once, however often it was recorded.
pub fn summary(records: &[Record]) -> String {
    let mut out = String::new();
    for kind in [Kind::Skipped, Kind::BuiltInOnly] {
        let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for record in records.iter().filter(|r| r.kind == kind) {
            reasons.entry(&record.reason).or_default().insert(&record.test);
        }
        let count = reasons.values().flatten().collect::<BTreeSet<_>>().len();
        let tests = if count == 1 { "1 test".to_owned() } else { format!("{count} tests") };
        match kind {
            Kind::Skipped if count == 0 => out += "0 tests skipped\n",
            Kind::Skipped => _ = writeln!(out, "{tests} skipped:"),
            Kind::BuiltInOnly if count == 0 => {}
            Kind::BuiltInOnly => _ = writeln!(out, "{tests} ran on the built-in data only:"),
        }
        for (reason, tests) in reasons {
            let which = match kind {
                Kind::Skipped => Vec::from_iter(tests).join(", "),
                Kind::BuiltInOnly => tests.len().to_string(),
            };
            let _ = writeln!(out, "  {reason}: {which}");
        }
    }
    if !records.is_empty() {
        out += "docs/test-data.md says what these tests need.\n";
    }
    out
}

/// `CARGO_TARGET_TMPDIR`, where the unit tests of the library are not given it, follows from where the binary is.
fn folder() -> PathBuf {
    let given = option_env!("CARGO_TARGET_TMPDIR").map(PathBuf::from);
    let found = || Some(std::env::current_exe().ok()?.ancestors().nth(3)?.join("tmp"));
    given.or_else(found).unwrap_or_else(std::env::temp_dir).join("skipped")
}

/// The file of this run. All test binaries of one `cargo test` are children of the same process: its id names the run,
/// together with the time when it started, because ids are used again.
fn file() -> PathBuf {
    #[cfg(unix)]
    let run = {
        let parent = std::os::unix::process::parent_id();
        format!("{parent}-{}", started(parent).unwrap_or_default())
    };
    // Elsewhere the records of all runs since the last summary are in one file.
    #[cfg(not(unix))]
    let run = "run";
    folder().join(format!("{run}.tsv"))
}

/// When a process started, in clock ticks since the system booted; `None` where there is no `/proc`.
#[cfg(unix)]
fn started(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Field 22. The second one, the name in parentheses, may contain spaces and parentheses itself.
    stat.rsplit_once(") ")?.1.split(' ').nth(19)?.parse().ok()
}
