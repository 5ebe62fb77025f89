//! The header in `include` is current. `SINEW_UPDATE_HEADER=1 cargo test -p sinew-c` writes it.

use std::fs;
use std::path::Path;

#[test]
fn header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_crate(root).with_config(config).generate().unwrap();
    let mut generated = Vec::new();
    bindings.write(&mut generated);
    let path = root.join("include/sinew.h");
    if std::env::var_os("SINEW_UPDATE_HEADER").is_some() {
        fs::write(&path, &generated).unwrap();
    }
    let current = fs::read(&path).unwrap_or_default();
    assert!(
        current == generated,
        "include/sinew.h is not current; write it with SINEW_UPDATE_HEADER=1 cargo test -p sinew-c"
    );
}
