/** Runs a Node program in a process (and process group) of its own, to its end. */
import { spawn } from 'node:child_process'
import { secondsOfEnded } from './processor-seconds.ts'

export type Finished = {
  stdout: string
  stderr: string
  ending: string
  timedOut: boolean
  /** Null where the system does not say it. */
  processorSeconds: number | null
}

export type ProcessOptions = {
  env: NodeJS.ProcessEnv
  signal: AbortSignal
  timeoutMs: number
  /** Output that holds this text gives the program all of its time again. */
  signOfProgress?: string
}

/** Aborting `signal` kills the program and everything it started in its group. */
export function runProcess(program: string, options: ProcessOptions): Promise<Finished> {
  const { env, signal, timeoutMs, signOfProgress } = options
  const child = spawn(process.execPath, [program], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '', processorSeconds: null as number | null }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
    if (signOfProgress && text.includes(signOfProgress)) timer.refresh()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const killGroup = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    } catch (error) {
      // ESRCH: the whole group has ended, which is what was wanted.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    killGroup()
  }, timeoutMs)
  signal.addEventListener('abort', killGroup, { once: true })
  return new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    // A process that the program left behind would hold our pipes open, so the group goes before 'close'.
    child.once('exit', killGroup)
    child.once('exit', () => (output.processorSeconds = secondsOfEnded()))
    child.once('close', (code, killer) => resolve(killer ? `signal ${killer}` : `exit code ${code}`))
  })
    .finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', killGroup)
    })
    .then((ending) => ({ ...output, ending, timedOut }))
}
