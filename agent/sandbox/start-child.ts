import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { CannotRun } from '../cannot-run.ts'
import type { PrivateFolder } from './private-folder.ts'
import type { SandboxOptions } from './sandbox.ts'
import { type ChildTask, maxHeapMb, type RuntimePackages, type ScriptTask } from './task.ts'

/** The broker of the run, and whether the location has a proxy behind it. */
export type WayOut = { brokerPort: number; hasProxy: boolean }

/** What the child of a script is started with. */
export type ChildContext = SandboxOptions & WayOut & { folder: PrivateFolder; packages: RuntimePackages }

/** Lower than ours (setpriority(2)): a script that computes keeps no check from starting in time. */
const niceness = 5

/** getrlimit(2): no core files, and an end for a script whose agent was killed: far more CPU time than 10 s can take. */
const limited = 'ulimit -c 0; ulimit -t 60; exec "$0" "$@"'

/** The leader of a process group of its own, with nothing of our environment and no descriptor of ours. */
export const startChild = ({ host, folder, packages, ...wayOut }: ChildContext): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const refuse = (error: Error): void =>
      reject(new CannotRun(`This agent cannot start a process for the script: ${error.message}`))
    try {
      const child = spawn(
        '/bin/sh',
        [
          '-c',
          limited,
          host.execPath,
          '--no-warnings',
          `--max-old-space-size=${maxHeapMb}`,
          '--permission',
          `--allow-fs-read=${folder.path}/`,
          ...(packages.modules === null ? [] : [`--allow-fs-read=${packages.modules}/`]),
          join(folder.path, 'main.mjs'),
        ],
        {
          cwd: folder.path,
          env: { TZ: 'UTC', ...proxyEnvironment(wayOut) },
          detached: true,
          stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
        },
      )
      child.once('error', refuse)
      child.once('spawn', () => {
        child.on('error', () => undefined)
        lowerPriority(child.pid as number)
        resolve(child)
      })
    } catch (error) {
      refuse(error as Error)
    }
  })

/** Node reads it at its start, and the program then takes it away (child/forward-plain-http.ts). */
const proxyEnvironment = ({ brokerPort, hasProxy }: WayOut): Record<string, string> =>
  hasProxy ? { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${brokerPort}` } : {}

const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, niceness)
  } catch (error) {
    // It may be gone already.
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error
  }
}

/** Says what is to be done. The body goes as it came: to write 25 MB as JSON would keep other checks waiting. */
export const feed = (
  child: ChildProcess,
  task: ScriptTask,
  { folder, packages, ...options }: ChildContext,
): void => {
  const stdin = child.stdin as Writable
  const first: ChildTask = {
    phase: task.phase,
    code: task.script.code,
    runtimeId: task.runtimeId,
    packages,
    snippetFiles: folder.snippetFiles,
    variables: Object.fromEntries(task.variables),
    secretNames: task.secretNames,
    request: task.request,
    response: task.response,
    contentType: task.body?.contentType ?? '',
    extraCaCerts: options.extraCaCerts,
    brokerPort: options.brokerPort,
    hasProxy: options.hasProxy,
  }
  // A child that ends early does not read; how it ended says why.
  stdin.on('error', () => undefined)
  stdin.write(`${JSON.stringify(first)}\n`)
  stdin.end(task.body?.bytes ?? '')
}
