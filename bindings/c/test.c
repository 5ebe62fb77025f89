/*
 * Tests of the C interface: results, ownership, and rejected arguments. Prints the first failure.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew.h"

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "test.c:%d: %s (last error: %s)\n", __LINE__, #condition, sinew_last_error());            \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

#define OK(call) EXPECT((call) == SINEW_STATUS_OK)
/* A call fails with a status, and its message is one line that contains a text. */
#define FAILS(call, status, text)                                                                                      \
    do {                                                                                                               \
        EXPECT((call) == (status));                                                                                    \
        EXPECT(strstr(sinew_last_error(), text) != NULL);                                                              \
        EXPECT(strchr(sinew_last_error(), '\n') == NULL);                                                              \
    } while (0)

enum { LINKS = 4, TARGETS = 500 };

static SinewBody *new_arm(void)
{
    SinewLink links[LINKS];
    SinewBody *arm = NULL;
    int i;

    for (i = 0; i < LINKS; i++) {
        links[i] = sinew_link(i - 1, 0.0, i > 0 ? 1.0 : 0.0, 0.0);
    }
    OK(sinew_body_new(links, LINKS, &arm));
    return arm;
}

static void test_errors_without_handles(void)
{
    double numbers[4];
    size_t index;

    EXPECT(strcmp(sinew_last_error(), "") == 0);
    EXPECT(strlen(sinew_version()) >= 5);
    FAILS(sinew_body_new(NULL, 2, NULL), SINEW_STATUS_NULL, "out is NULL");
    FAILS(sinew_body_rotations(NULL, numbers, 4), SINEW_STATUS_NULL, "body is NULL");
    FAILS(sinew_body_solve(NULL, NULL, 0, NULL, NULL, 0), SINEW_STATUS_NULL, "body is NULL");
    FAILS(sinew_character_load(NULL, NULL), SINEW_STATUS_NULL, "out is NULL");
    FAILS(sinew_character_find_node(NULL, "x", &index), SINEW_STATUS_NULL, "character is NULL");
    FAILS(sinew_puppet_update(NULL, NULL, 0, NULL, 0, NULL, NULL, 0), SINEW_STATUS_NULL, "puppet is NULL");
    FAILS(sinew_puppet_write_glb(NULL, "x.glb"), SINEW_STATUS_NULL, "puppet is NULL");
    EXPECT(sinew_body_link_count(NULL) == 0);
    EXPECT(sinew_character_node_count(NULL) == 0);
    EXPECT(sinew_character_node_name(NULL, 0) == NULL);
    EXPECT(sinew_character_node_parent(NULL, 0) == SINEW_NONE);
    EXPECT(sinew_puppet_part_count(NULL) == 0);
    sinew_body_free(NULL);
    sinew_character_free(NULL);
    sinew_puppet_free(NULL);
}

static void test_bodies_that_are_refused(void)
{
    SinewLink links[2];
    SinewBody *body;

    links[0] = sinew_link(SINEW_NONE, 0.0, 0.0, 0.0);
    links[1] = sinew_link(0, 0.0, 1.0, 0.0);
    body = (SinewBody *)links;
    FAILS(sinew_body_new(links, 0, &body), SINEW_STATUS_INVALID, "no links");
    EXPECT(body == NULL);
    FAILS(sinew_body_new(NULL, 2, &body), SINEW_STATUS_NULL, "links is NULL");
    FAILS(sinew_body_new(links, SIZE_MAX, &body), SINEW_STATUS_LENGTH, "links");
    links[1].parent = 1;
    FAILS(sinew_body_new(links, 2, &body), SINEW_STATUS_INVALID, "link 1 has parent");
    links[1].parent = -7;
    FAILS(sinew_body_new(links, 2, &body), SINEW_STATUS_INVALID, "link 1 has parent -7");
    links[1] = sinew_link(0, (double)NAN, 1.0, 0.0);
    FAILS(sinew_body_new(links, 2, &body), SINEW_STATUS_INVALID, "offset");
    links[1] = sinew_link(0, 0.0, 1.0, 0.0);
    links[1].limit.kind = 77;
    FAILS(sinew_body_new(links, 2, &body), SINEW_STATUS_INVALID, "limit kind 77");
    links[1].limit.kind = SINEW_HINGE;
    links[1].limit.min = 1.0;
    FAILS(sinew_body_new(links, 2, &body), SINEW_STATUS_INVALID, "limit range");
    links[1].limit.kind = SINEW_EULER;
    links[1].limit.order = 6;
    FAILS(sinew_body_new(links, 2, &body), SINEW_STATUS_INVALID, "link 1: Euler angle order 6");
    links[1].limit.order = SINEW_EULER_ZYX;
    links[1].limit.euler_max[2] = -0.5;
    FAILS(sinew_body_new(links, 2, &body), SINEW_STATUS_INVALID, "limit range");
    links[1].limit.kind = SINEW_FREE;
    memset(links[1].rest, 0, sizeof links[1].rest);
    FAILS(sinew_body_new(links, 2, &body), SINEW_STATUS_INVALID, "rest rotation");
    EXPECT(body == NULL);
}

/* Turns a link whose Euler angles are limited to the first one, from 0 to 0.5, towards a point. The tip is at x = 1. */
static void turn_by_first_angle(uint32_t order, double angle, SinewResult *result, double *rotations)
{
    SinewLink links[2];
    SinewBody *body = NULL;
    SinewGoal goal = sinew_goal(1);

    links[0] = sinew_link(SINEW_NONE, 0.0, 0.0, 0.0);
    links[0].limit.kind = SINEW_EULER;
    links[0].limit.order = order;
    links[0].limit.euler_max[0] = 0.5;
    links[1] = sinew_link(0, 1.0, 0.0, 0.0);
    OK(sinew_body_new(links, 2, &body));
    goal.parts = SINEW_POSITION;
    goal.position[0] = cos(angle);
    goal.position[2] = -sin(angle);
    OK(sinew_body_solve(body, &goal, 1, NULL, result, 1));
    OK(sinew_body_rotations(body, rotations, 8));
    sinew_body_free(body);
}

static void test_limits_on_euler_angles(void)
{
    SinewResult result;
    double rotations[8];

    turn_by_first_angle(SINEW_EULER_YXZ, 0.3, &result, rotations);
    EXPECT(result.outcome == SINEW_OUTCOME_REACHED && fabs(rotations[1] - sin(0.15)) < 1e-3);
    turn_by_first_angle(SINEW_EULER_YXZ, 1.5, &result, rotations);
    EXPECT(result.outcome != SINEW_OUTCOME_REACHED);
    EXPECT(fabs(rotations[0]) < 1e-9 && fabs(rotations[2]) < 1e-9);
    EXPECT(rotations[1] > 0.2 && rotations[1] < sin(0.25) + 1e-9);
    /* The first angle is about z, which does not move the tip towards the point. */
    turn_by_first_angle(SINEW_EULER_ZYX, 0.3, &result, rotations);
    EXPECT(result.outcome != SINEW_OUTCOME_REACHED);
    EXPECT(fabs(rotations[0]) < 1e-9 && fabs(rotations[1]) < 1e-9);
}

