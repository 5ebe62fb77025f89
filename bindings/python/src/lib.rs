//! The Python module `sinew`: robots, characters, inverse kinematics, skinning and images, with numpy arrays in and out.
//!
//! Each file contains the classes of one topic. `sinew.pyi` beside this folder describes them for type checkers, and
//! `README.md` has a table of them.

mod arrays;
mod body;
mod character;
mod error;
mod goal;
mod limit;
mod link;
mod mesh;
mod node;
mod obstacle;
mod options;
mod pickle;
mod pose;
mod puppet;
#[cfg(feature = "render")]
mod renderer;
mod report;
mod robot;
mod robot_arguments;
mod robot_arrays;
mod robot_collisions;
mod robot_kinematics;
mod robot_solutions;
mod robot_trajectory;
mod solve_many;
mod target;

/// Inverse kinematics for robots and characters, and skinning.
///
/// Coordinates are right-handed with +Y up. Lengths are in metres, angles in radians, and times in seconds.
/// Quaternions are unit quaternions in the order x, y, z, w, as in glTF. Matrices map column vectors
/// (`world = matrix @ local`). Errors are instances of `sinew.Error`, which is a `ValueError`.
#[pyo3::pymodule]
#[pyo3(name = "sinew")]
mod module {
    #[pymodule_export]
    use super::body::Body;
    #[pymodule_export]
    use super::character::{Character, load, mannequin};
    #[pymodule_export]
    use super::error::Error;
    #[pymodule_export]
    use super::goal::Goal;
    #[pymodule_export]
    use super::limit::Limit;
    #[pymodule_export]
    use super::link::Link;
    #[pymodule_export]
    use super::mesh::{Mesh, Part};
    #[pymodule_export]
    use super::node::{Clip, Node};
    #[pymodule_export]
    use super::obstacle::Obstacle;
    #[pymodule_export]
    use super::options::methods;
    #[pymodule_export]
    use super::pose::Pose;
    #[pymodule_export]
    use super::puppet::Puppet;
    #[cfg(feature = "render")]
    #[pymodule_export]
    use super::renderer::Renderer;
    #[pymodule_export]
    use super::report::{GoalReport, Report};
    #[pymodule_export]
    use super::robot::Robot;
    #[pymodule_export]
    use super::robot_collisions::Clearance;
    #[pymodule_export]
    use super::robot_solutions::RobotSolutions;
    #[pymodule_export]
    use super::robot_trajectory::Trajectory;
    #[pymodule_export]
    use super::solve_many::{Solutions, solve_many};
    #[pymodule_export]
    use super::target::Target;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
