//! The bodies and seeded targets with which `sinew bench` and the tests of success rates compare the methods.

pub mod cases;
pub mod figures;
pub mod robots;
