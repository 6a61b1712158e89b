/**
 * `npm run test:steady`: `npm test` ten times in a row on a machine that is busy with something else, because a test that
 * depends on the machine's speed passes once by luck. `npm run test:steady -- --runs=3 --busy=4 test/a.test.ts` does less.
 * What fails is shown; the last line counts the runs, and the exit code is 1 if one failed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const runner = fileURLToPath(new URL('run.ts', import.meta.url))
/** Never waits, and ends by itself when we are gone: nobody can tell it so. */
const busyProgram =
  'const parent = process.ppid; while (process.ppid === parent) for (let n = 0; n < 1e7; n++);'

const print = (text: string) => process.stdout.write(`${text}\n`)

const startBusy = (count: number) =>
  Array.from({ length: count }, () => spawn(process.execPath, ['-e', busyProgram], { stdio: 'ignore' }))

type Outcome = { passed: boolean; output: string; seconds: number }

async function runOnce(files: string[], signal: AbortSignal): Promise<Outcome> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [runner, ...files], { stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = () => child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  const output: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const [code] = await once(child, 'close')
  signal.removeEventListener('abort', stop)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { passed: code === 0, output: output.join(''), seconds }
}

/** What `npm test` printed of files that failed, and why. */
const failures = (output: string) =>
  output
    .split('\n')
    .filter((line) => /^(FAIL| +\| )/.test(line))
    .join('\n')

async function main(args: string[], signal: AbortSignal): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { runs: { type: 'string', default: '10' }, busy: { type: 'string', default: '8' } },
    allowPositionals: true,
  })
  const runs = Number(values.runs)
  const busy = startBusy(Number(values.busy))
  let passed = 0
  try {
    for (let run = 1; run <= runs && !signal.aborted; run++) {
      const outcome = await runOnce(positionals, signal)
      if (outcome.passed) passed++
      else print(failures(outcome.output))
      const last = outcome.output.trimEnd().split('\n').at(-1)
      print(`${outcome.passed ? 'ok  ' : 'FAIL'} run ${run} of ${runs}  ${last}  ${outcome.seconds} s`)
    }
  } finally {
    for (const child of busy) child.kill('SIGKILL')
  }
  print(`${passed} of ${runs} runs passed beside ${busy.length} busy processes`)
  return runs > 0 && passed === runs ? 0 : 1
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort())
process.exitCode = await main(process.argv.slice(2), stopping.signal)
