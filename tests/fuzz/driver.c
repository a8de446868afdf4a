// SPDX-License-Identifier: MIT
// Runs a fuzz target without libFuzzer: first every seed as it is, then seeds that were changed at random, for some
// seconds. Works with any compiler; without a look at the coverage it finds less than libFuzzer (tools/fuzz).
//
//   fuzz_mesh [--seconds S] [--random N] [--crashes DIR] SEEDS...      files, or folders of files
//
// The target runs in a child, so that a crash can be reported with its input, which is kept in DIR.
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum
{
    most_seeds = 4096,
    longest_input = 1 << 16, // bytes
    longest_time = 10,       // s of a processor; an input that takes longer is a finding
    longest_wait = 100       // s of the clock, for one that waits for ever; a busy machine takes its time
};

typedef struct input
{
    uint8_t *data;
    size_t size;
    const char *name;
} input;

/// What the child tells: the input at hand, and how many there were.
typedef struct shared
{
    uint64_t executions;
    size_t size;
    char name[256]; ///< of the seed, or of the one that was changed
    uint8_t data[2 * longest_input];
} shared;

static input seeds[most_seeds];
static int seed_count;
static uint64_t random_state = 1;

static uint64_t random_below(uint64_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u; // Knuth
    return limit > 0 ? (random_state >> 24) % limit : 0;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

// ---- seeds

static void read_seed(const char *path)
{
    FILE *file = fopen(path, "rb");
    input *seed = &seeds[seed_count];
    if (file == NULL || seed_count == most_seeds)
    {
        fprintf(stderr, "fuzz: cannot read %s\n", path);
        exit(2);
    }
    seed->data = malloc(longest_input);
    seed->size = fread(seed->data, 1, longest_input, file);
    seed->name = strdup(path);
    ++seed_count;
    (void)fclose(file);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const input *)left)->name, ((const input *)right)->name);
}

static void read_seeds(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
        read_seed(path);
    DIR *folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? opendir(path) : NULL;
    for (const struct dirent *entry = folder != NULL ? readdir(folder) : NULL; entry != NULL; entry = readdir(folder))
    {
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            read_seeds(name);
    }
    if (folder != NULL)
        closedir(folder);
}

// ---- changes

static const char *const words[] = {"0",  "-1", "1e308", "1e-308", "nan", "4294967295", "2147483648", "99999999999",
                                    "[",  "]",  "{",     "}",      ": ",  "- ",         "\n",         "&a ",
                                    "*a", "\"", "'",     "#",      "\t",  "1 mm",       "0x10",       "~"};

/// Overwrite, insert, remove or repeat some bytes.
static void change(input *in)
{
    const size_t at = random_below(in->size + 1);
    size_t length = 1 + random_below(random_below(4) == 0 ? 64 : 4);
    const uint64_t kind = random_below(8);
    if (kind < 3 && at < in->size)
    {
        static const uint8_t bytes[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '0', '9', ' '};
        const uint64_t way = random_below(3);
        in->data[at] = way == 0   ? (uint8_t)(in->data[at] ^ 1u << random_below(8))
                       : way == 1 ? bytes[random_below(sizeof bytes)]
                                  : (uint8_t)random_below(256);
        return;
    }
    if (kind == 3 && at < in->size) // remove
    {
        length = length < in->size - at ? length : in->size - at;
        memmove(in->data + at, in->data + at + length, in->size - at - length);
        in->size -= length;
        return;
    }
    const uint8_t *from = in->data;
    uint8_t copy[128];
    if (kind < 6) // a word
    {
        const char *word = words[random_below(sizeof words / sizeof *words)];
        from = (const uint8_t *)word;
        length = strlen(word);
    }
    else // a part of this input or of another one
    {
        const input *other = kind == 6 ? in : &seeds[random_below((uint64_t)seed_count)];
        const size_t start = random_below(other->size + 1);
        length = length < other->size - start ? length : other->size - start;
        from = other->data + start;
    }
    length = length < sizeof copy ? length : sizeof copy;
    memcpy(copy, from, length);
    if (in->size + length > longest_input)
        return;
    const bool over = random_below(2) == 0 && at + length <= in->size;
    if (!over)
    {
        memmove(in->data + at + length, in->data + at, in->size - at);
        in->size += length;
    }
    memcpy(in->data + at, copy, length);
}

