// SPDX-License-Identifier: MIT
// Artificial volumes, densities and the operator of Gissler 2019, sections 3.4.1 and 3.4.2, with the signs derived
// anew.
#include "rigid/contact_pressure_internal.h"

#include <stdint.h>
#include <stdlib.h>

#include "geom/shape_internal.h"

static const double pi = 3.14159265358979323846;
static const double support = 2.0; ///< of the kernel, in spacings (section 3.4.2)

typedef struct candidate
{
    frz_vec3 place;
    double own_sum; ///< of W over the own body
    int body;
    int number; ///< among the samples of all bodies
} candidate;

typedef struct hash
{
    uint32_t mask;
    int *start; ///< by bucket
    int *item;
} hash;

// ---- kernel

static double normalization(double spacing, int dimension)
{
    return dimension == 3 ? 1.0 / (pi * spacing * spacing * spacing) : 10.0 / (7.0 * pi * spacing * spacing);
}

double frz_contact_kernel(double distance, double spacing, int dimension)
{
    const double q = distance / spacing;
    if (q >= support)
        return 0.0;
    const double shape =
        q < 1.0 ? 1.0 - 1.5 * q * q + 0.75 * q * q * q : 0.25 * (support - q) * (support - q) * (support - q);
    return normalization(spacing, dimension) * shape;
}

static frz_vec3 kernel_gradient(frz_vec3 from_neighbor, double spacing, int dimension)
{
    const double distance = frz_v3_length(from_neighbor), q = distance / spacing;
    if (q >= support || distance <= 0.0)
        return frz_v3(0.0, 0.0, 0.0);
    const double slope = q < 1.0 ? -3.0 * q + 2.25 * q * q : -0.75 * (support - q) * (support - q);
    return frz_v3_scale(normalization(spacing, dimension) * slope / (spacing * distance), from_neighbor);
}

/// Sum of W over a plane lattice (a line in 2D) at a height, all in spacings.
static double layer_sum(double height, int dimension)
{
    double sum = 0.0;
    for (int x = -2; x <= 2; ++x)
    {
        for (int z = dimension == 3 ? -2 : 0; z <= (dimension == 3 ? 2 : 0); ++z)
            sum += frz_contact_kernel(sqrt((double)(x * x + z * z) + height * height), 1.0, dimension);
    }
    return sum;
}

/// V0 of a sample whose own body sums W to own: gamma / own, or that with which a plane lattice of another body at one
/// spacing makes the density one of rest.
static double rest_volume_of(const frz_contact_pressure_options *options, double own)
{
    if (options->gamma > 0.0)
        return options->gamma / own;
    return 1.0 / (own + layer_sum(1.0, options->dimension) / pow(options->spacing, options->dimension));
}

// ---- neighbours

static uint32_t bucket_of(const hash *h, int64_t x, int64_t y, int64_t z)
{
    const uint64_t key = (uint64_t)x * 73856093u ^ (uint64_t)y * 19349663u ^ (uint64_t)z * 83492791u;
    return (uint32_t)((key ^ key >> 32) & h->mask);
}

static void cell_of(frz_vec3 place, double cell, int64_t at[3])
{
    at[0] = (int64_t)floor(place.x / cell);
    at[1] = (int64_t)floor(place.y / cell);
    at[2] = (int64_t)floor(place.z / cell);
}

/// Count-sort candidates into buckets; inside a bucket they keep their order.
static frz_status fill_hash(frz_contact_pressure *c, const candidate *list, int count, hash *h, frz_diag *diag)
{
    uint32_t buckets = 64;
    while (buckets < 2u * (uint32_t)count)
        buckets *= 2;
    h->mask = buckets - 1;
    h->start = FRZ_SCRATCH(&c->scratch, buckets + 2, int);
    h->item = FRZ_SCRATCH(&c->scratch, count + 1, int);
    if (h->start == NULL || h->item == NULL)
        return frz_fail_memory(diag, "the contact samples");
    for (uint32_t b = 0; b < buckets + 2; ++b)
        h->start[b] = 0;
    const double cell = support * c->options.spacing;
    int64_t at[3];
    for (int n = 0; n < count; ++n)
    {
        cell_of(list[n].place, cell, at);
        ++h->start[bucket_of(h, at[0], at[1], at[2]) + 2];
    }
    for (uint32_t b = 2; b < buckets + 2; ++b)
        h->start[b] += h->start[b - 1];
    for (int n = 0; n < count; ++n)
    {
        cell_of(list[n].place, cell, at);
        h->item[h->start[bucket_of(h, at[0], at[1], at[2]) + 1]++] = n;
    }
    return FRZ_OK;
}

