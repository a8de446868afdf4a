// SPDX-License-Identifier: MIT
// The result of a validation as one page: a table of all cases, then the figures and the plot of each.
#include <math.h>
#include <string.h>

#include "output.h"
#include "validate/validation_outcome.h"

static const char style[] =
    ":root{--ink:#1c2733;--soft:#5b6b7b;--line:#dde4ea;--good:#1b7f4b;--bad:#c0392b;--fill:#3a86c8}\n"
    "body{font:15px/1.5 system-ui,'DejaVu Sans',sans-serif;color:var(--ink);background:#f4f7f9;margin:0}\n"
    "main{max-width:1040px;margin:0 auto;padding:32px 24px 64px}\n"
    "h1{font-size:28px;margin:0 0 4px}h2{font-size:19px;margin:0}p{margin:6px 0;color:var(--soft)}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th{text-align:left;font-weight:600;color:var(--soft);font-size:13px}\n"
    "th,td{padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:middle}\n"
    "td.n,th.n{text-align:right}section,.all{background:#fff;border:1px solid var(--line);border-radius:10px;"
    "padding:18px 22px;margin-top:18px}\n"
    "a{color:inherit;text-decoration:none;font-weight:600}a:hover{text-decoration:underline}\n"
    ".ok,.no{border-radius:99px;padding:1px 10px;font-size:13px;font-weight:600;color:#fff;background:var(--good)}\n"
    ".no{background:var(--bad)}.bar{display:block;width:120px;height:8px;border-radius:4px;background:#e7edf2}\n"
    ".bar i{display:block;height:8px;border-radius:4px;background:var(--fill)}.bar i.over{background:var(--bad)}\n"
    "svg{max-width:100%;height:auto;margin-top:12px}\n";

static void put_text(FILE *file, const char *text)
{
    for (; *text != '\0'; ++text)
        switch (*text)
        {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        default:
            fputc(*text, file);
        }
}

static const char *mark(bool passed)
{
    return passed ? "<span class=\"ok\">passed</span>" : "<span class=\"no\">failed</span>";
}

/// The largest error of a case as a share of its gate; < 0: nothing is judged.
static double worst_share(const case_result *result)
{
    double worst = -1.0;
    for (int k = 0; k < result->figure_count; ++k)
    {
        const figure *f = &result->figures[k];
        const double share = f->gate > 0.0 ? f->error / f->gate : f->passed ? 0.0 : 2.0;
        if (isfinite(f->gate))
            worst = fmax(worst, isnan(share) ? 2.0 : share);
    }
    return worst;
}

static void put_bar(FILE *file, double share)
{
    if (share >= 0.0)
        fprintf(file, "<span class=\"bar\" title=\"%.0f %% of the gate\"><i%s style=\"width:%.0f%%\"></i></span>",
                100.0 * share, share > 1.0 ? " class=\"over\"" : "", 100.0 * fmin(share, 1.0));
}

static void put_overview(FILE *file, const outcome *outcomes, int count)
{
    fputs("<div class=\"all\"><table><tr><th>Case</th><th></th><th>Largest error, of its gate</th>"
          "<th class=\"n\">Time</th><th>What it shows</th></tr>\n",
          file);
    for (int k = 0; k < count; ++k)
    {
        char wall[32];
        const outcome *out = &outcomes[k];
        fprintf(file, "<tr><td><a href=\"#%s\">%s</a></td><td>%s</td><td>", out->of->name, out->of->name,
                mark(out->passed));
        put_bar(file, worst_share(&out->result));
        fprintf(file, "</td><td class=\"n\">%s</td><td>", frz_format_duration(out->seconds, wall));
        put_text(file, out->of->doc);
        fputs("</td></tr>\n", file);
    }
    fputs("</table></div>\n", file);
}

static void put_figures(FILE *file, const case_result *result)
{
    fputs("<table><tr><th>Figure</th><th class=\"n\">Value</th><th class=\"n\">Reference</th><th class=\"n\">Error</th>"
          "<th class=\"n\">Gate</th><th></th></tr>\n",
          file);
    for (int k = 0; k < result->figure_count; ++k)
    {
        const figure *f = &result->figures[k];
        fputs("<tr><td>", file);
        put_text(file, f->name);
        if (isinf(f->gate))
            fprintf(file, "</td><td class=\"n\">%.6g</td><td></td><td></td><td></td><td></td></tr>\n", f->value);
        else
            fprintf(file,
                    "</td><td class=\"n\">%.6g</td><td class=\"n\">%.6g</td><td class=\"n\">%.3g</td>"
                    "<td class=\"n\">%.3g</td><td>%s</td></tr>\n",
                    f->value, f->reference, f->error, f->gate, mark(f->passed));
    }
    fputs("</table>\n", file);
}

/// The drawing of an SVG file, without the line that makes it a file of its own.
static void put_plot(FILE *file, const char *path)
{
    char line[4096];
    FILE *plot = path[0] != '\0' ? fopen(path, "re") : NULL;
    while (plot != NULL && fgets(line, sizeof line, plot) != NULL)
        if (strncmp(line, "<?xml", 5) != 0)
            fputs(line, file);
    if (plot != NULL)
        (void)fclose(plot);
}

static void put_case(FILE *file, const outcome *out)
{
    fprintf(file, "<section id=\"%s\"><h2>%s %s</h2><p>", out->of->name, out->of->name, mark(out->passed));
    put_text(file, out->of->doc);
    if (out->result.pressure[0] != '\0')
        fprintf(file, "; pressure: %s", out->result.pressure);
    fputs("</p>\n", file);
    if (out->status != FRZ_OK)
    {
        fputs("<p>The simulation failed: ", file);
        put_text(file, out->message);
        fputs("</p>\n", file);
    }
    put_figures(file, &out->result);
    fputs("<p>", file);
    put_text(file, out->result.note);
    fputs("</p>\n", file);
    put_plot(file, out->result.plot);
    fputs("</section>\n", file);
}

void frz_validation_page(FILE *file, const outcome *outcomes, int count)
{
    int good = 0;
    double seconds = 0.0;
    char wall[32];
    for (int k = 0; k < count; ++k)
    {
        good += outcomes[k].passed;
        seconds += outcomes[k].seconds;
    }
    fprintf(
        file,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\"><title>Frazil: validation</title>\n"
        "<style>\n%s</style></head>\n<body><main>\n<h1>Validation of Frazil</h1>\n"
        "<p>%d of %d cases passed in %s; frazil %s. Errors are shown as shares of the largest error that passes.</p>\n",
        style, good, count, frz_format_duration(seconds, wall), frz_version());
    put_overview(file, outcomes, count);
    for (int k = 0; k < count; ++k)
        put_case(file, &outcomes[k]);
    fputs("</main></body></html>\n", file);
}
