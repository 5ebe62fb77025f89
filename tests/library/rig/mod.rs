//! Bases of a solve, chains and limits found in characters, and rig files.

mod bases;
mod bodies;
mod chains;
mod given_bones;
mod hands;
mod humanoids;
mod joints;
mod pull;
mod variants;
