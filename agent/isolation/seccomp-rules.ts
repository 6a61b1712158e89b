/**
 * Which system calls code of users may not make, and why. What is not listed is allowed: files, plain TCP connections and
 * signals are Landlock's to judge (`landlock.ts`). Conditions look at numbers only: a filter cannot read memory, so a call
 * whose flags lie there is refused as a whole.
 */
import type { Syscall } from './syscalls.ts'

/** What is asked of an argument: its lower 32 bits under `mask`, or, of a pointer, whether it is one. */
export type Condition =
  | { arg: number; mask?: number; in: readonly number[] }
  | { arg: number; mask?: number; notIn: readonly number[] }
  | { arg: number; pointer: true }

/** `allow`, or the number of the error that the caller gets. */
export type Verdict = 'allow' | number

/** The verdict of the first case whose conditions all hold, else `otherwise`. */
export type Rule = {
  calls: readonly Syscall[]
  cases: readonly { when: readonly Condition[]; verdict: Verdict }[]
  otherwise: Verdict
}

type Profile = {
  /** Chromium builds a sandbox of its own from namespaces and a chroot; nobody else needs them. */
  chromiumSandbox: boolean
}

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const unix = 1
const internet = [2, 10]
const stream = 1
const sequencedPackets = 5
/** Above them are SOCK_NONBLOCK and SOCK_CLOEXEC. */
const socketTypeBits = 0xf
const tcp = [0, 6]
/** It connects without a connect(2), which Landlock would judge. */
const fastOpen = 0x20000000
/** CLONE_NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET and NEWNS. */
const newNamespaces = 0x7e020000
const setParentDeathSignal = 1
const setChildSubreaper = 36
/** MAP_TYPE, MAP_SHARED and MAP_ANONYMOUS. */
const mapTypeBits = 0xf
const shared = 1
const anonymous = 0x20
const putIntoTerminal = [0x5412, 0x541c]

const refuse = (...calls: Syscall[]): Rule => ({ calls, cases: [], otherwise: EPERM })

const refuseIf = (calls: readonly Syscall[], ...when: Condition[]): Rule => ({
  calls,
  cases: [{ when, verdict: EPERM }],
  otherwise: 'allow',
})

const allowIf = (calls: readonly Syscall[], ...when: Condition[]): Rule => ({
  calls,
  cases: [{ when, verdict: 'allow' }],
  otherwise: EPERM,
})

const sockets: Rule[] = [
  {
    calls: ['socket'],
    cases: [
      // MPTCP (262) is a stream, too, and Landlock does not see where it connects.
      {
        when: [
          { arg: 0, in: internet },
          { arg: 1, mask: socketTypeBits, in: [stream] },
          { arg: 2, in: tcp },
        ],
        verdict: 'allow',
      },
      { when: [{ arg: 0, in: [unix, ...internet] }], verdict: EPERM },
    ],
    otherwise: EAFNOSUPPORT,
  },
  // One of datagrams could still send to a path, such as the log's.
  allowIf(
    ['socketpair'],
    { arg: 0, in: [unix] },
    { arg: 1, mask: socketTypeBits, in: [stream, sequencedPackets] },
  ),
  refuse('bind', 'listen'),
  refuseIf(['sendto', 'sendmmsg'], { arg: 3, mask: fastOpen, notIn: [0] }),
  refuseIf(['sendmsg'], { arg: 2, mask: fastOpen, notIn: [0] }),
]

const otherProcesses: Rule[] = [
  refuse('ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd', 'process_madvise'),
  refuse('process_mrelease', 'kcmp', 'perf_event_open'),
  refuseIf(['prlimit64', 'sched_setaffinity', 'sched_setscheduler', 'sched_setparam', 'sched_setattr'], {
    arg: 0,
    notIn: [0],
  }),
  refuseIf(['migrate_pages', 'move_pages'], { arg: 0, notIn: [0] }),
  // Also of a whole user; "which" is a process: PRIO_PROCESS, IOPRIO_WHO_PROCESS.
  allowIf(['setpriority'], { arg: 0, in: [0] }, { arg: 1, in: [0] }),
  allowIf(['ioprio_set'], { arg: 0, in: [1] }, { arg: 1, in: [0] }),
  // Nothing leaves the process group, so that one kill ends all of it; and it ends with the agent.
  refuse('setsid', 'setpgid'),
]

const kernel: Rule[] = [
  refuse('bpf', 'userfaultfd', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'),
  refuse('add_key', 'request_key', 'keyctl', 'memfd_secret'),
  refuse('kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module'),
  refuse('personality', 'syslog', 'swapon', 'swapoff', 'reboot', 'acct', 'quotactl', 'quotactl_fd'),
  refuse('sethostname', 'setdomainname', 'iopl', 'ioperm'),
  refuse('settimeofday', 'clock_settime', 'clock_adjtime', 'adjtimex'),
  refuseIf(['ioctl'], { arg: 1, in: putIntoTerminal }),
]

/** What outlives the processes that made it, or is not seen in them. */
const sharedMemory: Rule[] = [
  refuse('shmget', 'shmat', 'shmctl', 'semget', 'semop', 'semctl', 'semtimedop'),
  refuse('msgget', 'msgsnd', 'msgrcv', 'msgctl', 'mq_open', 'mq_unlink'),
  // Memory that no process has mapped is in nobody's size. Programs that are told that there is none take a file.
  { calls: ['memfd_create'], cases: [], otherwise: ENOSYS },
  // Nor is what a process gives back of its own (madvise(2)) as long as one page is mapped. Chromium takes memory of the heap instead.
  refuseIf(['mmap'], { arg: 3, mask: mapTypeBits | anonymous, in: [shared | anonymous] }),
]

/** What Landlock does not judge of files. */
const files: Rule[] = [
  refuse('chmod', 'fchmodat', 'fchmodat2', 'chown', 'lchown', 'fchownat'),
  refuse('setxattr', 'lsetxattr', 'removexattr', 'lremovexattr', 'setxattrat', 'removexattrat'),
  refuse('utime', 'utimes', 'futimesat'),
  // Without a path it is the file that is open.
  refuseIf(['utimensat'], { arg: 1, pointer: true }),
  refuse('inotify_add_watch', 'fanotify_init', 'fanotify_mark', 'name_to_handle_at', 'open_by_handle_at'),
]

const mounts: Rule[] = [
  refuse('setns', 'pivot_root', 'mount', 'umount2', 'open_tree', 'move_mount', 'fsopen', 'fsconfig'),
  refuse('fsmount', 'fspick', 'mount_setattr', 'statmount', 'listmount', 'open_tree_attr'),
  // Its flags are in memory. The C library then takes clone.
  { calls: ['clone3'], cases: [], otherwise: ENOSYS },
]

const withoutOwnSandbox: Rule[] = [
  refuse('unshare', 'chroot'),
  refuseIf(['clone'], { arg: 0, mask: newNamespaces, notIn: [0] }),
  refuseIf(['prctl'], { arg: 0, in: [setParentDeathSignal, setChildSubreaper] }),
]

export const rulesOf = ({ chromiumSandbox }: Profile): readonly Rule[] => [
  ...sockets,
  ...otherProcesses,
  ...kernel,
  ...sharedMemory,
  ...files,
  ...mounts,
  ...(chromiumSandbox ? [] : withoutOwnSandbox),
]
