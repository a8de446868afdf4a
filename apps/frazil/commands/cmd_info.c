// SPDX-License-Identifier: MIT
// frazil info: describe a run, a scene, or the tables of the program.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/command.h"
#include "json.h"
#include "commands/law_plots.h"
#include "output.h"

typedef struct info_values
{
    frz_common_values common;
    bool markdown;
    const char *plot;
} info_values;

static const frz_option info_options[] = {{"markdown", 0, FRZ_OPTION_FLAG, offsetof(info_values, markdown), NULL,
                                           "reference page of methods, laws or schema as Markdown"},
                                          {"plot", 0, FRZ_OPTION_TEXT, offsetof(info_values, plot), "DIR",
                                           "with laws: draw stress over stretch of all laws into a folder, as SVG"},
                                          {0}};

/// Print a text that the library gave away.
static int print_given(const frz_call *call, char *text)
{
    if (text == NULL)
        return frz_command_fail(call, &(frz_diag){.status = FRZ_ERR_MEMORY, .message = "not enough memory"});
    fputs(text, stdout);
    const size_t length = strlen(text);
    if (length > 0 && text[length - 1] != '\n')
        putchar('\n');
    frz_text_free(text);
    return FRZ_EXIT_DONE;
}

static int print_methods(const frz_call *call)
{
    return print_given(call, call->common->json ? frz_methods_json() : frz_methods_markdown());
}

static int plot_laws(const frz_call *call, const char *directory)
{
    frz_diag diag = {0};
    const int code = frz_command_make_folder(call, directory);
    if (code != FRZ_EXIT_DONE)
        return code;
    if (frz_law_plots_write(directory, &diag) != FRZ_OK)
        return frz_command_fail(call, &diag);
    frz_json json = {.out = stdout};
    if (call->common->json)
    {
        frz_json_begin_object(&json, NULL);
        frz_json_text(&json, "directory", directory);
        frz_json_begin_array(&json, "plots");
    }
    for (int i = 0; frz_law_plot_names[i] != NULL; ++i)
    {
        if (call->common->json)
            frz_json_text(&json, NULL, frz_law_plot_names[i]);
        else
            printf("%s/%s\n", directory, frz_law_plot_names[i]);
    }
    if (call->common->json)
    {
        frz_json_end_array(&json);
        frz_json_end_object(&json);
    }
    return FRZ_EXIT_DONE;
}

static int print_laws(const frz_call *call)
{
    const info_values *values = call->values;
    if (values->plot != NULL)
        return plot_laws(call, values->plot);
    return print_given(call, call->common->json ? frz_laws_json() : frz_laws_markdown());
}

static int print_schema(const frz_call *call)
{
    const info_values *values = call->values;
    return print_given(call, values->markdown ? frz_schema_markdown() : frz_schema_json());
}

static int print_scene(const frz_call *call, frz_json *json, int index)
{
    const char *name = frz_scene_builtin_name(index);
    frz_scene *scene = NULL;
    frz_diag diag = {0};
    if (frz_scene_builtin(name, &scene, &diag) != FRZ_OK)
        return frz_command_fail(call, &diag);
    if (call->common->json)
    {
        frz_json_begin_object(json, NULL);
        frz_json_text(json, "name", name);
        frz_json_text(json, "kind", frz_scene_builtin_kind(index));
        frz_json_text(json, "title", frz_scene_title(scene));
        frz_json_integer(json, "dimension", frz_scene_dimension(scene));
        frz_json_real(json, "duration", frz_scene_duration(scene));
        frz_json_end_object(json);
    }
    else
        printf("  builtin:%-24s %dD  %6.4g s  %s\n", name, frz_scene_dimension(scene), frz_scene_duration(scene),
               frz_scene_title(scene));
    frz_scene_destroy(&scene);
    return FRZ_EXIT_DONE;
}

static int print_scenes(const frz_call *call)
{
    static const struct
    {
        const char *kind, *title;
    } groups[] = {{"show", "Show scenes, to look at (docs/gallery.md has pictures)"},
                  {"benchmark", "Benchmarks (frazil bench)"},
                  {"validation", "Validation scenes, with known results (frazil validate)"}};
    frz_json json = {.out = stdout};
    if (call->common->json)
    {
        frz_json_begin_object(&json, NULL);
        frz_json_begin_array(&json, "scenes");
    }
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; ++g)
    {
        if (!call->common->json)
            printf("%s%s:\n", g > 0 ? "\n" : "", groups[g].title);
        for (int i = 0; frz_scene_builtin_name(i) != NULL; ++i)
        {
            const bool belongs = strcmp(frz_scene_builtin_kind(i), groups[g].kind) == 0;
            const int code = belongs ? print_scene(call, &json, i) : FRZ_EXIT_DONE;
            if (code != FRZ_EXIT_DONE)
                return code;
        }
    }
    if (call->common->json)
    {
        frz_json_end_array(&json);
        frz_json_end_object(&json);
    }
    return FRZ_EXIT_DONE;
}

