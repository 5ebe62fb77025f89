//! Writes `assets/figure.glb`, the character that `sinew` brings along.
//!
//! ```text
//! cargo run --no-default-features --example make_character              writes the file
//! cargo run --no-default-features --example make_character -- --check   fails if the file is not what it would write
//! ```
//!
//! The body is a signed-distance field (`body`) meshed by surface nets (`nets`), remeshed to the sizes the form
//! needs (`remesh`), cut where colours meet (`cut`, `paint`) and bound to its joints (`weights`). Only the left
//! half is built; `skin` mirrors it. The bytes are the same on every machine: all geometry is sums, products and
//! square roots of `f64`, trigonometry comes from `libm`, and no order depends on a hash.

#![expect(clippy::print_stdout, reason = "a program that tells what it wrote")]

mod body;
mod clips;
mod cut;
mod glb;
mod mesh;
mod nets;
mod paint;
mod remesh;
mod sdf;
mod skeleton;
mod skin;
mod weights;

use std::error::Error;
use std::path::Path;

/// Passes of remeshing; by then the lengths and angles have settled.
const PASSES: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/figure.glb");
    let bytes = character()?;
    if std::env::args().any(|argument| argument == "--check") {
        if std::fs::read(&path)? != bytes {
            return Err(format!("{} is not what make_character writes", path.display()).into());
        }
        println!("{} is up to date", path.display());
    } else {
        std::fs::write(&path, &bytes)?;
        println!("{}: {} bytes", path.display(), bytes.len());
    }
    Ok(())
}

/// The bytes of the file.
fn character() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut half = nets::left_half(body::figure);
    remesh::remesh(&mut half, body::figure, body::edge_length, PASSES);
    let mut pinned = cut::Pinned::new();
    for region in &paint::REGIONS {
        cut::cut(&mut half, body::figure, region.inside, &mut pinned);
    }
    if let Some(fault) = half.fault() {
        return Err(fault.into());
    }
    let rows = weights::bind(&half);
    let skin = skin::whole(&half, &rows)?;
    println!("{} vertices, {} triangles", skin.vertices.len(), skin.indices.len() / 3);
    glb::write(&skin, &clips::clips())
}
