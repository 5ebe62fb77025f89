/*
 * sinew.h: skinning and inverse kinematics for glTF characters.
 *
 * This file is generated. `cargo run -p sinew-c-header` writes it.
 *
 * Coordinates are right-handed with +Y up (+Z up for robots), in metres, radians and seconds. Quaternions are in the order
 * x, y, z, w.
 *
 * Requirements of all functions: a pointer to an array points to as many elements as the count after it says, and may be
 * NULL if the count is 0. Counts of numbers count numbers, not vectors. Texts end with NUL and are UTF-8. A handle comes
 * from the function that creates it and was not freed. One handle must not be used by two threads at the same time, except
 * a SinewCharacter, a SinewRobot or a SinewTrajectory. What a function returns in `*out` belongs to the caller, who frees it with the function
 * that is named.
 * All other memory stays with its owner, and nothing keeps a pointer of the caller after the call.
 *
 * A function that fails returns another status than SINEW_STATUS_OK, changes no memory of the caller except that `*out` is
 * NULL, and leaves a message for `sinew_last_error`.
 */


#ifndef SINEW_H
#define SINEW_H

#include <stddef.h>
#include <stdint.h>

/**
 * A goal or a target has a position.
 */
#define SINEW_POSITION 1

/**
 * A goal or a target has an orientation.
 */
#define SINEW_ORIENTATION 2

/**
 * A goal has an aim.
 */
#define SINEW_AIM 4

/**
 * A target has a look.
 */
#define SINEW_LOOK 8

/**
 * A goal or a target has a pole.
 */
#define SINEW_POLE 16

/**
 * A goal has priority over all goals that are not pinned.
 */
#define SINEW_PINNED 32

/**
 * A missing parent, or an unspecified base.
 */
#define SINEW_NONE -1

/**
 * Any rotation.
 */
#define SINEW_FREE 0

/**
 * No rotation.
 */
#define SINEW_LOCKED 1

/**
 * A rotation about `axis` from `min` to `max`, in radians.
 */
#define SINEW_HINGE 2

/**
 * A displacement along `axis` from `min` to `max`, in metres, and no rotation.
 */
#define SINEW_PRISMATIC 3

/**
 * A swing of at most `swing` about two axes perpendicular to `axis`, and a twist about `axis` from `min` to `max`, in
 * radians.
 */
#define SINEW_CONE 4

/**
 * Three Euler angles in the order `order`, from `euler_min` to `euler_max`, in radians.
 */
#define SINEW_EULER 5

/**
 * Euler angles about x, then the turned y, then the turned z.
 */
#define SINEW_EULER_XYZ 0

/**
 * Euler angles about x, then the turned z, then the turned y.
 */
#define SINEW_EULER_XZY 1

/**
 * Euler angles about y, then the turned x, then the turned z.
 */
#define SINEW_EULER_YXZ 2

/**
 * Euler angles about y, then the turned z, then the turned x.
 */
#define SINEW_EULER_YZX 3

/**
 * Euler angles about z, then the turned x, then the turned y.
 */
#define SINEW_EULER_ZXY 4

/**
 * Euler angles about z, then the turned y, then the turned x.
 */
#define SINEW_EULER_ZYX 5

/**
 * A sphere: `points` is its centre. It has a `radius`.
 */
#define SINEW_OBSTACLE_SPHERE 0

/**
 * All points within `radius` of a segment: `points` are the two ends of the segment.
 */
#define SINEW_OBSTACLE_CAPSULE 1

/**
 * A box: `points` is its centre. It has a `size` and a `rotation`.
 */
#define SINEW_OBSTACLE_BOX 2

/**
 * The convex hull of `points`: the smallest convex shape that contains them. They must not all lie in one plane.
 */
#define SINEW_OBSTACLE_HULL 3

/**
 * Number of values per node in `sinew_puppet_pose`.
 */
#define SINEW_POSE_STRIDE 10

/**
 * Each pose is as near as possible to the last one.
 */
#define SINEW_REDUNDANCY_NEAREST 0

/**
 * The joints move towards their initial values, and slides towards 0.
 */
#define SINEW_REDUNDANCY_REST 1

/**
 * The joints move towards the middle of their ranges.
 */
#define SINEW_REDUNDANCY_JOINT_CENTRES 2

/**
 * The joints move away from singular poses of the link of the first goal, and slides towards 0.
 */
#define SINEW_REDUNDANCY_MANIPULABILITY 3

