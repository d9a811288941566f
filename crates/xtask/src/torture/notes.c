/* Notes what a program does to names, bytes and syncs of files and folders, in the order in which it does so, and does not wait
 * for the disk. Each note is a line of a letter and five numbers, the last of them the length of what follows the line; files and
 * folders are told by device and number, since a file that is open may have lost its name. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(long) == 8, "places in files are of 64 bits");

static int notes = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* A note that is missing would be a fault that nobody finds. */
static void give_up(const char *why) {
    syscall(SYS_write, 2, "notes: ", 7);
    syscall(SYS_write, 2, why, strlen(why));
    syscall(SYS_write, 2, "\n", 1);
    abort();
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("TORTURE_NOTES");
    if (path)
        notes = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    if (notes < 0)
        give_up("TORTURE_NOTES cannot be opened");
}

/* One at a time of all threads and processes: what is done and its note are together. A child that was forked has the turns
 * of its parent until it runs another program; it writes no file before. */
static void take_turn(void) {
    pthread_mutex_lock(&turn);
    while (flock(notes, LOCK_EX) != 0)
        if (errno != EINTR)
            give_up("no turn");
}

static long end_turn(long answer) {
    int error = errno;
    flock(notes, LOCK_UN);
    pthread_mutex_unlock(&turn);
    errno = error;
    return answer;
}

static void note(char what, const struct stat *of, unsigned long long one, unsigned long long two, const void *more,
                 size_t length) {
    char line[160];
    int letters = snprintf(line, sizeof line, "%c %llu %llu %llu %llu %zu\n", what, (unsigned long long)of->st_dev,
                           (unsigned long long)of->st_ino, one, two, length);
    struct iovec parts[2] = {{line, (size_t)letters}, {(void *)more, length}};
    if (syscall(SYS_writev, notes, parts, 2) != (long)(letters + length))
        give_up("a note was cut");
}

/* The folder that a path lies in, and its name there. */
static const char *place(int at, const char *path, struct stat *folder) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char parent[PATH_MAX] = ".";
    if (*name == 0)
        give_up("a path that ends with a slash");
    if (slash) {
        size_t length = slash == path ? 1 : (size_t)(slash - path);
        if (length >= sizeof parent)
            give_up("a path that is too long");
        memcpy(parent, path, length);
        parent[length] = 0;
    }
    return fstatat(at, parent, folder, 0) == 0 ? name : NULL;
}

/* A name in a folder, and what has it from now on. */
static void note_name(char what, int at, const char *path, const struct stat *has) {
    struct stat folder;
    const char *name = place(at, path, &folder);
    if (!name)
        give_up("a folder is gone");
    note(what, &folder, has ? has->st_dev : 0, has ? has->st_ino : 0, name, strlen(name));
}

static int opened(int at, const char *path, int flags, mode_t mode) {
    struct stat before, now;
    if ((flags & O_TMPFILE) == O_TMPFILE)
        give_up("a file without a name");
    if (!(flags & (O_CREAT | O_TRUNC)))
        return (int)syscall(SYS_openat, at, path, flags, mode);
    take_turn();
    int was = fstatat(at, path, &before, 0) == 0;
    int file = (int)syscall(SYS_openat, at, path, flags, mode);
    if (file >= 0 && fstat(file, &now) == 0 && S_ISREG(now.st_mode)) {
        if (!was)
            note_name('F', at, path, &now);
        else if (flags & O_TRUNC)
            note('C', &now, 0, 0, NULL, 0);
    }
    return (int)end_turn(file);
}

