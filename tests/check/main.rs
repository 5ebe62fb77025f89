//! Faults that are added to the clips of the built-in characters are found and repaired, and nothing else is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "the example uses more of the corpus")]
#![allow(unreachable_pub, reason = "the example uses the corpus, too")]

mod corpus;

use corpus::{Corpus, Source};

#[test]
fn faults_of_the_built_in_character_are_found_and_repaired() {
    let sources = [Source::new("built-in", sinew::asset::mannequin().unwrap(), None)];
    let corpus = Corpus::choose(&sources, 5);
    assert_eq!(corpus.len(), 5);
    let results = corpus.measure(1);
    let details = results.details.join("\n");
    assert!(results.kinds() >= 10, "{}", results.table());
    assert_eq!(results.recall(), 1.0, "{details}");
    assert!(results.false_alarms() <= 0.01, "{details}");
    let (degrees, millimetres) = results.mean_change();
    assert!(degrees < 1.0 && millimetres < 5.0, "{}", results.table());
}
