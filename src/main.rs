//! The program `sinew`.

fn main() {}
