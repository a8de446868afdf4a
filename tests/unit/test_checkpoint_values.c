// SPDX-License-Identifier: MIT
// Checkpoints whose seal is good but whose numbers are not: each is refused by a sentence that names array and row, and
// what is not refused runs.
#include "checkpoint_trial.h"
#include "sim/state_solids.h"

#include <sys/stat.h>
#include "compare.h"

// Liquid, an elastic bar that breaks, bodies that touch, joints, emitters, a drain and a probe: every table has rows.
static const char scene_text[] =
    "dimension: 2\n"
    "spacing: 0.05\n"
    "duration: 10\n"
    "time_step: {max: 2 ms}\n"
    "domain: {min: [-2, -1], max: [4, 3]}\n"
    "temperature: 20 degC\n"
    "materials:\n"
    "  water: {density: 1000, viscosity: {method: xsph, coefficient: 0.05}}\n"
    "  chalk: {density: 1200, elastic: {method: tlsph, young: 1e5, poisson: 0.2}, fracture: {method: stretch, limit: "
    "0.02}}\n"
    "bodies:\n"
    "  - {name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [2, 1]}}, thickness: 0.1, open: "
    "[+y]}}}\n"
    "  - {name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.5, 0.3]}}}\n"
    "  - {name: bar, state: elastic, material: chalk, shape: {box: {min: [0.6, 1.2], max: [1.2, 1.4]}}}\n"
    "  - {name: lower, state: rigid, density: 2000, shape: {box: {min: [1, 0], max: [1.4, 0.2]}}}\n"
    "  - {name: upper, state: rigid, density: 2000, shape: {box: {min: [1.1, 0.2], max: [1.3, 0.4]}}}\n"
    "  - {name: bob, state: rigid, density: 2000, shape: {box: {min: [1.6, 0.5], max: [1.8, 0.7]}}}\n"
    "  - {name: wheel, state: rigid, density: 2000, hinge: [1.7, 1.5], shape: {sphere: {center: [1.7, 1.5], radius: "
    "0.15}}}\n"
    "  - {name: drum, state: rigid, density: 2000, hinge: [2.3, 1.5], shape: {sphere: {center: [2.3, 1.5], radius: "
    "0.15}}}\n"
    "joints:\n"
    "  - {type: gear, bodies: [wheel, drum], ratio: -2}\n"
    "  - {type: rope, bodies: [bob, wheel], point: [1.6, 0.7], to: [1.6, 1.5]}\n"
    "emitters:\n"
    "  - {name: tap, material: water, position: [0.2, 0.8], direction: [0, -1], width: 0.2, speed: 2}\n"
    "  - {name: cup, material: water, position: [-1, 2], direction: [1, 0], width: 0.2, speed: 5, max_particles: 6}\n"
    "regions:\n"
    "  - {name: drain, action: kill, shape: {box: {min: [-2, -1], max: [-1.5, 3]}}}\n"
    "probes:\n"
    "  - {name: gate, position: [0.2, 0.7], normal: [0, -1], width: 0.5, fields: [flow]}\n";

enum
{
    steps = 40
};

static char folder[64];
static uint64_t scene_hash;
static frz_sim *victim;

static trial_contents *load_good(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/good/checkpoint.h5", folder);
    return trial_load(path);
}

static int find_array(const trial_contents *all, const char *name)
{
    for (int k = 0; k < all->array_count; ++k)
        if (strcmp(all->arrays[k].name, name) == 0)
            return k;
    return -1;
}

static int find_value(const trial_contents *all, const char *name)
{
    for (int k = 0; k < all->value_count; ++k)
        if (strcmp(all->values[k].name, name) == 0)
            return k;
    return -1;
}

// Write the contents with a good seal and restore a simulation from them.
static frz_status restore(const trial_contents *all, frz_sim *sim, frz_diag *diag)
{
    char place[96];
    snprintf(place, sizeof place, "%s/damaged", folder);
    const frz_checkpoint checkpoint = {.scene_text = scene_text,
                                       .scene_hash = scene_hash,
                                       .values = all->values,
                                       .value_count = all->value_count,
                                       .arrays = all->arrays,
                                       .array_count = all->array_count};
    assert_int_equal(frz_checkpoint_write(place, &checkpoint, diag), FRZ_OK);
    return frz_sim_restore(sim, place, diag);
}

