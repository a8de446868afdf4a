// SPDX-License-Identifier: MIT
// The scene language as tables: one section per map, one row per key. The tables drive reading, checking, defaults,
// "did you mean", the JSON schema and the reference page.
#pragma once

#include "scene/scene.h"
#include "scene/yaml_tree.h"

typedef enum frz_key_kind
{
    FRZ_KEY_REAL,     ///< double, with a unit
    FRZ_KEY_QUANTITY, ///< double, with a unit that other keys decide; read by the check of its section
    FRZ_KEY_INT,      ///< int
    FRZ_KEY_BOOL,     ///< bool; true or false only
    FRZ_KEY_TEXT,     ///< char *, any text
    FRZ_KEY_NAME,     ///< char *, letters, digits, _ and -
    FRZ_KEY_WORD,     ///< int, index into words
    FRZ_KEY_WORDS,    ///< unsigned, list of words as bits
    FRZ_KEY_NAMES,    ///< frz_name_list
    FRZ_KEY_VECTOR,   ///< frz_vec3, with a unit; two components in 2D
    FRZ_KEY_ROTATION, ///< frz_quat; angle in 2D, [rx, ry, rz], or {axis, angle}
    FRZ_KEY_TURN,     ///< frz_scene_turn; written like a rotation
    FRZ_KEY_SPIN,     ///< frz_vec3; angular velocity; number in 2D
    FRZ_KEY_COLOR,    ///< frz_rgb
    FRZ_KEY_SECTION,  ///< struct of the sub-section, in place
    FRZ_KEY_LIST,     ///< {int count; struct *items}, list of sub-sections
    FRZ_KEY_MAP,      ///< {int count; struct *items}, sub-sections by name
    FRZ_KEY_SHAPE,    ///< frz_shape *
    FRZ_KEY_GRID      ///< frz_grid, rows of lengths
} frz_key_kind;

enum
{
    FRZ_KEY_REQUIRED = 1,
    FRZ_KEY_ABOVE_MIN = 2,  ///< min itself is not allowed
    FRZ_KEY_ANY_Z = 4,      ///< vector whose z may differ from 0 in 2D scenes
    FRZ_KEY_NOT_ZERO = 8,   ///< vector that must have a direction
    FRZ_KEY_NOT_EMPTY = 16, ///< list or map that needs at least one entry
    FRZ_KEY_OR_ONE = 32     ///< list of names; a single name needs no brackets
};

typedef struct frz_section frz_section;
typedef struct frz_parse frz_parse;

/// One key; a table ends with a null key. min == max means that there is no range.
typedef struct frz_key
{
    const char *key;
    frz_key_kind kind;
    size_t offset;
    const char *unit;     ///< numbers, vectors: unit of a bare number and of the stored value; null as ""
    const char *fallback; ///< text of the default; null: zero, or described by doc
    double min, max;
    unsigned flags;
    const char *const *words;   ///< ends with null
    const frz_section *section; ///< of sections, lists and maps
    size_t has;                 ///< offset of a bool that is true if the key is given; 0: none
    const char *doc;
} frz_key;

/// Check combinations of keys, which no single row can check. node is null when the section is not in the text.
typedef frz_status frz_section_check_fn(frz_parse *parse, const frz_node *node, void *data);

typedef enum frz_slot_scope
{
    FRZ_SLOTS_NONE,
    FRZ_SLOTS_SCENE,   ///< the section offers the slots of the whole scene
    FRZ_SLOTS_MATERIAL ///< ... or those of a material
} frz_slot_scope;

struct frz_section
{
    const char *name; ///< "a body", for messages
    const char *doc;
    size_t size;            ///< of the struct, which begins with a frz_mark
    const frz_key *keys;    ///< ends with a null key
    const char *short_form; ///< key that is set by a value which is no map; null: none
    const char *auto_name;  ///< entries of a list without name are called <auto_name>_<index>
    size_t name_offset;     ///< of the char *name of list and map entries
    const char *name_key;   ///< key that names an entry of a list; null: name
    frz_slot_scope slots;   ///< which method slots are keys here
    size_t slots_offset;    ///< of the frz_choice[FRZ_SLOT_COUNT]
    frz_section_check_fn *check;
};

