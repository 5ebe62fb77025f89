//! Chains and limits found in characters, and rig files.

mod chains;
mod humanoids;
