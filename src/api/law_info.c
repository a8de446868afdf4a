// SPDX-License-Identifier: MIT
// The table of laws as Markdown, as JSON, and as curves.
#include "frazil/law.h"

#include "law/law.h"
#include "scene/text_buffer.h"

const char *frz_law_name(int index)
{
    for (int i = 0; frz_laws[i] != NULL; ++i)
        if (i == index)
            return frz_laws[i]->key;
    return NULL;
}

// ---- curves

static double confined_stress(const frz_elastic *elastic, double stretch)
{
    return frz_elastic_at(elastic, frz_m3_diagonal(stretch, 1.0, 1.0), NULL).stress.m[0][0];
}

static double uniaxial_stress(const frz_elastic *elastic, double stretch)
{
    static const int sides[3] = {0, 1, 1};
    const double ratio = elastic->lambda / (2.0 * (elastic->lambda + elastic->mu));
    const double guess = stretch > 0.0 ? pow(stretch, -ratio) : 1.0;
    frz_mat3 f = frz_m3_diagonal(stretch, guess, guess);
    return frz_elastic_relax(elastic, sides, &f) ? frz_elastic_at(elastic, f, NULL).stress.m[0][0] : NAN;
}

static double shear_stress(const frz_elastic *elastic, double shear)
{
    frz_mat3 f = frz_m3_identity();
    f.m[0][1] = shear;
    return frz_elastic_at(elastic, f, NULL).stress.m[0][1];
}

frz_status frz_law_curve(const frz_law_curve_def *def, int count, const double *stretch, double *stress, frz_diag *diag)
{
    static double (*const tests[])(const frz_elastic *, double) = {[FRZ_LAW_TEST_CONFINED] = confined_stress,
                                                                   [FRZ_LAW_TEST_UNIAXIAL] = uniaxial_stress,
                                                                   [FRZ_LAW_TEST_SHEAR] = shear_stress};
    if (def == NULL || def->law == NULL || count < 0 || stretch == NULL || stress == NULL ||
        (unsigned)def->test > FRZ_LAW_TEST_SHEAR)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "a curve needs a law, a test, stretches and room for the stresses");
    const frz_law *law = frz_law_find(def->law);
    if (law == NULL)
        return frz_fail(diag, FRZ_ERR_ARGUMENT, "there is no law '%s'; 'frazil info laws' lists them", def->law);
    frz_elastic_def material = frz_elastic_def_default(law);
    material.youngs_modulus = def->youngs_modulus;
    material.poisson_ratio = def->poisson_ratio;
    frz_elastic elastic;
    FRZ_TRY(frz_elastic_prepare(&material, &elastic, diag));
    for (int i = 0; i < count; ++i)
        stress[i] = tests[def->test](&elastic, stretch[i]);
    return FRZ_OK;
}

// ---- Markdown

static void put_law(frz_text_buffer *out, const frz_law *law)
{
    frz_buffer_format(out, "## `%s`\n\n", law->key);
    frz_buffer_put(out, law->doc);
    frz_buffer_put(out, "\n\n    ");
    frz_buffer_put(out, law->equation);
    frz_buffer_put(out, "\n\nCollapse and inversion: ");
    frz_buffer_put(out, law->inverted);
    frz_buffer_put(out, ".\n\n");
    if (law->least_poisson > -1.0)
    {
        frz_buffer_put(out, "Poisson's ratio: at least ");
        frz_buffer_number(out, law->least_poisson);
        frz_buffer_put(out, ".\n\n");
    }
    frz_buffer_put(out, "Source: ");
    frz_buffer_put(out, law->cite);
    frz_buffer_put(out, "\n\n");
    if (law->params == NULL)
        return;
    frz_buffer_put(out, "| parameter | default | range | meaning |\n|---|---|---|---|\n");
    for (const frz_law_param *p = law->params; p->key != NULL; ++p)
    {
        frz_buffer_format(out, "| `%s` | ", p->key);
        frz_buffer_number(out, p->fallback);
        frz_buffer_put(out, " | ");
        frz_buffer_number(out, p->min);
        frz_buffer_put(out, " ... ");
        frz_buffer_number(out, p->max);
        frz_buffer_put(out, " | ");
        frz_buffer_put(out, p->doc);
        frz_buffer_put(out, " |\n");
    }
    frz_buffer_put(out, "\n");
}

char *frz_laws_markdown(void)
{
    frz_text_buffer out = {0};
    frz_buffer_put(&out,
                   "# Laws of elastic solids\n\nGenerated from the table of laws; do not edit.\n\n"
                   "A law gives the energy per rest volume of a deformation gradient F, with J = det F and\n"
                   "|A|^2 = A : A. Every law has Young's modulus E (Pa) and Poisson's ratio nu (-1 < nu < 0.5), hence\n"
                   "mu = E / (2 (1 + nu)) and lambda = E nu / ((1 + nu) (1 - 2 nu)), and is Hooke's law with these "
                   "for small\nstrains. `frazil info laws --plot DIR` draws them; [theory](theory.md#elastic-laws) "
                   "has the derivations.\n\n`elastic: {method: tlsph, law: NAME}` chooses one, with `tlsph`, "
                   "`zhou2013` or `mpm`; other methods have\n"
                   "`corotated`, or a strain of their own ([methods](methods.md)).\n\n");
    for (const frz_law *const *law = frz_laws; *law != NULL; ++law)
        put_law(&out, *law);
    return frz_buffer_take(&out);
}

// ---- JSON

static void json_text(frz_text_buffer *out, const char *key, const char *text)
{
    frz_buffer_json(out, key);
    frz_buffer_put(out, ": ");
    frz_buffer_json(out, text);
}

static void json_number(frz_text_buffer *out, const char *key, double value)
{
    frz_buffer_put(out, ", ");
    frz_buffer_json(out, key);
    frz_buffer_put(out, ": ");
    frz_buffer_number(out, value);
}

static void json_law(frz_text_buffer *out, const frz_law *law)
{
    const char *const texts[][2] = {
        {"doc", law->doc}, {"energy", law->equation}, {"inverted", law->inverted}, {"cite", law->cite}};
    frz_buffer_put(out, "    {");
    json_text(out, "key", law->key);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
    {
        frz_buffer_put(out, ",\n     ");
        json_text(out, texts[i][0], texts[i][1]);
    }
    json_number(out, "least_poisson_ratio", law->least_poisson);
    frz_buffer_format(out, ", \"small_strain\": %s,\n     \"params\": [", law->small_strain ? "true" : "false");
    for (const frz_law_param *p = law->params; p != NULL && p->key != NULL; ++p)
    {
        frz_buffer_put(out, p == law->params ? "{" : ", {");
        json_text(out, "key", p->key);
        json_number(out, "default", p->fallback);
        json_number(out, "minimum", p->min);
        json_number(out, "maximum", p->max);
        frz_buffer_put(out, ", ");
        json_text(out, "doc", p->doc);
        frz_buffer_put(out, "}");
    }
    frz_buffer_put(out, "]}");
}

char *frz_laws_json(void)
{
    frz_text_buffer out = {0};
    frz_buffer_put(&out, "{\n  \"laws\": [\n");
    for (const frz_law *const *law = frz_laws; *law != NULL; ++law)
    {
        json_law(&out, *law);
        frz_buffer_put(&out, law[1] != NULL ? ",\n" : "\n");
    }
    frz_buffer_put(&out, "  ]\n}\n");
    return frz_buffer_take(&out);
}