/**
 * The result of a call. `sinew_last_error` describes every result other than `SINEW_STATUS_OK`.
 */
typedef enum {
  /**
   * The call succeeded.
   */
  SINEW_STATUS_OK = 0,
  /**
   * A pointer is NULL or not aligned.
   */
  SINEW_STATUS_NULL = 1,
  /**
   * An array does not have the required length.
   */
  SINEW_STATUS_LENGTH = 2,
  /**
   * An index, a name or a number is invalid.
   */
  SINEW_STATUS_INVALID = 3,
  /**
   * A file could not be read, understood or written.
   */
  SINEW_STATUS_FILE = 4,
  /**
   * The problem could not be solved.
   */
  SINEW_STATUS_SOLVE = 5,
  /**
   * A bug in sinew. The handles of the call must not be used again, except to free them.
   */
  SINEW_STATUS_PANIC = 6,
} SinewStatus;

/**
 * The outcome of a solve for one goal. A target that is out of reach is an outcome, not an error.
 */
typedef enum {
  /**
   * The goal is within tolerance.
   */
  SINEW_OUTCOME_REACHED = 0,
  /**
   * The target is beyond the reach of the chain, or nearer than the chain can fold.
   */
  SINEW_OUTCOME_OUT_OF_REACH = 1,
  /**
   * The pose is the nearest one within the limits.
   */
  SINEW_OUTCOME_BLOCKED_BY_LIMITS = 2,
  /**
   * The error stopped falling.
   */
  SINEW_OUTCOME_STALLED = 3,
  /**
   * The iteration limit was reached.
   */
  SINEW_OUTCOME_ITERATION_LIMIT = 4,
  /**
   * The body would lose its balance.
   */
  SINEW_OUTCOME_BLOCKED_BY_BALANCE = 5,
  /**
   * The floor, another part of the body, an obstacle or a pin is in the way.
   */
  SINEW_OUTCOME_BLOCKED_BY_CONTACT = 6,
} SinewOutcome;

/**
 * The unit of a joint value.
 */
typedef enum {
  /**
   * Radians, for a hinge.
   */
  SINEW_UNIT_RADIANS = 0,
  /**
   * Metres, for a slide.
   */
  SINEW_UNIT_METRES = 1,
} SinewUnit;

/**
 * A tree of links in a pose.
 */
typedef struct SinewBody SinewBody;

/**
 * The nodes, skins, meshes and clips of one file. A character is immutable, so several threads may use it at the same time.
 */
typedef struct SinewCharacter SinewCharacter;

/**
 * A character with a motion, and the pose that results from the motion and the targets.
 */
typedef struct SinewPuppet SinewPuppet;

/**
 * A robot. `q` has one value for each joint that moves by itself, in the order of the file: radians for hinges, metres for slides.
 * Everything is in the robot's own frame, the frame of its root link, with +Z up. A robot is immutable, so several threads may use it at
 * the same time.
 */
typedef struct SinewRobot SinewRobot;

/**
 * Joint values at times along a path of poses. Between two rows, each joint moves at a constant rate. A trajectory is independent of the
 * robot that it was computed for.
 */
typedef struct SinewTrajectory SinewTrajectory;

/**
 * The type of a joint and its range. The axes are unit vectors in the joint's rest frame. Members that do not apply to the kind
 * are ignored.
 */
typedef struct {
  /**
   * `SINEW_FREE`, `SINEW_LOCKED`, `SINEW_HINGE`, `SINEW_PRISMATIC`, `SINEW_CONE` or `SINEW_EULER`.
   */
  uint32_t kind;
  /**
   * The order of Euler angles, from `SINEW_EULER_XYZ` to `SINEW_EULER_ZYX`.
   */
  uint32_t order;
  /**
   * The axis of a hinge, of a displacement, or of a twist.
   */
  double axis[3];
  /**
   * The axis of the first swing, perpendicular to `axis`. The second is the cross product of `axis` and `side`.
   */
  double side[3];
  /**
   * Minimum angle or displacement.
   */
  double min;
  /**
   * Maximum angle or displacement.
   */
  double max;
  /**
   * Maximum swing about the first and the second swing axis, 0 to pi.
   */
  double swing[2];
  /**
   * Minimum Euler angles in the order `order`. Choose the order so that the middle angle stays from -pi/2 to pi/2.
   */
  double euler_min[3];
  /**
   * Maximum Euler angles in the order `order`.
   */
  double euler_max[3];
} SinewLimit;