static int print_materials(const frz_call *call)
{
    frz_json json = {.out = stdout};
    if (call->common->json)
    {
        frz_json_begin_object(&json, NULL);
        frz_json_begin_array(&json, "materials");
    }
    for (int i = 0; frz_material_name(i) != NULL; ++i)
    {
        if (call->common->json)
        {
            frz_json_begin_object(&json, NULL);
            frz_json_text(&json, "name", frz_material_name(i));
            frz_json_text(&json, "meaning", frz_material_doc(i));
            frz_json_text(&json, "source", frz_material_source(i));
            frz_json_text(&json, "keys", frz_material_text(i));
            frz_json_end_object(&json);
        }
        else
            printf("%s: %s\n  %s\n  Source: %s\n\n", frz_material_name(i), frz_material_doc(i), frz_material_text(i),
                   frz_material_source(i));
    }
    if (call->common->json)
    {
        frz_json_end_array(&json);
        frz_json_end_object(&json);
    }
    return FRZ_EXIT_DONE;
}

// ---- fields

/// The fields belong to a simulation, so that a very small one is made.
static const char field_scene[] =
    "{dimension: 2, spacing: 0.1, duration: 1, temperature: 293.15, materials: {water: {density: 1000}}, "
    "bodies: [{state: liquid, material: water, "
    "shape: {box: {min: [0, 0], max: [0.3, 0.3]}}}]}";

static const char *scalar_name(frz_scalar type)
{
    switch (type)
    {
    case FRZ_SCALAR_F32:
        return "f32";
    case FRZ_SCALAR_F64:
        return "f64";
    case FRZ_SCALAR_I32:
        return "i32";
    default:
        return "i64";
    }
}

static void list_fields(const frz_call *call, const frz_sim *sim)
{
    frz_json json = {.out = stdout};
    if (call->common->json)
    {
        frz_json_begin_object(&json, NULL);
        frz_json_begin_array(&json, "fields");
    }
    else
        printf("%-16s %-8s %-5s %s\n", "Field", "Unit", "Type", "Components");
    for (int i = 0; frz_sim_field_name(sim, i) != NULL; ++i)
    {
        const frz_field_view view = frz_sim_field(sim, frz_sim_field_name(sim, i), FRZ_SEGMENT_FREE);
        if (call->common->json)
        {
            frz_json_begin_object(&json, NULL);
            frz_json_text(&json, "name", view.name);
            frz_json_text(&json, "unit", view.unit);
            frz_json_text(&json, "type", scalar_name(view.type));
            frz_json_integer(&json, "components", view.components);
            frz_json_end_object(&json);
        }
        else
            printf("%-16s %-8s %-5s %d\n", view.name, view.unit[0] != '\0' ? view.unit : "-", scalar_name(view.type),
                   view.components);
    }
    if (call->common->json)
    {
        frz_json_end_array(&json);
        frz_json_end_object(&json);
    }
}

static int print_fields(const frz_call *call)
{
    frz_scene *scene = NULL;
    frz_sim *sim = NULL;
    frz_diag diag = {0};
    frz_sim_def def = frz_sim_def_default();
    def.threads = 1;
    int code = FRZ_EXIT_DONE;
    if (frz_scene_parse(field_scene, "fields", NULL, &scene, &diag) == FRZ_OK &&
        frz_sim_create(scene, &def, &sim, &diag) == FRZ_OK)
        list_fields(call, sim);
    else
        code = frz_command_fail(call, &diag);
    frz_sim_destroy(&sim);
    frz_scene_destroy(&scene);
    return code;
}

static int print_version(const frz_call *call)
{
    if (!call->common->json)
    {
        printf("frazil %s\n", frz_version());
        return FRZ_EXIT_DONE;
    }
    frz_json json = {.out = stdout};
    frz_json_begin_object(&json, NULL);
    frz_json_text(&json, "version", frz_version());
    frz_json_end_object(&json);
    return FRZ_EXIT_DONE;
}

// ---- runs and scenes

/// State of the conversion of a JSON text to plain form.
typedef struct plain
{
    int depth;  ///< of objects and lists
    int list;   ///< depth of the outermost list around, 0 for none
    bool empty; ///< nothing on the line yet
} plain;

static void end_line(plain *p)
{
    if (!p->empty)
        putchar('\n');
    p->empty = true;
}

/// Brackets and commas make lines; an entry of a list stays on one line.
static void print_mark(plain *p, char mark)
{
    const bool entry = p->list > 0 && p->depth > p->list;
    if (mark == ',' && entry)
        fputs(", ", stdout);
    else if (!(mark == '}' && entry) || p->depth == p->list + 1)
        end_line(p);
    p->depth += mark == '{' || mark == '[' ? 1 : 0;
    p->depth -= mark == '}' || mark == ']' ? 1 : 0;
    if (mark == '[' && p->list == 0)
        p->list = p->depth;
    else if (mark == ']' && p->depth < p->list)
        p->list = 0;
}

