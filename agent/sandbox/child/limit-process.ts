import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import type { Events } from './events.ts'

type ProcessFacade = Pick<Events, 'log'> & { env: Record<string, string>; exit: (code?: number) => never }

/** Members of the real one that reach beyond this process, or around what the script may load and read. */
const dangerous = [
  ...['kill', '_kill', '_debugProcess', '_debugEnd', 'abort', 'chdir', 'execve', 'loadEnvFile', 'report'],
  ...['binding', '_linkedBinding', 'dlopen', 'getBuiltinModule'],
]

const stream = (write: (text: string) => void) => ({
  isTTY: false,
  write: (text: unknown) => {
    write(String(text))
    return true
  },
})

/** Puts a `process` in place that knows the variables and harmless facts, and takes the sharp parts from the real one. */
export const limitProcess = ({ env, exit, log }: ProcessFacade): void => {
  const { process: real } = globalThis
  const shown = Object.assign(new EventEmitter(), {
    env,
    exit,
    arch: real.arch,
    argv: ['node'],
    execArgv: [],
    cwd: () => '/',
    emitWarning: () => undefined,
    features: real.features,
    hrtime: real.hrtime,
    memoryUsage: real.memoryUsage,
    nextTick: real.nextTick,
    pid: 1,
    platform: real.platform,
    release: real.release,
    stderr: stream((text) => log('ERROR', text.replace(/\n$/, ''))),
    stdout: stream((text) => log('INFO', text.replace(/\n$/, ''))),
    uptime: real.uptime,
    version: real.version,
    versions: real.versions,
    // Packages tell Node from a browser by it, and axios chooses how to connect.
    [Symbol.toStringTag]: 'process',
  })
  const refuse = (name: string) => (): never => {
    throw new Error(`${name} is not available to scripts`)
  }
  for (const name of dangerous) Object.defineProperty(real, name, { value: refuse(`process.${name}`) })
  // It would reach every process of this user, the agent too.
  os.setPriority = refuse('os.setPriority')
  syncBuiltinESMExports()
  Object.defineProperty(globalThis, 'process', { value: shown })
}