/**
 * A joint of a body and its offset from its parent. Use `sinew_link` to initialise it.
 */
typedef struct {
  /**
   * Index of the parent, which precedes the link. `SINEW_NONE` for the base, which is the first link.
   */
  int64_t parent;
  /**
   * Position in the parent's frame, in metres.
   */
  double offset[3];
  /**
   * Local rotation in the rest pose, a quaternion x, y, z, w.
   */
  double rest[4];
  /**
   * How readily the joint turns relative to the others. A joint of weight 0 never turns.
   */
  double weight;
  /**
   * The type of the joint.
   */
  SinewLimit limit;
} SinewLink;

/**
 * A goal for one link, in world space. Use `sinew_goal` to initialise it. `parts` says which members count.
 */
typedef struct {
  /**
   * Index of the link.
   */
  size_t link;
  /**
   * A sum of `SINEW_POSITION`, `SINEW_ORIENTATION`, `SINEW_AIM`, `SINEW_POLE` and `SINEW_PINNED`.
   */
  uint32_t parts;
  /**
   * Target position of the point `offset` of the link, in metres.
   */
  double position[3];
  /**
   * Orientation of the link as a quaternion x, y, z, w.
   */
  double orientation[4];
  /**
   * Direction in the link's frame that must point at `aim_at`.
   */
  double aim_axis[3];
  /**
   * Position in metres at which `aim_axis` must point.
   */
  double aim_at[3];
  /**
   * Position in metres towards which the limb that ends at the link bends.
   */
  double pole[3];
  /**
   * A point in the link's frame, in metres. Zero is the joint itself.
   */
  double offset[3];
  /**
   * Weight relative to the other goals.
   */
  double weight;
} SinewGoal;

/**
 * The result for one goal or target.
 */
typedef struct {
  /**
   * The outcome.
   */
  SinewOutcome outcome;
  /**
   * Distance from the target position in metres, or NaN if there is no target position.
   */
  double position_error;
  /**
   * Orientation, aim or look error in radians, or NaN if the goal has none of these.
   */
  double orientation_error;
} SinewResult;

/**
 * Goals for one node, in world space. Use `sinew_target` to initialise it. `parts` says which members count.
 */
typedef struct {
  /**
   * Index of the node.
   */
  size_t node;
  /**
   * Index of the node that stays fixed. If it is `SINEW_NONE` and the body is recognised, the whole body follows the target.
   */
  int64_t base;
  /**
   * A sum of `SINEW_POSITION`, `SINEW_ORIENTATION`, `SINEW_LOOK` and `SINEW_POLE`.
   */
  uint32_t parts;
  /**
   * Target position of the point `offset` of the node, in metres.
   */
  double position[3];
  /**
   * Orientation of the node, a quaternion x, y, z, w.
   */
  double orientation[4];
  /**
   * Position at which the forward axis of the node must point, in metres.
   */
  double look[3];
  /**
   * Position towards which the limb that ends at the node bends, in metres.
   */
  double pole[3];
  /**
   * A point in the node's frame, in metres. Zero is the node's origin.
   */
  double offset[3];
  /**
   * Weight relative to the other targets.
   */
  double weight;
} SinewTarget;

/**
 * A joint with a value in `q`.
 */
typedef struct {
  /**
   * The unit of the joint's value.
   */
  SinewUnit unit;
  /**
   * The smallest value. Minus infinity for a continuous joint.
   */
  double lower;
  /**
   * The largest value. Infinity for a continuous joint.
   */
  double upper;
  /**
   * The initial value: 0, or the middle of a range that excludes 0.
   */
  double rest;
  /**
   * Maximum speed in radians or metres per second, or infinity if the file has none.
   */
  double velocity;
  /**
   * Index of the link that the joint moves.
   */
  size_t link;
} SinewJoint;

/**
 * A capsule of a link: all points within `radius` of a segment.
 */
typedef struct {
  /**
   * Index of the link. A link may have several capsules.
   */
  size_t link;
  /**
   * One end of the segment, in metres in the frame of the link.
   */
  double start[3];
  /**
   * The other end of the segment, in metres in the frame of the link.
   */
  double end[3];
  /**
   * The radius in metres, greater than 0.
   */
  double radius;
} SinewCapsule;

/**
 * A shape that a robot must not touch, in the robot's own frame. All zeros are a valid start. Members that do not apply to the kind are
 * ignored.
 */
