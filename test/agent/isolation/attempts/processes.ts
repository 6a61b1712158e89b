/** Other processes, the agent above all, and what outlives a process. */
import { type Row, rows } from './row.ts'

const signals = rows('scopes', true, /^EPERM/, [
  ['whether the agent lives', `process.kill(facts.agent, 0); return 'asked'`],
  ['a signal by kill(2)', `return sys('kill', facts.agent, 0)`],
  ['a signal to a thread', `return sys('tgkill', facts.agent, facts.agent, 0)`],
  [
    'a signal with a value',
    `const info = Buffer.alloc(128); info.writeInt32LE(-1, 8); return sys('rt_sigqueueinfo', facts.agent, 0, info)`,
  ],
  [
    'a signal by a descriptor',
    `const fd = sys('pidfd_open', facts.agent, 0); return sys('pidfd_send_signal', fd, 0, null, 0)`,
  ],
  ['a signal to the first process', `process.kill(1, 0); return 'asked'`],
])

const processes = rows('seccomp', true, /^EPERM/, [
  ['the limits of the agent', `return sys('prlimit64', facts.agent, 7, null, Buffer.alloc(16))`],
  [
    'the priority of the agent',
    `const os = require('os'); os.setPriority(facts.agent, os.getPriority(facts.agent)); return 'set'`,
    /EPERM|EACCES/,
  ],
  ['the priority of all of a user', `return sys('setpriority', 2, 0, 0)`],
  [
    'the processors of the agent',
    `const all = Buffer.alloc(128, 255); return sys('sched_setaffinity', facts.agent, 128, all)`,
  ],
  ['the way the agent is scheduled', `return sys('sched_setscheduler', facts.agent, 0, Buffer.alloc(4))`],
  ['the turn of the agent at the disk', `return sys('ioprio_set', 1, facts.agent, (2 << 13) | 4)`],
  [
    'the memory of the agent, read',
    `const to = Buffer.alloc(16); const vector = Buffer.alloc(16); vector.writeBigUInt64LE(at(to)); vector.writeBigUInt64LE(8n, 8); const from = Buffer.alloc(16); from.writeBigUInt64LE(0x400000n); from.writeBigUInt64LE(8n, 8); return sys('process_vm_readv', facts.agent, vector, 1, from, 1, 0)`,
  ],
  [
    'descriptors of the agent',
    `const fd = sys('pidfd_open', facts.agent, 0); return sys('pidfd_getfd', fd, 1, 0)`,
  ],
  ['what it shares with the agent', `return sys('kcmp', process.pid, facts.agent, 1, 0, 0)`],
])

const processesWithRights = rows('seccomp', false, /^EPERM/, [
  ['the agent under a debugger', `return sys('ptrace', 16, facts.agent, 0, 0)`],
  ['the agent seized', `return sys('ptrace', 0x4206, facts.agent, 0, 0)`],
  ['the memory of the agent, written', `return sys('process_vm_writev', facts.agent, null, 0, null, 0, 0)`],
  ['the memory of the agent, advised', `return sys('process_madvise', 99, null, 0, 0, 0)`],
  ['pages of the agent moved', `return sys('move_pages', facts.agent, 0, null, null, null, 0)`],
  ['the agent’s inspector', `process._debugProcess(facts.agent); return 'signalled'`],
  ['counters of the processor', `return sys('perf_event_open', Buffer.alloc(128), 0, -1, -1, 0)`],
])

const sessions = rows('seccomp', false, /^EPERM/, [
  [
    'a session of its own',
    `const { status } = require('child_process').spawnSync(process.execPath, ['-e', '0'], { detached: true }); return 'session ' + sys('setsid')`,
  ],
  ['a process group of its own', `return sys('setpgid', 0, 0)`],
  ['being the parent of orphans', `return sys('prctl', 36, 1, 0, 0, 0)`],
  ['living on without the agent', `return sys('prctl', 1, 0, 0, 0, 0)`],
])

const sharedMemory = rows('seccomp', true, /^EPERM/, [
  [
    'a segment of shared memory',
    `const id = sys('shmget', 0, 4096, 0o1600); sys('shmctl', id, 0, 0); return 'made'`,
  ],
  ['a semaphore', `const id = sys('semget', 0, 1, 0o1600); sys('semctl', id, 0, 0); return 'made'`],
  ['memory that has no name', `return sys('memfd_create', Buffer.from('x\\0'), 0)`, /^ENOSYS/],
  [
    'memory that is shared with no file, and in nobody’s size once it is given back',
    `const map = sys('mmap', null, 4096, 3, 0x21, -1, 0); return 'mapped'`,
  ],
  ['a queue of messages', `const id = sys('msgget', 0, 0o1600); sys('msgctl', id, 0, 0); return 'made'`],
  [
    'a named queue',
    `const name = text('watchpost-attempt-' + process.pid); sys('mq_open', name, 0o102, 0o600, null); sys('mq_unlink', name); return 'made'`,
  ],
])

export const processesAttempts: readonly Row[] = [
  ...signals,
  ...processes,
  ...processesWithRights,
  ...sessions,
  ...sharedMemory,
]