/// Neighbours of a candidate in other bodies; found may be null. Returns how many there are.
static int search(const frz_contact_pressure *c, const hash *h, const candidate *list, int n,
                  frz_pressure_neighbor *found)
{
    const double spacing = c->options.spacing, cell = support * spacing;
    const bool yields = frz_rigid_body_yields(&c->bodies[list[n].body]);
    int64_t at[3];
    cell_of(list[n].place, cell, at);
    int number = 0;
    for (int k = 0; k < 27; ++k)
    {
        const int64_t cx = at[0] + k % 3 - 1, cy = at[1] + k / 3 % 3 - 1, cz = at[2] + k / 9 - 1;
        const uint32_t bucket = bucket_of(h, cx, cy, cz);
        for (int i = h->start[bucket]; i < h->start[bucket + 1]; ++i)
        {
            const candidate *other = &list[h->item[i]];
            int64_t there[3];
            cell_of(other->place, cell, there);
            const frz_vec3 apart = frz_v3_sub(list[n].place, other->place);
            if (there[0] != cx || there[1] != cy || there[2] != cz || other->body == list[n].body ||
                frz_v3_length(apart) >= cell || !(yields || frz_rigid_body_yields(&c->bodies[other->body])))
                continue;
            if (found != NULL)
                found[number] = (frz_pressure_neighbor){
                    h->item[i], frz_contact_kernel(frz_v3_length(apart), spacing, c->options.dimension),
                    kernel_gradient(apart, spacing, c->options.dimension)};
            ++number;
        }
    }
    return number;
}

/// Which bodies are near which.
typedef struct vicinity
{
    int *start;  ///< [bodies + 1]
    int *others; ///< by body
} vicinity;

typedef struct low_end
{
    double x;
    int body;
} low_end;

static int compare_ends(const void *a, const void *b)
{
    const low_end *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->body > q->body) - (p->body < q->body);
}

/// Pairs of bodies with overlapping bounds of which one yields. counts is raised by body; others, if it is there, gets
/// the partners from the places in counts.
static void sweep_bounds(const frz_contact_pressure *c, const frz_bounds *bounds, const low_end *ends, int count,
                         int *counts, int *others)
{
    for (int i = 0; i < count; ++i)
    {
        const int a = ends[i].body;
        for (int j = i + 1; j < count && ends[j].x <= bounds[a].max.x; ++j)
        {
            const int b = ends[j].body;
            if (frz_bounds_is_empty(frz_bounds_intersect(bounds[a], bounds[b]), c->options.dimension) ||
                (!frz_rigid_body_yields(&c->bodies[a]) && !frz_rigid_body_yields(&c->bodies[b])))
                continue;
            if (others != NULL)
            {
                others[counts[a]] = b;
                others[counts[b]] = a;
            }
            ++counts[a];
            ++counts[b];
        }
    }
}

