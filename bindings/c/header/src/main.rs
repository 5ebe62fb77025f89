//! Writes `bindings/c/include/sinew.h`, or checks with `--check` that it is current.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the folder of the bindings does not exist")?;
    let path = root.join("include/sinew.h");
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml"))?;
    let bindings = cbindgen::Builder::new().with_crate(root).with_config(config).generate()?;
    let mut generated = Vec::new();
    bindings.write(&mut generated);
    match env::args().nth(1).as_deref() {
        None => fs::write(&path, &generated)?,
        Some("--check") if fs::read(&path)? == generated => {}
        Some("--check") => {
            return Err("bindings/c/include/sinew.h is not current; run cargo run -p sinew-c-header".into());
        }
        Some(other) => return Err(format!("unknown argument {other}; use --check or nothing").into()),
    }
    Ok(())
}
