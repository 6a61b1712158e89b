/**
 * The program of a worker of the test runner that waits for its task (`prepared-worker.ts`). With it, it becomes what the runner would
 * have started: the same environment and folder, the same hooks, the same program.
 */
import { join } from 'node:path'
import { runFiles } from '../run-files.ts'
import type { RunSettings } from '../task.ts'
import { hookNetwork, prepareProcess, requireIn } from './browser-process.ts'
import { fileOfRunner, loadForWorker } from './load-ahead.ts'
import { retainTraces } from './retained-trace.ts'

const { process } = globalThis

type HandOver = { env: Record<string, string>; cwd: string }

const folder = process.cwd()
const require = requireIn(folder)
const exit = process.exit.bind(process)

// The runner is gone, and nobody else would end this process.
process.once('disconnect', exit)
// As its runner, before Playwright is loaded.
process.chdir(join(folder, 'tmp', runFiles.project))
hookNetwork(Number(process.env['WATCHPOST_EGRESS_PROXY_PORT']))
loadForWorker(require)
retainTraces(require)
process.once('message', ({ env, cwd }: HandOver) => {
  process.off('disconnect', exit)
  process.chdir(cwd)
  process.env = env
  prepareProcess(JSON.parse(env['WATCHPOST_RUN'] ?? '') as RunSettings)
  require(fileOfRunner(require, 'common/process'))
})