static frz_status find_vicinity(frz_contact_pressure *c, const frz_contact_shape *const *shapes,
                                const frz_bounds *bounds, vicinity *out, frz_diag *diag)
{
    low_end *ends = FRZ_SCRATCH(&c->scratch, c->body_count + 1, low_end);
    int *place = FRZ_SCRATCH(&c->scratch, c->body_count + 1, int);
    out->start = FRZ_SCRATCH(&c->scratch, c->body_count + 2, int);
    if (ends == NULL || place == NULL || out->start == NULL)
        return frz_fail_memory(diag, "the contact samples");
    int count = 0;
    for (int b = 0; b < c->body_count; ++b)
    {
        place[b] = 0;
        if (shapes[b] != NULL)
            ends[count++] = (low_end){bounds[b].min.x, b};
    }
    qsort(ends, (size_t)count, sizeof *ends, compare_ends);
    sweep_bounds(c, bounds, ends, count, place, NULL);
    out->start[0] = 0;
    for (int b = 0; b < c->body_count; ++b)
    {
        out->start[b + 1] = out->start[b] + place[b];
        place[b] = out->start[b];
    }
    out->others = FRZ_SCRATCH(&c->scratch, out->start[c->body_count] + 1, int);
    if (out->others == NULL)
        return frz_fail_memory(diag, "the contact samples");
    sweep_bounds(c, bounds, ends, count, place, out->others);
    return FRZ_OK;
}

static frz_vec3 place_of(const frz_contact_shape *shape, int sample, const frz_rigid_body *body)
{
    const frz_vec3 local = frz_contact_shape_to_body(shape, shape->samples[sample]);
    return frz_v3_add(body->position, frz_rigid_body_arm(body, local));
}

/// Samples of all bodies where another body's bounds are.
static int collect(const frz_contact_pressure *c, const frz_contact_shape *const *shapes, const frz_bounds *bounds,
                   const vicinity *v, candidate *list)
{
    int count = 0, first = 0;
    for (int b = 0; b < c->body_count; ++b)
    {
        const int samples = shapes[b] != NULL ? shapes[b]->sample_count : 0;
        for (int n = 0; v->start[b + 1] > v->start[b] && n < samples; ++n)
        {
            const frz_vec3 place = place_of(shapes[b], n, &c->bodies[b]);
            bool near = false;
            for (int k = v->start[b]; k < v->start[b + 1] && !near; ++k)
                near = frz_bounds_contain(bounds[v->others[k]], place, c->options.dimension);
            if (near)
                list[count++] = (candidate){place, shapes[b]->sample_sums[n], b, first + n};
        }
        first += samples;
    }
    return count;
}

static frz_bounds reach_of(const frz_contact_pressure *c, const frz_contact_shape *shape, const frz_rigid_body *body)
{
    frz_bounds reach = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int n = 0; n < shape->sample_count; ++n)
    {
        const frz_vec3 p = place_of(shape, n, body);
        reach.min = frz_v3(fmin(reach.min.x, p.x), fmin(reach.min.y, p.y), fmin(reach.min.z, p.z));
        reach.max = frz_v3(fmax(reach.max.x, p.x), fmax(reach.max.y, p.y), fmax(reach.max.z, p.z));
    }
    return frz_bounds_grow(reach, support * c->options.spacing);
}

/// Keep candidates that have neighbours, and translate the neighbours' numbers.
static frz_status link(frz_contact_pressure *c, const candidate *list, int count, frz_diag *diag)
{
    hash h;
    FRZ_TRY(fill_hash(c, list, count, &h, diag));
    int *number = FRZ_SCRATCH(&c->scratch, count + 1, int);
    int *begin = FRZ_SCRATCH(&c->scratch, count + 1, int);
    if (number == NULL || begin == NULL)
        return frz_fail_memory(diag, "the contact samples");
    int total = 0;
    c->count = 0;
    for (int n = 0; n < count; ++n)
    {
        const int found = search(c, &h, list, n, NULL);
        number[n] = found > 0 ? c->count++ : -1;
        begin[n] = total;
        total += found;
    }
    c->samples = FRZ_SCRATCH(&c->scratch, c->count + 1, frz_pressure_sample);
    c->neighbors = FRZ_SCRATCH(&c->scratch, total + 1, frz_pressure_neighbor);
    if (c->samples == NULL || c->neighbors == NULL)
        return frz_fail_memory(diag, "the contact samples");
#pragma omp parallel for schedule(dynamic, 64) if (count > FRZ_CONTACT_FEW)
    for (int n = 0; n < count; ++n)
    {
        if (number[n] < 0)
            continue;
        frz_pressure_sample *s = &c->samples[number[n]];
        *s = (frz_pressure_sample){
            .place = list[n].place, .body = list[n].body, .number = list[n].number, .begin = begin[n]};
        s->end = s->begin + search(c, &h, list, n, &c->neighbors[s->begin]);
        double sum = 0.0;
        for (int k = s->begin; k < s->end; ++k)
        {
            sum += c->neighbors[k].weight;
            c->neighbors[k].sample = number[c->neighbors[k].sample];
        }
        s->rest_volume = rest_volume_of(&c->options, list[n].own_sum);
        s->density = s->rest_volume * (list[n].own_sum + sum);
        s->volume = s->density > 1.0 ? s->rest_volume / s->density : s->rest_volume;
    }
    return FRZ_OK;
}

