//! Writes the characters that `sinew` brings along, `assets/*.glb`, each with its rig beside it.
//!
//! ```text
//! cargo run --example make_cast              writes the files
//! cargo run --example make_cast -- --check   fails if a file is not what it would write
//! ```
//!
//! The mannequin's body is a signed-distance field (`body`) meshed by surface nets (`nets`), remeshed to the sizes the
//! form needs (`remesh`), cut where colours meet (`cut`, `paint`) and bound to its joints (`weights`). Only the left
//! half is built; `skin` mirrors it and adds fingers and eyes (`hands`). The others are made of parts (`parts`): boxes,
//! solids of revolution, tubes. The bytes are the same on every machine: all geometry is sums, products and square
//! roots of `f64`, trigonometry comes from `libm`, and no order depends on a hash.

#![expect(clippy::print_stdout, reason = "a program that tells what it wrote")]
#![expect(clippy::approx_constant, reason = "the bytes of the files hang on these digits")]

mod arm;
mod awkward;
mod body;
mod clips;
mod cut;
mod gait;
mod glb;
mod hands;
mod mesh;
mod model;
mod nets;
mod paint;
mod parts;
mod remesh;
mod rigs;
mod sdf;
mod skeleton;
mod skin;
mod spider;
mod tentacle;
mod weights;

use model::Model;

use std::error::Error;
use std::path::Path;

/// Passes of remeshing; by then the lengths and angles have settled.
const PASSES: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let check = std::env::args().any(|argument| argument == "--check");
    for character in [mannequin, arm::model, tentacle::model, spider::model, awkward::model] {
        let model = character()?;
        let triangles: usize = model.skins.iter().map(|s| s.indices.len() / 3).sum();
        println!("{}: {} nodes, {triangles} triangles", model.name, model.nodes.len());
        put(&format!("{}.glb", model.name), &glb::write(&model)?, check)?;
        put(&format!("{}.rig.toml", model.name), model.rig.as_bytes(), check)?;
    }
    Ok(())
}

/// Writes a file of `assets/`, or compares it.
fn put(name: &str, bytes: &[u8], check: bool) -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
    if !check {
        sinew::atomic::write(&path, bytes)?;
        println!("{}: {} bytes", path.display(), bytes.len());
    } else if std::fs::read(&path)? != bytes {
        return Err(format!("{} is not what make_cast writes", path.display()).into());
    }
    Ok(())
}

/// The human one.
fn mannequin() -> Result<Model, Box<dyn Error>> {
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
    let joints = skeleton::joints().into_iter().map(|j| (j.name, j.parent, j.position)).collect();
    Ok(Model {
        name: "mannequin",
        nodes: model::upright(joints),
        skins: vec![skin::whole(&half, &rows)?],
        clips: clips::clips(),
        humanoid: true,
        rig: rigs::mannequin(),
    })
}