// All that is refused goes to the same simulation, which must bear it.
static void assert_refused(const trial_contents *all, const char *first, const char *second)
{
    frz_diag diag = {.status = FRZ_OK};
    const frz_status status = restore(all, victim, &diag);
    if (status != FRZ_ERR_FILE || strstr(diag.message, first) == NULL || strstr(diag.message, second) == NULL)
        fail_msg("status %d and no '%s' '%s' in: %s", (int)status, first, second, diag.message);
}

static void put_number(const frz_array_desc *array, int64_t row, int component, double number)
{
    char *at = (char *)array->data + (size_t)(row * array->stride + component) * frz_dtype_size(array->type);
    const float narrow = (float)number;
    const int32_t small = (int32_t)number;
    const int64_t whole = array->type == FRZ_I64 ? (int64_t)number : 0;
    const uint8_t byte = array->type == FRZ_U8 ? (uint8_t)number : 0;
    const void *from[] = {
        [FRZ_F32] = &narrow, [FRZ_F64] = &number, [FRZ_I32] = &small, [FRZ_I64] = &whole, [FRZ_U8] = &byte};
    memcpy(at, from[array->type], frz_dtype_size(array->type));
}

static int remove_scratch(void **state)
{
    (void)state;
    frz_sim_destroy(&victim);
    return core_remove_folder(folder);
}

// A notch in the upper half of the bar: bonds are broken, and it is still one body.
static void notch_bar(frz_sim *sim)
{
    const frz_solids *solids = &sim->state->solids;
    frz_bonds *bonds = &sim->state->bonds;
    for (int i = 0; i < bonds->count; ++i)
        for (int64_t k = bonds->begin[i]; k < bonds->begin[i + 1]; ++k)
        {
            const frz_v4 a = solids->reference[i], b = solids->reference[bonds->other[k]];
            if (a[0] < (frz_real)0.9 && b[0] > (frz_real)0.9 && a[1] > (frz_real)1.3 && b[1] > (frz_real)1.3)
                frz_pieces_break(sim->state, i, k);
        }
    for (int i = 0; i < bonds->count; ++i)
        frz_bonds_correct(bonds, i);
}

