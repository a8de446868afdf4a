// SPDX-License-Identifier: MIT
// Checks of joints and chains, and the expansion of chains into links.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/schema_check.h"
#include "scene/suggest.h"

enum
{
    phrase_size = 400, // bytes of a part of a message
    name_size = 160    // bytes of a link's name
};

// how much longer than its ends are apart a chain must be to sag, relative: below it is taut to rounding
static const double taut = 1.0e-9;

frz_status frz_check_joint(frz_parse *parse, const frz_node *node, void *data)
{
    static const char *const names[] = {"ball", "hinge", "slider", "fixed", "gear", "rope"};
    frz_scene_pair_joint *joint = data;
    const char *name = names[joint->type];
    const bool gear = joint->type == FRZ_SCENE_JOINT_GEAR, rope = joint->type == FRZ_SCENE_JOINT_ROPE;
    const bool hinge = joint->type == FRZ_SCENE_JOINT_HINGE, slider = joint->type == FRZ_SCENE_JOINT_SLIDER;
    const struct
    {
        const char *key;
        bool given, allowed, needed;
    } rules[] = {
        {"point", joint->has_point, !gear, hinge || rope || joint->type == FRZ_SCENE_JOINT_BALL},
        {"to", joint->has_to, rope, rope},
        {"axis", joint->has_axis, hinge || slider, slider || (hinge && parse->dimension == 3)},
        {"length", joint->has_length, rope, false},
        {"ratio", joint->has_ratio, gear, gear},
    };
    joint->body[0] = joint->body[1] = -1;
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k)
    {
        if (rules[k].given && !rules[k].allowed)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, rules[k].key), "a joint of type %s has no key '%s'", name,
                                  rules[k].key);
        if (rules[k].needed && !rules[k].given)
            return FRZ_PARSE_FAIL(parse, node->mark, "a joint of type %s needs the key '%s'", name, rules[k].key);
    }
    if (joint->bodies.count < 1 || joint->bodies.count > 2)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "bodies"),
                              "bodies: expected the names of two bodies, or of one that is joined to the world, got %d",
                              joint->bodies.count);
    if (gear && joint->ratio == 0.0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "ratio"),
                              "ratio: expected a number other than 0; a body that cannot turn is static");
    if (hinge && !joint->has_axis)
        joint->axis = frz_v3(0.0, 0.0, 1.0);
    if (parse->dimension == 2 && hinge && (joint->axis.x != 0.0 || joint->axis.y != 0.0))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "axis"),
                              "hinge: expected the axis [0, 0, 1] in a 2D scene, got one that leaves z");
    if (parse->dimension == 2 && slider && joint->axis.z != 0.0)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "axis"), "slider: expected an axis in the plane of a 2D scene");
    return FRZ_OK;
}

frz_status frz_check_chain(frz_parse *parse, const frz_node *node, void *data)
{
    const frz_scene_chain *chain = data;
    if (chain->bodies.count != 2)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "bodies"),
                              "bodies: expected two names (of bodies, world, or free), got %d", chain->bodies.count);
    const double apart = frz_v3_length(frz_v3_sub(chain->to, chain->from));
    if (chain->has_length && chain->length < (1.0 - taut) * apart)
        return FRZ_PARSE_FAIL(
            parse, frz_mark_at(node, "length"),
            "length: a chain of %g m does not reach from its beginning to its end, which are %g m apart", chain->length,
            apart);
    const double link = fmax(chain->has_length ? chain->length : 0.0, apart) / chain->links;
    if (!(link > 0.0))
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "to"),
                              "a chain whose ends are one point needs the key 'length'");
    if (link < 2.0 * chain->radius)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "links"),
                              "links: %d links are %.3g m long each, less than they are thick (%.3g m); use fewer",
                              chain->links, link, 2.0 * chain->radius);
    return FRZ_OK;
}

