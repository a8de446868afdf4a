// SPDX-License-Identifier: MIT
// Materials with real values: `wax: {from: paraffin_wax, density: 850 kg/m3}` takes the keys of the library that the
// scene does not give itself. Values are rounded to two or three figures. The density is that of the liquid near the
// melting point; water has another one as a solid, the others have one between those of their phases.
#include "scene/material_library.h"

#include <string.h>

#include "scene/suggest.h"

// clang-format off
const frz_library_material frz_material_library[] = {
    {"water", "water and ice", "CRC Handbook of Chemistry and Physics, 97th ed., section 6, properties of ice and supercooled water (917 kg/m3, 333.6 kJ/kg, 2.1 to 2.3 W/(m K), 2110 J/(kg K)); FAO Fisheries Technical Paper 331",
     "{density: 998 kg/m3, viscosity: 1 mPa s,"
     " heat: {conductivity: 0.6 W/(m K), specific_heat: 4182 J/(kg K), solid_conductivity: 2.2 W/(m K),"
     "  solid_specific_heat: 2100 J/(kg K), expansion: 2.1e-4 1/K, emissivity: 0.96},"
     " melting: {point: 0 degC, latent_heat: 334 kJ/kg, solid_density: 917 kg/m3}}"},
    {"paraffin_wax", "candle wax, a mixture that melts over a few kelvins", "Zalba et al. 2003, doi:10.1016/S1359-4311(02)00192-8, tables of organic phase change materials; Ukrainczyk et al. 2010, Chem. Biochem. Eng. Q. 24, 129",
     "{density: 860 kg/m3, viscosity: 5 mPa s,"
     " heat: {conductivity: 0.17 W/(m K), specific_heat: 2400 J/(kg K), solid_conductivity: 0.24 W/(m K),"
     "  solid_specific_heat: 2100 J/(kg K), expansion: 8e-4 1/K, emissivity: 0.95},"
     " melting: {solidus: 54 degC, liquidus: 58 degC, latent_heat: 190 kJ/kg}}"},
    {"beeswax", "wax of bees", "Dinker, Agarwal & Agarwal 2017, doi:10.1016/j.joei.2015.11.002; Putra, Prawiro & Amin 2016, Int. J. Technology 7, 244 (melts at 63.6 degC by calorimetry)",
     "{density: 950 kg/m3, viscosity: 15 mPa s,"
     " heat: {conductivity: 0.25 W/(m K), specific_heat: 2900 J/(kg K), solid_specific_heat: 2200 J/(kg K), emissivity: 0.95},"
     " melting: {solidus: 62 degC, liquidus: 65 degC, latent_heat: 141 kJ/kg}}"},
    {"chocolate", "dark chocolate", "Beckett 2009, Industrial Chocolate Manufacture and Use, 4th ed., useful physical constants (0.26 W/(m K) at 35 to 40 degC, 1670 J/(kg K) liquid, 1590 solid, 46 kJ/kg, 1300 kg/m3 solid, 1200 liquid)",
     "{density: 1250 kg/m3, viscosity: {method: weiler2018, viscosity: 3 Pa s},"
     " heat: {conductivity: 0.26 W/(m K), specific_heat: 1670 J/(kg K), solid_specific_heat: 1590 J/(kg K), emissivity: 0.95},"
     " melting: {solidus: 28 degC, liquidus: 34 degC, latent_heat: 46 kJ/kg}}"},
    {"lead", "pure lead", "Sobolev 2011, Database of thermophysical properties of liquid metal coolants, SCK-CEN BLG-1069, at 600.6 K: 11441 - 1.2795 T kg/m3, 9.2 + 0.011 T W/(m K), 4.55e-4 exp(1069 K / T) Pa s; heat of fusion: OECD/NEA 2015, Handbook on lead-bismuth eutectic alloy and lead properties (23.07 kJ/kg)",
     "{density: 10670 kg/m3, viscosity: 2.7 mPa s,"
     " heat: {conductivity: 15.8 W/(m K), specific_heat: 148 J/(kg K), solid_conductivity: 31 W/(m K),"
     "  solid_specific_heat: 140 J/(kg K), expansion: 1.2e-4 1/K, emissivity: 0.6},"
     " melting: {point: 600.6 K, latent_heat: 23.1 kJ/kg}}"},
    {"solder", "tin with 37 % of lead, eutectic", "Siewert et al. 2002, Database for solder properties, NIST (8400 kg/m3, 50 W/(m K), 183 degC; liquid: half of the conductivity, as tin and lead); heats: makeitfrom.com, ISO 9453 alloys 131, Sn63Pb37Sb (46 kJ/kg, 190 J/(kg K)), and 104, Sn60Pb40E (45 kJ/kg, 180 J/(kg K)); liquid: tin and lead by mass (245 and 148 J/(kg K))",
     "{density: 8400 kg/m3, viscosity: 2 mPa s,"
     " heat: {conductivity: 25 W/(m K), specific_heat: 210 J/(kg K), solid_conductivity: 50 W/(m K),"
     "  solid_specific_heat: 190 J/(kg K), emissivity: 0.1},"
     " melting: {point: 183 degC, latent_heat: 46 kJ/kg}}"},
    {"lava", "basalt", "Robertson 1988, Thermal properties of rocks, USGS Open-File Report 88-441; Macdonald 1963, GSA Bulletin 74, 1071 (Hawaiian basalt of 1050 to 1200 degC: 200 to 400 Pa s, 2730 kg/m3); heat of fusion: Bouhifd et al. 2007, doi:10.1007/s00410-006-0170-8 (15.4 kJ/mol of oxides at 1000 K to 33.6 at 1800 K: 380 kJ/kg at 1400 K and 64 g/mol)",
     "{density: 2700 kg/m3, viscosity: {method: weiler2018, viscosity: 300 Pa s},"
     " heat: {conductivity: 1.5 W/(m K), specific_heat: 1200 J/(kg K), emissivity: 0.95},"
     " melting: {solidus: 1000 degC, liquidus: 1200 degC, latent_heat: 400 kJ/kg}}"},
    {"glass", "soda-lime glass, which softens without latent heat", "viscosity of window glass log10(dPa s) = -2.585 + 4215 / (T/degC - 263): Seward & Vascott 2005, High temperature glass melt property database (2530 kg/m3 at 20 degC, liquidus 1000 degC); Bansal & Doremus 1986, Handbook of Glass Properties (0.9 to 1.3 W/(m K); 720 to 800 J/(kg K) at 20 degC, more when hot)",
     "{density: 2500 kg/m3, viscosity: {method: weiler2018, viscosity: 140 Pa s},"
     " by_temperature: {viscosity: [{temperature: 800 degC, factor: 135}, {temperature: 850 degC, factor: 29}, {temperature: 900 degC, factor: 7.9},"
     "  {temperature: 950 degC, factor: 2.6}, {temperature: 1000 degC, factor: 1}, {temperature: 1100 degC, factor: 0.21}, {temperature: 1200 degC, factor: 0.06}]},"
     " heat: {conductivity: 1.3 W/(m K), specific_heat: 1300 J/(kg K), solid_conductivity: 1.1 W/(m K),"
     "  solid_specific_heat: 900 J/(kg K), emissivity: 0.9},"
     " melting: {solidus: 550 degC, liquidus: 1000 degC}}"},
    {"gallium", "pure gallium", "Gau & Viskanta 1986, doi:10.1115/1.3246884; Brent, Voller & Reid 1988, doi:10.1080/10407788808913615, whose one value of each is for both phases",
     "{density: 6093 kg/m3, viscosity: 1.81 mPa s,"
     " heat: {conductivity: 32 W/(m K), specific_heat: 381.5 J/(kg K), expansion: 1.2e-4 1/K},"
     " melting: {point: 302.93 K, latent_heat: 80.16 kJ/kg}}"},
    {"steel", "carbon steel", "Mills 2002, Recommended Values of Thermophysical Properties for Selected Commercial Alloys",
     "{density: 7000 kg/m3, viscosity: 6 mPa s,"
     " heat: {conductivity: 30 W/(m K), specific_heat: 820 J/(kg K), solid_specific_heat: 690 J/(kg K), emissivity: 0.8},"
     " melting: {solidus: 1450 degC, liquidus: 1520 degC, latent_heat: 270 kJ/kg}}"},
    {0}};
