// SPDX-License-Identifier: MIT
// The arrays of a checkpoint and the ranges of their numbers.
#include "api/sim_exchange.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "rigid/contacts_internal.h"
#include "sim/state_solids.h"

frz_status frz_exchange_rows(frz_exchange *x, const frz_checkpoint_table *table, int64_t rows, void *data)
{
    if (x->reader != NULL)
        return frz_checkpoint_table_read(x->reader, table, rows, data, x->diag);
    FRZ_ASSERT(x->count + table->count <= FRZ_EXCHANGE_MAX);
    frz_checkpoint_table_list(table, rows, data, &x->arrays[x->count]);
    x->count += table->count;
    return FRZ_OK;
}

// ---- emitters, regions, probes

static frz_status exchange_sources(frz_exchange *x)
{
    frz_state *state = x->state;
    const frz_model *model = x->model;
    // beyond this many layers the flow of an emitter cannot be counted
    const frz_checkpoint_member travelled[] = {
        FRZ_PLAIN("emitters.travelled", FRZ_F64, FRZ_RANGE(0.0, 0x1p53 * model->spacing))};
    const frz_checkpoint_member emitters[] = {
        FRZ_MEMBER("emitters.layers", frz_emitter_state, layers, FRZ_I64, 1, FRZ_RANGE_COUNT, FRZ_FORM_NUMBERS),
        FRZ_MEMBER("emitters.emitted", frz_emitter_state, emitted, FRZ_I64, 1, FRZ_RANGE_COUNT, FRZ_FORM_NUMBERS),
        FRZ_MEMBER("emitters.blocked", frz_emitter_state, blocked, FRZ_I64, 1, FRZ_RANGE_COUNT, FRZ_FORM_NUMBERS),
        FRZ_MEMBER("emitters.exhausted", frz_emitter_state, exhausted, FRZ_I64, 1, FRZ_RANGE_FLAG, FRZ_FORM_NUMBERS)};
    const frz_checkpoint_member killed[] = {FRZ_PLAIN("regions.killed", FRZ_I64, FRZ_RANGE_COUNT)};
    const frz_checkpoint_member flows[] = {
        FRZ_MEMBER("probes.crossed", frz_flow_state, crossed, FRZ_I64, 1, FRZ_RANGE_DIFFERENCE, FRZ_FORM_NUMBERS),
        FRZ_MEMBER("probes.marked", frz_flow_state, marked, FRZ_I64, 1, FRZ_RANGE_DIFFERENCE, FRZ_FORM_NUMBERS)};
    const frz_checkpoint_table travelled_table = FRZ_TABLE(travelled, double);
    const frz_checkpoint_table emitter_table = FRZ_TABLE(emitters, frz_emitter_state);
    const frz_checkpoint_table killed_table = FRZ_TABLE(killed, int64_t);
    const frz_checkpoint_table flow_table = FRZ_TABLE(flows, frz_flow_state);
    FRZ_TRY(frz_exchange_rows(x, &travelled_table, model->emitter_count, state->sources.travelled));
    FRZ_TRY(frz_exchange_rows(x, &emitter_table, model->emitter_count, state->sources.emitters));
    FRZ_TRY(frz_exchange_rows(x, &killed_table, model->region_count, state->sources.killed));
    FRZ_TRY(frz_exchange_rows(x, &flow_table, model->probe_count, state->sources.flows));
    return x->reader != NULL ? frz_exchange_check_emitters(x) : FRZ_OK;
}

// ---- identities of bodies, states of events