/// Number of a body by its name, -1: the world; fails at the key 'bodies' of node.
static frz_status resolve_body(frz_parse *parse, const frz_node *node, const char *name, int *out)
{
    const frz_scene *scene = parse->scene;
    char hint[phrase_size];
    frz_suggestion suggestion = {.word = name};
    *out = -1;
    if (strcmp(name, "world") == 0)
        return FRZ_OK;
    for (int b = 0; b < scene->bodies.count; ++b)
    {
        const frz_scene_body *body = &scene->bodies.items[b];
        frz_suggestion_offer(&suggestion, body->name);
        if (strcmp(body->name, name) != 0)
            continue;
        *out = b;
        if (body->state != FRZ_SCENE_RIGID && body->state != FRZ_SCENE_STATIC)
            return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "bodies"),
                                  "bodies: joints are for rigid and static bodies, and '%s' is %s", name,
                                  body->state == FRZ_SCENE_LIQUID ? "liquid" : "elastic");
        return FRZ_OK;
    }
    return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "bodies"),
                          "bodies: expected the name of a body, or world, got '%s'%s", name,
                          frz_suggestion_text(&suggestion, hint, sizeof hint));
}

static bool can_move(const frz_scene *scene, int body)
{
    return body >= 0 && scene->bodies.items[body].state == FRZ_SCENE_RIGID && !scene->bodies.items[body].driven;
}

static frz_status check_pair(frz_parse *parse, const frz_node *node, const frz_scene_pair_joint *joint)
{
    const frz_scene *scene = parse->scene;
    const frz_mark mark = frz_mark_at(node, "bodies");
    if (joint->body[0] == joint->body[1] && joint->body[0] >= 0)
        return FRZ_PARSE_FAIL(parse, mark, "bodies: expected two bodies, got '%s' twice", joint->bodies.items[0]);
    if (!can_move(scene, joint->body[0]) && !can_move(scene, joint->body[1]))
        return FRZ_PARSE_FAIL(
            parse, mark, "bodies: at least one of the bodies of a joint must be able to move: rigid and not driven");
    for (int side = 0; side < 2 && joint->type == FRZ_SCENE_JOINT_GEAR; ++side)
    {
        const int b = joint->body[side];
        if (b < 0 || (!scene->bodies.items[b].has_hinge && !scene->bodies.items[b].has_slider))
            return FRZ_PARSE_FAIL(parse, mark,
                                  "bodies: a gear needs two bodies with the key 'hinge' or 'slider', and '%s' has none",
                                  b < 0 ? "world" : scene->bodies.items[b].name);
    }
    const double apart = frz_v3_length(frz_v3_sub(joint->to, joint->point));
    if (joint->type == FRZ_SCENE_JOINT_ROPE && !joint->has_length && !(apart > 0.0))
        return FRZ_PARSE_FAIL(parse, node->mark,
                              "a rope whose ends are one point needs the key 'length'; a joint of type ball keeps them "
                              "together");
    if (joint->type == FRZ_SCENE_JOINT_ROPE && joint->has_length && joint->length < (1.0 - taut) * apart)
        return FRZ_PARSE_FAIL(parse, frz_mark_at(node, "length"),
                              "length: a rope of %g m does not reach from one end to the other, which are %g m apart",
                              joint->length, apart);
    return FRZ_OK;
}

// ---- chains

/// Corner k of a chain's polygon: equal chords of an arc that hangs down between its ends, or of a line if it is taut.
typedef struct arc
{
    frz_vec3 from, along, down; ///< unit vectors
    double apart, chord;
    double bend; ///< angle between chords; 0: straight
} arc;

