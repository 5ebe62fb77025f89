//! Records of the tests that were skipped, or that ran only on the built-in data.
//!
//! The test harness hides the output of passing tests. Therefore each test binary appends its records to a file of this
//! `cargo test` run, and the last test target, `tests/zz_skipped.rs`, prints them and deletes the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// If the records of a run are never printed, their file is deleted after this time.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The way in which a test was incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The test checked nothing, or left out an essential part.
    Skipped,
    /// The test ran on the data of this repository, without the external test data.
    BuiltInOnly,
}

/// A test that did not run in full, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The way in which the test was incomplete.
    pub kind: Kind,
    /// `binary::module::test`.
    pub test: String,
    /// The reason as a clause without a full stop, for example `SINEW_TEST_DATA is not set`.
    pub reason: String,
}

/// Appends a record to the file of this run. Each record is a single write, so that several test binaries can append at
/// the same time.
pub fn append(record: &Record) -> std::io::Result<()> {
    fs::create_dir_all(folder())?;
    OpenOptions::new().create(true).append(true).open(file())?.write_all(line(record).as_bytes())
}

/// Returns the records of this run and deletes its file. Also deletes the files of old runs whose records were never
/// printed.
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

/// Formats a record as a line of the file, with three fields separated by tabs.
pub fn line(record: &Record) -> String {
    let kind = match record.kind {
        Kind::Skipped => "skipped",
        Kind::BuiltInOnly => "built-in",
    };
    let fields = [kind, &record.test, &record.reason].map(|field| field.replace(['\t', '\n', '\r'], " "));
    fields.join("\t") + "\n"
}

/// Parses a line of the file. Returns `None` for a line that [`line`] did not write.
pub fn parse(line: &str) -> Option<Record> {
    let mut fields = line.splitn(3, '\t');
    let kind = match fields.next()? {
        "skipped" => Kind::Skipped,
        "built-in" => Kind::BuiltInOnly,
        _ => return None,
    };
    Some(Record { kind, test: fields.next()?.to_owned(), reason: fields.next()?.to_owned() })
}

/// Formats the summary that `cargo test` prints last: the number of skipped tests, their names and the reasons, and how many
/// tests ran only on built-in data. A test counts once, even if it was recorded several times.
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
        out += "See docs/test-data.md for what these tests need.\n";
    }
    out
}

/// Returns the folder of the records.
fn folder() -> PathBuf {
    temporary().join("skipped")
}

/// Returns the folder that cargo names in `CARGO_TARGET_TMPDIR`. Cargo sets that variable only for the tests in `tests`, so it is derived
/// from the path of the binary.
pub(crate) fn temporary() -> PathBuf {
    let found = || Some(std::env::current_exe().ok()?.ancestors().nth(3)?.join("tmp"));
    found().unwrap_or_else(std::env::temp_dir)
}

/// Returns the file of this run. All test binaries of one `cargo test` are children of the same process. The id of
/// that process identifies the run, together with its start time, because ids are reused.
fn file() -> PathBuf {
    #[cfg(unix)]
    let run = {
        let parent = std::os::unix::process::parent_id();
        format!("{parent}-{}", started(parent).unwrap_or_default())
    };
    // On other systems, all runs since the last summary share one file.
    #[cfg(not(unix))]
    let run = "run";
    folder().join(format!("{run}.tsv"))
}

/// Returns the start time of a process in clock ticks since the system booted, or `None` without `/proc`.
#[cfg(unix)]
fn started(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Field 22. The second field, the name in parentheses, may contain spaces and parentheses.
    stat.rsplit_once(") ")?.1.split(' ').nth(19)?.parse().ok()
}