static int save_good_one(void **state)
{
    (void)state;
    char place[96];
    frz_diag diag = {.status = FRZ_OK};
    snprintf(folder, sizeof folder, "%s/frz_values_XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(place, sizeof place, "%s/damaged", folder);
    mkdir(place, 0700);
    snprintf(place, sizeof place, "%s/good", folder);
    mkdir(place, 0700);
    frz_sim *sim = core_sim(scene_text, 1);
    scene_hash = sim->scene_hash;
    core_steps(sim, 1);
    notch_bar(sim);
    core_steps(sim, steps - 1);
    assert_greater(sim->state->bonds.broken_count, 0);
    assert_true(!sim->state->solids.changed);
    const frz_status status = frz_sim_save(sim, place, &diag);
    frz_sim_destroy(&sim);
    victim = core_sim(scene_text, 1);
    return status != FRZ_OK;
}

static void every_table_has_rows_and_the_good_file_is_taken(void **state)
{
    (void)state;
    static const char *const needed[] = {"emitters.layers", "regions.killed",    "probes.crossed", "bodies.position",
                                         "joints.impulse",  "contacts.toucher",  "position",       "bonds.broken",
                                         "temperature",     "contact_pairs.low", "position_rest"};
    trial_contents *all = load_good();
    const int wanted = (int)(sizeof needed / sizeof needed[0]) - (sizeof(frz_real) == sizeof(double) ? 1 : 0);
    for (int k = 0; k < wanted; ++k)
    {
        const int at = find_array(all, needed[k]);
        if (at < 0 || all->arrays[at].rows == 0)
            fail_msg("nothing in %s", needed[k]);
    }
    frz_sim *sim = core_sim(scene_text, 1);
    frz_diag diag = {.status = FRZ_OK};
    assert_int_equal(restore(all, sim, &diag), FRZ_OK);
    assert_same(sim->state->step, steps);
    assert_same(sim->state->sources.emitters[1].exhausted, 1);
    core_steps(sim, 2);
    frz_sim_destroy(&sim);
    trial_release(all);
}

// A number of each array that its check must notice.
static const struct
{
    const char *array;
    int row, component;
    double number;
    const char *words;
} damages[] = {
    {"position", 3, 1, NAN, "not a finite number"},
    {"velocity", 0, 0, INFINITY, "not a finite number"},
    {"density", 1, 0, NAN, "not a finite number"},
    {"temperature", 1, 0, -1.0, "not be below 0"},
    {"inverse_density", 2, 0, 0.0, "above 0"},
    {"inverse_density", 2, 0, -1.0, "above 0"},
    {"inverse_density", 2, 0, INFINITY, "not a finite number"},
    {"id", 2, 0, -1.0, "from 0 to"},
    {"id", 2, 0, 1e9, "from 0 to"},
    {"body", 4, 0, -1.0, "from 0 to"},
    {"body", 4, 0, 99.0, "from 0 to"},
    {"body", 4, 0, 0.0, "no particles of its own"},
    {"phase", 4, 0, 3.0, "from 0 to 2"},
    {"phase", 4, 0, 2.0, "do not have"},
    {"material", 4, 0, 2.0, "from 0 to 1"},
    {"material", 4, 0, 255.0, "from 0 to 1"},
    {"bodies.position", 4, 2, NAN, "not a finite number"},
    {"bodies.rotation", 4, 0, 0.5, "length 1"},
    {"bodies.rotation", 4, 3, NAN, "not a finite number"},
    {"bodies.velocity", 4, 0, INFINITY, "not a finite number"},
    {"bodies.spin", 4, 0, INFINITY, "not a finite number"},
    {"bodies.velocity", 4, 0, 1e9, "can have ended"},
    {"bodies.spin", 4, 2, 1e9, "can have ended"},
    {"bodies.mass", 4, 0, -1.0, "not be below 0"},
    {"bodies.mass", 4, 0, 0.0, "has a mass"},
    {"bodies.inverse_mass", 4, 0, -1.0, "not be below 0"},
    {"bodies.inverse_inertia_world", 4, 8, 1e9, "turned by"},
    {"bodies.parked", 4, 0, 2.0, "from 0 to 1"},
    {"bodies.parked", 4, 0, 1.0, "forces can still move"},
    {"bodies.rest_time", 4, 0, -1.0, "not be below 0"},
    {"bodies.asleep", 4, 0, 2.0, "from 0 to 1"},
    {"bodies.asleep", 4, 0, 1.0, "but the body moves"},
    {"bodies.contact_force", 4, 0, NAN, "not a finite number"},
    {"joints.impulse", 1, 0, -1.0, "not be below 0"},
    {"joints.angle", 0, 1, NAN, "not a finite number"},
    {"contacts.toucher", 0, 0, -1.0, "from 0 to"},
    {"contacts.toucher", 0, 0, 99.0, "from 0 to"},
    {"contacts.toucher", 0, 0, 1.0, "without a surface"},
    {"contacts.touched", 0, 0, 99.0, "from 0 to"},
    {"contacts.touched", 0, 0, 1.0, "cannot touch"},
    {"contacts.point", 0, 0, -1.0, "from 0 to"},
    {"contacts.point", 0, 0, 1e6, "points"},
    {"contacts.kept", 0, 0, 3.0, "from 0 to 2"},
    {"contacts.normal", 0, 1, 0.5, "length 1"},
    {"contacts.axis", 0, 1, 0.5, "length 1"},
    {"contacts.tangent", 0, 2, 3.0, "length 1"},
    {"contacts.gap", 0, 0, NAN, "not a finite number"},
    {"contacts.impulse", 0, 0, INFINITY, "not a finite number"},
    {"contacts.last_dt", 0, 0, -1.0, "not be below 0"},
    {"contact_pairs.low", 0, 0, 99.0, "from 0 to"},
    {"contact_pairs.low", 0, 0, 7.0, "below the other body"},
    {"contact_pairs.first", 0, 0, 1.0, "begin with 0"},
    {"contact_pairs.count", 0, 0, 1e6, "from 0 to"},
    {"contact_pairs.count", 0, 0, -1.0, "from 0 to"},
    {"contact_pairs.fresh", 0, 0, 2.0, "from 0 to 1"},
    {"contact_pairs.turn", 0, 4, NAN, "not a finite number"},
    {"emitters.travelled", 0, 0, -1.0, "from 0 to"},
    {"emitters.travelled", 0, 0, INFINITY, "not a finite number"},
    {"emitters.layers", 0, 0, -1.0, "from 0 to"},
    {"emitters.layers", 0, 0, 0.0, "the flow has come"},
    {"emitters.emitted", 0, 0, 1e6, "were born"},
    {"emitters.exhausted", 0, 0, 2.0, "from 0 to 1"},
    {"emitters.exhausted", 1, 0, 0.0, "particles are made"},
    {"emitters.exhausted", 0, 0, 1.0, "particles are made"},
    {"regions.killed", 0, 0, -1.0, "from 0 to"},
    {"probes.crossed", 0, 0, 0x1p60, "from -"},
    {"bonds.broken", 0, 0, -1.0, "from 0 to"},
    {"bonds.broken", 0, 0, 1e9, "from 0 to"},
    {"bonds.broken", 1, 0, 0.0, "not beyond the one before"},
};

static void damaged_numbers_are_named(void **state)
{
    (void)state;
    trial_contents *all = load_good();
    for (size_t k = 0; k < sizeof damages / sizeof damages[0]; ++k)
    {
        char place[128], kept[8];
        const int at = find_array(all, damages[k].array);
        assert_greater_equal(at, 0);
        assert_less(damages[k].row, all->arrays[at].rows);
        assert_less(damages[k].component, all->arrays[at].components);
        const frz_array_desc *array = &all->arrays[at];
        const size_t size = frz_dtype_size(array->type);
        char *spot = (char *)array->data + (size_t)(damages[k].row * array->stride + damages[k].component) * size;
        memcpy(kept, spot, size);
        put_number(array, damages[k].row, damages[k].component, damages[k].number);
        snprintf(place, sizeof place, "row %d of '%s'", damages[k].row, damages[k].array);
        if (strcmp(damages[k].words, "the flow has come") == 0) // said of the layers, whichever is wrong
            snprintf(place, sizeof place, "row %d of 'emitters.layers'", damages[k].row);
        assert_refused(all, place, damages[k].words);
        memcpy(spot, kept, size);
    }
    trial_release(all);
}

static void damaged_values_are_named(void **state)
{
    (void)state;
    static const struct
    {
        const char *name;
        double number;
        const char *words;
    } cases[] = {
        {"time", -1.0, "not be below 0"},
        {"time", NAN, "not a finite number"},
        {"time", 1e6, "do not take so long"},
        {"flow_marked", 1e3, "later than the time"},
        {"step", -1.0, "from 0 to"},
        {"lost", -1.0, "from 0 to"},
        {"rejected", -1.0, "from 0 to"},
        {"dt", -1.0, "not be below 0"},
        {"dt", INFINITY, "not a finite number"},
        {"dt_limit", 8.0, "from 0 to 7"},
        {"dt_limit", -1.0, "from 0 to 7"},
        {"space", 3.0, "from 0 to 2"},
        {"density_iterations", -1.0, "from 0 to"},
        {"density_iterations", 1e12, "from 0 to"},
        {"max_speed", -1.0, "not be below 0"},
        {"momentum_x", NAN, "not a finite number"},
        {"grid_min_x", NAN, "not a finite number"},
        {"grid_min_y", 1e3, "beyond the other end"},
        {"grid_min_x", -1e30, "too large to be searched"},
        {"liquid_min_x", 1e3, "beyond the other end"},
    };
    trial_contents *all = load_good();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    {
        char place[128];
        const int at = find_value(all, cases[k].name);
        assert_greater_equal(at, 0);
        const int64_t kept = all->numbers[at].integer;
        if (all->values[at].type == FRZ_F64)
            all->numbers[at].real = cases[k].number;
        else
            all->numbers[at].integer = (int64_t)cases[k].number;
        snprintf(place, sizeof place, "value '%s'", cases[k].name);
        assert_refused(all, place, cases[k].words);
        all->numbers[at].integer = kept;
    }
    trial_release(all);
}

// Ids that are possible, but not together, or not for a particle of that body.
static void wrong_ids_are_named(void **state)
{
    (void)state;
    trial_contents *all = load_good();
    int64_t *id = all->arrays[find_array(all, "id")].data;
    const int32_t *body = all->arrays[find_array(all, "body")].data;
    int liquid = 0, elastic = 0;
    while (body[liquid] != 1)
        ++liquid;
    while (body[elastic] != 2)
        ++elastic;
    const int64_t kept = id[liquid];
    id[liquid] = id[liquid > 0 ? 0 : 1];
    assert_refused(all, "'id'", "another particle");
    id[liquid] = kept;
    int32_t *solid = all->arrays[find_array(all, "solid")].data;
    const int32_t elastic_kept = solid[elastic];
    solid[elastic] = elastic_kept > 0 ? elastic_kept - 1 : 1;
    assert_refused(all, "'solid'", "belongs to another one");
    solid[elastic] = elastic_kept;
    all->numbers[find_value(all, "next_id")].integer = 5;
    assert_refused(all, "particles, but", "room");
    trial_release(all);
}

static void contacts_out_of_order_are_refused(void **state)
{
    (void)state;
    trial_contents *all = load_good();
    static const char *const keys[] = {"contacts.toucher", "contacts.touched", "contacts.point"};
    for (int k = 0; k < 3; ++k)
    {
        int32_t *key = all->arrays[find_array(all, keys[k])].data;
        assert_greater(all->arrays[find_array(all, keys[k])].rows, 1);
        const int32_t first = key[0];
        key[0] = key[1];
        key[1] = first;
    }
    assert_refused(all, "row 1 of 'contacts.toucher'", "in order");
    trial_release(all);
}

static void a_bond_at_a_place_without_one_is_refused(void **state)
{
    (void)state;
    trial_contents *all = load_good();
    const frz_bonds *bonds = &victim->state->bonds;
    const int64_t place = bonds->begin[bonds->count] - 1; // the last particle has no bond to one behind it
    frz_array_desc *array = &all->arrays[find_array(all, "bonds.broken")];
    ((int64_t *)array->data)[array->rows - 1] = place;
    assert_refused(all, "'bonds.broken'", "there is no bond");
    trial_release(all);
}

static void missing_arrays_and_other_numbers_of_rows_are_named(void **state)
{
    (void)state;
    trial_contents *all = load_good();
    for (int k = 0; k < all->array_count; ++k)
    {
        const frz_array_desc whole = all->arrays[k];
        char words[128];
        // files from before these were counted do not have them
        if (strcmp(whole.name, "energy.friction") == 0 || strcmp(whole.name, "energy.work") == 0)
            continue;
        all->arrays[k].name = "of_no_use"; // and one that nobody knows
        snprintf(words, sizeof words, "no array '%s'", whole.name);
        assert_refused(all, words, "another version");
        all->arrays[k] = whole;
        if (whole.rows < 2 || strcmp(whole.name, "bonds.broken") == 0) // a plain list has any length
            continue;
        all->arrays[k].rows -= 1;
        assert_refused(all, "array '", "rows");
        all->arrays[k] = whole;
    }
    for (int k = 0; k < all->value_count; ++k)
    {
        char words[128];
        snprintf(words, sizeof words, "no value '%s'", all->value_names[k]);
        all->values[k].name = "of_no_use";
        assert_refused(all, words, "another version");
        all->values[k].name = all->value_names[k];
    }
    trial_release(all);
}

static void unknown_arrays_and_values_are_ignored(void **state)
{
    (void)state;
    trial_contents *all = load_good();
    frz_sim *sim = core_sim(scene_text, 1);
    frz_diag diag = {.status = FRZ_OK};
    double numbers[4] = {NAN, 1.0, 2.0, 3.0};
    all->arrays[all->array_count++] = (frz_array_desc){
        .name = "of.tomorrow", .type = FRZ_F64, .components = 2, .stride = 2, .rows = 2, .data = numbers};
    all->values[all->value_count++] = (frz_checkpoint_value){"tomorrow", FRZ_F64, numbers, FRZ_RANGE_FINITE};
    assert_int_equal(restore(all, sim, &diag), FRZ_OK);
    core_steps(sim, 1);
    frz_sim_destroy(&sim);
    all->array_count -= 1;
    trial_release(all);
}

// Change a word to random bits, to one with a bit flipped, or to another word of the same array.
static void damage_word(const frz_array_desc *array, uint64_t *seed)
{
    const size_t bytes = (size_t)(array->rows * array->components) * frz_dtype_size(array->type);
    const size_t width = bytes < 8 ? frz_dtype_size(array->type) : 8, words = bytes / width;
    char *word = (char *)array->data + (size_t)(core_random(seed) * (double)words) * width;
    const char *other = (const char *)array->data + (size_t)(core_random(seed) * (double)words) * width;
    const int way = (int)(3.0 * core_random(seed));
    uint64_t bits = 0;
    memcpy(&bits, way == 2 ? other : word, width);
    if (way == 0)
        bits = (uint64_t)(core_random(seed) * 0x1p53) << 32 ^ (uint64_t)(core_random(seed) * 0x1p53);
    else if (way == 1)
        bits ^= UINT64_C(1) << (int)(core_random(seed) * 8.0 * (double)width);
    memcpy(word, &bits, width);
}

// The same anywhere in a checkpoint; returns the name of the array.
static const char *damage_anything(trial_contents *all, uint64_t *seed)
{
    const double values = 0.15; // share of the damages
    if (core_random(seed) < values)
    {
        const int v = (int)(core_random(seed) * all->value_count);
        const frz_array_desc value = {
            .type = FRZ_I64, .components = 1, .stride = 1, .rows = 1, .data = &all->numbers[v]};
        damage_word(&value, seed);
        return all->value_names[v];
    }
    int k = 0;
    do
        k = (int)(core_random(seed) * all->array_count);
    while (all->arrays[k].rows == 0);
    damage_word(&all->arrays[k], seed);
    return all->array_names[k];
}

// Either refused or run; the sanitizers look on. FRZ_DAMAGES=500 for more of them.
static void random_damage_is_refused_or_runs(void **state)
{
    (void)state;
    const char *wish = getenv("FRZ_DAMAGES");
    const int rounds = wish != NULL ? (int)strtol(wish, NULL, 10) : 30;
    uint64_t seed = 2;
    int refused = 0, ran = 0, failed = 0;
    for (int n = 0; n < rounds; ++n)
    {
        trial_contents *all = load_good();
        const char *name = damage_anything(all, &seed);
        frz_sim *sim = core_sim(scene_text, 1);
        frz_diag diag = {.status = FRZ_OK};
        const frz_status status = restore(all, sim, &diag);
        assert_true(status == FRZ_OK || status == FRZ_ERR_FILE);
        frz_status step = status;
        for (int s = 0; s < 2 && step == FRZ_OK; ++s)
            step = frz_sim_step(sim, HUGE_VAL, &diag);
        refused += status != FRZ_OK;
        ran += step == FRZ_OK;
        failed += status == FRZ_OK && step != FRZ_OK;
        if (wish != NULL)
            print_message("%s: %s\n", name, step == FRZ_OK ? "runs" : diag.message);
        frz_sim_destroy(&sim);
        trial_release(all);
    }
    if (wish != NULL)
        print_message("%d refused, %d ran, %d stopped at a step\n", refused, ran, failed);
    assert_greater(10 * refused, rounds);
    assert_greater(10 * ran, rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_has_rows_and_the_good_file_is_taken),
        cmocka_unit_test(damaged_numbers_are_named),
        cmocka_unit_test(damaged_values_are_named),
        cmocka_unit_test(wrong_ids_are_named),
        cmocka_unit_test(contacts_out_of_order_are_refused),
        cmocka_unit_test(a_bond_at_a_place_without_one_is_refused),
        cmocka_unit_test(missing_arrays_and_other_numbers_of_rows_are_named),
        cmocka_unit_test(unknown_arrays_and_values_are_ignored),
        cmocka_unit_test(random_damage_is_refused_or_runs),
    };
    return cmocka_run_group_tests(tests, save_good_one, remove_scratch);
}
