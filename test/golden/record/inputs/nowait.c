/* The system does not let the recorder wait for its child. */
#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

pid_t waitpid(pid_t pid, int* status, int options) {
  static int calls;
  (void)pid, (void)status, (void)options;
  if (++calls < 30) {
    usleep(10000);
    return 0;
  }
  errno = ECHILD;
  return -1;
}
