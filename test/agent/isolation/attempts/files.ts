/** What lies outside of the private folder, and what Landlock does not judge of it. */
import { fs, type Row, rows } from './row.ts'

const filesInTheOpen = rows('files', true, /^EACCES/, [
  ['a file of everybody', `${fs} return fs.readFileSync('/etc/passwd').length`],
  ['a canary beside the folder', `${fs} return fs.readFileSync(facts.canary, 'utf8')`],
  [
    'the same by a relative path',
    `${fs} return fs.readFileSync(require('path').relative(process.cwd(), facts.canary), 'utf8')`,
  ],
  [
    'the same through /proc/self/root',
    `${fs} return fs.readFileSync('/proc/self/root' + facts.canary, 'utf8')`,
  ],
  [
    'the same by a symbolic link',
    `${fs} const to = facts.own + '/link'; fs.rmSync(to, { force: true }); fs.symlinkSync(facts.canary, to); return fs.readFileSync(to, 'utf8')`,
  ],
  ['the same by openat of the kernel', `return sys('openat', -100, text(facts.canary), 0)`],
  [
    'the same without a trace',
    `return sys('openat', -100, text(facts.canary), 0o1000000)`,
    /^(EACCES|EPERM)/,
  ],
  ['the same copied', `${fs} fs.copyFileSync(facts.canary, facts.own + '/copy'); return 'copied'`],
  ['the same as a module', `return require(facts.canaryModule)`, /EACCES|MODULE_NOT_FOUND/],
  ['the same imported', `return (await load(facts.canaryModule)).default`, /EACCES|MODULE_NOT_FOUND/],
  [
    'the same in a worker',
    `const { Worker } = require('worker_threads'); return await new Promise((y, n) => new Worker("require('worker_threads').parentPort.postMessage(require('fs').readFileSync(" + JSON.stringify(facts.canary) + ", 'utf8'))", { eval: true, stderr: true }).on('message', y).on('error', n))`,
  ],
  [
    'the same in a process of its own',
    `const { status, stderr } = require('child_process').spawnSync(process.execPath, ['-e', 'require("fs").readFileSync(process.argv[1])', facts.canary]); if (status !== 0) throw new Error(String(stderr)); return status`,
    /EACCES/,
  ],
  ['the list of a folder outside', `${fs} return fs.readdirSync(facts.outside).length`],
  ['the root folder', `${fs} return fs.readdirSync('/').length`],
  [
    'the folder of all private folders',
    `${fs} return fs.readdirSync(require('path').dirname(facts.folder)).length`,
  ],
  [
    'a recursive walk',
    `${fs} return fs.globSync('*', { cwd: facts.outside }).length || (() => { throw new Error('EACCES: nothing is seen') })()`,
    /EACCES/,
  ],
  [
    'a database of SQLite',
    `const { DatabaseSync } = require('node:sqlite'); return JSON.stringify(new DatabaseSync(facts.database).prepare('select * from keys').all())`,
    /unable to open database file/,
  ],
  [
    'a database attached to one in memory',
    `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(':memory:'); db.exec("attach '" + facts.database + "' as x"); return JSON.stringify(db.prepare('select * from x.keys').all())`,
    /unable to open database/,
  ],
  [
    'a key written into a database',
    `const { DatabaseSync } = require('node:sqlite'); new DatabaseSync(facts.database).exec("insert into keys values ('mine')"); return 'written'`,
    /unable to open database file/,
  ],
  ['a file written outside', `${fs} fs.writeFileSync(facts.outside + '/new', 'x'); return 'written'`],
  ['a file appended to', `${fs} fs.appendFileSync(facts.canary, ''); return 'appended'`],
  ['a file cut', `${fs} fs.truncateSync(facts.spare, 0); return 'cut'`],
  ['a file removed', `${fs} fs.unlinkSync(facts.outside + '/remove'); return 'removed'`],
  ['a folder made', `${fs} fs.mkdirSync(facts.outside + '/folder'); return 'made'`],
  [
    'a file moved in',
    `${fs} fs.renameSync(facts.outside + '/move', facts.own + '/moved'); return 'moved'`,
    /^(EACCES|EXDEV)/,
  ],
  [
    'a hard link to a file outside',
    `${fs} fs.linkSync(facts.canary, facts.own + '/hard'); return 'linked'`,
    /^(EACCES|EXDEV|EPERM)/,
  ],
  ['a pipe outside', `return sys('mknodat', -100, text(facts.outside + '/pipe'), 0o10600, 0)`],
  [
    'shared memory as a file',
    `${fs} fs.writeFileSync('/dev/shm/watchpost-attempt-' + process.pid, 'x'); fs.rmSync('/dev/shm/watchpost-attempt-' + process.pid); return 'written'`,
  ],
  ['its own environment', `${fs} return fs.readFileSync('/proc/self/environ').length`],
  ['the list of processes', `${fs} return fs.readdirSync('/proc').length`],
  ['the list of connections', `${fs} return fs.readFileSync('/proc/net/tcp').length`],
  ['settings of the kernel', `${fs} return fs.readFileSync('/proc/sys/kernel/hostname').length`],
  ['the system’s name servers', `${fs} return fs.readFileSync('/etc/resolv.conf').length`],
  [
    'a shell',
    `const { error } = require('child_process').spawnSync('/bin/sh', ['-c', 'true']); if (error) throw error; return 'ran'`,
  ],
  [
    'a program of its own folder',
    `${fs} const path = facts.own + '/program'; fs.writeFileSync(path, '#!/bin/sh\\n', { mode: 0o755 }); const { error } = require('child_process').spawnSync(path); if (error) throw error; return 'ran'`,
  ],
  [
    'a snapshot of the heap outside',
    `return require('v8').writeHeapSnapshot(facts.outside + '/heap')`,
    /EACCES/,
  ],
])

