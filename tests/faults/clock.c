/* A clock that is wrong by as many seconds as the file named by CLOCK_OFFSET says, eight bytes, at
   any moment. For a process that is started with this library as its LD_PRELOAD. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int64_t offset(void) {
    static volatile int64_t *seconds;
    if (!seconds) {
        const char *path = getenv("CLOCK_OFFSET");
        int file = path ? open(path, O_RDONLY) : -1;
        void *bytes = file < 0 ? MAP_FAILED : mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
        if (file >= 0) close(file);
        if (bytes == MAP_FAILED) return 0;
        seconds = bytes;
    }
    return *seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = REAL(clock_gettime)(clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += offset();
    return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
    int failed = REAL(gettimeofday)(now, zone);
    if (!failed) now->tv_sec += offset();
    return failed;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}
