/**
 * In the runner's process: a worker of the test runner that was started before there was a task. The runner gets it where it would start
 * its first one; where it cannot be had, the runner starts one as ever.
 */
import childProcess, { type ChildProcess, type ForkOptions } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

const { process } = globalThis

type Fork = typeof childProcess.fork

type PreparedWorker = {
  /** The runner may have it. */
  offer(variables: Record<string, string>): void
  /** Calls when it ends before that. */
  onEnd(act: () => void): void
}

/** What Node and Playwright read when they start, and what their loader does: such a variable comes too late for it. */
const readAtStart = /^(NODE_|DEBUG|PW|PLAYWRIGHT|LD_|UV_|LC_|LANG|ICU_|FORCE_COLOR|NO_COLOR|OPENSSL_|SSL_)/

/** As the runner starts its workers (`runner/workerHost`): errors come in colours, which the agent takes out. */
const colours = { FORCE_COLOR: '1', DEBUG_COLORS: '1' }

export const prepareWorker = (folder: string): PreparedWorker => {
  const worker = childProcess.fork('worker-main.mjs', {
    cwd: folder,
    env: { ...process.env, ...colours },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  // Until a run uses it, it does not keep the process alive.
  worker.unref()
  worker.channel?.unref()
  let onEnd = (): void => undefined
  worker.on('exit', () => onEnd())
  worker.on('error', () => undefined)
  return {
    offer: (variables) => {
      onEnd = () => undefined
      if (!Object.keys(variables).some((name) => readAtStart.test(name))) handOut(worker)
      else worker.kill('SIGKILL')
    },
    onEnd: (act) => {
      onEnd = act
    },
  }
}

/** Once, to whoever starts a worker of the runner: its loader, which shows its output, is another program. */
const handOut = (worker: ChildProcess): void => {
  const { fork } = childProcess
  childProcess.fork = ((path: string, ...rest: unknown[]) => {
    const options = rest.at(-1) as ForkOptions | undefined
    const isWorker = /\/common\/process\.js$/.test(String(path)) && options?.stdio?.[1] === 'pipe'
    if (!isWorker) return Reflect.apply(fork, childProcess, [path, ...rest])
    restore()
    if (worker.exitCode !== null || worker.signalCode !== null || !worker.connected)
      return Reflect.apply(fork, childProcess, [path, ...rest])
    worker.ref()
    worker.channel?.ref()
    worker.send({ env: options.env, cwd: process.cwd() })
    return worker
  }) as Fork
  syncBuiltinESMExports()
  const restore = (): void => {
    childProcess.fork = fork
    syncBuiltinESMExports()
  }
}