const filesWithRights = rows('files', false, /^(EACCES|EPERM|ENOENT|ENXIO|ENODEV)/, [
  ['the memory of the machine', `${fs} return fs.openSync('/dev/mem', 'r')`],
  ['a terminal', `${fs} return fs.openSync('/dev/tty', 'r')`],
  [
    'a device made in its own folder',
    `return sys('mknodat', -100, text(facts.own + '/device'), 0o20666, 0x103)`,
  ],
  [
    'an extension of SQLite from outside',
    `const { DatabaseSync } = require('node:sqlite'); new DatabaseSync(':memory:', { allowExtension: true }).loadExtension(facts.canary); return 'loaded'`,
    /open shared object|Permission denied|cannot open/,
  ],
  [
    'a native module from outside',
    `process.dlopen({ exports: {} }, facts.canary); return 'loaded'`,
    /Permission denied|cannot open|file too short/,
  ],
])

const attributes = rows('seccomp', true, /^EPERM/, [
  ['the mode of a file', `${fs} fs.chmodSync(facts.canary, 0o644); return 'changed'`],
  ['the mode by fchmodat', `return sys('fchmodat', -100, text(facts.canary), 0o644)`],
  ['the mode by fchmodat2', `return sys('fchmodat2', -100, text(facts.canary), 0o644, 0)`],
  ['the owner of a file', `${fs} fs.chownSync(facts.canary, 0, 0); return 'changed'`],
  ['the owner of a link', `${fs} fs.lchownSync(facts.canary, 0, 0); return 'changed'`],
  ['the times of a file', `${fs} fs.utimesSync(facts.canary, 1, 1); return 'changed'`],
  ['the times of a link', `${fs} fs.lutimesSync(facts.canary, 1, 1); return 'changed'`],
  ['news of a folder outside', `${fs} fs.watch(facts.outside).close(); return 'watched'`],
  [
    'a handle of a file',
    `const handle = Buffer.alloc(136); handle.writeUInt32LE(128); return sys('name_to_handle_at', -100, text(facts.canary), handle, Buffer.alloc(4), 0)`,
  ],
])

const attributesWithRights = rows('seccomp', false, /^EPERM/, [
  ['an attribute of a file', `return sys('setxattr', text(facts.canary), text('user.x'), text('1'), 1, 0)`],
  ['an attribute removed', `return sys('removexattr', text(facts.canary), text('user.x'))`],
  ['news of everything', `return sys('fanotify_init', 0, 0)`],
  ['a file by its handle', `return sys('open_by_handle_at', -100, Buffer.alloc(136), 0)`],
])

/** Where children have a view of /proc of their own, the agent is not in it. */
const agentsFiles = rows('files', true, /^(EACCES|ENOENT)/, [
  [
    'the environment of the agent',
    `${fs} return fs.readFileSync('/proc/' + facts.agent + '/environ').length`,
  ],
  [
    'the command line of the agent',
    `${fs} return fs.readFileSync('/proc/' + facts.agent + '/cmdline').length`,
  ],
  ['the memory map of the agent', `${fs} return fs.readFileSync('/proc/' + facts.agent + '/maps').length`],
  ['the memory of the agent', `${fs} return fs.openSync('/proc/' + facts.agent + '/mem', 'r')`],
  ['the open files of the agent', `${fs} return fs.readdirSync('/proc/' + facts.agent + '/fd').length`],
  [
    'a file through the working folder of the agent',
    `${fs} return fs.readdirSync('/proc/' + facts.agent + '/cwd/').length`,
  ],
  [
    'the score of the agent for the end of memory',
    `${fs} const path = '/proc/' + facts.agent + '/oom_score_adj'; fs.writeFileSync(path, fs.readFileSync(path)); return 'written'`,
  ],
])

export const filesAttempts: readonly Row[] = [
  ...filesInTheOpen,
  ...agentsFiles,
  ...filesWithRights,
  ...attributes,
  ...attributesWithRights,
]