static void test_solve(void)
{
    SinewBody *arm = new_arm();
    SinewGoal goal = sinew_goal(LINKS - 1);
    SinewResult result;
    double before[4 * LINKS], after[4 * LINKS], positions[3 * LINKS];

    EXPECT(sinew_body_link_count(arm) == LINKS);
    OK(sinew_body_rotations(arm, before, 4 * LINKS));
    FAILS(sinew_body_solve(arm, &goal, 1, NULL, &result, 1), SINEW_STATUS_INVALID, "nothing to reach");
    goal.parts = SINEW_POSITION | 1024;
    FAILS(sinew_body_solve(arm, &goal, 1, NULL, &result, 1), SINEW_STATUS_INVALID, "parts");
    goal.parts = SINEW_POSITION;
    goal.position[0] = (double)NAN;
    FAILS(sinew_body_solve(arm, &goal, 1, NULL, &result, 1), SINEW_STATUS_SOLVE, "position");
    goal.position[0] = 1.0;
    goal.position[1] = 1.5;
    goal.link = 99;
    FAILS(sinew_body_solve(arm, &goal, 1, NULL, &result, 1), SINEW_STATUS_SOLVE, "link 99");
    goal.link = LINKS - 1;
    FAILS(sinew_body_solve(arm, &goal, 1, "method=magic", &result, 1), SINEW_STATUS_INVALID, "method");
    FAILS(sinew_body_solve(arm, &goal, 1, "tolerance", &result, 1), SINEW_STATUS_INVALID, "tolerance");
    FAILS(sinew_body_solve(arm, &goal, 1, "method=\xff", &result, 1), SINEW_STATUS_INVALID, "UTF-8");
    FAILS(sinew_body_solve(arm, &goal, 1, NULL, &result, 3), SINEW_STATUS_LENGTH, "results must have 1");
    FAILS(sinew_body_solve(arm, &goal, 1, NULL, NULL, 1), SINEW_STATUS_NULL, "results is NULL");
    FAILS(sinew_body_solve(arm, NULL, 1, NULL, NULL, 0), SINEW_STATUS_NULL, "goals is NULL");
    /* None of these calls has moved the arm. */
    OK(sinew_body_rotations(arm, after, 4 * LINKS));
    EXPECT(memcmp(before, after, sizeof before) == 0);

    OK(sinew_body_solve(arm, &goal, 1, "method=ccd; tolerance=1mm;", &result, 1));
    EXPECT(result.outcome == SINEW_OUTCOME_REACHED);
    EXPECT(result.position_error < 1e-3 && isnan(result.orientation_error));
    OK(sinew_body_positions(arm, positions, 3 * LINKS));
    EXPECT(fabs(positions[9] - 1.0) < 1e-3 && fabs(positions[10] - 1.5) < 1e-3 && fabs(positions[11]) < 1e-3);
    goal.position[0] = 50.0;
    OK(sinew_body_solve(arm, &goal, 1, NULL, &result, 1));
    EXPECT(result.outcome == SINEW_OUTCOME_OUT_OF_REACH);

    FAILS(sinew_body_rotations(arm, after, 3), SINEW_STATUS_LENGTH, "must have 16 elements, but has 3");
    FAILS(sinew_body_set_rotations(arm, NULL, 4 * LINKS), SINEW_STATUS_NULL, "rotations is NULL");
    memset(after, 0, sizeof after);
    FAILS(sinew_body_set_rotations(arm, after, 4 * LINKS), SINEW_STATUS_INVALID, "rotation 0");
    OK(sinew_body_set_rotations(arm, before, 4 * LINKS));
    OK(sinew_body_rotations(arm, after, 4 * LINKS));
    EXPECT(memcmp(before, after, sizeof before) == 0);
    sinew_body_free(arm);
}

/* Every solution of `sinew_body_solve_many` has the bits of a single solve. */
static void test_solve_many(void)
{
    static double targets[3 * TARGETS], rotations[4 * LINKS * TARGETS], errors[TARGETS];
    double single[4 * LINKS];
    SinewBody *arm = new_arm();
    SinewGoal goal = sinew_goal(LINKS - 1);
    SinewResult result;
    size_t i, reached = 0;

    srand(7);
    for (i = 0; i < 3 * TARGETS; i++) {
        targets[i] = 4.0 * rand() / RAND_MAX - 2.0;
    }
    OK(sinew_body_solve_many(arm, LINKS - 1, targets, TARGETS, NULL, rotations, 4 * LINKS * TARGETS, errors, TARGETS));
    goal.parts = SINEW_POSITION;
    for (i = 0; i < TARGETS; i++) {
        memcpy(goal.position, targets + 3 * i, sizeof goal.position);
        OK(sinew_body_reset(arm));
        OK(sinew_body_solve(arm, &goal, 1, NULL, &result, 1));
        OK(sinew_body_rotations(arm, single, 4 * LINKS));
        EXPECT(memcmp(single, rotations + 4 * LINKS * i, sizeof single) == 0);
        EXPECT(memcmp(&errors[i], &result.position_error, sizeof errors[i]) == 0);
        reached += result.outcome == SINEW_OUTCOME_REACHED;
    }
    /* Targets in the corners of the cube are out of reach. */
    EXPECT(reached > TARGETS * 9 / 10 && reached < TARGETS);
    FAILS(sinew_body_solve_many(arm, LINKS - 1, targets, TARGETS, NULL, rotations, 5, errors, TARGETS),
          SINEW_STATUS_LENGTH, "rotations must have 8000");
    FAILS(sinew_body_solve_many(arm, LINKS - 1, targets, SIZE_MAX, NULL, rotations, 5, errors, TARGETS),
          SINEW_STATUS_LENGTH, "targets");
    FAILS(sinew_body_solve_many(arm, 99, targets, TARGETS, NULL, rotations, 4 * LINKS * TARGETS, errors, TARGETS),
          SINEW_STATUS_SOLVE, "target 0: goal 0 is for link 99");
    OK(sinew_body_solve_many(arm, LINKS - 1, NULL, 0, NULL, NULL, 0, NULL, 0));
    memset(rotations, 0, sizeof rotations);
    FAILS(sinew_body_solve_many(arm, LINKS - 1, targets, TARGETS, NULL, rotations, 4 * LINKS * TARGETS, NULL, TARGETS),
          SINEW_STATUS_NULL, "errors is NULL");
    FAILS(sinew_body_solve_many(arm, LINKS - 1, (double *)(void *)((char *)targets + 1), TARGETS - 1, NULL, rotations,
                                4 * LINKS * (TARGETS - 1), errors, TARGETS - 1),
          SINEW_STATUS_NULL, "targets is not aligned");
    /* Nothing is written by a call that fails. */
    for (i = 0; i < 4 * LINKS * TARGETS; i++) {
        EXPECT(rotations[i] == 0.0);
    }
    sinew_body_free(arm);
}

static void test_characters_that_are_refused(void)
{
    static const char *const path = "no/such/file.glb";
    static const uint8_t bytes[] = {'g', 'l', 'T', 'F', 2, 0, 0, 0};
    SinewCharacter *character = (SinewCharacter *)bytes;

    FAILS(sinew_character_load(path, &character), SINEW_STATUS_FILE, path);
    EXPECT(character == NULL);
    FAILS(sinew_character_load_bytes(bytes, sizeof bytes, &character), SINEW_STATUS_FILE, "<memory>");
    FAILS(sinew_character_load_bytes(NULL, 0, &character), SINEW_STATUS_FILE, "<memory>");
    FAILS(sinew_character_load_bytes(NULL, 5, &character), SINEW_STATUS_NULL, "bytes is NULL");
    EXPECT(character == NULL);
}

static float *skinned(const SinewPuppet *puppet, size_t *count)
{
    size_t vertices, triangles, normals;
    float *numbers;

    OK(sinew_puppet_part_size(puppet, 0, &vertices, &triangles, &normals));
    EXPECT(vertices > 1000 && normals == vertices && triangles > 1000);
    *count = 3 * vertices;
    numbers = malloc(2 * *count * sizeof *numbers);
    EXPECT(numbers != NULL);
    OK(sinew_puppet_skin(puppet, 0, numbers, *count, numbers + *count, *count));
    return numbers;
}

