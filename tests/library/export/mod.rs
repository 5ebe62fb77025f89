//! Checks that files written for other programs can be read back.

mod bvh;
mod copies;