frz_status frz_contact_pressure_gather(frz_contact_pressure *c, const frz_rigid_body *bodies,
                                       const frz_contact_shape *const *shapes, int count, double dt, frz_diag *diag)
{
    c->bodies = bodies;
    c->body_count = count;
    c->dt = dt;
    int64_t total = 0;
    for (int b = 0; b < count; ++b)
        total += shapes[b] != NULL ? shapes[b]->sample_count : 0;
    c->sample_total = (int)total;
    frz_bounds *bounds = FRZ_SCRATCH(&c->scratch, count + 1, frz_bounds);
    candidate *list = FRZ_SCRATCH(&c->scratch, total + 1, candidate);
    c->motions = FRZ_SCRATCH(&c->scratch, count + 1, frz_pressure_motion);
    c->contacts = FRZ_SCRATCH(&c->scratch, count + 1, int);
    if (bounds == NULL || list == NULL || c->motions == NULL || c->contacts == NULL)
        return frz_fail_memory(diag, "the contact samples");
    for (int b = 0; b < count; ++b)
    {
        if (shapes[b] != NULL)
            bounds[b] = reach_of(c, shapes[b], &bodies[b]);
    }
    vicinity v;
    FRZ_TRY(find_vicinity(c, shapes, bounds, &v, diag));
    return link(c, list, collect(c, shapes, bounds, &v, list), diag);
}

// ---- operator

/// F_r = -V_r grad p_r, with the gradient of section 3.4.2 over other bodies (the first fraction is p_r / rho_r^2).
frz_vec3 frz_contact_pressure_force(const frz_contact_pressure *c, const double *pressure, int r)
{
    const frz_pressure_sample *s = &c->samples[r];
    const double own = pressure[r] / (s->density * s->density);
    frz_vec3 sum = {0.0, 0.0, 0.0};
    for (int k = s->begin; k < s->end; ++k)
    {
        const frz_pressure_neighbor *n = &c->neighbors[k];
        const frz_pressure_sample *o = &c->samples[n->sample];
        const double share = o->volume * o->density * (own + pressure[n->sample] / (o->density * o->density));
        sum = frz_v3_mad(sum, share, n->gradient);
    }
    return frz_v3_scale(-s->volume * s->density, sum);
}

static frz_pressure_motion motion_by(const frz_rigid_body *body, frz_vec3 impulse, frz_vec3 moment)
{
    const frz_pressure_motion m = {frz_rigid_body_yield(body, impulse),
                                   frz_m3_apply(body->inverse_inertia_world, moment)};
    return m;
}

static frz_vec3 motion_at(const frz_contact_pressure *c, const frz_pressure_motion *m, const frz_pressure_sample *s)
{
    return frz_v3_add(m->velocity, frz_v3_cross(m->spin, frz_v3_sub(s->place, c->bodies[s->body].position)));
}

void frz_contact_pressure_push(frz_contact_pressure *c, const double *pressure)
{
    // samples are sorted by body: each body's sum is taken in order, whoever takes it
    int begin = 0;
    for (int b = 0; b < c->body_count; ++b)
    {
        frz_vec3 force = {0.0, 0.0, 0.0}, moment = {0.0, 0.0, 0.0};
        for (; begin < c->count && c->samples[begin].body == b; ++begin)
        {
            const frz_vec3 f = frz_contact_pressure_force(c, pressure, begin);
            force = frz_v3_add(force, f);
            moment = frz_v3_add(moment, frz_v3_cross(frz_v3_sub(c->samples[begin].place, c->bodies[b].position), f));
        }
        const frz_contact_pressure_load load = {frz_v3_scale(c->dt, force), frz_v3_scale(c->dt, moment)};
        c->motions[b] = motion_by(&c->bodies[b], load.impulse, load.moment);
        if (b < c->load_count)
            c->loads[b] = load;
    }
}