static arc make_arc(const frz_parse *parse, const frz_scene_chain *chain)
{
    const frz_vec3 between = frz_v3_sub(chain->to, chain->from);
    arc a = {.from = chain->from, .along = frz_v3_normalize(between), .apart = frz_v3_length(between)};
    a.chord = fmax(chain->has_length ? chain->length : 0.0, a.apart) / chain->links;
    frz_vec3 down = parse->scene->gravity;
    down = frz_v3_mad(down, -frz_v3_dot(down, a.along), a.along);
    if (!(frz_v3_length(down) > taut * frz_v3_length(parse->scene->gravity)))
        down = fabs(a.along.y) < 0.9 ? frz_v3_mad(frz_v3(0.0, -1.0, 0.0), a.along.y, a.along)
                                     : frz_v3_mad(frz_v3(1.0, 0.0, 0.0), -a.along.x, a.along);
    a.down = frz_v3_normalize(down);
    // sin(n b / 2) / sin(b / 2) = apart / chord falls from n to 0 while b goes from 0 to a full turn / n
    double low = 0.0, high = 6.28318530717958647692 / chain->links;
    for (int k = 0; k < 100 && a.chord * chain->links > (1.0 + taut) * a.apart; ++k)
    {
        a.bend = 0.5 * (low + high);
        const double across = a.chord * sin(0.5 * chain->links * a.bend) / sin(0.5 * a.bend);
        *(across > a.apart ? &low : &high) = a.bend;
    }
    return a;
}

static frz_vec3 arc_corner(const arc *a, int links, int k)
{
    if (a->bend == 0.0)
        return frz_v3_mad(a->from, a->chord * k, a->along);
    // chords turn evenly from half the arc below the line to half the arc above it
    frz_vec3 at = a->from;
    for (int n = 0; n < k; ++n)
    {
        const double angle = (0.5 * (links - 1) - n) * a->bend;
        at = frz_v3_mad(frz_v3_mad(at, a->chord * cos(angle), a->along), a->chord * sin(angle), a->down);
    }
    return at;
}

static const frz_key *scene_row(const char *key)
{
    const frz_key *row = frz_section_scene.keys;
    while (row->key != NULL && strcmp(row->key, key) != 0)
        ++row;
    FRZ_ASSERT(row->key != NULL);
    return row;
}

/// Grow a list to count entries.
static frz_status grow(frz_parse *parse, void **items, int count, size_t size)
{
    void *more = frz_realloc("scene", *items, (size_t)count, size);
    if (more == NULL)
        return frz_fail_memory(parse->diag, "the links of a chain");
    *items = more;
    return FRZ_OK;
}

static frz_status check_link_name(frz_parse *parse, const frz_scene_chain *chain, const char *name)
{
    for (int b = 0; b < parse->scene->bodies.count - 1; ++b)
        if (strcmp(parse->scene->bodies.items[b].name, name) == 0)
            return FRZ_PARSE_FAIL(parse, chain->mark,
                                  "a link of the chain '%s' is called '%s', which is the name of another body",
                                  chain->name, name);
    return FRZ_OK;
}

static frz_status add_link(frz_parse *parse, const frz_scene_chain *chain, int number, frz_vec3 a, frz_vec3 b)
{
    frz_scene *scene = parse->scene;
    char name[name_size];
    frz_diag reason = {0};
    frz_scene_body *body = &scene->bodies.items[scene->bodies.count++];
    memset(body, 0, sizeof *body);
    FRZ_TRY(frz_section_read(parse, scene_row("bodies")->section, NULL, body));
    snprintf(name, sizeof name, "%s_%d", chain->name, number);
    body->name = frz_strdup(name);
    if (body->name == NULL)
        return frz_fail_memory(parse->diag, "the links of a chain");
    FRZ_TRY(check_link_name(parse, chain, name));
    body->mark = body->shape_mark = chain->mark;
    body->state = FRZ_SCENE_RIGID;
    body->has_fill = true; // of its shape: links have joints
    body->material = -1;
    body->density = chain->density;
    body->friction = chain->friction;
    body->damping = body->angular_damping = chain->damping;
    body->priority = frz_body_priority(FRZ_SCENE_RIGID);
    body->color = chain->color;
    body->chain = (int)(chain - scene->chains.items) + 1;
    if (frz_shape_capsule(a, b, chain->radius, &body->shape, &reason) != FRZ_OK)
        return FRZ_PARSE_FAIL(parse, chain->mark, "chain '%s': %s", chain->name, reason.message);
    return FRZ_OK;
}

