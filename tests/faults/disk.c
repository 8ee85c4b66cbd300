/* A disk that fails once, for a process that is started with this library as its LD_PRELOAD.

   fail_at(n, kind, folder) has the n-th write, truncation, fsync, renaming or opening for writing,
   of the files in `folder` and from then on, fail in one of these ways; operations() tells how many
   there were. What was written to a file since it was synced last is remembered: that is what the
   disk does not have when the power is cut. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { NONE, IO_ERROR, DISK_FULL, TORN, POWER_CUT, POWER_CUT_AFTER_SOME };
enum { FILES = 1024, LONGEST = 512 };

struct change {
    struct change *before;
    char path[LONGEST];
    off_t at, size_before;
    size_t length;
    char bytes[];
};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static char folder[LONGEST];
static char paths[FILES][LONGEST];
static long count, fails_at;
static enum kind fails_by;
static struct change *last_change;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void fail_at(long n, int kind, const char *where) {
    snprintf(folder, LONGEST, "%s/", where);
    fails_at = n;
    fails_by = kind;
    count = 0;
}

long operations(void) { return count; }

static int is_within(const char *path) {
    return folder[0] && path && !strncmp(path, folder, strlen(folder));
}

static int is_ours(int fd) { return fd >= 0 && fd < FILES && is_within(paths[fd]); }

static off_t size_of(int fd) {
    struct stat status;
    return fstat(fd, &status) ? 0 : status.st_size;
}

static void remember(int fd, off_t at, size_t length) {
    struct change *change = malloc(sizeof *change + length);
    if (!change) abort();
    ssize_t there = length ? pread(fd, change->bytes, length, at) : 0;
    change->length = there > 0 ? (size_t)there : 0;
    strcpy(change->path, paths[fd]);
    change->at = at;
    change->size_before = size_of(fd);
    change->before = last_change;
    last_change = change;
}

static void forget(const char *path) {
    for (struct change **at = &last_change; *at;) {
        struct change *change = *at;
        if (strcmp(change->path, path)) {
            at = &change->before;
        } else {
            *at = change->before;
            free(change);
        }
    }
}

static void cut_power(void) {
    unsigned chance = (unsigned)fails_at * 2654435761u;
    for (struct change *change = last_change; change; change = change->before) {
        chance = chance * 1103515245u + 12345u;
        if (fails_by == POWER_CUT_AFTER_SOME && chance >> 31) continue;
        int fd = REAL(open)(change->path, O_RDWR);
        if (fd < 0) continue;
        if (change->length) REAL(pwrite)(fd, change->bytes, change->length, change->at);
        if (fails_by == POWER_CUT && size_of(fd) > change->size_before)
            if (REAL(ftruncate)(fd, change->size_before)) abort();
    }
    kill(getpid(), SIGKILL);
}

/* Whether this operation is the one that fails, with errno set. */
static int fails(void) {
    if (++count != fails_at || fails_by == NONE) return 0;
    if (fails_by >= POWER_CUT) cut_power();
    errno = fails_by == DISK_FULL ? ENOSPC : EIO;
    return 1;
}

static ssize_t written(int fd, const void *bytes, size_t length, off_t at, int moves) {
    pthread_mutex_lock(&one_at_a_time);
    int failed = fails();
    ssize_t done = -1;
    if (!failed || fails_by == TORN) {
        size_t part = failed ? length / 2 : length;
        remember(fd, at, part);
        done = moves ? REAL(write)(fd, bytes, part) : REAL(pwrite)(fd, bytes, part, at);
        if (failed) done = -1, errno = EIO;
    }
    pthread_mutex_unlock(&one_at_a_time);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
    if (!is_ours(fd)) return REAL(pwrite)(fd, bytes, length, at);
    return written(fd, bytes, length, at, 0);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
    return pwrite(fd, bytes, length, at);
}

ssize_t write(int fd, const void *bytes, size_t length) {
    if (!is_ours(fd)) return REAL(write)(fd, bytes, length);
    return written(fd, bytes, length, lseek(fd, 0, SEEK_CUR), 1);
}

int ftruncate(int fd, off_t length) {
    if (!is_ours(fd)) return REAL(ftruncate)(fd, length);
    pthread_mutex_lock(&one_at_a_time);
    int done = -1;
    if (!fails()) {
        off_t before = size_of(fd);
        remember(fd, length, before > length ? (size_t)(before - length) : 0);
        done = REAL(ftruncate)(fd, length);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return done;
}

int ftruncate64(int fd, off_t length) { return ftruncate(fd, length); }

int fdatasync(int fd) {
    if (!is_ours(fd)) return REAL(fdatasync)(fd);
    pthread_mutex_lock(&one_at_a_time);
    int failed = fails();
    /* The disk has it, without anybody waiting for that. */
    if (!failed) forget(paths[fd]);
    pthread_mutex_unlock(&one_at_a_time);
    return failed ? -1 : 0;
}

int fsync(int fd) { return is_ours(fd) ? fdatasync(fd) : REAL(fsync)(fd); }

int rename(const char *from, const char *to) {
    if (!is_within(to)) return REAL(rename)(from, to);
    pthread_mutex_lock(&one_at_a_time);
    int done = fails() ? -1 : REAL(rename)(from, to);
    for (struct change *change = last_change; change && !done; change = change->before)
        if (!strcmp(change->path, from)) snprintf(change->path, LONGEST, "%s", to);
    pthread_mutex_unlock(&one_at_a_time);
    return done;
}

int unlink(const char *path) {
    int done = REAL(unlink)(path);
    if (!done && is_within(path)) {
        pthread_mutex_lock(&one_at_a_time);
        forget(path);
        pthread_mutex_unlock(&one_at_a_time);
    }
    return done;
}

static int opened(const char *path, int flags, mode_t mode) {
    int is_here = is_within(path), failed = 0;
    if (is_here && flags & (O_WRONLY | O_RDWR | O_CREAT)) {
        pthread_mutex_lock(&one_at_a_time);
        failed = fails();
        pthread_mutex_unlock(&one_at_a_time);
    }
    int fd = failed ? -1 : REAL(open)(path, flags, mode);
    if (fd >= 0 && fd < FILES) snprintf(paths[fd], LONGEST, "%s", is_here ? path : "");
    return fd;
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return opened(path, flags, mode);
}