#define IDENTITY(member, type, range)                                                                                  \
    FRZ_MEMBER("bodies." #member, frz_body_identity, member, type, 1, range, FRZ_FORM_NUMBERS)

static frz_status read_identities(frz_exchange *x, const frz_checkpoint_table *table)
{
    int64_t rows = 0;
    FRZ_TRY(frz_checkpoint_table_rows(x->reader, table, &rows, x->diag));
    if (rows < x->model->body_count)
        return frz_fail(x->diag, FRZ_ERR_FILE,
                        "%s: array 'bodies.made' has %lld rows, but the scene has %d bodies; it is damaged, run the "
                        "scene anew",
                        frz_checkpoint_path(x->reader), (long long)rows, x->model->body_count);
    FRZ_TRY(frz_bodies_reserve(x->state, (int)rows, x->diag));
    FRZ_TRY(frz_exchange_rows(x, table, rows, x->state->bodies.identity));
    for (int b = x->state->bodies.count; b < (int)rows; ++b)
        x->state->bodies.rigid[b] = (frz_rigid_body){.rotation = {.w = 1.0}, .axis = {0.0, 0.0, 1.0}};
    x->state->bodies.count = (int)rows;
    return frz_exchange_check_identities(x);
}

// Identities of bodies, events and totals of changes; without changes the scene determines them.
static frz_status exchange_changes(frz_exchange *x)
{
    if (!x->model->can_change)
        return FRZ_OK;
    frz_state *state = x->state;
    const double names = x->model->body_count + x->model->event_count;
    const frz_checkpoint_member members[] = {
        IDENTITY(made, FRZ_I32, FRZ_RANGE_INDEX(x->model->body_count)),
        IDENTITY(named_by, FRZ_I32, FRZ_RANGE(-1.0, x->model->event_count - 1.0)),
        IDENTITY(piece, FRZ_I32, FRZ_RANGE(FRZ_BODY_MELT, INT32_MAX)),
        IDENTITY(material, FRZ_I32, FRZ_RANGE(-1.0, x->model->material_count - 1.0)),
        IDENTITY(kind, FRZ_I32, FRZ_RANGE(FRZ_BODY_LIQUID, FRZ_BODY_STATIC)),
        IDENTITY(alive, FRZ_I32, FRZ_RANGE_FLAG),
        IDENTITY(filled, FRZ_I32, FRZ_RANGE_FLAG),
        IDENTITY(intact, FRZ_I32, FRZ_RANGE_FLAG),
        IDENTITY(object, FRZ_I32, FRZ_RANGE(0.0, INT32_MAX)),
        IDENTITY(particles, FRZ_I64, FRZ_RANGE_COUNT)};
    const frz_checkpoint_member pieces[] = {FRZ_PLAIN("bodies.last_piece", FRZ_I32, FRZ_RANGE(0.0, INT32_MAX))};
    const frz_checkpoint_member events[] = {
        FRZ_MEMBER("events.next", frz_event_state, next, FRZ_F64, 1, FRZ_RANGE_NOT_NEGATIVE, FRZ_FORM_NUMBERS),
        FRZ_MEMBER("events.fired", frz_event_state, fired, FRZ_I64, 1, FRZ_RANGE_COUNT, FRZ_FORM_NUMBERS),
        FRZ_MEMBER("events.spent", frz_event_state, spent, FRZ_I64, 1, FRZ_RANGE_FLAG, FRZ_FORM_NUMBERS)};
    const frz_checkpoint_member totals[] = {
        FRZ_MEMBER("changes.changed", frz_changes, changed, FRZ_I64, 1, FRZ_RANGE_COUNT, FRZ_FORM_NUMBERS),
        FRZ_MEMBER("changes.refused", frz_changes, refused, FRZ_I64, 1, FRZ_RANGE_COUNT, FRZ_FORM_NUMBERS),
        FRZ_MEMBER("changes.batches", frz_changes, batches, FRZ_I64, 1, FRZ_RANGE_COUNT, FRZ_FORM_NUMBERS),
        FRZ_MEMBER("changes.energy", frz_changes, energy, FRZ_F64, 1, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS)};
    const frz_checkpoint_table table = FRZ_TABLE(members, frz_body_identity);
    const frz_checkpoint_table piece_table = FRZ_TABLE(pieces, int32_t);
    const frz_checkpoint_table event_table = FRZ_TABLE(events, frz_event_state);
    const frz_checkpoint_table total_table = FRZ_TABLE(totals, frz_changes);
    FRZ_TRY(x->reader != NULL ? read_identities(x, &table)
                              : frz_exchange_rows(x, &table, state->bodies.count, state->bodies.identity));
    FRZ_TRY(frz_exchange_rows(x, &piece_table, (int64_t)names, state->bodies.last_piece));
    FRZ_TRY(frz_exchange_rows(x, &event_table, x->model->event_count, state->changes.events));
    return frz_exchange_rows(x, &total_table, 1, &state->changes);
}

// ---- heat

#define HEAT(member, type, count, range)                                                                               \
    FRZ_MEMBER("heat." #member, frz_heat_account, member, type, count, range, FRZ_FORM_NUMBERS)

// Older files do not have these values: the heat then advances in the next step.
static frz_status exchange_waiting_heat(frz_exchange *x)
{
    static const frz_checkpoint_member members[] = {HEAT(waiting, FRZ_F64, 1, FRZ_RANGE_NOT_NEGATIVE),
                                                    HEAT(patience, FRZ_F64, 1, FRZ_RANGE_NOT_NEGATIVE),
                                                    HEAT(power, FRZ_F64, FRZ_HEAT_PORTS, FRZ_RANGE_FINITE),
                                                    HEAT(surface_area, FRZ_F64, 1, FRZ_RANGE_NOT_NEGATIVE),
                                                    HEAT(substeps, FRZ_I64, 1, FRZ_RANGE_COUNT),
                                                    HEAT(iterations, FRZ_I64, 1, FRZ_RANGE_COUNT)};
    const frz_checkpoint_table table = FRZ_TABLE(members, frz_heat_account);
    frz_diag missing = {.status = FRZ_OK};
    int64_t rows = 0;
    if (x->reader != NULL && frz_checkpoint_table_rows(x->reader, &table, &rows, &missing) != FRZ_OK)
        return FRZ_OK;
    return frz_exchange_rows(x, &table, 1, &x->state->heat);
}

static frz_status exchange_heat(frz_exchange *x)
{
    static const frz_checkpoint_member members[] = {HEAT(entered, FRZ_F64, FRZ_HEAT_PORTS, FRZ_RANGE_FINITE),
                                                    HEAT(drift, FRZ_F64, 1, FRZ_RANGE_FINITE)};
    const frz_checkpoint_table table = FRZ_TABLE(members, frz_heat_account);
    if (!x->model->has_heat)
        return FRZ_OK;
    FRZ_TRY(frz_exchange_rows(x, &table, 1, &x->state->heat));
    return exchange_waiting_heat(x);
}
#undef HEAT

// ---- energy

static frz_status exchange_energy(frz_exchange *x)
{
#define ACCOUNT(member, range)                                                                                         \
    FRZ_MEMBER("energy." #member, frz_energy_account, member, FRZ_F64, 1, range, FRZ_FORM_NUMBERS)
    const frz_checkpoint_member members[] = {
        ACCOUNT(exchanged, FRZ_RANGE_FINITE),
        ACCOUNT(lowest, FRZ_RANGE_FINITE),
        ACCOUNT(scale, FRZ_RANGE_NOT_NEGATIVE),
        ACCOUNT(made, FRZ_RANGE_NOT_NEGATIVE),
        ACCOUNT(worst, FRZ_RANGE_NOT_NEGATIVE),
        ACCOUNT(told, FRZ_RANGE_NOT_NEGATIVE),
        ACCOUNT(power, FRZ_RANGE_FINITE),
        FRZ_MEMBER("energy.begun", frz_energy_account, begun, FRZ_I64, 1, FRZ_RANGE_FLAG, FRZ_FORM_NUMBERS)};
#undef ACCOUNT
    const frz_checkpoint_table table = FRZ_TABLE(members, frz_energy_account);
    return frz_exchange_rows(x, &table, 1, &x->state->energy);
}

// A part of the account that older files do not have: it is 0 then.
static frz_status exchange_later_part(frz_exchange *x, const frz_checkpoint_member *member, double *part)
{
    const frz_checkpoint_table table = {member, 1, sizeof(frz_energy_account)};
    frz_diag missing = {.status = FRZ_OK};
    int64_t rows = 0;
    if (x->reader != NULL && frz_checkpoint_table_rows(x->reader, &table, &rows, &missing) != FRZ_OK)
    {
        *part = 0.0;
        return FRZ_OK;
    }
    return frz_exchange_rows(x, &table, 1, &x->state->energy);
}

static frz_status exchange_friction(frz_exchange *x)
{
    static const frz_checkpoint_member friction =
        FRZ_MEMBER("energy.friction", frz_energy_account, friction, FRZ_F64, 1, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS);
    static const frz_checkpoint_member work =
        FRZ_MEMBER("energy.work", frz_energy_account, work, FRZ_F64, 1, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS);
    FRZ_TRY(exchange_later_part(x, &friction, &x->state->energy.friction));
    return exchange_later_part(x, &work, &x->state->energy.work);
}

// ---- rigid bodies

static bool has_rigid(const frz_exchange *x)
{
    bool any = x->model->can_change;
    for (int b = 0; b < frz_exchange_body_count(x); ++b)
        any = any || frz_exchange_body_kind(x, b) == FRZ_BODY_RIGID;
    return any;
}

#define BODY(member, type, count, range, form)                                                                         \
    FRZ_MEMBER("bodies." #member, frz_rigid_body, member, type, count, range, form)
#define LOAD(member)                                                                                                   \
    FRZ_MEMBER("bodies." #member, frz_body_load, member, FRZ_F64, 3, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS)

// The joint with the world is the scene's. Masses and positions in the body are saved because attached particles are a
// part of the body, and the inverse inertia in the world's axes because compilers may round it differently.
static frz_status exchange_bodies(frz_exchange *x)
{
    if (!has_rigid(x))
        return FRZ_OK;
    const frz_checkpoint_member bodies[] = {BODY(inverse_mass, FRZ_F64, 1, FRZ_RANGE_NOT_NEGATIVE, FRZ_FORM_NUMBERS),
                                            BODY(inertia, FRZ_F64, 9, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS),
                                            BODY(inverse_inertia, FRZ_F64, 9, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS),
                                            BODY(position, FRZ_F64, 3, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS),
                                            BODY(rotation, FRZ_F64, 4, FRZ_RANGE_FINITE, FRZ_FORM_UNIT),
                                            BODY(velocity, FRZ_F64, 3, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS),
                                            BODY(spin, FRZ_F64, 3, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS),
                                            BODY(inverse_inertia_world, FRZ_F64, 9, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS),
                                            BODY(mass, FRZ_F64, 1, FRZ_RANGE_NOT_NEGATIVE, FRZ_FORM_NUMBERS),
                                            BODY(center, FRZ_F64, 3, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS),
                                            BODY(parked, FRZ_U8, 1, FRZ_RANGE_FLAG, FRZ_FORM_NUMBERS),
                                            BODY(origin, FRZ_F64, 3, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS),
                                            BODY(friction, FRZ_F64, 1, FRZ_RANGE_NOT_NEGATIVE, FRZ_FORM_NUMBERS),
                                            BODY(restitution, FRZ_F64, 1, FRZ_RANGE(0.0, 1.0), FRZ_FORM_NUMBERS),
                                            BODY(rest_time, FRZ_F64, 1, FRZ_RANGE_NOT_NEGATIVE, FRZ_FORM_NUMBERS),
                                            BODY(asleep, FRZ_U8, 1, FRZ_RANGE_FLAG, FRZ_FORM_NUMBERS)};
    const frz_checkpoint_member loads[] = {LOAD(fluid_force),    LOAD(fluid_torque),   LOAD(contact_force),
                                           LOAD(contact_torque), LOAD(pressure_force), LOAD(pressure_torque)};
    const frz_checkpoint_table body_table = FRZ_TABLE(bodies, frz_rigid_body);
    const frz_checkpoint_table load_table = FRZ_TABLE(loads, frz_body_load);
    FRZ_TRY(frz_exchange_rows(x, &body_table, frz_exchange_body_count(x), x->state->bodies.rigid));
    FRZ_TRY(frz_exchange_rows(x, &load_table, frz_exchange_body_count(x), x->state->bodies.loads));
    return x->reader != NULL ? frz_exchange_check_bodies(x) : FRZ_OK;
}

static frz_status exchange_joints(frz_exchange *x)
{
    frz_joints *joints = x->state->contact.set != NULL ? frz_contacts_joints(x->state->contact.set) : NULL;
    if (joints == NULL)
        return FRZ_OK;
    const frz_checkpoint_member members[] = {
        FRZ_MEMBER("joints.impulse", frz_joint_memory, impulse, FRZ_F64, 1, FRZ_RANGE_NOT_NEGATIVE, FRZ_FORM_NUMBERS),
        FRZ_MEMBER("joints.angle", frz_joint_memory, angle, FRZ_F64, 2, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS)};
    const frz_checkpoint_table table = FRZ_TABLE(members, frz_joint_memory);
    return frz_exchange_rows(x, &table, frz_joints_count(joints), frz_joints_memory(joints));
}

// ---- contacts of the last step, the warm start of the next; any number

#define CONTACT(name, member, type, count, range, form)                                                                \
    FRZ_MEMBER("contacts." name, frz_contact, member, type, count, range, form)
#define PAIR(member, type, count, range)                                                                               \
    FRZ_MEMBER("contact_pairs." #member, frz_contact_pair, member, type, count, range, FRZ_FORM_NUMBERS)

static frz_status exchange_contact_list(frz_exchange *x, frz_contacts_memory *memory)
{
    const frz_range body = FRZ_RANGE_INDEX(frz_exchange_body_count(x)), any = FRZ_RANGE_FINITE;
    const frz_range contact = FRZ_RANGE_INDEX(INT32_MAX), kept = FRZ_RANGE(FRZ_CONTACT_MOVING, FRZ_CONTACT_RESTING);
    const frz_checkpoint_member members[] = {
        CONTACT("toucher", key.toucher, FRZ_I32, 1, body, FRZ_FORM_NUMBERS),
        CONTACT("touched", key.touched, FRZ_I32, 1, body, FRZ_FORM_NUMBERS),
        CONTACT("point", key.point, FRZ_I32, 1, contact, FRZ_FORM_NUMBERS),
        CONTACT("kept", key.kept, FRZ_I32, 1, kept, FRZ_FORM_NUMBERS),
        CONTACT("place", place, FRZ_F64, 3, any, FRZ_FORM_NUMBERS),
        CONTACT("normal", normal, FRZ_F64, 3, any, FRZ_FORM_UNIT),
        CONTACT("gap", gap, FRZ_F64, 1, any, FRZ_FORM_NUMBERS),
        CONTACT("facing", facing, FRZ_F64, 1, any, FRZ_FORM_NUMBERS),
        CONTACT("approach", approach, FRZ_F64, 1, any, FRZ_FORM_NUMBERS),
        CONTACT("impulse", impulse, FRZ_F64, 3, any, FRZ_FORM_NUMBERS),
        CONTACT("tangent", tangent[0], FRZ_F64, 3, any, FRZ_FORM_UNIT_OR_ZERO),
        CONTACT("other_tangent", tangent[1], FRZ_F64, 3, any, FRZ_FORM_UNIT_OR_ZERO),
        CONTACT("anchor", anchor, FRZ_F64, 6, any, FRZ_FORM_NUMBERS),
        CONTACT("axis", axis, FRZ_F64, 3, any, FRZ_FORM_UNIT)};
    const frz_checkpoint_table table = FRZ_TABLE(members, frz_contact);
    if (x->reader == NULL)
        return frz_exchange_rows(x, &table, memory->count, memory->list);
    int64_t rows = 0;
    FRZ_TRY(frz_checkpoint_table_rows(x->reader, &table, &rows, x->diag));
    memory->list = FRZ_ALLOC("contacts", rows + 1, frz_contact);
    if (memory->list == NULL)
        return frz_fail_memory(x->diag, "the contacts of bodies");
    memory->count = (int)rows;
    return frz_exchange_rows(x, &table, rows, memory->list);
}

static frz_status exchange_contact_pairs(frz_exchange *x, frz_contacts_memory *memory)
{
    const frz_range body = FRZ_RANGE_INDEX(frz_exchange_body_count(x)), any = FRZ_RANGE_FINITE;
    const frz_range contacts = FRZ_RANGE(0.0, memory->count), points = FRZ_RANGE(0.0, INT32_MAX);
    const frz_checkpoint_member members[] = {PAIR(low, FRZ_I32, 1, body),       PAIR(high, FRZ_I32, 1, body),
                                             PAIR(first, FRZ_I32, 1, contacts), PAIR(count, FRZ_I32, 1, contacts),
                                             PAIR(points, FRZ_I32, 1, points),  PAIR(fresh, FRZ_I32, 1, FRZ_RANGE_FLAG),
                                             PAIR(slack, FRZ_F64, 1, any),      PAIR(margin, FRZ_F64, 1, any),
                                             PAIR(shift, FRZ_F64, 3, any),      PAIR(turn, FRZ_F64, 9, any)};
    const frz_checkpoint_table table = FRZ_TABLE(members, frz_contact_pair);
    if (x->reader == NULL)
        return frz_exchange_rows(x, &table, memory->pair_count, memory->pairs);
    int64_t rows = 0;
    FRZ_TRY(frz_checkpoint_table_rows(x->reader, &table, &rows, x->diag));
    memory->pairs = FRZ_ALLOC("contacts", rows + 1, frz_contact_pair);
    if (memory->pairs == NULL)
        return frz_fail_memory(x->diag, "the contacts of bodies");
    memory->pair_count = (int)rows;
    return frz_exchange_rows(x, &table, rows, memory->pairs);
}

// Pressures and friction of samples in contact, the warm start of gissler2019. Older files do not have them: the solve
// then starts from zero.
static frz_status exchange_kept(frz_exchange *x)
{
    static const frz_checkpoint_member members[] = {FRZ_MEMBER("contacts.sample_pressure", frz_contact_kept, pressure,
                                                               FRZ_F64, 1, FRZ_RANGE_NOT_NEGATIVE, FRZ_FORM_NUMBERS),
                                                    FRZ_MEMBER("contacts.sample_friction", frz_contact_kept, friction,
                                                               FRZ_F64, 3, FRZ_RANGE_FINITE, FRZ_FORM_NUMBERS)};
    const frz_checkpoint_table table = FRZ_TABLE(members, frz_contact_kept);
    frz_diag missing = {.status = FRZ_OK};
    int64_t rows = 0;
    if (x->state->contact.kept == NULL ||
        (x->reader != NULL && frz_checkpoint_table_rows(x->reader, &table, &rows, &missing) != FRZ_OK))
        return FRZ_OK;
    x->state->contact.undone = false;
    return frz_exchange_rows(x, &table, x->state->contact.kept_count, x->state->contact.kept);
}

static frz_status exchange_contacts(frz_exchange *x)
{
    if (x->state->contact.set == NULL)
        return FRZ_OK;
    FRZ_TRY(exchange_kept(x));
    const frz_checkpoint_member last_dt[] = {FRZ_PLAIN("contacts.last_dt", FRZ_F64, FRZ_RANGE_NOT_NEGATIVE)};
    const frz_checkpoint_table last_dt_table = FRZ_TABLE(last_dt, double);
    const bool reads = x->reader != NULL;
    frz_contacts_memory memory = {0};
    if (!reads)
        memory = frz_contacts_recall(x->state->contact.set);
    x->contacts_last_dt = memory.last_dt;
    FRZ_TRY(frz_exchange_rows(x, &last_dt_table, 1, &x->contacts_last_dt));
    memory.last_dt = x->contacts_last_dt;
    frz_status status = exchange_contact_list(x, &memory);
    if (status == FRZ_OK)
        status = exchange_contact_pairs(x, &memory);
    if (!reads)
        return status;
    if (status == FRZ_OK)
        status = frz_exchange_check_contacts(x, &memory);
    if (status == FRZ_OK)
        status = frz_contacts_put(x->state->contact.set, &memory, x->diag);
    frz_free(memory.list);
    frz_free(memory.pairs);
    return status;
}

// ---- particles

static bool has_points(const frz_model *model)
{
    bool any = false;
    for (int m = 0; m < model->material_count; ++m)
        any = any || frz_model_has_points(model, m);
    return any;
}

// Ranges of the fields of identity; other fields are finite numbers.
static frz_range range_of(const frz_exchange *x, int field)
{
    switch (field)
    {
    case FRZ_FIELD_ID_id:
        return FRZ_RANGE_INDEX((double)x->state->next_id);
    case FRZ_FIELD_ID_body:
        return FRZ_RANGE_INDEX(frz_exchange_body_count(x));
    case FRZ_FIELD_ID_phase:
        return FRZ_RANGE(FRZ_PHASE_LIQUID, has_points(x->model) ? FRZ_PHASE_POINT : FRZ_PHASE_RIGID);
    case FRZ_FIELD_ID_material:
        return FRZ_RANGE_INDEX(x->model->material_count);
    case FRZ_FIELD_ID_inverse_density:
        return FRZ_RANGE_POSITIVE;
    default:
        if (field == x->state->fields.origin)
            return FRZ_RANGE_INDEX(x->model->body_count);
        if (field == x->state->fields.room)
            return FRZ_RANGE(-1.0, 100.0);
        if (field == x->state->fields.clearance)
            return FRZ_RANGE(-x->model->spacing, x->model->spacing);
        if (field == x->state->fields.solid)
            return FRZ_RANGE(-1.0, INT32_MAX);
        if (x->model->has_heat && field == x->model->enthalpy_field)
            return FRZ_RANGE_NOT_NEGATIVE;
        return x->model->has_temperature && field == x->model->temperature_field ? FRZ_RANGE_NOT_NEGATIVE
                                                                                 : FRZ_RANGE_FINITE;
    }
}

static frz_status make_room(frz_exchange *x)
{
    frz_particles *particles = &x->state->particles;
    const int64_t rows = frz_checkpoint_rows(x->reader, particles->fields[FRZ_FIELD_ID_position].decl.name);
    const int capacity = particles->capacity[FRZ_ROLE_FREE];
    if (rows < 0)
        return frz_fail(x->diag, FRZ_ERR_FILE, "%s has no array 'position'; it may stem from another version of frazil",
                        frz_checkpoint_path(x->reader));
    if (rows > INT32_MAX / 2 || rows > x->state->next_id || (rows > capacity && x->model->emitter_count == 0))
        return frz_fail(x->diag, FRZ_ERR_FILE, "%s holds %lld particles, but the scene has room for %d",
                        frz_checkpoint_path(x->reader), (long long)rows, capacity);
    FRZ_TRY(frz_particles_grow(particles, FRZ_ROLE_FREE, (int)rows, x->diag));
    particles->count[FRZ_ROLE_FREE] = (int)rows;
    return FRZ_OK;
}

// Methods may have fields of one name (rotations of two elastic methods): the second one is name_2.
static const char *name_of_field(frz_exchange *x, const frz_particles *particles, int f)
{
    const char *name = particles->fields[f].decl.name;
    int times = 1;
    for (int g = 0; g < f; ++g)
        times += strcmp(particles->fields[g].decl.name, name) == 0;
    if (times == 1)
        return name;
    FRZ_ASSERT(x->name_count < FRZ_EXCHANGE_MAX);
    char *out = x->names[x->name_count++];
    snprintf(out, sizeof x->names[0], "%s_%d", name, times);
    return out;
}

static frz_status exchange_particles(frz_exchange *x)
{
    const frz_particles *particles = &x->state->particles;
    if (x->reader != NULL)
        FRZ_TRY(make_room(x));
    for (int f = 0; f < particles->field_count; ++f)
    {
        if ((particles->fields[f].decl.flags & FRZ_FIELD_SAVE) == 0)
            continue;
        frz_array_desc view = frz_particles_view(particles, f, FRZ_ROLE_FREE);
        view.name = name_of_field(x, particles, f);
        FRZ_ASSERT(x->count < FRZ_EXCHANGE_MAX);
        if (x->reader == NULL)
            x->arrays[x->count++] = view;
        else
            FRZ_TRY(frz_checkpoint_read_checked(x->reader, &view, range_of(x, f), FRZ_FORM_NUMBERS, x->diag));
    }
    return x->reader != NULL ? frz_exchange_check_particles(x) : FRZ_OK;
}

// ---- bonds that have broken: where they stood follows from the scene

static frz_status read_broken(frz_exchange *x, const frz_checkpoint_table *table)
{
    int64_t rows = 0;
    if (x->state->solids.cracked)
        return frz_fail(x->diag, FRZ_ERR_ARGUMENT,
                        "bodies of this simulation have broken already, which cannot be undone; make it anew from the "
                        "scene and restore that");
    FRZ_TRY(frz_checkpoint_table_rows(x->reader, table, &rows, x->diag));
    int64_t *place = FRZ_ALLOC("checkpoint", rows + 1, int64_t);
    if (place == NULL)
        return frz_fail_memory(x->diag, "the broken bonds");
    frz_status status = frz_exchange_rows(x, table, rows, place);
    if (status == FRZ_OK)
        status = frz_exchange_check_broken(x, place, rows);
    if (status == FRZ_OK)
        status = frz_pieces_put_broken(x->state, place, rows, x->diag);
    frz_free(place);
    return status;
}

static frz_status exchange_bonds(frz_exchange *x)
{
    const frz_bonds *bonds = &x->state->bonds;
    if (x->state->solids.changed)
        return FRZ_OK; // all bonds are saved
    const double bond_count = bonds->count > 0 ? (double)bonds->begin[bonds->count] : 0.0;
    const frz_checkpoint_member members[] = {FRZ_PLAIN("bonds.broken", FRZ_I64, FRZ_RANGE_INDEX(bond_count))};
    const frz_checkpoint_table table = FRZ_TABLE(members, int64_t);
    if (x->reader != NULL)
        return read_broken(x, &table);
    const int64_t count = frz_pieces_list_broken(x->state, NULL);
    x->broken = FRZ_ALLOC("checkpoint", count + 1, int64_t);
    if (x->broken == NULL)
        return frz_fail_memory(x->diag, "the broken bonds");
    (void)frz_pieces_list_broken(x->state, x->broken);
    return frz_exchange_rows(x, &table, count, x->broken);
}

// ---- all of it

frz_status frz_exchange_all(frz_exchange *exchange)
{
    static frz_status (*const parts[])(frz_exchange *) = {
        exchange_sources,   exchange_energy,       exchange_friction, exchange_heat,
        exchange_changes,   exchange_bodies,       exchange_joints,   frz_exchange_solids,
        exchange_particles, frz_exchange_surfaces, exchange_contacts, exchange_bonds};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; ++p)
        FRZ_TRY(parts[p](exchange));
    return FRZ_OK;
}

void frz_exchange_end(frz_exchange *exchange)
{
    FRZ_FREE(exchange->broken);
    FRZ_FREE(exchange->attached);
    FRZ_FREE(exchange->attached_count);
}
