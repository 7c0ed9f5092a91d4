// confined COMMAND...: runs it where the system calls fail that containers forbid by default, as Docker's
// seccomp profile for processes without capabilities has them.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAIL_WITH(call, error)                           \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define FORBID(call) FAIL_WITH(call, EPERM)

int main(int count, char** words) {
  if (count < 2) return 2;
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      FORBID(acct),
      FORBID(add_key),
      FORBID(bpf),
      FORBID(chroot),
      FORBID(clock_adjtime),
      FORBID(clock_settime),
      FORBID(delete_module),
      FORBID(fanotify_init),
      FORBID(finit_module),
      FORBID(fsconfig),
      FORBID(fsmount),
      FORBID(fsopen),
      FORBID(fspick),
      FORBID(get_mempolicy),
      FORBID(init_module),
      FORBID(io_uring_enter),
      FORBID(io_uring_register),
      FORBID(io_uring_setup),
      FORBID(ioperm),
      FORBID(iopl),
      FORBID(kcmp),
      FORBID(kexec_file_load),
      FORBID(kexec_load),
      FORBID(keyctl),
      FORBID(lookup_dcookie),
      FORBID(mbind),
      FORBID(mount),
      FORBID(move_mount),
      FORBID(move_pages),
      FORBID(name_to_handle_at),
      FORBID(nfsservctl),
      FORBID(open_by_handle_at),
      FORBID(open_tree),
      FORBID(perf_event_open),
      FORBID(personality),
      FORBID(pivot_root),
      FORBID(process_vm_readv),
      FORBID(process_vm_writev),
      FORBID(ptrace),
      FORBID(query_module),
      FORBID(quotactl),
      FORBID(reboot),
      FORBID(request_key),
      FORBID(set_mempolicy),
      FORBID(setdomainname),
      FORBID(sethostname),
      FORBID(setns),
      FORBID(settimeofday),
      FORBID(swapoff),
      FORBID(swapon),
      FORBID(sysfs),
      FORBID(syslog),
      FORBID(umount2),
      FORBID(unshare),
      FORBID(uselib),
      FORBID(userfaultfd),
      FORBID(ustat),
      FORBID(vhangup),
      // So that libraries fall back to clone, whose flags can be looked at.
      FAIL_WITH(clone3, ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("confined: seccomp");
    return 77;
  }
  execvp(words[1], words + 1);
  perror(words[1]);
  return 127;
}