static void add_joint(frz_scene *scene, const frz_scene_chain *chain, int a, int b, frz_vec3 point)
{
    scene->joints.items[scene->joints.count++] = (frz_scene_pair_joint){.mark = chain->mark,
                                                                        .type = FRZ_SCENE_JOINT_BALL,
                                                                        .body = {a, b},
                                                                        .has_point = true,
                                                                        .point = point,
                                                                        .axis = {0.0, 0.0, 1.0}};
}

/// A taut chain between two fixed points could hang only if its links stretched.
static frz_status check_slack(frz_parse *parse, const frz_scene_chain *chain, const frz_node *node, const bool free[2],
                              const int end[2])
{
    const double least = 1.0e-3; // least excess length, relative: it then sags by a fiftieth of the distance
    const double apart = frz_v3_length(frz_v3_sub(chain->to, chain->from));
    for (int side = 0; side < 2; ++side)
        if (free[side] || can_move(parse->scene, end[side]))
            return FRZ_OK;
    if (chain->links == 1 || (chain->has_length && chain->length >= (1.0 + least) * apart))
        return FRZ_OK;
    return FRZ_PARSE_FAIL(
        parse, chain->has_length ? frz_mark_at(node, "length") : node->mark,
        "chain '%s' is taut between two ends that cannot move, so that it cannot hang; give it a length "
        "of more than %.6g m",
        chain->name, (1.0 + least) * apart);
}

/// Append the bodies and joints of a chain to those of the scene.
static frz_status expand_chain(frz_parse *parse, const frz_scene_chain *chain, const frz_node *node)
{
    frz_scene *scene = parse->scene;
    int end[2] = {-1, -1};
    bool free[2];
    for (int side = 0; side < 2; ++side)
    {
        free[side] = strcmp(chain->bodies.items[side], "free") == 0;
        if (!free[side])
            FRZ_TRY(resolve_body(parse, node, chain->bodies.items[side], &end[side]));
    }
    FRZ_TRY(check_slack(parse, chain, node, free, end));
    FRZ_TRY(
        grow(parse, (void **)&scene->bodies.items, scene->bodies.count + chain->links, sizeof *scene->bodies.items));
    FRZ_TRY(grow(parse, (void **)&scene->joints.items, scene->joints.count + chain->links + 1,
                 sizeof *scene->joints.items));
    const arc shape = make_arc(parse, chain);
    const int first = scene->bodies.count;
    for (int k = 0; k < chain->links; ++k)
    {
        const frz_vec3 a = arc_corner(&shape, chain->links, k), b = arc_corner(&shape, chain->links, k + 1);
        FRZ_TRY(add_link(parse, chain, k + 1, a, b));
        if (k > 0 || !free[0])
            add_joint(scene, chain, first + k, k > 0 ? first + k - 1 : end[0], a);
        if (k == chain->links - 1 && !free[1])
            add_joint(scene, chain, first + k, end[1], b);
    }
    return FRZ_OK;
}

frz_status frz_check_joints(frz_parse *parse, const frz_node *node, frz_scene *scene)
{
    const frz_node *list = frz_node_find(node, "chains");
    const frz_node *child = list != NULL ? list->first : NULL;
    const int given = scene->joints.count;
    for (int i = 0; i < scene->chains.count && child != NULL; ++i, child = child->next)
        FRZ_TRY(expand_chain(parse, &scene->chains.items[i], child));
    list = frz_node_find(node, "joints"); // after the chains: their links may be joined too
    child = list != NULL ? list->first : NULL;
    for (int i = 0; i < given && child != NULL; ++i, child = child->next)
    {
        frz_scene_pair_joint *joint = &scene->joints.items[i];
        for (int side = 0; side < joint->bodies.count; ++side)
            FRZ_TRY(resolve_body(parse, child, joint->bodies.items[side], &joint->body[side]));
        FRZ_TRY(check_pair(parse, child, joint));
    }
    return FRZ_OK;
}