static void test_puppet(const char *glb)
{
    SinewCharacter *character = NULL, *copy = NULL;
    SinewPuppet *puppet = NULL, *posed = NULL;
    SinewTarget targets[2];
    SinewResult results[2];
    size_t hand, foot, walk, nodes, count, copied, i;
    float *positions, *matrices, *transforms, *of_copy, largest = 0.0f;

    OK(sinew_character_mannequin(&character));
    nodes = sinew_character_node_count(character);
    EXPECT(nodes > 20 && sinew_character_clip_count(character) == 5);
    OK(sinew_character_find_node(character, "leftHand", &hand));
    EXPECT(strcmp(sinew_character_node_name(character, hand), "leftHand") == 0);
    EXPECT(sinew_character_node_parent(character, hand) >= 0);
    EXPECT(sinew_character_node_name(character, nodes) == NULL);
    OK(sinew_character_find_node(character, "rightFoot", &foot));
    OK(sinew_character_find_clip(character, "walk", &walk));
    EXPECT(sinew_character_clip_seconds(character, walk) == 1.0f);
    FAILS(sinew_character_find_node(character, "tail", &hand), SINEW_STATUS_INVALID, "\"tail\" does not exist");
    FAILS(sinew_puppet_new(character, "no.rig.toml", &puppet), SINEW_STATUS_FILE, "no.rig.toml");
    OK(sinew_puppet_new(character, NULL, &puppet));
    sinew_character_free(character);

    FAILS(sinew_puppet_play(puppet, 99, 0.0f), SINEW_STATUS_INVALID, "clip 99");
    FAILS(sinew_puppet_play(puppet, walk, NAN), SINEW_STATUS_INVALID, "not finite");
    OK(sinew_puppet_play(puppet, walk, 0.3f));
    targets[0] = sinew_target(hand);
    targets[0].parts = SINEW_POSITION;
    targets[0].position[0] = 0.4;
    targets[0].position[1] = 1.3;
    targets[0].position[2] = 0.3;
    targets[1] = sinew_target(nodes);
    targets[1].parts = SINEW_POSITION;
    FAILS(sinew_puppet_update(puppet, targets, 2, NULL, 0, NULL, NULL, 0), SINEW_STATUS_INVALID, "node 55");
    FAILS(sinew_puppet_update(puppet, targets, 1, &nodes, 1, NULL, NULL, 0), SINEW_STATUS_INVALID, "node 55");
    targets[1].node = hand;
    targets[1].base = -2;
    FAILS(sinew_puppet_update(puppet, targets, 2, NULL, 0, NULL, NULL, 0), SINEW_STATUS_INVALID, "base -2");
    targets[0].position[1] = (double)INFINITY;
    FAILS(sinew_puppet_update(puppet, targets, 1, NULL, 0, NULL, NULL, 0), SINEW_STATUS_SOLVE, "leftHand");
    targets[0].position[1] = 1.3;
    OK(sinew_puppet_update(puppet, targets, 1, &foot, 1, NULL, results, 1));
    EXPECT(results[0].outcome == SINEW_OUTCOME_REACHED && results[0].position_error < 1e-3);

    matrices = malloc(16 * nodes * sizeof *matrices);
    transforms = malloc(SINEW_POSE_STRIDE * nodes * sizeof *transforms);
    EXPECT(matrices != NULL && transforms != NULL);
    OK(sinew_puppet_world_matrices(puppet, matrices, 16 * nodes));
    for (i = 0; i < 3; i++) {
        EXPECT(fabs(matrices[16 * hand + 12 + i] - targets[0].position[i]) < 1e-3);
    }
    OK(sinew_puppet_pose(puppet, transforms, SINEW_POSE_STRIDE * nodes));
    for (i = 0; i < nodes; i++) {
        const float *q = transforms + SINEW_POSE_STRIDE * i + 3;
        EXPECT(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) < 1e-5);
    }
    FAILS(sinew_puppet_pose(puppet, transforms, 3), SINEW_STATUS_LENGTH, "must have 550");

    /* The skinned copy of the file is in the same pose. */
    positions = skinned(puppet, &count);
    FAILS(sinew_puppet_skin(puppet, 9, positions, count, NULL, 0), SINEW_STATUS_INVALID, "part 9");
    FAILS(sinew_puppet_skin(puppet, 0, positions, 4, NULL, 0), SINEW_STATUS_LENGTH, "positions");
    OK(sinew_puppet_write_glb(puppet, glb));
    FAILS(sinew_puppet_write_glb(puppet, "/no/such/folder/x.glb"), SINEW_STATUS_FILE, "/no/such/folder/x.glb");
    OK(sinew_character_load(glb, &copy));
    OK(sinew_puppet_new(copy, NULL, &posed));
    of_copy = skinned(posed, &copied);
    EXPECT(copied == count);
    for (i = 0; i < count; i++) {
        float difference = (float)fabs(of_copy[i] - positions[i]);
        largest = difference > largest ? difference : largest;
    }
    EXPECT(largest < 1e-5f);
    free(of_copy);
    free(positions);
    free(transforms);
    free(matrices);
    sinew_puppet_free(posed);
    sinew_character_free(copy);
    sinew_puppet_free(puppet);
}

static const char *const ARM =
    "<robot name='arm'><link name='base'/><link name='upper'/><link name='fore'/><link name='tool'/>"
    "<joint name='turn' type='continuous'><parent link='base'/><child link='upper'/><axis xyz='0 0 1'/></joint>"
    "<joint name='bend' type='revolute'><parent link='upper'/><child link='fore'/><origin xyz='0 0 0.5'/>"
    "<axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='1' velocity='1.5'/></joint>"
    "<joint name='reach' type='prismatic'><parent link='fore'/><child link='tool'/><origin xyz='0 0 0.3'/>"
    "<axis xyz='0 0 1'/><limit lower='0' upper='0.4' effort='1' velocity='0.2'/></joint></robot>";

enum { JOINTS = 3 };

/* Returns a problem with one goal. */
static SinewRobotProblem one_goal(const SinewGoal *goal, const double *q0, size_t q0_count, const char *options)
{
    SinewRobotProblem problem = {0};

    problem.goals = goal;
    problem.goal_count = 1;
    problem.q0 = q0;
    problem.q0_count = q0_count;
    problem.options = options;
    return problem;
}