typedef struct {
  /**
   * A name that no other obstacle of the robot has. Error messages and `SinewClearance` contain it.
   */
  const char *name;
  /**
   * `SINEW_OBSTACLE_SPHERE`, `SINEW_OBSTACLE_CAPSULE`, `SINEW_OBSTACLE_BOX` or `SINEW_OBSTACLE_HULL`.
   */
  uint32_t kind;
  /**
   * Positions x, y, z in metres, three numbers for each point.
   */
  const double *points;
  /**
   * Number of points: 1 for a sphere or a box, 2 for a capsule, 4 to 10,000 for a hull.
   */
  size_t point_count;
  /**
   * Radius of a sphere or a capsule in metres, greater than 0.
   */
  double radius;
  /**
   * Edge lengths of a box along its own axes in metres, greater than 0.
   */
  double size[3];
  /**
   * Rotation from the axes of a box to the robot's frame, a quaternion x, y, z, w of any length. All zeros mean no rotation.
   */
  double rotation[4];
} SinewObstacle;

/**
 * The shapes of a robot's links and of its surroundings. All zeros are a valid start. Either `urdf` or `capsules` must be set.
 *
 * Links may touch if nothing moves one relative to the other, if they are next to each other, if their capsules overlap in the rest pose,
 * or if `srdf` says so. Obstacles may touch links that never move, such as the base.
 */
typedef struct {
  /**
   * Path of the robot's .urdf file, or NULL. Capsules are fitted to the meshes of its links. All triangles of a link are inside its
   * capsules, of which there are at most four.
   */
  const char *urdf;
  /**
   * The capsules of the links if `urdf` is NULL. Links without capsules never collide.
   */
  const SinewCapsule *capsules;
  /**
   * Number of capsules.
   */
  size_t capsule_count;
  /**
   * Path of a .srdf file, or NULL. The two links of each `<disable_collisions link1="A" link2="B"/>` may touch.
   */
  const char *srdf;
  /**
   * The obstacles.
   */
  const SinewObstacle *obstacles;
  /**
   * Number of obstacles.
   */
  size_t obstacle_count;
  /**
   * The distance in metres that links keep from each other and from obstacles, at least 0.
   */
  double margin;
} SinewCollisions;

/**
 * The smallest distance between shapes that must not touch. Without such shapes, `distance` is infinity, the names are NULL, and the
 * other numbers are 0.
 */
typedef struct {
  /**
   * The distance between the surfaces in metres. A negative value is the depth of the penetration.
   */
  double distance;
  /**
   * The names of a link, and of the link or obstacle that is nearest to it. The texts belong to the handle that the function was
   * called with.
   */
  const char *names[2];
  /**
   * The nearest points x, y, z of the two surfaces, in metres in the robot's own frame.
   */
  double points[2][3];
  /**
   * Unit vector in the robot's own frame from the second surface to the first.
   */
  double normal[3];
} SinewClearance;

/**
 * A problem for `sinew_robot_solve`. All zeros are a valid start.
 */
typedef struct {
  /**
   * The goals. Their links are links of the robot.
   */
  const SinewGoal *goals;
  /**
   * Number of goals.
   */
  size_t goal_count;
  /**
   * The joint values from which the solve starts.
   */
  const double *q0;
  /**
   * Number of values in `q0`. It must be the number of joints.
   */
  size_t q0_count;
  /**
   * NULL, or a string of assignments, for example `"method=ccd; tolerance=1mm"`.
   */
  const char *options;
} SinewRobotProblem;

/**
 * Options of a trajectory. A value of 0 means the default, so that all zeros are the default options.
 */
typedef struct {
  /**
   * Largest distance between successive targets in metres. Intermediate targets lie on straight lines. The default is 0.01.
   */
  double spacing;
  /**
   * Largest turn between successive targets in radians. The default is 0.05.
   */
  double turn_spacing;
  /**
   * Largest change of a joint between successive rows, in radians or metres. A larger change is an error. The default is 0.5.
   */
  double largest_step;
  /**
   * Fraction of the velocity limits that the joints use, at most 1. The default is 1.
   */
  double speed;
  /**
   * Velocity in radians or metres per second of joints for which the file has none, or has 0. The default is 1.
   */
  double default_velocity;
  /**
   * How the robot uses the freedom that the goals leave, for example of the elbow: `SINEW_REDUNDANCY_NEAREST`,
   * `SINEW_REDUNDANCY_REST`, `SINEW_REDUNDANCY_JOINT_CENTRES` or `SINEW_REDUNDANCY_MANIPULABILITY`.
   */
  uint32_t redundancy;
  /**
   * Fraction of the way towards the posture of `redundancy` that one iteration applies, at most 1. The default is 0.05.
   */
  double gain;
} SinewTrajectoryOptions;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Creates a body in its rest pose with its base at the origin of the world, and stores it in `*out`. Free it with
 * `sinew_body_free`.
 */
