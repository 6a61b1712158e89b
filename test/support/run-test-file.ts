/** Runs one test file in a process of its own. */
import { type Finished, runProcess } from './run-process.ts'
import { readTapResults, type Skip, withoutPassed } from './tap-results.ts'

export type FileResult = {
  file: string
  passed: number
  failed: number
  skipped: number
  skips: Skip[]
  durationMs: number
  /** With all that it waited for; null where nobody knows. */
  processorSeconds: number | null
  /** Why the file failed, ready to print; empty when it passed. */
  details: string
}

export const seconds = (durationMs: number) => `${(durationMs / 1000).toFixed(1)} s`

/** Below these seconds nobody asks what a file used of processors. */
const slowMs = 10_000

export function describe({
  file,
  passed,
  failed,
  skipped,
  durationMs,
  processorSeconds,
  details,
}: FileResult): string {
  const counts = `${passed} passed${failed ? `, ${failed} failed` : ''}${skipped ? `, ${skipped} skipped` : ''}`
  const isSlow = processorSeconds !== null && durationMs >= slowMs
  const used = isSlow ? `, ${processorSeconds.toFixed(0)} s of processors` : ''
  const line = `${failed ? 'FAIL' : 'ok  '} ${file}  ${counts}  ${seconds(durationMs)}${used}`
  return details ? `${line}\n${details.replace(/^/gm, '     | ')}` : line
}

/** A file fails by failed assertions, and also by crashing, not finishing, or asserting nothing. */
type Judged = Omit<FileResult, 'file' | 'durationMs' | 'processorSeconds'>

export function judge(run: Omit<Finished, 'processorSeconds'>): Judged {
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

/** A little sooner than we would kill the process, so that tap can name the test that hangs. */
export const tapTimeoutMs = (timeoutMs: number): number => timeoutMs * 0.8

/** Aborting `signal` kills the file and everything it started in its group. */
export async function runTestFile(file: string, options: RunOptions): Promise<FileResult> {
  const startedAt = performance.now()
  const TAP_TIMEOUT = String(tapTimeoutMs(options.timeoutMs) / 1000)
  const finished = await runProcess(file, { ...options, env: { ...options.env, TAP_TIMEOUT } })
  const { processorSeconds } = finished
  return { file, durationMs: performance.now() - startedAt, processorSeconds, ...judge(finished) }
}
