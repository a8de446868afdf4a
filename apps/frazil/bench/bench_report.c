// SPDX-License-Identifier: MIT
// A benchmark's result for people and for programs, and its ratio to an earlier one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "json.h"
#include "output.h"

static const double giga = 1e-9, mega = 1e-6, milli = 1e3;

// ---- figures that follow from the others

static double per_step(const frz_bench_result *r, double total)
{
    return r->steps > 0 ? total / (double)r->steps : 0.0;
}

/// Particle-iterations per second inside the two solvers.
static double iteration_rate(const frz_bench_result *r)
{
    double seconds = 0.0;
    for (int s = 0; s < r->stage_count; ++s)
        if (strcmp(r->stages[s].name, "density") == 0 || strcmp(r->stages[s].name, "divergence") == 0)
            seconds += r->stages[s].seconds;
    const double done = r->density.particle_iterations + r->divergence.particle_iterations;
    return seconds > 0.0 ? done / seconds : 0.0;
}

static double pairs_per_particle(const frz_bench_result *r)
{
    return r->particle_steps > 0.0 ? r->pair_steps / r->particle_steps : 0.0;
}

/// Wall-clock time for a simulated second, of the case and of its rival.
static double cost(const frz_bench_result *r)
{
    return r->simulated_time > 0.0 ? r->seconds / r->simulated_time : NAN;
}

static double rival_cost(const frz_bench_result *r)
{
    return r->rival_time > 0.0 ? r->rival_seconds / r->rival_time : NAN;
}

/// How much longer the case's steps are.
static double step_ratio(const frz_bench_result *r)
{
    return r->simulated_time / (double)r->steps / (r->rival_time / (double)r->rival_steps);
}

/// Every step kept its average error within the tolerance.
static bool is_below(const frz_bench_solver *solver)
{
    return solver->error_worst <= solver->tolerance;
}

// ---- an earlier result

/// The number behind "key": in the text, from a place on; NaN if there is none.
static double number_after(const char *from, const char *key)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = from != NULL ? strstr(from, quoted) : NULL;
    char *end = NULL;
    const double value = at != NULL ? strtod(at + strlen(quoted), &end) : NAN;
    return at != NULL && end != at + strlen(quoted) ? value : NAN;
}

static double stage_before(const char *earlier, const char *name)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"name\": \"%s\"", name);
    const char *stages = strstr(earlier, "\"stages\":");
    return number_after(stages != NULL ? strstr(stages, quoted) : NULL, "seconds_per_step");
}

bool frz_bench_is_result(const char *text)
{
    return strstr(text, "\"stages\":") != NULL && number_after(text, "seconds_per_step") > 0.0;
}

// ---- text

static void print_stages(const frz_bench_result *r)
{
    printf("\n%-24s  %10s  %6s  %8s  %8s  %s\n", "Stage", "ms/step", "share", "GB/s", "GFLOP/s", "of the limit");
    for (int s = 0; s < r->stage_count; ++s)
    {
        const frz_bench_stage *stage = &r->stages[s];
        const char *limit;
        const double fraction = frz_bench_fraction(r, stage, &limit);
        printf("%-24s  %10.3f  %4.1f %%", stage->name, milli * per_step(r, stage->seconds),
               100.0 * stage->seconds / r->seconds);
        if (limit[0] != '\0')
            printf("  %8.2f  %8.2f  %.0f %% of %s", giga * stage->bytes / stage->seconds,
                   giga * stage->flops / stage->seconds, 100.0 * fraction, limit);
        printf("\n");
    }
    printf("%-24s  %10.3f  (%.3f ms of processor time in all threads)\n", "total", milli * per_step(r, r->seconds),
           milli * per_step(r, r->cpu_seconds));
}

static void print_solver(const frz_bench_result *r, const char *name, const frz_bench_solver *solver)
{
    printf("%-24s  %.2f iterations; error %.4f %% on average, %.4f %% in the worst step (%s %g %%), "
           "%.3g %% of any particle\n",
           name, per_step(r, (double)solver->iterations), per_step(r, solver->error_sum), solver->error_worst,
           is_below(solver) ? "below" : "ABOVE", solver->tolerance, solver->error_largest);
}

/// Processor time that heat and changes of phase add to the same steps without them, as a part of it.
static double added_by_heat(const frz_bench_result *r)
{
    return r->common_cpu / r->common_time / (r->rival_cpu / r->rival_time) - 1.0;
}