static void test_robots_that_are_refused(void)
{
    SinewRobot *robot = NULL;
    SinewRobotProblem problem = {0};
    SinewJoint joint;
    double numbers[18] = {0};
    size_t index;

    FAILS(sinew_robot_from_urdf(ARM, NULL), SINEW_STATUS_NULL, "out is NULL");
    FAILS(sinew_robot_from_urdf(NULL, &robot), SINEW_STATUS_NULL, "urdf is NULL");
    FAILS(sinew_robot_from_urdf("<robot/>", &robot), SINEW_STATUS_FILE, "URDF");
    EXPECT(robot == NULL);
    FAILS(sinew_robot_load("missing.urdf", &robot), SINEW_STATUS_FILE, "missing.urdf");
    FAILS(sinew_robot_joint(NULL, 0, &joint), SINEW_STATUS_NULL, "robot is NULL");
    EXPECT(sinew_robot_joint_count(NULL) == 0 && sinew_robot_link_count(NULL) == 0);
    EXPECT(sinew_robot_joint_name(NULL, 0) == NULL && sinew_robot_link_name(NULL, 0) == NULL);
    sinew_robot_free(NULL);

    OK(sinew_robot_from_urdf(ARM, &robot));
    FAILS(sinew_robot_joint(robot, 3, &joint), SINEW_STATUS_INVALID, "joint 3 does not exist; there are 3");
    FAILS(sinew_robot_joint(robot, 0, NULL), SINEW_STATUS_NULL, "out is NULL");
    FAILS(sinew_robot_find_link(robot, "tol", &index), SINEW_STATUS_INVALID, "did you mean \"tool\"");
    FAILS(sinew_robot_find_joint(robot, "tool", &index), SINEW_STATUS_INVALID, "\"tool\" has no value in q");
    FAILS(sinew_robot_fk(robot, numbers, 2, 3, numbers, 16), SINEW_STATUS_LENGTH, "turn, bend, reach");
    FAILS(sinew_robot_fk(robot, numbers, JOINTS, 4, numbers, 16), SINEW_STATUS_INVALID, "link 4");
    FAILS(sinew_robot_fk(robot, numbers, JOINTS, 3, numbers, 12), SINEW_STATUS_LENGTH, "matrix");
    FAILS(sinew_robot_jacobian(robot, numbers, JOINTS, 3, NULL, numbers, 17), SINEW_STATUS_LENGTH, "jacobian");
    FAILS(sinew_robot_fk(NULL, numbers, JOINTS, 3, numbers, 16), SINEW_STATUS_NULL, "robot is NULL");
    FAILS(sinew_robot_find_link(robot, NULL, &index), SINEW_STATUS_NULL, "name is NULL");
    EXPECT(sinew_robot_link_name(robot, 4) == NULL);
    EXPECT(strstr(sinew_last_error(), "link 4 does not exist; there are 4") != NULL);
    FAILS(sinew_robot_solve(NULL, &problem, numbers, JOINTS, NULL, 0), SINEW_STATUS_NULL, "robot is NULL");
    FAILS(sinew_robot_solve(robot, NULL, numbers, JOINTS, NULL, 0), SINEW_STATUS_NULL, "problem is NULL");
    problem.goal_count = 1;
    FAILS(sinew_robot_solve(robot, &problem, numbers, JOINTS, NULL, 0), SINEW_STATUS_NULL, "goals is NULL");
    problem.goal_count = 0;
    problem.q0_count = JOINTS;
    FAILS(sinew_robot_solve(robot, &problem, numbers, JOINTS, NULL, 0), SINEW_STATUS_NULL, "q0 is NULL");
    numbers[1] = NAN;
    FAILS(sinew_robot_fk(robot, numbers, JOINTS, 3, numbers, 16), SINEW_STATUS_INVALID, "\"bend\" is not finite");
    sinew_robot_free(robot);
}

static void test_robot(void)
{
    SinewRobot *robot = NULL;
    SinewRobotProblem problem;
    SinewJoint joint;
    SinewGoal goal;
    SinewResult result;
    double q[JOINTS] = {0.4, 0.9, 0.1}, found[JOINTS] = {0.0, 0.5, 0.0};
    double pose[16], after[16], jacobian[6 * JOINTS], before;
    size_t tool, bend, i;

    OK(sinew_robot_from_urdf(ARM, &robot));
    EXPECT(sinew_robot_joint_count(robot) == JOINTS && sinew_robot_link_count(robot) == 4);
    EXPECT(strcmp(sinew_robot_joint_name(robot, 1), "bend") == 0);
    EXPECT(strcmp(sinew_robot_link_name(robot, 0), "base") == 0);
    OK(sinew_robot_find_joint(robot, "bend", &bend));
    OK(sinew_robot_joint(robot, bend, &joint));
    EXPECT(bend == 1 && joint.unit == SINEW_UNIT_RADIANS && joint.lower == -2.0 && joint.upper == 2.0);
    EXPECT(joint.velocity == 1.5 && joint.rest == 0.0);
    OK(sinew_robot_joint(robot, 0, &joint));
    EXPECT(joint.lower < -1e300 && joint.upper > 1e300);
    OK(sinew_robot_joint(robot, 2, &joint));
    EXPECT(joint.unit == SINEW_UNIT_METRES && joint.upper == 0.4);

    /* The height of the tool is 0.5 + (0.3 + 0.1) cos 0.9. */
    OK(sinew_robot_find_link(robot, "tool", &tool));
    OK(sinew_robot_fk(robot, q, JOINTS, tool, pose, 16));
    EXPECT(fabs(pose[14] - (0.5 + 0.4 * cos(0.9))) < 1e-12 && pose[15] == 1.0);

    /* The columns of the Jacobian are difference quotients. */
    OK(sinew_robot_jacobian(robot, q, JOINTS, tool, NULL, jacobian, 6 * JOINTS));
    for (i = 0; i < JOINTS; i++) {
        before = q[i];
        q[i] += 1e-7;
        OK(sinew_robot_fk(robot, q, JOINTS, tool, after, 16));
        q[i] = before;
        EXPECT(fabs((after[12] - pose[12]) / 1e-7 - jacobian[i]) < 1e-6);
        EXPECT(fabs((after[14] - pose[14]) / 1e-7 - jacobian[2 * JOINTS + i]) < 1e-6);
    }

    /* A solve finds the pose again. q0 and q may be the same array. */
    goal = sinew_goal(tool);
    goal.parts = SINEW_POSITION;
    memcpy(goal.position, pose + 12, sizeof goal.position);
    problem = one_goal(&goal, found, JOINTS, NULL);
    FAILS(sinew_robot_solve(robot, &problem, found, 2, NULL, 0), SINEW_STATUS_LENGTH, "q must");
    problem.q0_count = 2;
    FAILS(sinew_robot_solve(robot, &problem, found, JOINTS, NULL, 0), SINEW_STATUS_LENGTH, "q must");
    problem = one_goal(&goal, found, JOINTS, "tolerance=1e-8");
    FAILS(sinew_robot_solve(robot, &problem, found, JOINTS, &result, 2), SINEW_STATUS_LENGTH, "results must");
    OK(sinew_robot_solve(robot, &problem, found, JOINTS, &result, 1));
    EXPECT(result.outcome == SINEW_OUTCOME_REACHED && result.position_error < 1e-7);
    OK(sinew_robot_fk(robot, found, JOINTS, tool, after, 16));
    EXPECT(fabs(after[12] - pose[12]) < 1e-7 && fabs(after[14] - pose[14]) < 1e-7);
    goal.link = 9;
    problem = one_goal(&goal, q, JOINTS, NULL);
    FAILS(sinew_robot_solve(robot, &problem, q, JOINTS, NULL, 0), SINEW_STATUS_SOLVE, "link 9");
    EXPECT(q[1] == 0.9);
    sinew_robot_free(robot);
}

#define GANTRY_JOINTS                                                                                                  \
    "<joint name='x' type='prismatic'><parent link='base'/><child link='bridge'/><axis xyz='1 0 0'/>"                  \
    "<limit lower='-1' upper='1' effort='1' velocity='0.5'/></joint>"                                                  \
    "<joint name='y' type='prismatic'><parent link='bridge'/><child link='tool'/><axis xyz='0 1 0'/>"                  \
    "<limit lower='-1' upper='1' effort='1' velocity='0.25'/></joint></robot>"

/* Two slides along x and y. */
static const char *const GANTRY =
    "<robot name='gantry'><link name='base'/><link name='bridge'/><link name='tool'/>" GANTRY_JOINTS;

