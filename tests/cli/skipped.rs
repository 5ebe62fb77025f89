//! The summary of skipped tests at the end of `cargo test`.

use sinew_testkit::skipped::{Kind, Record, line, parse, summary};

fn record(kind: Kind, test: &str, reason: &str) -> Record {
    Record { kind, test: test.to_owned(), reason: reason.to_owned() }
}

#[test]
fn a_summary_counts_each_test_once_and_gives_the_reasons() {
    assert_eq!(summary(&[]), "0 tests skipped\n");
    let one = [record(Kind::Skipped, "cli::a", "Chromium is missing")];
    assert_eq!(
        summary(&one),
        "1 test skipped:\n  Chromium is missing: cli::a\nSee docs/test-data.md for what these tests need.\n"
    );
    let several = [
        record(Kind::BuiltInOnly, "asset::c", "SINEW_TEST_DATA is not set"),
        record(Kind::Skipped, "cli::b", "Chromium is missing"),
        record(Kind::Skipped, "cli::a", "Chromium is missing"),
        record(Kind::Skipped, "cli::a", "Xvfb is missing"),
        record(Kind::BuiltInOnly, "asset::c", "SINEW_TEST_DATA is not set"),
        record(Kind::BuiltInOnly, "asset::d", "SINEW_TEST_DATA does not contain models/bvh"),
    ];
    assert_eq!(
        summary(&several),
        "2 tests skipped:\n  Chromium is missing: cli::a, cli::b\n  Xvfb is missing: cli::a\n\
         2 tests ran on the built-in data only:\n  SINEW_TEST_DATA does not contain models/bvh: 1\n  \
         SINEW_TEST_DATA is not set: 1\nSee docs/test-data.md for what these tests need.\n"
    );
}

#[test]
fn records_survive_a_round_trip() {
    for kind in [Kind::Skipped, Kind::BuiltInOnly] {
        let record_with_breaks = record(kind, "cli::a", "a\treason\nof two lines");
        let read = parse(line(&record_with_breaks).trim_end()).unwrap();
        assert_eq!(read, record(kind, "cli::a", "a reason of two lines"));
    }
    assert_eq!(parse("skipped\tcli::a"), None);
    assert_eq!(parse("unknown\tcli::a\treason"), None);
}
