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
    links[1].limit.kind = SINEW_FREE;
    memset(links[1].rest, 0, sizeof links[1].rest);
    FAILS(sinew_body_new(links, 2, &body), SINEW_STATUS_INVALID, "rest rotation");
    EXPECT(body == NULL);
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

static void test_robots_that_are_refused(void)
{
    SinewRobot *robot = NULL;
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
    numbers[1] = NAN;
    FAILS(sinew_robot_fk(robot, numbers, JOINTS, 3, numbers, 16), SINEW_STATUS_INVALID, "\"bend\" is not finite");
    sinew_robot_free(robot);
}

static void test_robot(void)
{
    SinewRobot *robot = NULL;
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
    FAILS(sinew_robot_solve(robot, &goal, 1, found, JOINTS, NULL, found, 2, NULL, 0), SINEW_STATUS_LENGTH, "q must");
    FAILS(sinew_robot_solve(robot, &goal, 1, found, 2, NULL, found, JOINTS, NULL, 0), SINEW_STATUS_LENGTH, "q must");
    OK(sinew_robot_solve(robot, &goal, 1, found, JOINTS, "tolerance=1e-8", found, JOINTS, &result, 1));
    EXPECT(result.outcome == SINEW_OUTCOME_REACHED && result.position_error < 1e-7);
    OK(sinew_robot_fk(robot, found, JOINTS, tool, after, 16));
    EXPECT(fabs(after[12] - pose[12]) < 1e-7 && fabs(after[14] - pose[14]) < 1e-7);
    goal.link = 9;
    FAILS(sinew_robot_solve(robot, &goal, 1, q, JOINTS, NULL, q, JOINTS, NULL, 0), SINEW_STATUS_SOLVE, "link 9");
    EXPECT(q[1] == 0.9);
    sinew_robot_free(robot);
}

int main(int count, char **arguments)
{
    test_errors_without_handles();
    test_bodies_that_are_refused();
    test_solve();
    test_solve_many();
    test_characters_that_are_refused();
    test_robots_that_are_refused();
    test_robot();
    test_puppet(count > 1 ? arguments[1] : "posed.glb");
    puts("all tests of the C interface pass");
    return EXIT_SUCCESS;
}