/* The same robot with a ball 0.3 m below the origin, and a ball as its tool. */
static const char *const GANTRY_WITH_SHAPES =
    "<robot name='gantry'><link name='base'><visual><origin xyz='0 0 -0.3'/><geometry><sphere radius='0.1'/></geometry>"
    "</visual></link><link name='bridge'/><link name='tool'><visual><geometry><sphere radius='0.05'/></geometry>"
    "</visual></link>" GANTRY_JOINTS;

#define HINGE(name, parent, child, x)                                                                                  \
    "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child "'/>"                      \
    "<origin xyz='" x " 0 0'/><axis xyz='0 0 1'/><limit lower='-2.8' upper='2.8' effort='1' velocity='1'/></joint>"

/* Three bones of 0.4 m in a plane. */
static const char *const PLANAR =
    "<robot name='planar'><link name='base'/><link name='a'/><link name='b'/><link name='c'/><link name='tip'/>"
    HINGE("j1", "base", "a", "0") HINGE("j2", "a", "b", "0.4") HINGE("j3", "b", "c", "0.4")
    "<joint name='end' type='fixed'><parent link='c'/><child link='tip'/><origin xyz='0.4 0 0'/></joint></robot>";

enum { SLIDES = 2, BONES = 3, TRAJECTORY_ROWS = 64 };

static SinewObstacle new_obstacle(const char *name, uint32_t kind, const double *points, size_t point_count)
{
    SinewObstacle obstacle = {0};

    obstacle.name = name;
    obstacle.kind = kind;
    obstacle.points = points;
    obstacle.point_count = point_count;
    return obstacle;
}

/* A gantry with a ball of 0.05 m as its tool and one obstacle. */
static SinewRobot *new_gantry(const SinewObstacle *obstacle, double margin)
{
    SinewRobot *plain = NULL, *robot = NULL;
    SinewCapsule ball = {0};
    SinewCollisions collisions = {0};

    OK(sinew_robot_from_urdf(GANTRY, &plain));
    OK(sinew_robot_find_link(plain, "tool", &ball.link));
    ball.radius = 0.05;
    collisions.capsules = &ball;
    collisions.capsule_count = 1;
    collisions.obstacles = obstacle;
    collisions.obstacle_count = 1;
    collisions.margin = margin;
    OK(sinew_robot_with_collisions(plain, &collisions, &robot));
    sinew_robot_free(plain);
    return robot;
}

/* A planar arm whose bones have a radius of 0.03 m, and one obstacle. */
static SinewRobot *new_planar(const SinewObstacle *obstacle, double margin)
{
    static const char *const names[BONES] = {"a", "b", "c"};
    SinewRobot *plain = NULL, *robot = NULL;
    SinewCapsule bones[BONES];
    SinewCollisions collisions = {0};
    size_t i;

    OK(sinew_robot_from_urdf(PLANAR, &plain));
    memset(bones, 0, sizeof bones);
    for (i = 0; i < BONES; i++) {
        OK(sinew_robot_find_link(plain, names[i], &bones[i].link));
        bones[i].end[0] = 0.4;
        bones[i].radius = 0.03;
    }
    collisions.capsules = bones;
    collisions.capsule_count = BONES;
    collisions.obstacles = obstacle;
    collisions.obstacle_count = 1;
    collisions.margin = margin;
    OK(sinew_robot_with_collisions(plain, &collisions, &robot));
    sinew_robot_free(plain);
    return robot;
}

#define REFUSED(status, text)                                                                                          \
    do {                                                                                                               \
        copy = (SinewRobot *)&collisions;                                                                              \
        FAILS(sinew_robot_with_collisions(robot, &collisions, &copy), status, text);                                   \
        EXPECT(copy == NULL);                                                                                          \
    } while (0)

static void test_collisions_that_are_refused(void)
{
    static const double points[6] = {0.5, 0.0, 0.0, 0.5, 0.1, 0.0};
    SinewRobot *robot = NULL, *copy = NULL;
    SinewCollisions collisions = {0};
    SinewCapsule capsule = {0};
    SinewObstacle balls[2];
    SinewClearance clearance;
    double q[SLIDES] = {0.0, 0.0}, gradient[SLIDES] = {7.0, 7.0};

    OK(sinew_robot_from_urdf(GANTRY, &robot));
    FAILS(sinew_robot_with_collisions(robot, &collisions, NULL), SINEW_STATUS_NULL, "out is NULL");
    FAILS(sinew_robot_with_collisions(NULL, &collisions, &copy), SINEW_STATUS_NULL, "robot is NULL");
    FAILS(sinew_robot_with_collisions(robot, NULL, &copy), SINEW_STATUS_NULL, "collisions is NULL");
    REFUSED(SINEW_STATUS_INVALID, "urdf and capsules are both missing");
    collisions.urdf = "missing.urdf";
    REFUSED(SINEW_STATUS_FILE, "missing.urdf");
    collisions.capsule_count = 1;
    REFUSED(SINEW_STATUS_NULL, "capsules is NULL");
    collisions.capsules = &capsule;
    REFUSED(SINEW_STATUS_INVALID, "urdf and capsules are both set");
    collisions.urdf = NULL;
    capsule.link = 9;
    capsule.radius = 0.05;
    REFUSED(SINEW_STATUS_INVALID, "link 9");
    OK(sinew_robot_find_link(robot, "tool", &capsule.link));
    capsule.radius = 0.0;
    REFUSED(SINEW_STATUS_INVALID, "link \"tool\": the radius");
    capsule.radius = 0.05;
    collisions.srdf = "missing.srdf";
    REFUSED(SINEW_STATUS_FILE, "missing.srdf");
    collisions.srdf = NULL;
    collisions.margin = -1.0;
    REFUSED(SINEW_STATUS_INVALID, "margin");
    collisions.margin = 0.0;

    /* The message names the obstacle. */
    collisions.obstacle_count = 1;
    REFUSED(SINEW_STATUS_NULL, "obstacles is NULL");
    collisions.obstacles = balls;
    balls[0] = new_obstacle(NULL, SINEW_OBSTACLE_SPHERE, points, 1);
    REFUSED(SINEW_STATUS_NULL, "the name of obstacle 0 is NULL");
    balls[0].name = "ball\xff";
    REFUSED(SINEW_STATUS_INVALID, "the name of obstacle 0 is not valid UTF-8");
    balls[0].name = "ball";
    REFUSED(SINEW_STATUS_INVALID, "obstacle \"ball\": the radius");
    balls[0].radius = 0.1;
    balls[0].point_count = 2;
    REFUSED(SINEW_STATUS_LENGTH, "obstacle \"ball\": point_count must be 1, but is 2");
    balls[0].point_count = SIZE_MAX;
    REFUSED(SINEW_STATUS_LENGTH, "obstacle \"ball\": points");
    balls[0] = new_obstacle("ball", SINEW_OBSTACLE_SPHERE, NULL, 1);
    REFUSED(SINEW_STATUS_NULL, "obstacle \"ball\": points is NULL");
    balls[0] = new_obstacle("ball", SINEW_OBSTACLE_CAPSULE, points, 1);
    REFUSED(SINEW_STATUS_LENGTH, "obstacle \"ball\": point_count must be 2, but is 1");
    balls[0] = new_obstacle("ball", SINEW_OBSTACLE_BOX, points, 1);
    REFUSED(SINEW_STATUS_INVALID, "obstacle \"ball\": the size");
    balls[0].size[0] = balls[0].size[1] = balls[0].size[2] = 0.1;
    balls[0].rotation[2] = (double)NAN;
    REFUSED(SINEW_STATUS_INVALID, "obstacle \"ball\": the rotation");
    balls[0] = new_obstacle("ball", SINEW_OBSTACLE_HULL, points, 2);
    REFUSED(SINEW_STATUS_INVALID, "obstacle \"ball\": ");
    balls[0] = new_obstacle("ball", SINEW_OBSTACLE_HULL, NULL, 0);
    REFUSED(SINEW_STATUS_INVALID, "obstacle \"ball\": ");
    balls[0] = new_obstacle("ball", 77, points, 1);
    REFUSED(SINEW_STATUS_INVALID, "obstacle \"ball\": kind 77");
    balls[0] = new_obstacle("ball", SINEW_OBSTACLE_SPHERE, points, 1);
    balls[0].radius = 0.1;
    balls[1] = balls[0];
    collisions.obstacle_count = 2;
    REFUSED(SINEW_STATUS_INVALID, "obstacle \"ball\" already exists");

    /* A robot without collisions has nothing to avoid. */
    FAILS(sinew_robot_clearance(NULL, q, SLIDES, &clearance), SINEW_STATUS_NULL, "robot is NULL");
    FAILS(sinew_robot_clearance(robot, NULL, SLIDES, &clearance), SINEW_STATUS_NULL, "q is NULL");
    FAILS(sinew_robot_clearance(robot, q, SLIDES, NULL), SINEW_STATUS_NULL, "out is NULL");
    FAILS(sinew_robot_clearance(robot, q, 1, &clearance), SINEW_STATUS_LENGTH, "q must have 2 values (x, y)");
    FAILS(sinew_robot_clearance_gradient(NULL, q, SLIDES, gradient, SLIDES), SINEW_STATUS_NULL, "robot is NULL");
    FAILS(sinew_robot_clearance_gradient(robot, q, SLIDES, gradient, 1), SINEW_STATUS_LENGTH, "gradient must have 2");
    OK(sinew_robot_clearance(robot, q, SLIDES, &clearance));
    EXPECT(isinf(clearance.distance) && clearance.names[0] == NULL && clearance.names[1] == NULL);
    OK(sinew_robot_clearance_gradient(robot, q, SLIDES, gradient, SLIDES));
    EXPECT(gradient[0] == 0.0 && gradient[1] == 0.0);
    sinew_robot_free(robot);
}