typedef struct frz_list
{
    int count;
    void *items;
} frz_list;

typedef struct frz_grid
{
    int columns, rows;
    double *values; ///< row by row
} frz_grid;

/// The whole scene.
extern const frz_section frz_section_scene;

/// Parts of it with a file of their own (schema_sources.c, schema_joints.c, schema_events.c).
extern const frz_section frz_section_emitter, frz_section_region, frz_section_probe;
extern const frz_section frz_section_joint, frz_section_chain;
extern const frz_section frz_section_event;

/// One kind of shape: {key: value}. Shapes made of a list of shapes have no section.
typedef struct frz_shape_form
{
    const char *key;
    const char *doc;
    const frz_section *section; ///< null: value is a list of shapes
    frz_shape_kind kind;
    int min_children;
    frz_status (*build)(frz_parse *parse, const frz_node *node, void *params, frz_shape **out);
} frz_shape_form;

extern const frz_shape_form frz_shape_forms[]; ///< ends with a null key

/// Colours that have a name; ends with a null name.
typedef struct frz_color_name
{
    const char *name;
    unsigned char red, green, blue;
} frz_color_name;

extern const frz_color_name frz_color_names[];

/// State of reading one scene.
struct frz_parse
{
    const frz_tree *tree;
    frz_scene *scene;
    int dimension;
    int shape_depth;
    frz_diag *diag;
};

/// Fill the tree's scene (zeroed before). On failure the scene may hold parts; destroy them with frz_section_clear.
FRZ_NODISCARD frz_status frz_schema_read(const frz_tree *tree, frz_scene *scene, frz_diag *diag);

/// Key that names the entries of a list of such sections.
const char *frz_section_name_key(const frz_section *section);

/// Fill data (zeroed) from a map node, or with the defaults if node is null.
FRZ_NODISCARD frz_status frz_section_read(frz_parse *parse, const frz_section *section, const frz_node *node,
                                          void *data);

/// Free the memory that the rows own; data is zero afterwards.
void frz_section_clear(const frz_section *section, void *data);

/// Read one value of a kind that needs no sub-section.
FRZ_NODISCARD frz_status frz_value_read(frz_parse *parse, const frz_key *row, const frz_node *node, void *target);

/// A number with unit and range, named in messages by the row's key.
FRZ_NODISCARD frz_status frz_value_real(frz_parse *parse, const frz_key *row, const frz_node *node, double *out);
FRZ_NODISCARD frz_status frz_value_int(frz_parse *parse, const frz_key *row, const frz_node *node, int *out);
FRZ_NODISCARD frz_status frz_value_bool(frz_parse *parse, const frz_key *row, const frz_node *node, bool *out);

/// A shape of the scene; node says which.
FRZ_NODISCARD frz_status frz_shape_read(frz_parse *parse, const frz_node *node, frz_shape **out);

/// A method for a slot (slot_choice.c).
FRZ_NODISCARD frz_status frz_choice_read(frz_parse *parse, frz_slot slot, const frz_node *node, frz_choice *out);

/// The row of a method's parameter.
frz_key frz_param_row(const frz_param *param);

/// True if a slot is a key of a section.
bool frz_section_has_slot(const frz_section *section, frz_slot slot);

/// Keep a note for the user with the scene.
FRZ_NODISCARD frz_status frz_scene_add_note(frz_scene *scene, const char *note, frz_diag *diag);

/// Highest temperature of a scene, K: far above any flame, and floats still resolve 0.1 K there.
#define FRZ_HOTTEST 1e6

/// Fail at a mark of the tree being read.
#define FRZ_PARSE_FAIL(parse, at, ...) frz_tree_fail((parse)->tree, at, (parse)->diag, __VA_ARGS__)