SinewStatus sinew_body_new(const SinewLink *links,
                           size_t link_count,
                           SinewBody **out);

/**
 * Frees a body. NULL is ignored.
 */
void sinew_body_free(SinewBody *body);

/**
 * Returns the number of links, or 0 if `body` is NULL.
 */
size_t sinew_body_link_count(const SinewBody *body);

/**
 * Resets a body to its rest pose.
 */
SinewStatus sinew_body_reset(SinewBody *body);

/**
 * Writes the local rotations of all links as quaternions x, y, z, w. `count` must be four times the number of links.
 */
SinewStatus sinew_body_rotations(const SinewBody *body,
                                 double *rotations,
                                 size_t count);

/**
 * Sets the local rotations of all links from quaternions x, y, z, w of any length except zero. `count` must be four times the number of
 * links.
 */
SinewStatus sinew_body_set_rotations(SinewBody *body,
                                     const double *rotations,
                                     size_t count);

/**
 * Writes the world positions x, y, z of all links in metres. `count` must be three times the number of links.
 */
SinewStatus sinew_body_positions(const SinewBody *body,
                                 double *positions,
                                 size_t count);

/**
 * Moves the links so that the goals are met as closely as possible.
 *
 * `options` is NULL or a string of assignments, for example `"method=ccd; tolerance=1mm"`. If no results are wanted, `results` is NULL and
 * `result_count` is 0. Otherwise, `result_count` must be `goal_count`. If the call fails, the body is unchanged.
 */
SinewStatus sinew_body_solve(SinewBody *body,
                             const SinewGoal *goals,
                             size_t goal_count,
                             const char *options,
                             SinewResult *results,
                             size_t result_count);

/**
 * Solves copies of a body for many target positions of one link, in parallel. The body itself is not changed.
 *
 * `targets` are `target_count` world positions x, y, z. `rotations` receives the local rotations of all links of all solutions, and
 * `rotation_count` must be `4 * link_count * target_count`. `errors` receives the distances from the targets in metres, and `error_count`
 * must be `target_count`. `options` is as in `sinew_body_solve`.
 */
SinewStatus sinew_body_solve_many(const SinewBody *body,
                                  size_t link,
                                  const double *targets,
                                  size_t target_count,
                                  const char *options,
                                  double *rotations,
                                  size_t rotation_count,
                                  double *errors,
                                  size_t error_count);

/**
 * Loads a .glb, .gltf, .vrm or .bvh file, and stores the character in `*out`. Free it with `sinew_character_free`.
 */
SinewStatus sinew_character_load(const char *path,
                                 SinewCharacter **out);

/**
 * Loads a character from the contents of a .glb, .gltf or .vrm file that refers to no other file. The bytes are copied.
 * Stores the character in `*out`. Free it with `sinew_character_free`.
 */
SinewStatus sinew_character_load_bytes(const uint8_t *bytes,
                                       size_t byte_count,
                                       SinewCharacter **out);

/**
 * Stores the built-in character in `*out`: a stylised human about 1.75 m tall that faces +Z. Free it with `sinew_character_free`.
 */
SinewStatus sinew_character_mannequin(SinewCharacter **out);

/**
 * Frees a character. NULL is ignored. Puppets of the character stay valid.
 */
void sinew_character_free(SinewCharacter *character);

/**
 * Returns the number of nodes, or 0 if `character` is NULL.
 */
size_t sinew_character_node_count(const SinewCharacter *character);

/**
 * Returns the name of a node, or NULL if the node has no name or does not exist. The text belongs to the character.
 */
const char *sinew_character_node_name(const SinewCharacter *character,
                                      size_t node);

/**
 * Returns the index of the parent of a node, or `SINEW_NONE` if the node is a root or does not exist.
 */
int64_t sinew_character_node_parent(const SinewCharacter *character,
                                    size_t node);