// clang-format on

static const frz_library_material *find(const char *name)
{
    const frz_library_material *m = frz_material_library;
    while (m->name != NULL && strcmp(m->name, name) != 0)
        ++m;
    return m->name != NULL ? m : NULL;
}

const char *frz_material_name(int index)
{
    int count = 0;
    while (frz_material_library[count].name != NULL)
        ++count;
    return index >= 0 && index < count ? frz_material_library[index].name : NULL;
}

const char *frz_material_doc(int index)
{
    return frz_material_name(index) != NULL ? frz_material_library[index].doc : NULL;
}

const char *frz_material_source(int index)
{
    return frz_material_name(index) != NULL ? frz_material_library[index].source : NULL;
}

const char *frz_material_text(int index)
{
    return frz_material_name(index) != NULL ? frz_material_library[index].text : NULL;
}

static frz_status fail_unknown(const frz_tree *tree, const frz_node *from, frz_diag *diag)
{
    char hint[200] = "", got[120];
    if (from->kind != FRZ_NODE_SCALAR)
        return frz_tree_fail(tree, from->mark, diag, "from: expected the name of a material of the library, got %s",
                             frz_node_describe(from, got, sizeof got));
    frz_suggestion suggestion = {.word = from->text};
    for (const frz_library_material *m = frz_material_library; m->name != NULL; ++m)
        frz_suggestion_offer(&suggestion, m->name);
    frz_suggestion_text(&suggestion, hint, sizeof hint);
    return frz_tree_fail(tree, from->mark, diag,
                         "from: the library has no material '%.60s'%s; 'frazil info materials' lists them", from->text,
                         hint);
}

