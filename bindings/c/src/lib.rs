//! The C interface of sinew: characters, robots, inverse kinematics and skinning on the CPU.
//!
//! `include/sinew.h` is generated from this crate and describes it for C. `README.md` has the conventions. Only this
//! crate contains `unsafe` code: every pointer is checked for null, every length is compared with the amount of data that is read or
//! written, and no panic escapes from a function.

// The functions of the interface all have the same requirements, which the header states once.
#![allow(clippy::missing_safety_doc, reason = "stated once, at the top of the header")]

mod body;
mod character;
mod goal;
mod link;
mod obstacle;
mod pointers;
mod puppet;
mod robot;
mod robot_collisions;
mod robot_solve;
mod status;
mod target;
mod trajectory;

pub use body::{
    SinewBody, sinew_body_free, sinew_body_link_count, sinew_body_new, sinew_body_positions,
    sinew_body_reset, sinew_body_rotations, sinew_body_set_rotations, sinew_body_solve,
    sinew_body_solve_many,
};
pub use character::{
    SinewCharacter, sinew_character_clip_count, sinew_character_clip_name, sinew_character_clip_seconds,
    sinew_character_find_clip, sinew_character_find_node, sinew_character_free, sinew_character_load,
    sinew_character_load_bytes, sinew_character_mannequin, sinew_character_node_count,
    sinew_character_node_name, sinew_character_node_parent,
};
pub use goal::{
    SINEW_AIM, SINEW_LOOK, SINEW_ORIENTATION, SINEW_PINNED, SINEW_POLE, SINEW_POSITION, SinewGoal,
    SinewOutcome, SinewResult, sinew_goal,
};
pub use link::{
    SINEW_CONE, SINEW_EULER, SINEW_EULER_XYZ, SINEW_EULER_XZY, SINEW_EULER_YXZ, SINEW_EULER_YZX,
    SINEW_EULER_ZXY, SINEW_EULER_ZYX, SINEW_FREE, SINEW_HINGE, SINEW_LOCKED, SINEW_NONE, SINEW_PRISMATIC,
    SinewLimit, SinewLink, sinew_link,
};
pub use obstacle::{
    SINEW_OBSTACLE_BOX, SINEW_OBSTACLE_CAPSULE, SINEW_OBSTACLE_HULL, SINEW_OBSTACLE_SPHERE, SinewCapsule,
    SinewObstacle,
};
pub use puppet::{
    SINEW_POSE_STRIDE, SinewPuppet, sinew_puppet_free, sinew_puppet_new, sinew_puppet_part_count,
    sinew_puppet_part_size, sinew_puppet_play, sinew_puppet_pose, sinew_puppet_skin, sinew_puppet_stop,
    sinew_puppet_triangles, sinew_puppet_update, sinew_puppet_world_matrices, sinew_puppet_write_glb,
};
pub use robot::{
    SinewJoint, SinewRobot, SinewUnit, sinew_robot_find_joint, sinew_robot_find_link, sinew_robot_fk,
    sinew_robot_free, sinew_robot_from_urdf, sinew_robot_jacobian, sinew_robot_joint,
    sinew_robot_joint_count, sinew_robot_joint_name, sinew_robot_link_count, sinew_robot_link_name,
    sinew_robot_load,
};
pub use robot_collisions::{
    SinewClearance, SinewCollisions, sinew_robot_clearance, sinew_robot_clearance_gradient,
    sinew_robot_with_collisions,
};
pub use robot_solve::{SinewRobotProblem, sinew_robot_solve};
pub use status::{SinewStatus, sinew_last_error, sinew_version};
pub use target::{SinewTarget, sinew_target};
pub use trajectory::{
    SINEW_REDUNDANCY_JOINT_CENTRES, SINEW_REDUNDANCY_MANIPULABILITY, SINEW_REDUNDANCY_NEAREST,
    SINEW_REDUNDANCY_REST, SinewTrajectory, SinewTrajectoryOptions, sinew_robot_trajectory,
    sinew_trajectory_clearance, sinew_trajectory_free, sinew_trajectory_pose_rows, sinew_trajectory_q,
    sinew_trajectory_reached, sinew_trajectory_results, sinew_trajectory_row_count, sinew_trajectory_times,
    sinew_trajectory_write_csv,
};