/**
 * Stores the index of the first node with the given name in `*out`.
 */
SinewStatus sinew_character_find_node(const SinewCharacter *character,
                                      const char *name,
                                      size_t *out);

/**
 * Returns the number of clips, or 0 if `character` is NULL.
 */
size_t sinew_character_clip_count(const SinewCharacter *character);

/**
 * Returns the name of a clip, or NULL if the clip has no name or does not exist. The text belongs to the character.
 */
const char *sinew_character_clip_name(const SinewCharacter *character,
                                      size_t clip);

/**
 * Returns the duration of a clip in seconds, or 0 if the clip does not exist.
 */
float sinew_character_clip_seconds(const SinewCharacter *character, size_t clip);

/**
 * Stores the index of a clip in `*out`: the first clip with the given name, or the n-th one for `NAME#n`.
 */
SinewStatus sinew_character_find_clip(const SinewCharacter *character,
                                      const char *name,
                                      size_t *out);

/**
 * Returns a goal without parts for a link.
 */
SinewGoal sinew_goal(size_t link);

/**
 * Returns a link that turns freely, with the identity as its rest rotation.
 */
SinewLink sinew_link(int64_t parent, double x, double y, double z);

/**
 * Creates a puppet in its rest pose, and stores it in `*out`. Free it with `sinew_puppet_free`. The character may be freed before the
 * puppet.
 *
 * `rig` is the path of a .rig.toml file. If it is NULL, `NAME.rig.toml` beside the character is used, or the rig is detected.
 */
SinewStatus sinew_puppet_new(const SinewCharacter *character,
                             const char *rig,
                             SinewPuppet **out);

/**
 * Frees a puppet. NULL is ignored.
 */
void sinew_puppet_free(SinewPuppet *puppet);

/**
 * Plays a clip, and sets its time in seconds. The pose changes with the next `sinew_puppet_update`.
 */
SinewStatus sinew_puppet_play(SinewPuppet *puppet, size_t clip, float seconds);

/**
 * Stops playing. The character is in its rest pose after the next `sinew_puppet_update`.
 */
SinewStatus sinew_puppet_stop(SinewPuppet *puppet);

/**
 * Samples the motion and solves for targets. `pins` are the indices of nodes that must stay in place with priority over all
 * targets.
 *
 * `options` is NULL or a string of assignments, for example `"method=ccd; tolerance=1mm"`. If no results are wanted, `results` is NULL and
 * `result_count` is 0. Otherwise, `result_count` must be `target_count`.
 */
SinewStatus sinew_puppet_update(SinewPuppet *puppet,
                                const SinewTarget *targets,
                                size_t target_count,
                                const size_t *pins,
                                size_t pin_count,
                                const char *options,
                                SinewResult *results,
                                size_t result_count);

/**
 * Writes the local transform of each node: translation (x, y, z), rotation (x, y, z, w) and scale (x, y, z). `count` must be
 * `SINEW_POSE_STRIDE` times the number of nodes.
 */
SinewStatus sinew_puppet_pose(const SinewPuppet *puppet,
                              float *transforms,
                              size_t count);

/**
 * Writes the `world_from_node` matrices of all nodes, in column-major order. `count` must be 16 times the number of nodes.
 */
SinewStatus sinew_puppet_world_matrices(const SinewPuppet *puppet,
                                        float *matrices,
                                        size_t count);

/**
 * Returns the number of parts, or 0 if `puppet` is NULL. Each part is skinned and drawn as a unit.
 */
size_t sinew_puppet_part_count(const SinewPuppet *puppet);

/**
 * Stores the number of vertices, triangles and normals of a part. There are as many normals as vertices, or none.
 */
SinewStatus sinew_puppet_part_size(const SinewPuppet *puppet,
                                   size_t part,
                                   size_t *vertices,
                                   size_t *triangles,
                                   size_t *normals);

/**
 * Skins a part on the CPU in the pose of the last `sinew_puppet_update`, and writes world positions (x, y, z) in metres and unit normals
 * (x, y, z). If no normals are wanted, `normals` is NULL and `normal_count` is 0. Otherwise, each count must be three times the number
 * from `sinew_puppet_part_size`.
 */
SinewStatus sinew_puppet_skin(const SinewPuppet *puppet,
                              size_t part,
                              float *positions,
                              size_t position_count,
                              float *normals,
                              size_t normal_count);