static void test_clearance(void)
{
    static const double ends[6] = {0.5, -0.2, 0.0, 0.5, 0.2, 0.0};
    SinewObstacle post = new_obstacle("post", SINEW_OBSTACLE_CAPSULE, ends, 2);
    SinewRobot *robot;
    SinewRobotProblem problem;
    SinewClearance clearance;
    SinewGoal goal;
    SinewResult result;
    double q[SLIDES] = {0.0, 0.1}, gradient[SLIDES];
    size_t tool;

    post.radius = 0.1;
    robot = new_gantry(&post, 0.01);
    OK(sinew_robot_clearance(robot, q, SLIDES, &clearance));
    EXPECT(fabs(clearance.distance - 0.35) < 1e-9);
    EXPECT(strcmp(clearance.names[0], "tool") == 0 && strcmp(clearance.names[1], "post") == 0);
    EXPECT(fabs(clearance.points[0][0] - 0.05) < 1e-9 && fabs(clearance.points[0][1] - 0.1) < 1e-9);
    EXPECT(fabs(clearance.points[1][0] - 0.4) < 1e-9 && fabs(clearance.points[1][1] - 0.1) < 1e-9);
    EXPECT(fabs(clearance.normal[0] + 1.0) < 1e-9 && fabs(clearance.normal[1]) < 1e-9);
    OK(sinew_robot_clearance_gradient(robot, q, SLIDES, gradient, SLIDES));
    EXPECT(fabs(gradient[0] + 1.0) < 1e-9 && fabs(gradient[1]) < 1e-9);

    /* A target inside the post is not reached, and the tool stays out of it. */
    OK(sinew_robot_find_link(robot, "tool", &tool));
    goal = sinew_goal(tool);
    goal.parts = SINEW_POSITION;
    goal.position[0] = 0.5;
    problem = one_goal(&goal, q, SLIDES, NULL);
    OK(sinew_robot_solve(robot, &problem, q, SLIDES, &result, 1));
    EXPECT(result.outcome != SINEW_OUTCOME_REACHED);
    OK(sinew_robot_clearance(robot, q, SLIDES, &clearance));
    EXPECT(clearance.distance > 0.01 - 1e-9);
    sinew_robot_free(robot);
}