// ---- running

/// End the process by a signal after so many seconds of a processor, or of the clock; 0: never.
static void limit_time(int processor, unsigned clock)
{
    const struct itimerval limit = {.it_value = {.tv_sec = processor}};
    (void)setitimer(ITIMER_PROF, &limit, NULL);
    alarm(clock);
}

static void run_one(shared *told, const input *in)
{
    told->size = in->size;
    memcpy(told->data, in->data, in->size);
    snprintf(told->name, sizeof told->name, "%s", in->name);
    uint8_t *exact = malloc(in->size > 0 ? in->size : 1); // so that a sanitizer sees a read beyond the end
    memcpy(exact, in->data, in->size);
    limit_time(longest_time, longest_wait);
    (void)LLVMFuzzerTestOneInput(exact, in->size);
    limit_time(0, 0);
    free(exact);
    told->executions += 1;
}

static void run_all(shared *told, double duration)
{
    const double start = seconds();
    for (int k = 0; k < seed_count; ++k)
        run_one(told, &seeds[k]);
    // seeds count too, but changed ones get a second at least
    const double least = duration < 1.0 ? duration : 1.0, now = seconds();
    const double end = now + least > start + duration ? now + least : start + duration;
    input in = {.data = malloc(2 * longest_input)};
    while (seed_count > 0 && seconds() < end)
    {
        const input *from = &seeds[random_below((uint64_t)seed_count)];
        memcpy(in.data, from->data, from->size);
        in.size = from->size;
        in.name = from->name;
        for (uint64_t changes = 1 + random_below(6); changes > 0; --changes)
            change(&in);
        run_one(told, &in);
    }
    free(in.data);
}

static void keep_crash(const shared *told, const char *folder)
{
    char path[1024];
    uint64_t hash = 1469598103934665603u; // Fowler, Noll and Vo
    for (size_t k = 0; k < told->size; ++k)
        hash = (hash ^ told->data[k]) * 1099511628211u;
    snprintf(path, sizeof path, "%s/crash-%016llx", folder, (unsigned long long)hash);
    FILE *file = fopen(path, "wb");
    if (file != NULL)
    {
        (void)fwrite(told->data, 1, told->size, file);
        (void)fclose(file);
    }
    fprintf(stderr, "fuzz: made from %s; input kept as %s\n", told->name, path);
}

int main(int argc, char **argv)
{
    double duration = 2.0;
    const char *crashes = ".";
    for (int k = 1; k < argc; ++k)
    {
        if (strcmp(argv[k], "--seconds") == 0 && k + 1 < argc)
            duration = strtod(argv[++k], NULL);
        else if (strcmp(argv[k], "--random") == 0 && k + 1 < argc)
            random_state = strtoull(argv[++k], NULL, 10);
        else if (strcmp(argv[k], "--crashes") == 0 && k + 1 < argc)
            crashes = argv[++k];
        else
            read_seeds(argv[k]);
    }
    qsort(seeds, (size_t)seed_count, sizeof *seeds, compare_names);
    if (seed_count == 0)
    {
        fprintf(stderr, "fuzz: no seeds\n");
        return 2;
    }
    shared *told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t child = told != MAP_FAILED ? fork() : -1;
    if (child == 0)
    {
        run_all(told, duration);
        exit(0); // with the checks for leaks
    }
    int state = 0;
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    if (child < 0)
        return 2;
    const bool good = WIFEXITED(state) && WEXITSTATUS(state) == 0;
    printf("%s: %d seeds, %llu executions\n", argv[0], seed_count, (unsigned long long)told->executions);
    if (!good)
    {
        fprintf(stderr, "fuzz: %s\n",
                WIFSIGNALED(state) && (WTERMSIG(state) == SIGALRM || WTERMSIG(state) == SIGPROF)
                    ? "an input took too long"
                    : "it crashed");
        keep_crash(told, crashes);
    }
    return good ? 0 : 1;
}
