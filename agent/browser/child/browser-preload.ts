/** In the further processes of a run, such as the workers of the test runner: `--require`, by NODE_OPTIONS. */
import type { RunSettings } from '../task.ts'
import { hookNetwork, prepareProcess, requireIn } from './browser-process.ts'
import { retainTraces } from './retained-trace.ts'

const settings = JSON.parse(globalThis.process.env['WATCHPOST_RUN'] ?? 'null') as RunSettings | null

if (settings !== null) {
  hookNetwork(settings.egressProxyPort)
  prepareProcess(settings)
  if (settings.task.style === 'test') retainTraces(requireIn(settings.folder))
}
