/**
 * The launcher: a process that isolates itself and then becomes the program of the child. It runs as the agent's user
 * and knows nothing but its plan. The order matters: limits and what needs privileges first, the filter last.
 */
import { openSync, writeFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type LaunchFailure, type LaunchPlan, planVariable } from './launch-plan.ts'
import { existingNumber, type Syscall } from './syscalls.ts'
import { type SystemCalls, systemCalls } from './system-calls.ts'

type Arguments = Parameters<SystemCalls['call']> extends [string, number, ...infer Rest] ? Rest : never
type Call = (name: Syscall, ...args: Arguments) => number

const setParentDeathSignal = 1
const dropFromBoundingSet = 24
const setNoNewPrivileges = 38
const ambientCapabilities = 47
const clearAllAmbient = 4
const kill = 9
const lastCapability = 63
const openPath = 0x200000
const pathRule = 1
const portRule = 2
const setModeFilter = 1
const setDescriptorFlags = 2
const closeOnExec = 4
const infinite = 2 ** 32 - 1
const newMountNamespace = 0x20000
/** MS_REC, and MS_SLAVE: what is mounted outside later is seen, and nothing from here is seen there. */
const recursive = 0x4000
const follower = 0x80000
/** MS_NOSUID, MS_NODEV and MS_NOEXEC. */
const noPrograms = 0xe

const volumeDescriptor = 4
/** AT_FDCWD, and MOVE_MOUNT_F_EMPTY_PATH. */
const currentFolder = -100
const moveDescriptor = 4

const { process } = globalThis

const main = (plan: LaunchPlan): never => {
  const system = systemCalls(createRequire(import.meta.url)(plan.koffi))
  const call: Call = (name, ...args) => system.call(name, existingNumber(name, plan.architecture), ...args)
  // Before anybody else's code runs; 0 is whoever writes.
  if (plan.group !== null) writeFileSync(`${plan.group}/cgroup.procs`, '0', { flag: 'r+' })
  for (const [resource, max] of plan.limits) limit(call, resource, max)
  showOnlyOwnProcesses(call)
  if (plan.volume !== null) mountVolume(call, plan.volume)
  const ruleset = plan.landlock === null ? null : makeRuleset(call, plan.landlock)
  dropPrivileges(call, plan.owner)
  call('prctl', setNoNewPrivileges, 1)
  endWithParent(call, plan.parentPid)
  if (ruleset !== null) call('landlock_restrict_self', ruleset)
  keepOnlyOurDescriptors(call)
  if (plan.filter !== null) install(call, system, Buffer.from(plan.filter, 'base64'))
  return system.become(plan.program, plan.args)
}

/**
 * A view of /proc in which there are no processes but those that it may trace, which Landlock makes its own: command lines, such as a
 * browser's, name the folders of other runs. Whoever may not mount goes without; the probe says so.
 */
const showOnlyOwnProcesses = (call: Call): void =>
  ignoring(['EPERM', 'EACCES', 'EINVAL', 'ENOSYS'], () => {
    call('unshare', newMountNamespace)
    call('mount', text('none'), text('/'), null, recursive | follower)
    call('mount', text('proc'), text('/proc'), text('proc'), noPrograms, text('hidepid=4'))
  })

/** In that view, from where it goes with the last of the child's processes. */
const mountVolume = (call: Call, folder: string): void => {
  call('move_mount', volumeDescriptor, text(''), currentFolder, text(folder), moveDescriptor)
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`)

/** Never more than what holds already, which only root could raise. */
const limit = (call: Call, resource: number, max: number): void => {
  const before = Buffer.alloc(16)
  call('prlimit64', 0, resource, null, before)
  const hard = before.readBigUInt64LE(8)
  const value = hard < BigInt(max) ? hard : BigInt(max)
  const after = Buffer.alloc(16)
  after.writeBigUInt64LE(value, 0)
  after.writeBigUInt64LE(value, 8)
  call('prlimit64', 0, resource, after)
}

const makeRuleset = (call: Call, { ruleset, paths, port }: NonNullable<LaunchPlan['landlock']>): number => {
  const bytes = Buffer.from(ruleset, 'base64')
  const fd = call('landlock_create_ruleset', bytes, bytes.length, 0)
  for (const { path, allowed } of paths) {
    const rule = Buffer.alloc(12)
    rule.writeBigUInt64LE(BigInt(allowed), 0)
    rule.writeInt32LE(openSync(path, openPath), 8)
    call('landlock_add_rule', fd, pathRule, rule)
  }
  if (port !== null) call('landlock_add_rule', fd, portRule, Buffer.from(port, 'base64'))
  return fd
}

/** Of this thread, which is the one that becomes the child. Without no_new_privs yet, but nothing is executed before it. */
const dropPrivileges = (call: Call, owner: LaunchPlan['owner']): void => {
  // Somebody who is not root has no say in it, and nothing to lose by it.
  ignoring(['EPERM'], () => call('setgroups', 0))
  if (owner !== null) {
    call('setresgid', owner.gid, owner.gid, owner.gid)
    call('setresuid', owner.uid, owner.uid, owner.uid)
  } else {
    // Capabilities that the kernel does not know cannot be dropped, nor any by a process that has none.
    for (let capability = 0; capability <= lastCapability; capability += 1)
      ignoring(['EINVAL', 'EPERM'], () => call('prctl', dropFromBoundingSet, capability))
  }
  ignoring(['EINVAL'], () => call('prctl', ambientCapabilities, clearAllAmbient))
  // `struct __user_cap_header_struct`, version 3, and two empty sets.
  const header = Buffer.alloc(8)
  header.writeUInt32LE(0x20080522)
  call('capset', header, Buffer.alloc(24))
}

/** After the change of user, which would clear it. */
const endWithParent = (call: Call, parentPid: number): void => {
  call('prctl', setParentDeathSignal, kill)
  if (process.ppid !== parentPid) throw new Error('the agent is gone')
}

/** Node closes its standard descriptors on exec, and koffi or a future Node may leave one open. */
const keepOnlyOurDescriptors = (call: Call): void => {
  ignoring(['ENOSYS', 'EINVAL'], () => call('close_range', 4, infinite, closeOnExec))
  for (const fd of [0, 1, 2, 3]) call('fcntl', fd, setDescriptorFlags, 0)
}

const install = (call: Call, system: SystemCalls, filter: Buffer): void => {
  // `struct sock_fprog`
  const program = Buffer.alloc(16)
  program.writeUInt16LE(filter.length / 8)
  program.writeBigUInt64LE(system.addressOf(filter), 8)
  call('seccomp', setModeFilter, 0, program)
}

const ignoring = (codes: readonly string[], act: () => void): void => {
  try {
    act()
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

try {
  const plan = process.env[planVariable] ?? ''
  delete process.env[planVariable]
  main(JSON.parse(plan))
} catch (error) {
  const failure: LaunchFailure = { type: 'not-started', problem: (error as Error).message }
  writeSync(3, `${JSON.stringify(failure)}\n`)
  process.exit(126)
}
