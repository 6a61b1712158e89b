/** Runs several test files in one process, one after the other; each has a result of its own, as if it ran alone. */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type Group, readSections, unindent } from './group-sections.ts'
import { type Finished, runProcess } from './run-process.ts'
import { type FileResult, judge, type RunOptions, tapTimeoutMs } from './run-test-file.ts'
import { withoutPassed } from './tap-results.ts'

export type GroupResult = {
  results: FileResult[]
  /** Files that the process did not come to, because an earlier one ended it. */
  notRun: string[]
}

const program = fileURLToPath(new URL('group-program.ts', import.meta.url))

export async function runTestGroup(files: string[], options: RunOptions): Promise<GroupResult> {
  const group: Group = { files, mark: randomUUID(), fileTimeoutMs: tapTimeoutMs(options.timeoutMs) }
  const finished = await runProcess(program, {
    ...options,
    // tap times each file, not the group.
    env: { ...options.env, TEST_GROUP: JSON.stringify(group), TAP_TIMEOUT: '0' },
    signOfProgress: group.mark,
  })
  return judgeGroup(files, finished, group.mark)
}

/** The file that was running when the process ended answers for its end; after the last one they all do. */
export function judgeGroup(files: string[], finished: Finished, mark: string): GroupResult {
  const { sections, outside } = readSections(finished.stdout, mark)
  const complaints = readSections(finished.stderr, mark)
  const results = sections.map(({ file, text, hasEnded, durationMs, processorSeconds }): FileResult => {
    const stderr = complaints.sections.find((section) => section.file === file)?.text ?? ''
    const end = hasEnded ? { ending: 'exit code 0', timedOut: false } : finished
    return { file, durationMs, processorSeconds, ...judge({ ...end, stdout: unindent(text), stderr }) }
  })
  if (sections.length === 0) {
    const [first = '', ...notRun] = files
    return { results: [{ file: first, durationMs: 0, processorSeconds: null, ...judge(finished) }], notRun }
  }
  const hasFailed = results.some(({ failed }) => failed > 0)
  const { ending, timedOut } = finished
  const endedAsExpected =
    !timedOut && (ending === 'exit code 0' || (hasFailed && ending.startsWith('exit code')))
  const isExplained = endedAsExpected || sections.some(({ hasEnded }) => !hasEnded)
  if (!isExplained)
    results.push(
      endOfAll(
        sections.map(({ file }) => file),
        finished,
        `${outside}${complaints.outside}`,
      ),
    )
  return { results, notRun: files.slice(sections.length) }
}

function endOfAll(files: string[], { ending, timedOut }: Finished, printed: string): FileResult {
  const problem = timedOut ? 'the process did not end in time' : `the process ended with ${ending}`
  const details = `${problem} after: ${files.join(', ')}\n${withoutPassed(printed)}`
  const file = `${files.at(-1)} (or a file before it in its process)`
  return { file, passed: 0, failed: 1, skipped: 0, skips: [], durationMs: 0, processorSeconds: null, details }
}