static void print_held_rival(const frz_bench_result *r)
{
    const double steps = (double)r->rival_steps;
    printf("\nAgainst the same %lld steps with heat and phases held (processor time)\n", (long long)r->rival_steps);
    printf("%-24s  %.4g ms against %.4g ms in a step of %.4g ms: heat adds %.1f %%\n", "per step",
           milli * r->common_cpu / steps, milli * r->rival_cpu / steps, milli * r->rival_time / steps,
           100.0 * added_by_heat(r));
}

static void print_rival(const frz_bench_result *r)
{
    if (r->of->rival.setting == NULL)
    {
        print_held_rival(r);
        return;
    }
    printf("\nAgainst %s (%lld steps)\n", r->of->rival.name, (long long)r->rival_steps);
    printf("%-24s  %.4g ms against %.4g ms: %.1f times as long\n", "time step", milli * per_step(r, r->simulated_time),
           milli * r->rival_time / (double)r->rival_steps, step_ratio(r));
    printf("%-24s  %.4g s against %.4g s: %.1f times as fast\n", "per simulated second", cost(r), rival_cost(r),
           rival_cost(r) / cost(r));
}

static void print_comparison(const frz_bench_result *r, const char *earlier, const char *file)
{
    printf("\nAgainst %s (above 1: faster now)\n", file);
    for (int s = 0; s < r->stage_count; ++s)
    {
        const double before = stage_before(earlier, r->stages[s].name);
        if (isfinite(before) && r->stages[s].seconds > 0.0)
            printf("%-24s  %10.3f  %.3f\n", r->stages[s].name, milli * before,
                   before / per_step(r, r->stages[s].seconds));
    }
    const double before = number_after(earlier, "seconds_per_step");
    printf("%-24s  %10.3f  %.3f\n", "total", milli * before, before / per_step(r, r->seconds));
    const double rate = number_after(earlier, "particle_iterations_per_second");
    if (rate > 0.0)
        printf("%-24s  %10s  %.3f\n", "particle-iterations/s", "", iteration_rate(r) / rate);
}

void frz_bench_print_text(const frz_bench_result *r, const char *earlier, const char *file)
{
    char a[32], b[32], c[32];
    printf("%s with %s: %s liquid particles, %s on walls; %s steps, %d thread%s, %s precision\n", r->of->doc,
           r->preset->solver, frz_format_count(r->liquid, a), frz_format_count(r->walls, b),
           frz_format_count(r->steps, c), r->threads, r->threads == 1 ? "" : "s",
           r->double_precision ? "double" : "single");
    printf("%s\n", r->cpu);
    print_stages(r);
    printf("\n");
    print_solver(r, "Density solver", &r->density);
    print_solver(r, "Divergence solver", &r->divergence);
    printf("%-24s  %.2f million particle-iterations per second\n", "Both solvers", mega * iteration_rate(r));
    printf("%-24s  %.2f per particle\n", "Neighbour pairs", pairs_per_particle(r));
    printf("%-24s  %lld rejected; %lld particles lost\n", "Steps", (long long)r->rejected, (long long)r->lost);
    printf("%-24s  %s by the library, %s by the process, at most\n", "Memory",
           frz_format_bytes((double)r->library_peak, a),
           r->process_peak > 0.0 ? frz_format_bytes(r->process_peak, b) : "unknown");
    printf("%-24s  %.1f GB/s triad (%d streams: the read before a write counts), %.1f GFLOP/s fused multiply-adds "
           "(%d floats wide)\n",
           "Machine", giga * r->limits.bandwidth, (int)FRZ_TRIAD_STREAMS, giga * r->limits.flop_rate,
           r->limits.vector_floats);
    if (r->rival_steps > 0)
        print_rival(r);
    if (earlier != NULL)
        print_comparison(r, earlier, file);
}

// ---- JSON

static void write_stages(frz_json *json, const frz_bench_result *r)
{
    frz_json_begin_array(json, "stages");
    for (int s = 0; s < r->stage_count; ++s)
    {
        const frz_bench_stage *stage = &r->stages[s];
        const char *limit;
        const double fraction = frz_bench_fraction(r, stage, &limit);
        const bool modelled = limit[0] != '\0';
        frz_json_begin_object(json, NULL);
        frz_json_text(json, "name", stage->name);
        frz_json_real(json, "seconds_per_step", per_step(r, stage->seconds));
        frz_json_real(json, "share", stage->seconds / r->seconds);
        frz_json_integer(json, "calls", stage->calls);
        frz_json_real(json, "bytes_per_step", modelled ? per_step(r, stage->bytes) : NAN);
        frz_json_real(json, "flops_per_step", modelled ? per_step(r, stage->flops) : NAN);
        frz_json_text(json, "limit", modelled ? limit : NULL);
        frz_json_real(json, "fraction_of_limit", modelled ? fraction : NAN);
        frz_json_end_object(json);
    }
    frz_json_end_array(json);
}