double frz_contact_pressure_divergence(const frz_contact_pressure *c, const frz_pressure_motion *motions, int r)
{
    const frz_pressure_sample *s = &c->samples[r];
    const frz_vec3 own = motion_at(c, &motions[s->body], s);
    double sum = 0.0;
    for (int k = s->begin; k < s->end; ++k)
    {
        const frz_pressure_neighbor *n = &c->neighbors[k];
        const frz_pressure_sample *o = &c->samples[n->sample];
        const frz_vec3 apart = frz_v3_sub(motion_at(c, &motions[o->body], o), own);
        sum += o->volume * o->density * frz_v3_dot(apart, n->gradient);
    }
    return sum;
}

/// The part of the diagonal by the neighbours of one other body: its force and torque once, then applied to its
/// samples.
static double diagonal_of_body(const frz_contact_pressure *c, const frz_pressure_sample *s, int body)
{
    frz_vec3 force = {0.0, 0.0, 0.0}, moment = {0.0, 0.0, 0.0};
    const frz_vec3 center = c->bodies[body].position;
    for (int k = s->begin; k < s->end; ++k)
    {
        const frz_pressure_neighbor *n = &c->neighbors[k];
        const frz_pressure_sample *o = &c->samples[n->sample];
        if (o->body != body)
            continue;
        // -V_k d_kr, d_kr = rho_k V_r / rho_r grad W_kr, and grad W_kr = -grad W_rk
        const frz_vec3 f = frz_v3_scale(o->volume * o->density * s->volume / s->density, n->gradient);
        force = frz_v3_add(force, f);
        moment = frz_v3_add(moment, frz_v3_cross(frz_v3_sub(o->place, center), f));
    }
    const frz_pressure_motion m = motion_by(&c->bodies[body], frz_v3_scale(c->dt, force), frz_v3_scale(c->dt, moment));
    double sum = 0.0;
    for (int k = s->begin; k < s->end; ++k)
    {
        const frz_pressure_neighbor *n = &c->neighbors[k];
        const frz_pressure_sample *o = &c->samples[n->sample];
        if (o->body == body)
            sum += o->volume * o->density * frz_v3_dot(motion_at(c, &m, o), n->gradient);
    }
    return -sum;
}

double frz_contact_pressure_diagonal(const frz_contact_pressure *c, int r)
{
    const frz_pressure_sample *s = &c->samples[r];
    frz_vec3 sum = {0.0, 0.0, 0.0}; // rho_r d_rr
    for (int k = s->begin; k < s->end; ++k)
    {
        const frz_pressure_sample *o = &c->samples[c->neighbors[k].sample];
        sum = frz_v3_mad(sum, o->volume * o->density, c->neighbors[k].gradient);
    }
    const frz_vec3 force = frz_v3_scale(-s->volume / s->density, sum);
    const frz_vec3 arm = frz_v3_sub(s->place, c->bodies[s->body].position);
    const frz_pressure_motion own =
        motion_by(&c->bodies[s->body], frz_v3_scale(c->dt, force), frz_v3_scale(c->dt, frz_v3_cross(arm, force)));
    double diagonal = frz_v3_dot(motion_at(c, &own, s), sum);
    for (int k = s->begin; k < s->end; ++k)
    {
        const int body = c->samples[c->neighbors[k].sample].body;
        bool first = frz_rigid_body_yields(&c->bodies[body]);
        for (int before = s->begin; before < k && first; ++before)
            first = c->samples[c->neighbors[before].sample].body != body;
        if (first)
            diagonal += diagonal_of_body(c, s, body);
    }
    return diagonal;
}
