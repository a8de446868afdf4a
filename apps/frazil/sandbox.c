// SPDX-License-Identifier: MIT
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool armed;

void frz_sandbox_arm(void)
{
    armed = true;
}

// ---- Landlock: files. See Documentation/userspace-api/landlock.rst of the kernel.

// rights of later kernels than the headers may be of
static const uint64_t right_truncate = 1ULL << 14, right_device = 1ULL << 15;
static const uint64_t read_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t write_rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                     LANDLOCK_ACCESS_FS_MAKE_REG | right_truncate;
static const uint64_t special_rights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                       LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                       LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM | right_device;
static const uint64_t file_rights =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_EXECUTE | right_truncate;

// read by libraries: the machine's description, and the libraries themselves
static const char *const system_places[] = {"/proc", "/sys", "/usr", "/lib", "/lib64", "/etc/ld.so.cache", NULL};

/// All rights that this version of Landlock knows of those above.
static uint64_t known_rights(int version)
{
    uint64_t rights = read_rights | write_rights | special_rights;
    if (version < 3)
        rights &= ~right_truncate;
    if (version < 5)
        rights &= ~right_device;
    return rights;
}

/// A missing path needs no rule.
static void allow(int rules, const char *path, uint64_t rights)
{
    struct stat info;
    const int fd = path != NULL ? open(path, O_PATH | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode))
        rights &= file_rights;
    const struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};
    (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    (void)close(fd);
}

static void enclose_files(const frz_sandbox *sandbox)
{
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return;
    const uint64_t known = known_rights((int)version);
    const uint64_t handled = sandbox->read != NULL ? known : known & ~read_rights;
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = handled};
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules < 0)
        return;
    for (int k = 0; sandbox->read != NULL && system_places[k] != NULL; ++k)
        allow(rules, system_places[k], handled & read_rights);
    for (int k = 0; sandbox->read != NULL && sandbox->read[k] != NULL; ++k)
        allow(rules, sandbox->read[k], handled & read_rights);
    allow(rules, sandbox->write, handled & (read_rights | write_rights));
    allow(rules, sandbox->clean, handled & LANDLOCK_ACCESS_FS_REMOVE_DIR);
    (void)syscall(SYS_landlock_restrict_self, rules, 0);
    (void)close(rules);
}

// ---- seccomp: system calls

#define LOAD(offset)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define DENY(name)    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), RETURN(SECCOMP_RET_ERRNO | EPERM)

/// Programs, processes, networks, other processes' memory, the system itself. Threads may be made.
static void refuse_calls(void)
{
#ifdef __x86_64__
    enum
    {
        other_calls = 0x40000000 // of the x32 interface
    };
    static struct sock_filter steps[] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, other_calls, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
        DENY(execve),
        DENY(execveat),
        DENY(fork),
        DENY(vfork),
        DENY(socket),
        DENY(socketpair),
        DENY(ptrace),
        DENY(process_vm_readv),
        DENY(process_vm_writev),
        DENY(io_uring_setup),
        DENY(bpf),
        DENY(perf_event_open),
        DENY(userfaultfd),
        DENY(open_by_handle_at),
        DENY(keyctl),
        DENY(add_key),
        DENY(request_key),
        DENY(mount),
        DENY(umount2),
        DENY(pivot_root),
        DENY(chroot),
        DENY(unshare),
        DENY(setns),
        DENY(init_module),
        DENY(finit_module),
        DENY(delete_module),
        DENY(kexec_load),
        DENY(reboot),
        DENY(swapon),
        DENY(settimeofday),
        DENY(clock_settime),
        // filters cannot read its arguments; the C library falls back to the older call
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        LOAD(offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
        RETURN(SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof steps / sizeof steps[0], .filter = steps};
    (void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
#endif
}

// Sanitizers start programs of their own to report errors.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

void frz_sandbox_enter(const frz_sandbox *sandbox)
{
    if (!armed || SANITIZED || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    enclose_files(sandbox);
    refuse_calls();
}
