//! Copies of a character's file in another pose.

use std::path::Path;

use sinew::asset::{self, LoadError};
use sinew::export::{animated_copy, posed_copy};
use sinew::puppet::Puppet;

/// Regression: the pose of one character was written into the file of another one, and the result was a garbled figure.
#[test]
fn the_file_of_another_character_is_refused() {
    let spider = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/spider.glb"));
    let refused = |result: Result<Vec<u8>, LoadError>| {
        let error = result.unwrap_err().to_string();
        assert!(error.ends_with("the file has other nodes than the character"), "{error}");
    };
    let mut mannequin = Puppet::new(asset::mannequin().unwrap(), 0);
    mannequin.update().unwrap();
    refused(posed_copy(&mannequin, Some(spider)));
    refused(animated_copy(mannequin.character(), Some(spider), &[]));
    let mut own = Puppet::new(asset::load(spider).unwrap(), 0);
    own.update().unwrap();
    refused(posed_copy(&own, None));
    assert!(posed_copy(&own, Some(spider)).unwrap().starts_with(b"glTF"));
}
