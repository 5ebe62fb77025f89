//! The bodies and seeded targets on which the methods are compared, by `sinew bench` and by the tests of success rates.

pub mod cases;
pub mod robots;
