//! Files for other programs can be read again.

mod bvh;
mod copies;