/* The plain answer passes through a ball. With collisions, another answer reaches the same target. */
static void test_arm_reaches_around_a_ball(void)
{
    static const double start[BONES] = {0.3, 0.4, 0.4};
    SinewRobot *plain = NULL, *robot;
    SinewRobotProblem problem;
    SinewGoal goal;
    SinewResult result;
    SinewClearance clearance;
    SinewObstacle ball;
    double q[BONES], through[BONES], matrix[16], elbow[3];
    size_t tip, b;

    OK(sinew_robot_from_urdf(PLANAR, &plain));
    OK(sinew_robot_find_link(plain, "tip", &tip));
    OK(sinew_robot_find_link(plain, "b", &b));
    goal = sinew_goal(tip);
    goal.parts = SINEW_POSITION;
    goal.position[0] = 0.5;
    goal.position[1] = 0.5;
    problem = one_goal(&goal, start, BONES, "tolerance=1e-6");
    OK(sinew_robot_solve(plain, &problem, through, BONES, &result, 1));
    EXPECT(result.outcome == SINEW_OUTCOME_REACHED);
    OK(sinew_robot_fk(plain, through, BONES, b, matrix, 16));
    sinew_robot_free(plain);

    memcpy(elbow, matrix + 12, sizeof elbow);
    ball = new_obstacle("ball", SINEW_OBSTACLE_SPHERE, elbow, 1);
    ball.radius = 0.08;
    robot = new_planar(&ball, 0.01);
    OK(sinew_robot_clearance(robot, through, BONES, &clearance));
    EXPECT(clearance.distance < -0.1 && strcmp(clearance.names[1], "ball") == 0);
    OK(sinew_robot_solve(robot, &problem, q, BONES, &result, 1));
    EXPECT(result.outcome == SINEW_OUTCOME_REACHED && result.position_error < 1e-5);
    OK(sinew_robot_clearance(robot, q, BONES, &clearance));
    EXPECT(clearance.distance > 0.01 - 1e-9);
    OK(sinew_robot_fk(robot, q, BONES, tip, matrix, 16));
    EXPECT(fabs(matrix[12] - 0.5) < 1e-5 && fabs(matrix[13] - 0.5) < 1e-5);
    sinew_robot_free(robot);
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The convex hull of the corners of a box has the distances of the box. */
static void test_hull_of_a_box(void)
{
    static const double centre[3] = {0.5, 0.3, 0.5}, size[3] = {0.2, 0.3, 0.4}, rotation[4] = {0.1, 0.2, 0.3, 0.9};
    SinewObstacle box = new_obstacle("box", SINEW_OBSTACLE_BOX, centre, 1);
    SinewObstacle hull;
    SinewRobot *with_box, *with_hull;
    SinewClearance of_box, of_hull;
    double corners[24], unit[4], local[3], turn[3], more[3], q[BONES], length = 0.0;
    size_t i, j, compared = 0;

    for (i = 0; i < 4; i++) {
        length += rotation[i] * rotation[i];
    }
    for (i = 0; i < 4; i++) {
        unit[i] = rotation[i] / sqrt(length);
    }
    /* v + w t + u x t with t = 2 u x v rotates v by the quaternion (u, w). */
    for (i = 0; i < 8; i++) {
        for (j = 0; j < 3; j++) {
            local[j] = ((i >> j) & 1) != 0 ? 0.5 * size[j] : -0.5 * size[j];
        }
        cross(unit, local, turn);
        cross(unit, turn, more);
        for (j = 0; j < 3; j++) {
            corners[3 * i + j] = centre[j] + local[j] + 2.0 * (unit[3] * turn[j] + more[j]);
        }
    }
    memcpy(box.size, size, sizeof size);
    memcpy(box.rotation, rotation, sizeof rotation);
    hull = new_obstacle("hull", SINEW_OBSTACLE_HULL, corners, 8);
    with_box = new_planar(&box, 0.0);
    with_hull = new_planar(&hull, 0.0);
    for (i = 0; i < 40; i++) {
        q[0] = -1.0 + 0.07 * (double)i;
        q[1] = 0.6 - 0.04 * (double)i;
        q[2] = -0.4 + 0.03 * (double)i;
        OK(sinew_robot_clearance(with_box, q, BONES, &of_box));
        OK(sinew_robot_clearance(with_hull, q, BONES, &of_hull));
        EXPECT(fabs(of_box.distance - of_hull.distance) < 1e-9);
        /* In some poses, two bones are nearer to each other. */
        if (strcmp(of_box.names[1], "box") == 0) {
            EXPECT(strcmp(of_hull.names[1], "hull") == 0);
            EXPECT(of_box.distance > 0.1);
            compared++;
        }
    }
    EXPECT(compared > 5);
    sinew_robot_free(with_box);
    sinew_robot_free(with_hull);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    EXPECT(file != NULL);
    EXPECT(fputs(text, file) >= 0);
    EXPECT(fclose(file) == 0);
}

/* Capsules are fitted to the shapes of a URDF file, and a SRDF file lets links touch. */
static void test_collision_files(const char *prefix)
{
    char urdf[4096], srdf[4096];
    SinewRobot *robot = NULL, *copy = NULL;
    SinewCollisions collisions = {0};
    SinewClearance clearance;
    double q[SLIDES] = {0.3, 0.0};

    EXPECT(snprintf(urdf, sizeof urdf, "%s.urdf", prefix) < (int)sizeof urdf);
    EXPECT(snprintf(srdf, sizeof srdf, "%s.srdf", prefix) < (int)sizeof srdf);
    OK(sinew_robot_from_urdf(GANTRY, &robot));
    collisions.urdf = urdf;
    write_text(urdf, GANTRY);
    REFUSED(SINEW_STATUS_FILE, "the links have no meshes");
    write_text(urdf, PLANAR);
    REFUSED(SINEW_STATUS_FILE, "the links are not those of robot \"gantry\"");
    write_text(urdf, GANTRY_WITH_SHAPES);
    OK(sinew_robot_with_collisions(robot, &collisions, &copy));
    OK(sinew_robot_clearance(copy, q, SLIDES, &clearance));
    EXPECT(fabs(clearance.distance - (sqrt(0.18) - 0.15)) < 5e-3);
    EXPECT(strcmp(clearance.names[0], "base") == 0 && strcmp(clearance.names[1], "tool") == 0);
    sinew_robot_free(copy);

    collisions.srdf = srdf;
    write_text(srdf, "<robot name='gantry'>\n<disable_collisions link1='tool'/></robot>");
    REFUSED(SINEW_STATUS_FILE, ".srdf: line 2: <disable_collisions> lacks link2");
    write_text(srdf, "<robot name='gantry'><disable_collisions link1='tol' link2='base'/></robot>");
    REFUSED(SINEW_STATUS_FILE, ".srdf: link \"tol\" does not exist; did you mean \"tool\"?");
    write_text(srdf, "<robot name='gantry'><disable_collisions link1='tool' link2='base'/></robot>");
    OK(sinew_robot_with_collisions(robot, &collisions, &copy));
    OK(sinew_robot_clearance(copy, q, SLIDES, &clearance));
    EXPECT(isinf(clearance.distance) && clearance.names[0] == NULL);
    sinew_robot_free(copy);
    sinew_robot_free(robot);
}

static void test_trajectories_that_are_refused(void)
{
    static const double centre[3] = {0.5, 0.0, 0.0};
    SinewObstacle post = new_obstacle("post", SINEW_OBSTACLE_SPHERE, centre, 1);
    SinewRobot *robot;
    SinewTrajectory *path = (SinewTrajectory *)&post;
    SinewTrajectoryOptions options = {0};
    SinewGoal goals[2];
    SinewResult result;
    SinewClearance clearance;
    double q[SLIDES] = {0.0, 0.0};
    size_t row;

    post.radius = 0.1;
    robot = new_gantry(&post, 0.0);
    goals[0] = sinew_goal(2);
    goals[0].parts = SINEW_POSITION;
    goals[0].position[0] = 0.2;
    goals[1] = goals[0];
    goals[1].position[1] = 0.4;
    FAILS(sinew_robot_trajectory(robot, goals, 1, 2, q, SLIDES, NULL, NULL, NULL), SINEW_STATUS_NULL, "out is NULL");
    FAILS(sinew_robot_trajectory(NULL, goals, 1, 2, q, SLIDES, NULL, NULL, &path), SINEW_STATUS_NULL, "robot is NULL");
    EXPECT(path == NULL);
    FAILS(sinew_robot_trajectory(robot, NULL, 1, 2, q, SLIDES, NULL, NULL, &path), SINEW_STATUS_NULL, "goals is NULL");
    FAILS(sinew_robot_trajectory(robot, goals, 1, 2, NULL, SLIDES, NULL, NULL, &path), SINEW_STATUS_NULL, "q0 is NULL");
    FAILS(sinew_robot_trajectory(robot, goals, 1, 2, q, 1, NULL, NULL, &path), SINEW_STATUS_LENGTH, "q must have 2");
    FAILS(sinew_robot_trajectory(robot, goals, 0, 2, q, SLIDES, NULL, NULL, &path), SINEW_STATUS_LENGTH,
          "goals_per_pose must be at least 1");
    FAILS(sinew_robot_trajectory(robot, goals, 2, SIZE_MAX, q, SLIDES, NULL, NULL, &path), SINEW_STATUS_LENGTH,
          "goals cannot have");
    FAILS(sinew_robot_trajectory(robot, goals, 1, 2, q, SLIDES, "method=magic", NULL, &path), SINEW_STATUS_INVALID,
          "method");
    options.largest_step = 1e-3;
    FAILS(sinew_robot_trajectory(robot, goals, 1, 2, q, SLIDES, NULL, &options, &path), SINEW_STATUS_SOLVE,
          "pose 1: joint \"y\" would jump");
    options.largest_step = 0.0;
    options.speed = 1.5;
    FAILS(sinew_robot_trajectory(robot, goals, 1, 2, q, SLIDES, NULL, &options, &path), SINEW_STATUS_INVALID,
          "speed must be greater than 0 and at most 1");
    options.speed = 0.0;
    options.spacing = (double)NAN;
    FAILS(sinew_robot_trajectory(robot, goals, 1, 2, q, SLIDES, NULL, &options, &path), SINEW_STATUS_INVALID,
          "spacing must be finite");
    options.spacing = 0.0;
    options.redundancy = 9;
    FAILS(sinew_robot_trajectory(robot, goals, 1, 2, q, SLIDES, NULL, &options, &path), SINEW_STATUS_INVALID,
          "redundancy 9");
    goals[1].link = 9;
    FAILS(sinew_robot_trajectory(robot, goals, 1, 2, q, SLIDES, NULL, NULL, &path), SINEW_STATUS_SOLVE,
          "pose 1: goal 0 is for link 9");
    EXPECT(path == NULL);

    EXPECT(sinew_trajectory_row_count(NULL) == 0 && sinew_trajectory_reached(NULL) == 0);
    FAILS(sinew_trajectory_times(NULL, q, SLIDES), SINEW_STATUS_NULL, "trajectory is NULL");
    FAILS(sinew_trajectory_q(NULL, q, SLIDES), SINEW_STATUS_NULL, "trajectory is NULL");
    FAILS(sinew_trajectory_pose_rows(NULL, &row, 1), SINEW_STATUS_NULL, "trajectory is NULL");
    FAILS(sinew_trajectory_results(NULL, 0, &result, 1), SINEW_STATUS_NULL, "trajectory is NULL");
    FAILS(sinew_trajectory_clearance(NULL, &clearance), SINEW_STATUS_NULL, "trajectory is NULL");
    FAILS(sinew_trajectory_write_csv(NULL, "x.csv"), SINEW_STATUS_NULL, "trajectory is NULL");
    sinew_trajectory_free(NULL);

    /* A path without poses has no rows. */
    OK(sinew_robot_trajectory(robot, NULL, 0, 0, q, SLIDES, NULL, NULL, &path));
    EXPECT(sinew_trajectory_row_count(path) == 0 && sinew_trajectory_reached(path) == 1);
    OK(sinew_trajectory_times(path, NULL, 0));
    sinew_trajectory_free(path);
    sinew_robot_free(robot);
}

static void test_trajectory(const char *prefix)
{
    static const double centre[3] = {0.5, 0.0, 0.0}, start[SLIDES] = {0.0, 0.0};
    char csv[4096], line[256];
    SinewObstacle post = new_obstacle("post", SINEW_OBSTACLE_SPHERE, centre, 1);
    SinewRobot *robot;
    SinewTrajectory *path = NULL, *slow = NULL, *other = NULL;
    SinewTrajectoryOptions options = {0};
    SinewGoal goals[2];
    SinewResult result;
    SinewClearance clearance;
    SinewJoint joints[SLIDES];
    double times[TRAJECTORY_ROWS], slow_times[TRAJECTORY_ROWS], q[SLIDES * TRAJECTORY_ROWS], change;
    size_t tool, rows, pose_rows[2], i, j, lines = 0;
    FILE *file;

    post.radius = 0.1;
    robot = new_gantry(&post, 0.01);
    OK(sinew_robot_find_link(robot, "tool", &tool));
    for (j = 0; j < SLIDES; j++) {
        OK(sinew_robot_joint(robot, j, &joints[j]));
    }
    goals[0] = sinew_goal(tool);
    goals[0].parts = SINEW_POSITION;
    goals[0].position[0] = 0.2;
    goals[1] = goals[0];
    goals[1].position[1] = 0.4;
    OK(sinew_robot_trajectory(robot, goals, 1, 2, start, SLIDES, "tolerance=1e-6", NULL, &path));
    options.speed = 0.5;
    OK(sinew_robot_trajectory(robot, goals, 1, 2, start, SLIDES, "tolerance=1e-6", &options, &slow));
    options.redundancy = SINEW_REDUNDANCY_REST;
    OK(sinew_robot_trajectory(robot, goals, 1, 2, start, SLIDES, NULL, &options, &other));
    /* A trajectory is independent of its robot. */
    sinew_robot_free(robot);
    EXPECT(sinew_trajectory_row_count(other) > 40);
    sinew_trajectory_free(other);

    /* 0.4 m in steps of 1 cm, and at most 0.25 m/s. */
    EXPECT(sinew_trajectory_reached(path) == 1);
    rows = sinew_trajectory_row_count(path);
    EXPECT(rows > 40 && rows <= TRAJECTORY_ROWS && sinew_trajectory_row_count(slow) == rows);
    OK(sinew_trajectory_times(path, times, rows));
    OK(sinew_trajectory_times(slow, slow_times, rows));
    OK(sinew_trajectory_q(path, q, SLIDES * rows));
    OK(sinew_trajectory_pose_rows(path, pose_rows, 2));
    EXPECT(times[0] == 0.0 && fabs(times[rows - 1] - 1.6) < 0.01 && fabs(slow_times[rows - 1] - 3.2) < 0.02);
    EXPECT(pose_rows[0] == 0 && pose_rows[1] == rows - 1);
    EXPECT(fabs(q[0] - 0.2) < 1e-5 && fabs(q[SLIDES * rows - 1] - 0.4) < 1e-5);
    for (i = 1; i < rows; i++) {
        EXPECT(times[i] > times[i - 1]);
        for (j = 0; j < SLIDES; j++) {
            change = fabs(q[SLIDES * i + j] - q[SLIDES * (i - 1) + j]);
            EXPECT(change <= joints[j].velocity * (times[i] - times[i - 1]) * (1.0 + 1e-9));
        }
    }
    OK(sinew_trajectory_results(path, rows - 1, &result, 1));
    EXPECT(result.outcome == SINEW_OUTCOME_REACHED && result.position_error < 1e-5);
    OK(sinew_trajectory_clearance(path, &clearance));
    EXPECT(fabs(clearance.distance - 0.15) < 1e-5);
    EXPECT(strcmp(clearance.names[0], "tool") == 0 && strcmp(clearance.names[1], "post") == 0);
    FAILS(sinew_trajectory_times(path, times, 3), SINEW_STATUS_LENGTH, "times must have");
    FAILS(sinew_trajectory_q(path, NULL, SLIDES * rows), SINEW_STATUS_NULL, "q is NULL");
    FAILS(sinew_trajectory_pose_rows(path, pose_rows, 1), SINEW_STATUS_LENGTH, "rows must have 2");
    FAILS(sinew_trajectory_results(path, 999, &result, 1), SINEW_STATUS_INVALID, "row 999 does not exist");
    FAILS(sinew_trajectory_results(path, 0, &result, 2), SINEW_STATUS_LENGTH, "results must have 1");
    FAILS(sinew_trajectory_clearance(path, NULL), SINEW_STATUS_NULL, "out is NULL");

    EXPECT(snprintf(csv, sizeof csv, "%s.csv", prefix) < (int)sizeof csv);
    OK(sinew_trajectory_write_csv(path, csv));
    file = fopen(csv, "r");
    EXPECT(file != NULL && fgets(line, sizeof line, file) != NULL && strcmp(line, "time,x,y\n") == 0);
    while (fgets(line, sizeof line, file) != NULL) {
        lines++;
    }
    EXPECT(lines == rows && fclose(file) == 0);
    FAILS(sinew_trajectory_write_csv(path, NULL), SINEW_STATUS_NULL, "path is NULL");
    FAILS(sinew_trajectory_write_csv(path, "/no/such/folder/x.csv"), SINEW_STATUS_FILE, "/no/such/folder/x.csv");
    sinew_trajectory_free(path);
    sinew_trajectory_free(slow);
}

int main(int count, char **arguments)
{
    const char *glb = count > 1 ? arguments[1] : "posed.glb";

    test_errors_without_handles();
    test_bodies_that_are_refused();
    test_limits_on_euler_angles();
    test_solve();
    test_solve_many();
    test_characters_that_are_refused();
    test_robots_that_are_refused();
    test_robot();
    test_collisions_that_are_refused();
    test_clearance();
    test_arm_reaches_around_a_ball();
    test_hull_of_a_box();
    test_collision_files(glb);
    test_trajectories_that_are_refused();
    test_trajectory(glb);
    test_puppet(glb);
    puts("all tests of the C interface pass");
    return EXIT_SUCCESS;
}
