// SPDX-License-Identifier: MIT
// Resources of the machine, from /proc and control groups of Linux.
#include "base/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/// First number of the line of a file that begins with name; -1 without a number (such as "max").
static int64_t read_number(const char *path, const char *name)
{
    FILE *file = fopen(path, "re");
    char line[256];
    int64_t number = -1;
    while (file != NULL && number < 0 && fgets(line, sizeof line, file) != NULL)
    {
        char *end = NULL;
        const char *start = line + strlen(name);
        const long long value = strncmp(line, name, strlen(name)) == 0 ? strtoll(start, &end, 10) : 0;
        if (end != NULL && end != start)
            number = value;
    }
    if (file != NULL)
        (void)fclose(file);
    return number;
}

static int64_t least(int64_t a, int64_t b)
{
    return b >= 0 && b < a ? b : a;
}

/// Memory left below the limit of a control group (a container, a job of a cluster), bytes.
static int64_t group_memory(const char *limit_file, const char *used_file)
{
    const int64_t limit = read_number(limit_file, ""), used = read_number(used_file, "");
    return limit >= 0 && used >= 0 ? (limit > used ? limit - used : 0) : -1;
}

int64_t frz_machine_memory(void)
{
    int64_t memory = INT64_MAX;
    const int64_t kilobytes = read_number("/proc/meminfo", "MemAvailable:");
    if (kilobytes >= 0)
        memory = least(memory, 1024 * kilobytes);
    memory = least(memory, group_memory("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"));
    memory = least(memory, group_memory("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                        "/sys/fs/cgroup/memory/memory.usage_in_bytes"));
    struct rlimit limit;
    const int64_t held = read_number("/proc/self/status", "VmSize:");
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && held >= 0)
        memory = least(memory, (int64_t)limit.rlim_cur > 1024 * held ? (int64_t)limit.rlim_cur - 1024 * held : 0);
    return memory;
}