/**
 * Writes three vertex indices for each triangle of a part, counter-clockwise as seen from outside. `count` must be three
 * times the number of triangles.
 */
SinewStatus sinew_puppet_triangles(const SinewPuppet *puppet,
                                   size_t part,
                                   uint32_t *indices,
                                   size_t count);

/**
 * Writes a copy of the character's file to a .glb file, in the pose of the last `sinew_puppet_update`. An existing file is replaced.
 */
SinewStatus sinew_puppet_write_glb(const SinewPuppet *puppet,
                                   const char *path);

/**
 * Reads a robot from the text of a URDF file, without its shapes, and stores it in `*out`. Free it with `sinew_robot_free`.
 */
SinewStatus sinew_robot_from_urdf(const char *urdf,
                                  SinewRobot **out);

/**
 * Reads a robot from a URDF file, without its shapes, and stores it in `*out`. Free it with `sinew_robot_free`.
 */
SinewStatus sinew_robot_load(const char *path,
                             SinewRobot **out);

/**
 * Frees a robot. NULL is ignored.
 */
void sinew_robot_free(SinewRobot *robot);

/**
 * Returns the number of joints with a value in `q`, or 0 if `robot` is NULL.
 */
size_t sinew_robot_joint_count(const SinewRobot *robot);

/**
 * Returns the name of a joint, or NULL if the joint does not exist. The text belongs to the robot.
 */
const char *sinew_robot_joint_name(const SinewRobot *robot, size_t joint);

/**
 * Stores the unit, the range, the initial value and the velocity of a joint in `*out`.
 */
SinewStatus sinew_robot_joint(const SinewRobot *robot, size_t joint, SinewJoint *out);

/**
 * Stores the position in `q` of the joint with the given name in `*out`.
 */
SinewStatus sinew_robot_find_joint(const SinewRobot *robot, const char *name, size_t *out);

/**
 * Returns the number of links, or 0 if `robot` is NULL. The root link is the first one.
 */
size_t sinew_robot_link_count(const SinewRobot *robot);

/**
 * Returns the name of a link, or NULL if the link does not exist. The text belongs to the robot.
 */
const char *sinew_robot_link_name(const SinewRobot *robot, size_t link);

/**
 * Stores the index of the link with the given name in `*out`.
 */
SinewStatus sinew_robot_find_link(const SinewRobot *robot, const char *name, size_t *out);

/**
 * Writes the matrix `world_from_link` of a link for joint values, in column-major order (forward kinematics). `q_count` must be the number
 * of joints, and `count` must be 16.
 */
SinewStatus sinew_robot_fk(const SinewRobot *robot,
                           const double *q,
                           size_t q_count,
                           size_t link,
                           double *matrix,
                           size_t count);

/**
 * Writes the derivative of a point of a link with respect to `q`: six rows with one number for each joint, row after row. The rows are the
 * velocity of the point along x, y and z, and the angular velocity of the link about x, y and z.
 *
 * `point` is NULL for the origin of the link, or three numbers in metres in the frame of the link. `q_count` must be the number of joints,
 * and `count` must be six times the number of joints.
 */
SinewStatus sinew_robot_jacobian(const SinewRobot *robot,
                                 const double *q,
                                 size_t q_count,
                                 size_t link,
                                 const double *point,
                                 double *jacobian,
                                 size_t count);

/**
 * Copies a robot, adds collisions to the copy, and stores it in `*out`. Free it with `sinew_robot_free`. Collisions that `robot` has are
 * not copied.
 *
 * `sinew_robot_solve` and `sinew_robot_trajectory` of the copy keep all shapes apart by at least the margin. If the plain answer collides,
 * the solver looks for a way around the obstacles, first from `q0` and then from other start poses. An answer that still collides does not
 * count as reached: the outcome of its goals is `SINEW_OUTCOME_BLOCKED_BY_CONTACT`.
 */
SinewStatus sinew_robot_with_collisions(const SinewRobot *robot,
                                        const SinewCollisions *collisions,
                                        SinewRobot **out);

/**
 * Stores the smallest distance for joint values in `*out`. `q_count` must be the number of joints. The names belong to the robot. The
 * distance is infinity if the robot has no collisions to avoid.
 */
SinewStatus sinew_robot_clearance(const SinewRobot *robot,
                                  const double *q,
                                  size_t q_count,
                                  SinewClearance *out);