/// JSON for people: "key: value" lines, indented, without quotes and brackets.
static void print_plain(const char *text)
{
    plain p = {.empty = true};
    bool quoted = false;
    for (const char *at = text; *at != '\0'; ++at)
    {
        if (*at == '"')
            quoted = !quoted;
        else if (!quoted && strchr("{}[],", *at) != NULL)
            print_mark(&p, *at);
        else if (quoted || strchr("\n ", *at) == NULL)
        {
            if (p.empty)
                printf("%*s", 2 * ((p.list > 0 ? p.list : p.depth) - 1), "");
            p.empty = false;
            at += *at == '\\' && at[1] != '\0' ? 1 : 0; // an escaped sign stands for itself
            putchar(*at);
            if (!quoted && *at == ':')
                putchar(' ');
        }
    }
    end_line(&p);
}

static int describe_run(const frz_call *call, const char *directory)
{
    char *text = NULL;
    frz_diag diag = {0};
    const int missing = frz_command_need_run(call, directory, "run.json");
    if (missing != FRZ_EXIT_DONE)
        return missing;
    if (frz_run_describe(directory, &text, &diag) != FRZ_OK)
        return frz_command_fail(call, &diag);
    if (call->common->json)
        return print_given(call, text);
    print_plain(text);
    frz_text_free(text);
    return FRZ_EXIT_DONE;
}

static int describe_scene(const frz_call *call, const char *name)
{
    int code = FRZ_EXIT_DONE;
    frz_scene *scene = frz_command_load_scene(call, name, NULL, &code);
    if (scene == NULL)
        return code;
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)frz_scene_hash(scene));
    if (call->common->json)
    {
        frz_json json = {.out = stdout};
        frz_json_begin_object(&json, NULL);
        frz_json_text(&json, "title", frz_scene_title(scene));
        frz_json_integer(&json, "dimension", frz_scene_dimension(scene));
        frz_json_real(&json, "duration", frz_scene_duration(scene));
        frz_json_real(&json, "frame_rate", frz_scene_frame_rate(scene));
        frz_json_text(&json, "hash", hash);
        frz_json_text(&json, "text", frz_scene_text(scene));
        frz_json_end_object(&json);
    }
    else
        printf("title: %s\ndimension: %d\nduration: %g s\nframe rate: %g per s\nhash: %s\n\n%s", frz_scene_title(scene),
               frz_scene_dimension(scene), frz_scene_duration(scene), frz_scene_frame_rate(scene), hash,
               frz_scene_text(scene));
    frz_scene_destroy(&scene);
    return FRZ_EXIT_DONE;
}

typedef struct topic
{
    const char *name;
    int (*print)(const frz_call *call);
} topic;

static const topic topics[] = {
    {"methods", print_methods}, {"laws", print_laws},           {"schema", print_schema},   {"scenes", print_scenes},
    {"fields", print_fields},   {"materials", print_materials}, {"version", print_version}, {NULL, NULL}};

static int run(const frz_call *call)
{
    const char *word = call->words[0];
    const char *known[sizeof topics / sizeof topics[0]] = {NULL};
    struct stat info;
    if (((const info_values *)call->values)->plot != NULL && strcmp(word, "laws") != 0)
        return frz_command_fail_usage(call, "--plot draws laws only: 'frazil info laws --plot DIR'");
    // topics and builtin: come first: a folder of such a name is reached by ./name
    for (int i = 0; topics[i].name != NULL; ++i)
    {
        known[i] = topics[i].name;
        if (strcmp(word, topics[i].name) == 0)
            return topics[i].print(call);
    }
    char hint[64];
    const bool named = strncmp(word, "builtin:", strlen("builtin:")) == 0 || strcmp(word, "-") == 0;
    if (!named && stat(word, &info) == 0 && S_ISDIR(info.st_mode))
        return describe_run(call, word);
    if (!named && stat(word, &info) != 0 && frz_builtin_meant(word) == NULL)
        return frz_command_fail_usage(call, "there is no folder or scene '%.200s', and no such topic%s", word,
                                      frz_did_you_mean(word, known, "", hint, sizeof hint));
    return describe_scene(call, word);
}

const frz_command frz_command_info = {
    .words = "DIR|SCENE|TOPIC",
    .min_words = 1,
    .max_words = 1,
    .doc = "Tell about the run in a folder, about a scene file (or builtin:NAME, or - for standard input),\n"
           "or about a topic (a folder of such a name is ./NAME):\n"
           "  methods   the numerical methods and their parameters\n"
           "  laws      the constitutive laws of elastic solids\n"
           "  schema    the keys of a scene, as JSON Schema for editors\n"
           "  scenes    the scenes that come with the program\n"
           "  fields    the fields of particles\n"
           "  materials the library of materials, with values and sources\n"
           "  version   the version",
    .options = info_options,
    .values_size = sizeof(info_values),
    .run = run,
};
