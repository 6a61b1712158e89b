/** Reads what a test file printed (TAP version 14, written by tap). Pure. */

export type Skip = { name: string; reason: string }

/** Assertion counts of one test file, as tap itself counted them; null when the file never finished. */
export type TapResults = { counts: { passed: number; failed: number; skipped: number } | null; skips: Skip[] }

const unescapeHash = (text: string) => text.replaceAll('\\#', '#').trim()

function readCounts(output: string): TapResults['counts'] {
  // tap's last words: `# { total: 6, pass: 4, fail: 1, skip: 1 }`, not indented as a subtest's would be.
  const totals = [...output.matchAll(/^# \{ total: .*\}$/gm)].at(-1)?.[0]
  if (!totals) return null
  const read = (key: string) => Number(new RegExp(`\\b${key}: (\\d+)`).exec(totals)?.[1] ?? 0)
  return { passed: read('pass'), failed: read('fail'), skipped: read('skip') + read('todo') }
}

function readSkips(output: string): Skip[] {
  const point = /^ *(?:not )?ok \d+(?: - (.*?))? # (?:SKIP|TODO)\b(.*)$/gim
  return [...output.matchAll(point)].map(([, name = '', reason = '']) => ({
    name: unescapeHash(name),
    reason: unescapeHash(reason) || unescapeHash(name),
  }))
}

export function readTapResults(output: string): TapResults {
  return { counts: readCounts(output), skips: readSkips(output) }
}

/** The output without what passed: for showing why a file failed. */
export function withoutPassed(output: string): string {
  const boring = /^ *(ok \d+.*|\d+\.\.\d+|TAP version 14|# time=.*|# \{ total: .*)?$/
  const skipped = / # (SKIP|TODO)\b/i
  return output
    .split('\n')
    .filter((line) => !boring.test(line) || skipped.test(line))
    .join('\n')
}