static mode_t mode_of(int flags, va_list more) { return flags & O_CREAT ? va_arg(more, mode_t) : 0; }

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = mode_of(flags, more);
    va_end(more);
    return opened(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int openat(int at, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = mode_of(flags, more);
    va_end(more);
    return opened(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) __attribute__((alias("openat")));

int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) __attribute__((alias("creat")));

static int is_file(int file, struct stat *found) { return fstat(file, found) == 0 && S_ISREG(found->st_mode); }

ssize_t pwrite(int file, const void *from, size_t count, off_t at) {
    struct stat found;
    if (!is_file(file, &found))
        return syscall(SYS_pwrite64, file, from, count, at);
    take_turn();
    long wrote = syscall(SYS_pwrite64, file, from, count, at);
    if (wrote > 0)
        note('W', &found, (unsigned long long)at, 0, from, (size_t)wrote);
    return end_turn(wrote);
}
ssize_t pwrite64(int file, const void *from, size_t count, off_t at) __attribute__((alias("pwrite")));

ssize_t writev(int file, const struct iovec *parts, int count) {
    struct stat found;
    if (!is_file(file, &found))
        return syscall(SYS_writev, file, parts, count);
    take_turn();
    int appends = fcntl(file, F_GETFL) & O_APPEND;
    long at = syscall(SYS_lseek, file, 0, appends ? SEEK_END : SEEK_CUR);
    long wrote = syscall(SYS_writev, file, parts, count), left = wrote;
    for (int part = 0; part < count && left > 0; part++) {
        size_t length = parts[part].iov_len < (size_t)left ? parts[part].iov_len : (size_t)left;
        note('W', &found, (unsigned long long)at, 0, parts[part].iov_base, length);
        at += (long)length;
        left -= (long)length;
    }
    return end_turn(wrote);
}

ssize_t write(int file, const void *from, size_t count) {
    struct iovec all = {(void *)from, count};
    return writev(file, &all, 1);
}

int ftruncate(int file, off_t size) {
    struct stat found;
    if (!is_file(file, &found))
        return (int)syscall(SYS_ftruncate, file, size);
    take_turn();
    long cut = syscall(SYS_ftruncate, file, size);
    if (cut == 0)
        note('C', &found, (unsigned long long)size, 0, NULL, 0);
    return (int)end_turn(cut);
}
int ftruncate64(int file, off_t size) __attribute__((alias("ftruncate")));

int fsync(int file) {
    struct stat found;
    if (fstat(file, &found) != 0 || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)))
        return (int)syscall(SYS_fsync, file);
    take_turn();
    note('S', &found, 0, 0, NULL, 0);
    return (int)end_turn(0);
}
int fdatasync(int file) __attribute__((alias("fsync")));

int mkdirat(int at, const char *path, mode_t mode) {
    struct stat now;
    take_turn();
    long made = syscall(SYS_mkdirat, at, path, mode);
    if (made == 0 && fstatat(at, path, &now, 0) == 0)
        note_name('D', at, path, &now);
    return (int)end_turn(made);
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
    struct stat from_folder, to_folder;
    char names[2 * NAME_MAX + 2];
    if (flags & ~RENAME_NOREPLACE)
        give_up("a renaming of two at once");
    take_turn();
    long renamed = syscall(SYS_renameat2, from_at, from, to_at, to, flags);
    if (renamed == 0) {
        const char *before = place(from_at, from, &from_folder), *after = place(to_at, to, &to_folder);
        if (!before || !after)
            give_up("a folder is gone");
        int length = snprintf(names, sizeof names, "%s/%s", before, after);
        note('R', &from_folder, to_folder.st_dev, to_folder.st_ino, names, (size_t)length);
    }
    return (int)end_turn(renamed);
}
int renameat(int from_at, const char *from, int to_at, const char *to) {
    return renameat2(from_at, from, to_at, to, 0);
}
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    struct stat has;
    take_turn();
    long linked = syscall(SYS_linkat, from_at, from, to_at, to, flags);
    if (linked == 0 && fstatat(to_at, to, &has, AT_SYMLINK_NOFOLLOW) == 0)
        note_name('N', to_at, to, &has);
    return (int)end_turn(linked);
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int at, const char *path, int flags) {
    take_turn();
    long gone = syscall(SYS_unlinkat, at, path, flags);
    if (gone == 0)
        note_name('U', at, path, NULL);
    return (int)end_turn(gone);
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

/* What copies from file to file within the system is told to do so by reading and writing. */
ssize_t copy_file_range(int from, off_t *from_at, int to, off_t *to_at, size_t count, unsigned flags) {
    (void)from, (void)from_at, (void)to, (void)to_at, (void)count, (void)flags;
    errno = ENOSYS;
    return -1;
}

ssize_t sendfile(int to, int from, off_t *at, size_t count) {
    struct stat found;
    if (!is_file(to, &found))
        return syscall(SYS_sendfile, to, from, at, count);
    errno = EINVAL;
    return -1;
}
ssize_t sendfile64(int to, int from, off_t *at, size_t count) __attribute__((alias("sendfile")));
