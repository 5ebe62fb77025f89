/*
 * Solves an arm from scratch, and lets the built-in character reach for a point.
 *
 * See README.md for how to build it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sinew.h"

/* Prints the last error and ends the program if a call has failed. */
static void check(SinewStatus status)
{
    if (status != SINEW_STATUS_OK) {
        fprintf(stderr, "sinew: %s\n", sinew_last_error());
        exit(EXIT_FAILURE);
    }
}

/* Two bones of one metre each, whose end reaches for a point. */
static void solve_arm(void)
{
    SinewLink links[3];
    SinewBody *arm = NULL;
    SinewGoal goal = sinew_goal(2);
    SinewResult result;
    double positions[9];

    links[0] = sinew_link(SINEW_NONE, 0.0, 0.0, 0.0);
    links[1] = sinew_link(0, 0.0, 1.0, 0.0);
    links[2] = sinew_link(1, 0.0, 1.0, 0.0);
    check(sinew_body_new(links, 3, &arm));

    goal.parts = SINEW_POSITION;
    goal.position[0] = 1.0;
    goal.position[1] = 1.0;
    check(sinew_body_solve(arm, &goal, 1, NULL, &result, 1));
    check(sinew_body_positions(arm, positions, 9));
    printf("arm: reached %d, hand at %.3f %.3f %.3f\n", result.outcome == SINEW_OUTCOME_REACHED, positions[6],
           positions[7], positions[8]);
    sinew_body_free(arm);
}

/* The whole body of a character follows its left hand, and is skinned. */
static void reach(void)
{
    SinewCharacter *character = NULL;
    SinewPuppet *puppet = NULL;
    SinewTarget target;
    SinewResult result;
    size_t hand, part, vertices, triangles, normals, i;
    float *positions, highest = 0.0f;

    check(sinew_character_mannequin(&character));
    check(sinew_character_find_node(character, "leftHand", &hand));
    check(sinew_puppet_new(character, NULL, &puppet));
    sinew_character_free(character);

    target = sinew_target(hand);
    target.parts = SINEW_POSITION;
    target.position[0] = 0.4;
    target.position[1] = 1.3;
    target.position[2] = 0.3;
    check(sinew_puppet_update(puppet, &target, 1, NULL, 0, NULL, &result, 1));
    printf("character: reached %d, missed by less than a millimetre: %d\n",
           result.outcome == SINEW_OUTCOME_REACHED, result.position_error < 1e-3);

    for (part = 0; part < sinew_puppet_part_count(puppet); part++) {
        check(sinew_puppet_part_size(puppet, part, &vertices, &triangles, &normals));
        positions = malloc(3 * vertices * sizeof *positions);
        if (positions == NULL) {
            exit(EXIT_FAILURE);
        }
        check(sinew_puppet_skin(puppet, part, positions, 3 * vertices, NULL, 0));
        for (i = 0; i < vertices; i++) {
            highest = positions[3 * i + 1] > highest ? positions[3 * i + 1] : highest;
        }
        printf("part %lu: %lu vertices, highest at %.2f m\n", (unsigned long)part, (unsigned long)vertices, highest);
        free(positions);
    }
    sinew_puppet_free(puppet);
}

int main(void)
{
    solve_arm();
    reach();
    return EXIT_SUCCESS;
}