/**
 * Writes the derivative of the smallest distance with respect to `q`: metres per radian or per metre. It is 0 if the robot has no
 * collisions to avoid. The distance has a kink where another pair becomes the nearest.
 *
 * `q_count` and `count` must be the number of joints.
 */
SinewStatus sinew_robot_clearance_gradient(const SinewRobot *robot,
                                           const double *q,
                                           size_t q_count,
                                           double *gradient,
                                           size_t count);

/**
 * Finds joint values that meet the goals of a problem as closely as possible.
 *
 * `q` receives the joint values, all within their ranges, and may be `q0` of the problem. `q_count` must be the number of joints. If no
 * results are wanted, `results` is NULL and `result_count` is 0. Otherwise, `result_count` must be the number of goals. If the call fails,
 * `q` is unchanged.
 */
SinewStatus sinew_robot_solve(const SinewRobot *robot,
                              const SinewRobotProblem *problem,
                              double *q,
                              size_t q_count,
                              SinewResult *results,
                              size_t result_count);

/**
 * Returns the version of sinew. The text is always valid.
 */
const char *sinew_version(void);

/**
 * Returns the message of the last failed call on this thread, as one line without a line break. The text is valid until the next call on
 * this thread fails. It is empty if no call has failed yet.
 */
const char *sinew_last_error(void);

/**
 * Returns a target for a node, with no parts set.
 */
SinewTarget sinew_target(size_t node);

/**
 * Computes joint values and times along a path of poses, and stores them in `*out`. Free them with `sinew_trajectory_free`.
 *
 * `goals` contains `goals_per_pose` goals for the first pose, then as many for the second one, and so on. Their links are links of the
 * robot. `q0_count` must be the number of joints. `options` is as in `sinew_body_solve`. `trajectory_options` is NULL for the defaults.
 *
 * The first row meets the first pose and is found from `q0`. Each following row continues from the last one, so that joints do not jump. A
 * joint that would move too far between two rows is an error. The times are as short as the velocity limits of the joints allow.
 * Accelerations are not limited. The trajectory of a robot with collisions is also tested between its rows.
 */
SinewStatus sinew_robot_trajectory(const SinewRobot *robot,
                                   const SinewGoal *goals,
                                   size_t goals_per_pose,
                                   size_t pose_count,
                                   const double *q0,
                                   size_t q0_count,
                                   const char *options,
                                   const SinewTrajectoryOptions *trajectory_options,
                                   SinewTrajectory **out);

/**
 * Frees a trajectory. NULL is ignored.
 */
void sinew_trajectory_free(SinewTrajectory *trajectory);

/**
 * Returns the number of rows, or 0 if `trajectory` is NULL.
 */
size_t sinew_trajectory_row_count(const SinewTrajectory *trajectory);

/**
 * Writes the times of all rows in seconds, in ascending order from 0. `count` must be the number of rows.
 */
SinewStatus sinew_trajectory_times(const SinewTrajectory *trajectory,
                                   double *times,
                                   size_t count);

/**
 * Writes the joint values of all rows, row after row. `count` must be the number of rows times the number of joints.
 */
SinewStatus sinew_trajectory_q(const SinewTrajectory *trajectory,
                               double *q,
                               size_t count);

/**
 * Writes the index of the row of each pose of the path. `count` must be the number of poses.
 */
SinewStatus sinew_trajectory_pose_rows(const SinewTrajectory *trajectory,
                                       size_t *rows,
                                       size_t count);

/**
 * Writes the results of the goals of a row. `count` must be the number of goals of each pose.
 */
SinewStatus sinew_trajectory_results(const SinewTrajectory *trajectory,
                                     size_t row,
                                     SinewResult *results,
                                     size_t count);

/**
 * Returns 1 if all goals are within tolerance at all rows and the whole way is free of collisions. Returns 0 if not, or if `trajectory` is
 * NULL.
 */
int sinew_trajectory_reached(const SinewTrajectory *trajectory);

/**
 * Stores the smallest distance on the whole way, also between rows, in `*out`. The names belong to the trajectory. The distance is
 * infinity if the robot has no collisions to avoid.
 */
SinewStatus sinew_trajectory_clearance(const SinewTrajectory *trajectory,
                                       SinewClearance *out);

/**
 * Writes a trajectory to a CSV file with the columns `time` in seconds and one for each joint. An existing file is replaced.
 */
SinewStatus sinew_trajectory_write_csv(const SinewTrajectory *trajectory,
                                       const char *path);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SINEW_H */