// Append the keys of a map of the library that the scene does not give itself, in maps within it too.
static frz_status merge(frz_tree *tree, frz_node *map, const frz_tree *library, const frz_node *from, frz_diag *diag)
{
    for (const frz_node *key = from->first; key != NULL; key = key->next)
    {
        frz_node *own = frz_node_find(map, key->key);
        if (own != NULL && own->kind == FRZ_NODE_MAP && key->kind == FRZ_NODE_MAP &&
            frz_node_find(own, "method") == NULL)
            FRZ_TRY(merge(tree, own, library, key, diag));
        if (own != NULL)
            continue;
        frz_node *copy = frz_tree_adopt(tree, library, key);
        const char *name = copy != NULL ? frz_tree_keep_text(tree, key->key) : NULL;
        if (name == NULL)
            return frz_fail_memory(diag, "the materials");
        frz_node_append(map, copy, name);
    }
    return FRZ_OK;
}

static frz_status take(frz_tree *tree, frz_node *material, const frz_node *from, frz_diag *diag)
{
    const frz_library_material *entry = from->kind == FRZ_NODE_SCALAR ? find(from->text) : NULL;
    if (entry == NULL)
        return fail_unknown(tree, from, diag);
    frz_tree *library = NULL;
    FRZ_TRY(frz_tree_parse(entry->text, strlen(entry->text), entry->name, &library, diag));
    const frz_status status = merge(tree, material, library, frz_tree_root(library), diag);
    frz_tree_destroy(&library);
    return status;
}

// Take a child out of a map.
static void remove_child(frz_node *map, const frz_node *child)
{
    frz_node **link = &map->first;
    frz_node *before = NULL;
    while (*link != child)
    {
        before = *link;
        link = &before->next;
    }
    *link = child->next;
    if (map->last == child)
        map->last = before;
    map->count -= 1;
}

frz_status frz_material_library_expand(frz_tree *tree, frz_diag *diag)
{
    const frz_node *root = frz_tree_root(tree);
    const frz_node *materials = root != NULL && root->kind == FRZ_NODE_MAP ? frz_node_find(root, "materials") : NULL;
    if (materials == NULL || materials->kind != FRZ_NODE_MAP)
        return FRZ_OK;
    for (frz_node *material = materials->first; material != NULL; material = material->next)
    {
        const frz_node *from = material->kind == FRZ_NODE_MAP ? frz_node_find(material, "from") : NULL;
        if (from == NULL)
            continue;
        FRZ_TRY(take(tree, material, from, diag));
        remove_child(material, from);
    }
    return FRZ_OK;
}
