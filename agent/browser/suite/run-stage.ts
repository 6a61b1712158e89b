import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { CannotRun } from '../../base/cannot-run.ts'
import { endGroup } from '../../sandbox/end-group.ts'
import type { Stage, StageContext, StageEnding } from './stage.ts'
import { readStageOutput } from './stage-output.ts'
import { pathless } from './suite-folder.ts'
import { watchStage } from './watch-stage.ts'

/** One command from its start to the end of all its processes. */
export const runStage = async (stage: Stage, context: StageContext): Promise<StageEnding> => {
  const { suiteFolder, options, listener } = context
  const { isolation, clock, host } = options
  const leader = await started(stage, context)
  const output = readStageOutput(leader, {
    say: listener.say,
    clean: (line) => pathless(line, suiteFolder),
  })
  const watched = watchStage({ leader, stage, context })
  // A child that ends early does not read; how it ended says why.
  const stdin = leader.stdin as Writable
  stdin.on('error', () => undefined)
  stdin.end(JSON.stringify(stage.task))
  const ended = await watched.ending
  const endedAt = Math.ceil(clock.now())
  const use = watched.stop()
  await endGroup(leader, { host, clock })
  if (suiteFolder.isolated) await isolation.reap(leader.pid as number)
  if (ended.kind === 'not-started')
    throw new CannotRun(`This agent cannot start a process for the suite: ${ended.problem}`)
  return {
    code: ended.kind === 'ended' ? ended.code : null,
    limit: ended.kind === 'stopped' ? ended.problem : watched.whyStopped(),
    reason: output.end(),
    use,
    startedAt: watched.startedAt() ?? endedAt,
    endedAt,
  }
}

const started = async (stage: Stage, context: StageContext): Promise<ChildProcess> => {
  try {
    const child = start(stage, context)
    await once(child, 'spawn')
    child.on('error', () => undefined)
    return child
  } catch (error) {
    throw new CannotRun(`This agent cannot start a process for the suite: ${(error as Error).message}`)
  }
}

const maxHeapMb = 64

const start = ({ files, ownSandbox }: Stage, { suiteFolder, options }: StageContext): ChildProcess => {
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
