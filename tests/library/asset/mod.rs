//! Loading files: valid files are read as specified, and broken files are rejected with the location of the error.

mod accessors;
mod animations;
pub(crate) mod bvh;
mod compressed;
pub(crate) mod corpus;
mod expressions;
mod extensions;
mod finite;
mod hierarchy;
mod humanoids;
mod images;
mod layers;
mod mannequin;
mod materials;
mod nodes;
mod pointers;
mod skins;
#[cfg(feature = "capture")]
mod stopping;
mod toon;
