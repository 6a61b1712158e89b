import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { CannotRun } from '../../base/cannot-run.ts'
import type { ControlGroup } from '../../isolation/control-groups.ts'
import { endGroup } from '../../sandbox/end-group.ts'
import { heldLimits, tooManyFiles } from '../../sandbox/limits.ts'
import { openOwnGroup } from '../../sandbox/own-group.ts'
import type { Lent } from '../../sandbox/start-child.ts'
import { isOutOfRoom } from '../../sandbox/watch-files.ts'
import type { Stage, StageContext, StageEnding } from './stage.ts'
import { readStageOutput } from './stage-output.ts'
import { filesOfSuites, pathless } from './suite-folder.ts'
import { watchStage } from './watch-stage.ts'

/** One command from its start to the end of all its processes. */
export const runStage = async (stage: Stage, context: StageContext): Promise<StageEnding> => {
  const { isolated } = context.suiteFolder
  const wanted = { isolated, profile: 'browser', memoryMb: stage.maxMemoryMb } as const
  const group = await openOwnGroup(wanted, context.options)
  try {
    return await runInGroup(stage, context, group)
  } finally {
    await group?.close()
  }
}

const runInGroup = async (
  stage: Stage,
  context: StageContext,
  group: ControlGroup | null,
): Promise<StageEnding> => {
  const { suiteFolder, options, listener } = context
  const { isolation, clock, host } = options
  const leader = await started(stage, context, group)
  const output = readStageOutput(leader, {
    say: listener.say,
    clean: (line) => pathless(line, suiteFolder),
  })
  const limits = heldLimits({ ...suiteFolder, group, memoryMb: stage.maxMemoryMb, filesMb: filesOfSuites.mb })
  const watched = watchStage({ leader, stage, context, limits, group })
  // A child that ends early does not read; how it ended says why.
  const stdin = leader.stdin as Writable
  stdin.on('error', () => undefined)
  stdin.end(JSON.stringify(stage.task))
  const ended = await watched.ending
  const endedAt = Math.ceil(clock.now())
  const wereFull = await watched.wereFull()
  const use = watched.stop()
  await endGroup(leader, { host, clock })
  if (suiteFolder.isolated) await isolation.reap(leader.pid as number)
  if (ended.kind === 'not-started')
    throw new CannotRun(`This agent cannot start a process for the suite: ${ended.problem}`)
  const reason = output.end()
  const code = ended.kind === 'ended' ? ended.code : null
  const isFull = limits.files.heldBy === 'kernel' && code !== 0 && (wereFull || isOutOfRoom(reason))
  const limit = ended.kind === 'stopped' ? ended.problem : watched.whyStopped()
  return {
    ...{ code, reason, use, limits },
    limit: limit ?? (isFull ? tooManyFiles(limits.files) : null),
    startedAt: watched.startedAt() ?? endedAt,
    endedAt,
  }
}

const started = async (
  stage: Stage,
  context: StageContext,
  group: ControlGroup | null,
): Promise<ChildProcess> => {
  try {
    const volume = (await context.suiteFolder.folder.volume?.lend()) ?? null
    const child = start(stage, context, { volume, group: group?.path ?? null })
    await once(child, 'spawn')
    child.on('error', () => undefined)
    return child
  } catch (error) {
    throw new CannotRun(`This agent cannot start a process for the suite: ${(error as Error).message}`)
  }
}

const maxHeapMb = 64

const start = (
  { files, ownSandbox }: Stage,
  { suiteFolder, options }: StageContext,
  lent: Lent,
): ChildProcess => {
  const { folder, owner, egressProxy, programs, isolated } = suiteFolder
  const args = ['--no-warnings', `--max-old-space-size=${maxHeapMb}`, 'suite-main.mjs']
  if (!isolated)
    return spawn(options.host.execPath, args, {
      cwd: folder.path,
      env: { TZ: 'UTC', HOME: folder.writable, TMPDIR: folder.writable },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
  return options.isolation.launch({
    profile: ownSandbox ? 'browser-sandbox' : 'browser',
    folder: folder.path,
    writable: folder.writable,
    ...lent,
    readable: [
      ...files,
      { path: programs, file: false, may: 'run' },
      { path: folder.writable, file: false, may: 'run' },
    ],
    egressProxyPort: egressProxy.port,
    owner,
    args,
    env: {},
  })
}
