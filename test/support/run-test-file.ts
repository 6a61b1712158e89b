/** Runs one test file in a process (and process group) of its own. */
import { spawn } from 'node:child_process'
import { readTapResults, type Skip, withoutPassed } from './tap-results.ts'

export type FileResult = {
  file: string
  passed: number
  failed: number
  skipped: number
  skips: Skip[]
  durationMs: number
  /** Why the file failed, ready to print; empty when it passed. */
  details: string
}

export type Finished = { stdout: string; stderr: string; ending: string; timedOut: boolean }

/** A file fails by failed assertions, and also by crashing, not finishing, or asserting nothing. */
export function judge(run: Finished): Omit<FileResult, 'file' | 'durationMs'> {
  const { counts, skips } = readTapResults(run.stdout)
  const asserted = counts !== null && counts.passed + counts.failed + counts.skipped > 0
  const problem = run.timedOut
    ? 'it did not end in time'
    : !asserted
      ? `it ended (${run.ending}) without finishing a single test`
      : run.ending !== 'exit code 0' && counts.failed === 0
        ? `it ended with ${run.ending} although no assertion failed`
        : ''
  const failed = (counts?.failed ?? 0) + (problem ? 1 : 0)
  const details = failed ? [problem, withoutPassed(run.stdout), run.stderr].filter(Boolean).join('\n') : ''
  return { passed: counts?.passed ?? 0, failed, skipped: counts?.skipped ?? 0, skips, details }
}

export type RunOptions = { timeoutMs: number; env: NodeJS.ProcessEnv; signal: AbortSignal }

/** Aborting `signal` kills the file and everything it started in its group. */
export function runTestFile(file: string, { timeoutMs, env, signal }: RunOptions): Promise<FileResult> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [file], {
    // A little sooner than we would kill it, so that tap can name the test that hangs.
    env: { ...env, TAP_TIMEOUT: String((timeoutMs * 0.8) / 1000) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
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
    // A process that the file left behind would hold our pipes open, so the group goes before 'close'.
    child.once('exit', killGroup)
    child.once('close', (code, killer) => resolve(killer ? `signal ${killer}` : `exit code ${code}`))
  })
    .finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', killGroup)
    })
    .then((ending) => ({
      file,
      durationMs: performance.now() - startedAt,
      ...judge({ ...output, ending, timedOut }),
    }))
}