static void write_solver(frz_json *json, const frz_bench_result *r, const char *key, const frz_bench_solver *solver)
{
    frz_json_begin_object(json, key);
    frz_json_real(json, "iterations_per_step", per_step(r, (double)solver->iterations));
    frz_json_real(json, "error_average_percent", per_step(r, solver->error_sum));
    frz_json_real(json, "error_worst_step_percent", solver->error_worst);
    frz_json_real(json, "error_any_particle_percent", solver->error_largest);
    frz_json_real(json, "tolerance_percent", solver->tolerance);
    frz_json_boolean(json, "below_tolerance", is_below(solver));
    frz_json_end_object(json);
}

static void write_size(frz_json *json, const frz_bench_result *r)
{
    frz_json_text(json, "case", r->of->name);
    frz_json_text(json, "scene", r->of->scene);
    frz_json_text(json, "solver", r->preset->solver);
    frz_json_text(json, "version", frz_version());
    frz_json_text(json, "cpu", r->cpu);
    frz_json_integer(json, "threads", r->threads);
    frz_json_text(json, "precision", r->double_precision ? "double" : "single");
    frz_json_real(json, "scale", r->scale);
    frz_json_integer(json, "particles", r->liquid);
    frz_json_integer(json, "walls", r->walls);
    frz_json_integer(json, "steps", r->steps);
    frz_json_integer(json, "warmup", r->warmup);
    frz_json_real(json, "simulated_time", r->simulated_time);
    frz_json_real(json, "seconds", r->seconds);
    frz_json_real(json, "seconds_per_step",
                  per_step(r, r->seconds)); // before the stages: comparisons take the first one
}

static void write_limits(frz_json *json, const frz_bench_limits *limits)
{
    frz_json_begin_object(json, "limits");
    frz_json_real(json, "triad_bytes_per_second", limits->bandwidth);
    frz_json_integer(json, "triad_streams", FRZ_TRIAD_STREAMS);
    frz_json_real(json, "flops_per_second", limits->flop_rate);
    frz_json_integer(json, "vector_floats", limits->vector_floats);
    frz_json_end_object(json);
}

static void write_rival(frz_json *json, const frz_bench_result *r)
{
    frz_json_begin_object(json, "rival");
    frz_json_text(json, "name", r->of->rival.name);
    frz_json_integer(json, "steps", r->rival_steps);
    frz_json_real(json, "time_step", r->rival_time / (double)r->rival_steps);
    if (r->of->rival.setting == NULL)
    {
        frz_json_real(json, "cpu_seconds_per_step", r->rival_cpu / (double)r->rival_steps);
        frz_json_real(json, "own_cpu_seconds_per_step", r->common_cpu / (double)r->rival_steps);
        frz_json_real(json, "added_by_heat", added_by_heat(r));
        frz_json_end_object(json);
        return;
    }
    frz_json_real(json, "own_time_step", per_step(r, r->simulated_time));
    frz_json_real(json, "time_step_ratio", step_ratio(r));
    frz_json_real(json, "seconds_per_simulated_second", rival_cost(r));
    frz_json_real(json, "own_seconds_per_simulated_second", cost(r));
    frz_json_real(json, "speedup", rival_cost(r) / cost(r));
    frz_json_end_object(json);
}

void frz_bench_print_json(const frz_bench_result *r, const char *earlier, const char *file)
{
    frz_json json = {.out = stdout};
    frz_json_begin_object(&json, NULL);
    write_size(&json, r);
    write_stages(&json, r);
    write_solver(&json, r, "density", &r->density);
    write_solver(&json, r, "divergence", &r->divergence);
    frz_json_real(&json, "particle_iterations_per_second", iteration_rate(r));
    frz_json_real(&json, "pairs_per_particle", pairs_per_particle(r));
    frz_json_integer(&json, "rejected_steps", r->rejected);
    frz_json_integer(&json, "lost_particles", r->lost);
    frz_json_integer(&json, "library_peak_bytes", r->library_peak);
    frz_json_real(&json, "process_peak_bytes", r->process_peak > 0.0 ? r->process_peak : NAN);
    write_limits(&json, &r->limits);
    if (r->rival_steps > 0)
        write_rival(&json, r);
    if (earlier != NULL)
    {
        frz_json_begin_object(&json, "compared_with");
        frz_json_text(&json, "file", file);
        frz_json_real(&json, "speedup", number_after(earlier, "seconds_per_step") / per_step(r, r->seconds));
        frz_json_end_object(&json);
    }
    frz_json_end_object(&json);
}
