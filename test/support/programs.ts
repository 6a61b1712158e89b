/**
 * The two programs as users run them: child processes of their own, told what to do by their environment. For tests and
 * benchmarks that need the real thing: a process that can be killed, and whose CPU time can be read.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { smallProcessArguments, smallProcessEnvironment } from '../../agent/program/small-process.ts'
import { controlPlaneArguments, controlPlaneEnvironment } from '../../control-plane/small-process.ts'
import { compileCache } from './compile-cache.ts'
import './patience.ts'

const clone = fileURLToPath(new URL('../..', import.meta.url))

export type Program = {
  pid: number
  /** The first line of output that matches; rejects when the program ends before it. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** What it has printed, for the message of a failure. */
  output(): string
  /** Sends the signal and resolves when the process is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  running(): boolean
  /** Of a program that ends by itself, once all it printed was read; null when a signal ended it. */
  exitCode(): Promise<number | null>
}

export type ProgramOptions = {
  /** The folder of the sources; this clone unless told otherwise. */
  root?: string
  env?: Record<string, string>
  args?: readonly string[]
  nodeArgs?: readonly string[]
}

const maxLines = 400

/** Starts `file` (a path inside the clone) under this Node with the given environment and nothing else of ours. */
export const startProgram = (file: string, options: ProgramOptions = {}): Program => {
  const { root = clone, nodeArgs = [], args = [] } = options
  return follow(
    spawn(process.execPath, [...nodeArgs, join(root, file), ...args], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', ...compileCache(), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
    file,
  )
}

/** Any program: its output is read and kept, whatever it is. */
export const follow = (child: ChildProcess, name: string): Program => {
  const lines: string[] = []
  const readers = new Set<(line: string) => void>()
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  // All output has been read by then; what the program left running may hold it open for longer than it lives.
  const closed = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  for (const stream of [child.stdout, child.stderr])
    if (stream)
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (lines.length > maxLines) lines.shift()
        for (const read of readers) read(line)
      })
  const running = () => child.exitCode === null && child.signalCode === null
  const output = () => lines.join('\n')
  return {
    pid: child.pid ?? 0,
    running,
    exitCode: () => closed,
    output,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const read = (line: string): void => {
          const match = pattern.exec(line)
          if (match === null) return
          readers.delete(read)
          resolve(match)
        }
        readers.add(read)
        for (const line of [...lines]) if (readers.has(read)) read(line)
        exited.then(() => {
          if (readers.delete(read)) reject(new Error(`${name} ended before it said ${pattern}:\n${output()}`))
        })
      }),
    end: async (signal) => {
      if (running()) child.kill(signal)
      await exited
    },
  }
}

/** Keys of a scratch installation: secrets of nothing. */
export const apiKey = 'wp_journeys-and-benchmarks-0123456789'
export const agentKey = `pl_${'0123456789abcdef'.repeat(2)}`
export const accountId = '11111111-2222-4333-8444-555555555555'

export type ControlPlaneProgram = Program & { url: string; port: number }

export type ControlPlaneOptions = Pick<ProgramOptions, 'root'> & {
  dataDir: string
  env?: Record<string, string>
  nodeArgs?: readonly string[]
}

/** Spawns the control plane on a free port; `listening` resolves with its address once it says so. */
export const spawnControlPlane = ({
  dataDir,
  env = {},
  nodeArgs = [],
  ...where
}: ControlPlaneOptions): Program =>
  startProgram('control-plane/main.ts', {
    ...where,
    nodeArgs: [...controlPlaneArguments, ...nodeArgs],
    env: {
      ...controlPlaneEnvironment,
      PORT: '0',
      DATA_DIR: dataDir,
      BOOTSTRAP_ACCOUNT_ID: accountId,
      BOOTSTRAP_API_KEY: apiKey,
      BOOTSTRAP_AGENT_KEY: agentKey,
      ...env,
    },
  })

export const listening = async (program: Program): Promise<ControlPlaneProgram> => {
  const [, port] = await program.line(/The API listens: \S+:(\d+)/)
  return { ...program, port: Number(port), url: `http://127.0.0.1:${port}` }
}

export const startControlPlane = (options: ControlPlaneOptions): Promise<ControlPlaneProgram> =>
  listening(spawnControlPlane(options))

export type AgentOptions = Pick<ProgramOptions, 'root'> & {
  url: string
  spoolDir: string
  env?: Record<string, string> | undefined
  /** False where nothing is run in one. */
  browsers?: boolean | undefined
}

const withoutBrowsers = ['--import', join(clone, 'test/support/without-browsers-program.ts')]

/** The agent of the private location `local`. */
export const spawnAgent = ({ url, spoolDir, env = {}, browsers = true, ...where }: AgentOptions): Program =>
  startProgram('agent/main.ts', {
    ...where,
    nodeArgs: [...smallProcessArguments, ...(browsers ? [] : withoutBrowsers)],
    env: {
      ...smallProcessEnvironment,
      CONTROL_PLANE_URL: url,
      API_KEY: agentKey,
      SPOOL_DIR: spoolDir,
      AGENT_HEALTH_PORT: '0',
      AGENT_HEALTH_HOST: '127.0.0.1',
      CAPTURE: 'off',
      ...env,
    },
  })

/** Things to put away when a test or a benchmark ends, in reverse order, whatever happened. */
export type Teardown = { teardown(put: () => unknown): unknown }

/** A program that is gone when `t` ends. */
export const endsWith = <P extends Program>(t: Teardown, program: P): P => {
  t.teardown(() => program.end('SIGKILL'))
  return program
}

export const scratchFolder = async (t: Teardown): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'watchpost-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
