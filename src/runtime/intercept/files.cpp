// File descriptors: what is written is sent before, what is read is received behind (see descriptors.h). The
// buffers are read and written by the kernel, which is recorded as the caller's doing.
#include <errno.h>
#include <mqueue.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/emit.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/real.h"
#include "runtime/system_call.h"

// Declared with `...` for an argument that is only sometimes there: it is a register on this machine.
#define DEADHEAT_INTERCEPT_AS(result, name, parameters)                                           \
  DEADHEAT_REAL(result, name, parameters, nullptr)                                                \
  extern "C" __attribute__((visibility("default"))) result deadheat_##name parameters asm(#name); \
  result deadheat_##name parameters

namespace deadheat::runtime {
namespace {

std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

// Something else than the content of a file changes, which only inotify tells.
void changed_files(Address pc) {
  if (is_inotify_used() && recording()) emit(Kind::send, object_of(Channel::files), pc);
}

Address memory_of(int fd) { return kDescriptorMemory + 8 * static_cast<Address>(fd); }

// Before the call, in which a thread may wait while another closes the descriptor; and before what is sent by
// it, for who receives that may close.
int used(int fd, Address pc) {
  if (fd >= 0 && recording() && is_instrumented(pc)) emit_access(Kind::read, memory_of(fd), 1, pc);
  return fd;
}

// The number may be given anew by a call that is not seen, to who is not ordered with this one. What a child
// of vfork closes is its own.
void closing_memory(int fd, Address pc) {
  if (!is_instrumented(pc)) return;
  if (static_cast<std::uint32_t>(system_call(SYS_getpid)) != g_session->program) return;
  emit_access(Kind::write, memory_of(fd), 1, pc);
  emit_with(Kind::fresh, memory_of(fd), 0, 8);
}

// The other end learns of it. Not of files, where nobody does but by inotify.
void closing(int fd, Address pc) {
  if (fd < 0 || !recording()) return;
  closing_memory(fd, pc);
  if (is_file(fd)) return changed_files(pc);
  send_to(fd, pc);
}

// What is open at the number that a descriptor is duplicated to is closed.
void replacing(int from, int to, Address pc) {
  constexpr int kGetFlags = 1;
  if (from == to || to < 0 || !recording()) return;
  if (system_call(SYS_fcntl, from, kGetFlags) < 0 || system_call(SYS_fcntl, to, kGetFlags) < 0) return;
  closing(to, pc);
}

// Before the real write: whoever receives may change the buffer at once.
void writing(int fd, const void* buffer, std::size_t bytes, Address pc) {
  if (fd < 0 || !recording()) return;
  used(fd, pc);
  emit_range(Kind::read_range, reinterpret_cast<Address>(buffer), bytes, pc);
  send_to(fd, pc);
}

void writing(int fd, const iovec* parts, std::size_t count, Address pc) {
  if (fd < 0 || !recording()) return;
  used(fd, pc);
  for (std::size_t i = 0; i < count; ++i) {
    emit_range(Kind::read_range, reinterpret_cast<Address>(parts[i].iov_base), parts[i].iov_len, pc);
  }
  send_to(fd, pc);
}

// Nothing read is the end of the file, or a closed peer: that is a message too.
ssize_t read_into(ssize_t result, int fd, const void* buffer, Address pc) {
  if (result < 0 || !recording()) return result;
  receive_from(fd, pc);
  emit_range(Kind::write_range, reinterpret_cast<Address>(buffer), static_cast<std::size_t>(result), pc);
  return result;
}

void fill(const iovec* parts, std::size_t count, std::size_t bytes, Address pc) {
  for (std::size_t i = 0; i < count && bytes != 0; ++i) {
    const std::size_t here = least(parts[i].iov_len, bytes);
    emit_range(Kind::write_range, reinterpret_cast<Address>(parts[i].iov_base), here, pc);
    bytes -= here;
  }
}

ssize_t read_into(ssize_t result, int fd, const iovec* parts, std::size_t count, Address pc) {
  if (result < 0 || !recording()) return result;
  receive_from(fd, pc);
  fill(parts, count, static_cast<std::size_t>(result), pc);
  return result;
}

int opened(int fd, Channel channel) {
  if (fd >= 0) set_channel(fd, channel);
  return fd;
}

int opened_own(int fd) { return fd < 0 ? fd : opened(fd, new_channel()); }

int opened_set(int fd) {
  if (fd >= 0) set_channel(fd, new_channel(), true);
  return fd;
}

int opened_pair(int result, const int* fds) {
  if (result != 0) return result;
  const Channel channel = new_channel();
  set_channel(fds[0], channel);
  set_channel(fds[1], channel);
  return result;
}

}  // namespace

// What inotify tells of, but for what is written.

#define DEADHEAT_CHANGE(name, parameters, ...) \
  DEADHEAT_INTERCEPT(int, name, parameters) {  \
    changed_files(DEADHEAT_CALLER);            \
    return REAL(name)(__VA_ARGS__);            \
  }
DEADHEAT_CHANGE(unlink, (const char* path), path)
DEADHEAT_CHANGE(unlinkat, (int folder, const char* path, int flags), folder, path, flags)
DEADHEAT_CHANGE(remove, (const char* path), path)
DEADHEAT_CHANGE(rename, (const char* from, const char* to), from, to)
DEADHEAT_CHANGE(renameat, (int from, const char* path, int to, const char* name), from, path, to, name)
DEADHEAT_CHANGE(renameat2, (int from, const char* path, int to, const char* name, unsigned flags), from, path,
                to, name, flags)
DEADHEAT_CHANGE(mkdir, (const char* path, mode_t mode), path, mode)
DEADHEAT_CHANGE(mkdirat, (int folder, const char* path, mode_t mode), folder, path, mode)
DEADHEAT_CHANGE(rmdir, (const char* path), path)
DEADHEAT_CHANGE(link, (const char* from, const char* to), from, to)
DEADHEAT_CHANGE(linkat, (int from, const char* path, int to, const char* name, int flags), from, path, to,
                name, flags)
DEADHEAT_CHANGE(symlink, (const char* to, const char* path), to, path)
DEADHEAT_CHANGE(symlinkat, (const char* to, int folder, const char* path), to, folder, path)
DEADHEAT_CHANGE(truncate, (const char* path, off_t bytes), path, bytes)
DEADHEAT_CHANGE(truncate64, (const char* path, off64_t bytes), path, bytes)
DEADHEAT_CHANGE(ftruncate, (int fd, off_t bytes), fd, bytes)
DEADHEAT_CHANGE(ftruncate64, (int fd, off64_t bytes), fd, bytes)
DEADHEAT_CHANGE(chmod, (const char* path, mode_t mode), path, mode)
DEADHEAT_CHANGE(fchmod, (int fd, mode_t mode), fd, mode)

// Opening and closing.

DEADHEAT_INTERCEPT_AS(int, open, (const char* path, int flags, unsigned mode)) {
  changed_files(DEADHEAT_CALLER);
  return opened(REAL(open)(path, flags, mode), Channel::files);
}
DEADHEAT_INTERCEPT_AS(int, open64, (const char* path, int flags, unsigned mode)) {
  changed_files(DEADHEAT_CALLER);
  return opened(REAL(open)(path, flags, mode), Channel::files);
}
DEADHEAT_INTERCEPT_AS(int, openat, (int directory, const char* path, int flags, unsigned mode)) {
  changed_files(DEADHEAT_CALLER);
  return opened(REAL(openat)(directory, path, flags, mode), Channel::files);
}
DEADHEAT_INTERCEPT_AS(int, openat64, (int directory, const char* path, int flags, unsigned mode)) {
  changed_files(DEADHEAT_CALLER);
  return opened(REAL(openat)(directory, path, flags, mode), Channel::files);
}
// As the C library's headers call them where they check sizes.
DEADHEAT_INTERCEPT(int, __open_2, (const char* path, int flags)) {
  return opened(REAL(__open_2)(path, flags), Channel::files);
}
DEADHEAT_INTERCEPT(int, __open64_2, (const char* path, int flags)) {
  return opened(REAL(__open_2)(path, flags), Channel::files);
}
DEADHEAT_INTERCEPT(int, __openat_2, (int directory, const char* path, int flags)) {
  return opened(REAL(__openat_2)(directory, path, flags), Channel::files);
}
DEADHEAT_INTERCEPT(int, __openat64_2, (int directory, const char* path, int flags)) {
  return opened(REAL(__openat_2)(directory, path, flags), Channel::files);
}
DEADHEAT_INTERCEPT(int, creat, (const char* path, mode_t mode)) {
  changed_files(DEADHEAT_CALLER);
  return opened(REAL(creat)(path, mode), Channel::files);
}
DEADHEAT_INTERCEPT(int, creat64, (const char* path, mode_t mode)) {
  changed_files(DEADHEAT_CALLER);
  return opened(REAL(creat)(path, mode), Channel::files);
}
DEADHEAT_INTERCEPT(int, memfd_create, (const char* name, unsigned flags)) {
  return opened(REAL(memfd_create)(name, flags), Channel::files);
}
DEADHEAT_INTERCEPT(int, pipe, (int* fds)) { return opened_pair(REAL(pipe)(fds), fds); }
DEADHEAT_INTERCEPT(int, pipe2, (int* fds, int flags)) { return opened_pair(REAL(pipe2)(fds, flags), fds); }
DEADHEAT_INTERCEPT(int, socketpair, (int domain, int type, int protocol, int* fds)) {
  return opened_pair(REAL(socketpair)(domain, type, protocol, fds), fds);
}
DEADHEAT_INTERCEPT(int, socket, (int domain, int type, int protocol)) {
  return opened(REAL(socket)(domain, type, protocol), Channel::sockets);
}
DEADHEAT_INTERCEPT(int, eventfd, (unsigned value, int flags)) {
  return opened_own(REAL(eventfd)(value, flags));
}
DEADHEAT_INTERCEPT(int, timerfd_create, (clockid_t clock, int flags)) {
  return opened_own(REAL(timerfd_create)(clock, flags));
}
DEADHEAT_INTERCEPT(int, epoll_create, (int size)) { return opened_set(REAL(epoll_create)(size)); }
DEADHEAT_INTERCEPT(int, epoll_create1, (int flags)) { return opened_set(REAL(epoll_create1)(flags)); }
DEADHEAT_INTERCEPT(int, signalfd, (int fd, const sigset_t* signals, int flags)) {
  const int made = REAL(signalfd)(fd, signals, flags);
  return fd >= 0 ? made : opened(made, Channel::signals);
}
DEADHEAT_INTERCEPT(int, inotify_init, ()) { return opened(REAL(inotify_init)(), Channel::inotify); }
DEADHEAT_INTERCEPT(int, inotify_init1, (int flags)) {
  return opened(REAL(inotify_init1)(flags), Channel::inotify);
}
DEADHEAT_INTERCEPT(int, pidfd_open, (pid_t process, unsigned flags)) {
  return opened(REAL(pidfd_open)(process, flags), Channel::processes);
}

DEADHEAT_INTERCEPT(int, dup, (int fd)) {
  const int made = REAL(dup)(fd);
  if (made >= 0) duplicate_channel(fd, made);
  return made;
}
DEADHEAT_INTERCEPT(int, dup2, (int fd, int wanted)) {
  replacing(fd, wanted, DEADHEAT_CALLER);
  const int made = REAL(dup2)(fd, wanted);
  if (made >= 0) duplicate_channel(fd, made);
  return made;
}
DEADHEAT_INTERCEPT(int, dup3, (int fd, int wanted, int flags)) {
  replacing(fd, wanted, DEADHEAT_CALLER);
  const int made = REAL(dup3)(fd, wanted, flags);
  if (made >= 0) duplicate_channel(fd, made);
  return made;
}

namespace {
constexpr int kDuplicate = 0, kDuplicateCloseOnExec = 1030;

int controlled(int result, int fd, int command) {
  if (result >= 0 && (command == kDuplicate || command == kDuplicateCloseOnExec)) {
    duplicate_channel(fd, result);
  }
  return result;
}
}  // namespace

DEADHEAT_INTERCEPT_AS(int, fcntl, (int fd, int command, unsigned long argument)) {
  return controlled(REAL(fcntl)(fd, command, argument), fd, command);
}
DEADHEAT_INTERCEPT_AS(int, fcntl64, (int fd, int command, unsigned long argument)) {
  return controlled(REAL(fcntl)(fd, command, argument), fd, command);
}

DEADHEAT_INTERCEPT(int, close, (int fd)) {
  closing(fd, DEADHEAT_CALLER);
  return REAL(close)(fd);
}
DEADHEAT_INTERCEPT(int, __close, (int fd)) {
  closing(fd, DEADHEAT_CALLER);
  return REAL(close)(fd);
}
DEADHEAT_INTERCEPT(int, shutdown, (int fd, int how)) {
  used(fd, DEADHEAT_CALLER);
  send_to(fd, DEADHEAT_CALLER);
  return REAL(shutdown)(fd, how);
}

// Connections: what came before connect comes before what follows the accept.

DEADHEAT_INTERCEPT(int, connect, (int fd, const sockaddr* address, socklen_t bytes)) {
  used(fd, DEADHEAT_CALLER);
  if (recording()) emit(Kind::send, object_of(Channel::connections), DEADHEAT_CALLER);
  return REAL(connect)(fd, address, bytes);
}

namespace {
int accepted(int fd, Address pc) {
  if (fd >= 0 && recording()) emit(Kind::recv, object_of(Channel::connections), pc);
  return opened(fd, Channel::sockets);
}
}  // namespace

DEADHEAT_INTERCEPT(int, accept, (int fd, sockaddr* address, socklen_t* bytes)) {
  return accepted(REAL(accept)(used(fd, DEADHEAT_CALLER), address, bytes), DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, accept4, (int fd, sockaddr* address, socklen_t* bytes, int flags)) {
  return accepted(REAL(accept4)(used(fd, DEADHEAT_CALLER), address, bytes, flags), DEADHEAT_CALLER);
}

// Reading.

DEADHEAT_INTERCEPT(ssize_t, read, (int fd, void* buffer, std::size_t bytes)) {
  return read_into(REAL(read)(used(fd, DEADHEAT_CALLER), buffer, bytes), fd, buffer, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, __read_chk, (int fd, void* buffer, std::size_t bytes, std::size_t room)) {
  return read_into(REAL(__read_chk)(used(fd, DEADHEAT_CALLER), buffer, bytes, room), fd, buffer,
                   DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, pread, (int fd, void* buffer, std::size_t bytes, off_t at)) {
  return read_into(REAL(pread)(used(fd, DEADHEAT_CALLER), buffer, bytes, at), fd, buffer, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, pread64, (int fd, void* buffer, std::size_t bytes, off64_t at)) {
  return read_into(REAL(pread)(used(fd, DEADHEAT_CALLER), buffer, bytes, at), fd, buffer, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, __pread_chk,
                   (int fd, void* buffer, std::size_t bytes, off_t at, std::size_t room)) {
  return read_into(REAL(__pread_chk)(used(fd, DEADHEAT_CALLER), buffer, bytes, at, room), fd, buffer,
                   DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, __pread64_chk,
                   (int fd, void* buffer, std::size_t bytes, off64_t at, std::size_t room)) {
  return read_into(REAL(__pread_chk)(used(fd, DEADHEAT_CALLER), buffer, bytes, at, room), fd, buffer,
                   DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, __recv_chk,
                   (int fd, void* buffer, std::size_t bytes, std::size_t room, int flags)) {
  return read_into(REAL(__recv_chk)(used(fd, DEADHEAT_CALLER), buffer, bytes, room, flags), fd, buffer,
                   DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, __recvfrom_chk,
                   (int fd, void* buffer, std::size_t bytes, std::size_t room, int flags, sockaddr* from,
                    socklen_t* length)) {
  return read_into(REAL(__recvfrom_chk)(used(fd, DEADHEAT_CALLER), buffer, bytes, room, flags, from, length),
                   fd, buffer, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, readv, (int fd, const iovec* parts, int count)) {
  return read_into(REAL(readv)(used(fd, DEADHEAT_CALLER), parts, count), fd, parts,
                   static_cast<std::size_t>(count), DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, preadv, (int fd, const iovec* parts, int count, off_t at)) {
  return read_into(REAL(preadv)(used(fd, DEADHEAT_CALLER), parts, count, at), fd, parts,
                   static_cast<std::size_t>(count), DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, preadv64, (int fd, const iovec* parts, int count, off64_t at)) {
  return read_into(REAL(preadv)(used(fd, DEADHEAT_CALLER), parts, count, at), fd, parts,
                   static_cast<std::size_t>(count), DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, preadv2, (int fd, const iovec* parts, int count, off_t at, int flags)) {
  return read_into(REAL(preadv2)(used(fd, DEADHEAT_CALLER), parts, count, at, flags), fd, parts,
                   static_cast<std::size_t>(count), DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, preadv64v2, (int fd, const iovec* parts, int count, off64_t at, int flags)) {
  return read_into(REAL(preadv2)(used(fd, DEADHEAT_CALLER), parts, count, at, flags), fd, parts,
                   static_cast<std::size_t>(count), DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, recv, (int fd, void* buffer, std::size_t bytes, int flags)) {
  return read_into(REAL(recv)(used(fd, DEADHEAT_CALLER), buffer, bytes, flags), fd, buffer, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, recvfrom,
                   (int fd, void* buffer, std::size_t bytes, int flags, sockaddr* from, socklen_t* length)) {
  return read_into(REAL(recvfrom)(used(fd, DEADHEAT_CALLER), buffer, bytes, flags, from, length), fd, buffer,
                   DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, recvmsg, (int fd, msghdr* message, int flags)) {
  return read_into(REAL(recvmsg)(used(fd, DEADHEAT_CALLER), message, flags), fd, message->msg_iov,
                   message->msg_iovlen, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, recvmmsg,
                   (int fd, mmsghdr* messages, unsigned count, int flags, timespec* patience)) {
  const int got = REAL(recvmmsg)(used(fd, DEADHEAT_CALLER), messages, count, flags, patience);
  if (got <= 0 || !recording()) return got;
  receive_from(fd, DEADHEAT_CALLER);
  for (int i = 0; i < got; ++i) {
    const msghdr& message = messages[i].msg_hdr;
    fill(message.msg_iov, message.msg_iovlen, messages[i].msg_len, DEADHEAT_CALLER);
  }
  return got;
}

// Writing.

DEADHEAT_INTERCEPT(ssize_t, write, (int fd, const void* buffer, std::size_t bytes)) {
  writing(fd, buffer, bytes, DEADHEAT_CALLER);
  return REAL(write)(fd, buffer, bytes);
}
DEADHEAT_INTERCEPT(ssize_t, pwrite, (int fd, const void* buffer, std::size_t bytes, off_t at)) {
  writing(fd, buffer, bytes, DEADHEAT_CALLER);
  return REAL(pwrite)(fd, buffer, bytes, at);
}
DEADHEAT_INTERCEPT(ssize_t, pwrite64, (int fd, const void* buffer, std::size_t bytes, off64_t at)) {
  writing(fd, buffer, bytes, DEADHEAT_CALLER);
  return REAL(pwrite)(fd, buffer, bytes, at);
}
DEADHEAT_INTERCEPT(ssize_t, writev, (int fd, const iovec* parts, int count)) {
  writing(fd, parts, static_cast<std::size_t>(count), DEADHEAT_CALLER);
  return REAL(writev)(fd, parts, count);
}
DEADHEAT_INTERCEPT(ssize_t, pwritev, (int fd, const iovec* parts, int count, off_t at)) {
  writing(fd, parts, static_cast<std::size_t>(count), DEADHEAT_CALLER);
  return REAL(pwritev)(fd, parts, count, at);
}
DEADHEAT_INTERCEPT(ssize_t, pwritev64, (int fd, const iovec* parts, int count, off64_t at)) {
  writing(fd, parts, static_cast<std::size_t>(count), DEADHEAT_CALLER);
  return REAL(pwritev)(fd, parts, count, at);
}
DEADHEAT_INTERCEPT(ssize_t, pwritev2, (int fd, const iovec* parts, int count, off_t at, int flags)) {
  writing(fd, parts, static_cast<std::size_t>(count), DEADHEAT_CALLER);
  return REAL(pwritev2)(fd, parts, count, at, flags);
}
DEADHEAT_INTERCEPT(ssize_t, pwritev64v2, (int fd, const iovec* parts, int count, off64_t at, int flags)) {
  writing(fd, parts, static_cast<std::size_t>(count), DEADHEAT_CALLER);
  return REAL(pwritev2)(fd, parts, count, at, flags);
}
DEADHEAT_INTERCEPT(ssize_t, send, (int fd, const void* buffer, std::size_t bytes, int flags)) {
  writing(fd, buffer, bytes, DEADHEAT_CALLER);
  return REAL(send)(fd, buffer, bytes, flags);
}
DEADHEAT_INTERCEPT(ssize_t, sendto,
                   (int fd, const void* buffer, std::size_t bytes, int flags, const sockaddr* to,
                    socklen_t length)) {
  writing(fd, buffer, bytes, DEADHEAT_CALLER);
  return REAL(sendto)(fd, buffer, bytes, flags, to, length);
}
DEADHEAT_INTERCEPT(ssize_t, sendmsg, (int fd, const msghdr* message, int flags)) {
  writing(fd, message->msg_iov, message->msg_iovlen, DEADHEAT_CALLER);
  return REAL(sendmsg)(fd, message, flags);
}
DEADHEAT_INTERCEPT(int, sendmmsg, (int fd, mmsghdr* messages, unsigned count, int flags)) {
  for (unsigned i = 0; i < count; ++i) {
    writing(fd, messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen, DEADHEAT_CALLER);
  }
  return REAL(sendmmsg)(fd, messages, count, flags);
}

// From one descriptor to another.

DEADHEAT_INTERCEPT(ssize_t, sendfile, (int to, int from, off_t* at, std::size_t bytes)) {
  send_to(to, DEADHEAT_CALLER);
  const ssize_t result = REAL(sendfile)(to, from, at, bytes);
  if (result >= 0) receive_from(from, DEADHEAT_CALLER);
  return result;
}
DEADHEAT_INTERCEPT(ssize_t, sendfile64, (int to, int from, off64_t* at, std::size_t bytes)) {
  send_to(to, DEADHEAT_CALLER);
  const ssize_t result = REAL(sendfile)(to, from, at, bytes);
  if (result >= 0) receive_from(from, DEADHEAT_CALLER);
  return result;
}

DEADHEAT_INTERCEPT(ssize_t, splice,
                   (int from, off64_t* from_at, int to, off64_t* to_at, std::size_t bytes, unsigned flags)) {
  send_to(to, DEADHEAT_CALLER);
  const ssize_t result = REAL(splice)(from, from_at, to, to_at, bytes, flags);
  if (result >= 0) receive_from(from, DEADHEAT_CALLER);
  return result;
}

// Events, timers, queues.

DEADHEAT_INTERCEPT(int, eventfd_read, (int fd, eventfd_t* value)) {
  const int result = REAL(eventfd_read)(fd, value);
  if (result == 0) receive_from(fd, DEADHEAT_CALLER);
  return result;
}
DEADHEAT_INTERCEPT(int, eventfd_write, (int fd, eventfd_t value)) {
  send_to(fd, DEADHEAT_CALLER);
  return REAL(eventfd_write)(fd, value);
}
DEADHEAT_INTERCEPT(int, timerfd_settime, (int fd, int flags, const itimerspec* wanted, itimerspec* before)) {
  send_to(fd, DEADHEAT_CALLER);
  return REAL(timerfd_settime)(fd, flags, wanted, before);
}
// On Linux a queue is a descriptor.
DEADHEAT_INTERCEPT(int, mq_send, (mqd_t queue, const char* buffer, std::size_t bytes, unsigned priority)) {
  writing(queue, buffer, bytes, DEADHEAT_CALLER);
  return REAL(mq_send)(queue, buffer, bytes, priority);
}
DEADHEAT_INTERCEPT(int, mq_timedsend,
                   (mqd_t queue, const char* buffer, std::size_t bytes, unsigned priority,
                    const timespec* until)) {
  writing(queue, buffer, bytes, DEADHEAT_CALLER);
  return REAL(mq_timedsend)(queue, buffer, bytes, priority, until);
}
DEADHEAT_INTERCEPT(ssize_t, mq_receive, (mqd_t queue, char* buffer, std::size_t bytes, unsigned* priority)) {
  return read_into(REAL(mq_receive)(queue, buffer, bytes, priority), queue, buffer, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(ssize_t, mq_timedreceive,
                   (mqd_t queue, char* buffer, std::size_t bytes, unsigned* priority,
                    const timespec* until)) {
  return read_into(REAL(mq_timedreceive)(queue, buffer, bytes, priority, until), queue, buffer,
                   DEADHEAT_CALLER);
}

}  // namespace deadheat::runtime
