/** The kernel itself, privileges, and the isolation. */
import { fs, type Row, rows } from './row.ts'

const calls = rows('seccomp', false, /^EPERM/, [
  ['a namespace of users', `return sys('unshare', 0x10000000)`],
  ['a namespace by clone', `return sys('clone', 0x10000011, 0, 0, 0, 0)`],
  ['a namespace by clone3', `return sys('clone3', null, 0)`, /^ENOSYS/],
  ['somebody else’s namespace', `return sys('setns', 0, 0)`],
  ['another root', `return sys('chroot', text('/'))`],
  ['a root in the old one’s place', `return sys('pivot_root', text('.'), text('.'))`],
  ['a mount', `return sys('mount', text('none'), text(facts.own), text('tmpfs'), 0, null)`],
  ['a mount taken away', `return sys('umount2', text(facts.own), 0)`],
  ['a mount by parts', `return sys('fsopen', text('tmpfs'), 0)`],
  ['a tree of files', `return sys('open_tree', -100, text('/'), 0)`],
  ['a mount moved', `return sys('move_mount', -100, text(facts.own), -100, text(facts.own), 0)`],
  ['a mount changed', `return sys('mount_setattr', -100, text('/'), 0, null, 0)`],
  ['the list of mounts', `return sys('listmount', null, null, 0, 0)`],
  ['a program in the kernel', `return sys('bpf', 0, Buffer.alloc(128), 128)`],
  ['faults of memory', `return sys('userfaultfd', 0)`],
  ['a key', `return sys('add_key', text('user'), text('x'), text('y'), 1, -3)`],
  ['a key asked for', `return sys('request_key', text('user'), text('x'), null, 0)`],
  ['the ring of keys', `return sys('keyctl', 0, -3, 0)`],
  ['secret memory', `return sys('memfd_secret', 0)`],
  ['another kernel', `return sys('kexec_load', 0, 0, null, 0)`],
  ['another kernel from a file', `return sys('kexec_file_load', -1, -1, 0, null, 0)`],
  ['a module of the kernel', `return sys('init_module', null, 0, text(''))`],
  ['a module from a file', `return sys('finit_module', -1, text(''), 0)`],
  ['a module taken away', `return sys('delete_module', text('watchpost-none'), 0)`],
  ['another personality', `return sys('personality', 0xffffffff)`],
  ['the log of the kernel', `return sys('syslog', 10, null, 0)`],
  ['swap', `return sys('swapon', null, 0)`],
  ['a restart', `return sys('reboot', 0, 0, 0, null)`],
  ['accounts of processes', `return sys('acct', text('/watchpost/none'))`],
  ['quotas', `return sys('quotactl', 0, null, 0, null)`],
  ['the name of the machine', `return sys('sethostname', null, -1)`],
  ['the time', `return sys('clock_settime', 99, null)`],
  ['the time, the old way', `return sys('settimeofday', null, null)`],
  ['the pace of time', `return sys('adjtimex', Buffer.alloc(208))`],
  ['a character put into a terminal', `return sys('ioctl', 0, 0x5412, Buffer.from('x'))`],
])

/** What was given up is not to be had again. */
const privileges = rows('own-uid', false, /^(EPERM|EINVAL|EACCES)/, [
  ['becoming root', `return sys('setuid', 0)`],
  ['the group of root', `return sys('setgid', 0)`],
])

const isolationItself = rows('files', false, /^(EPERM|EINVAL|EACCES)/, [
  [
    'all capabilities',
    `const header = Buffer.alloc(8); header.writeUInt32LE(0x20080522); return sys('capset', header, Buffer.alloc(24, 255))`,
  ],
  ['new privileges', `return sys('prctl', 38, 0, 0, 0, 0)`],
  ['higher limits', `const limit = Buffer.alloc(16, 255); return sys('prlimit64', 0, 7, limit, null)`],
  ['core files', `const limit = Buffer.alloc(16, 255); return sys('prlimit64', 0, 4, limit, null)`],
  [
    'a ruleset of its own that allows more',
    `${fs} const attr = Buffer.alloc(8); attr.writeBigUInt64LE(4n); const fd = sys('landlock_create_ruleset', attr, 8, 0); sys('landlock_restrict_self', fd, 0); return fs.readFileSync(facts.canary, 'utf8')`,
  ],
  [
    'a filter of its own that allows all',
    `const code = Buffer.alloc(8); code.writeUInt16LE(6); code.writeUInt32LE(0x7fff0000, 4); const program = Buffer.alloc(16); program.writeUInt16LE(1); program.writeBigUInt64LE(at(code), 8); sys('seccomp', 1, 0, program); return sys('socket', 2, 2, 0)`,
  ],
])

export const kernelAttempts: readonly Row[] = [...calls, ...privileges, ...isolationItself]

/** On x86_64 only. */
export const x64Only = rows('seccomp', false, /^(EPERM|ENOSYS)/, [
  ['ports of the machine', `return sys('iopl', 0)`],
  ['a range of ports', `return sys('ioperm', 0, 0, 0)`],
  ['a socket by the numbers of x32', `return sys(0x40000000 + 41, 2, 2, 0)`, /^ENOSYS/],
])
