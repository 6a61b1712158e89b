/** What every process of a run does first: its way out is the egress proxy, and its Playwright is this agent's. */
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { environment } from '../../sandbox/child/environment.ts'
import { hookNames } from '../../sandbox/child/hook-names.ts'
import { hookSockets } from '../../sandbox/child/hook-sockets.ts'
import { hookTls } from '../../sandbox/child/hook-tls.ts'
import { answerOrdinaryCalls } from '../../sandbox/child/ordinary-calls.ts'
import { runFiles } from '../run-files.ts'
import type { RunSettings } from '../task.ts'
import { hideFolder } from './hide-folder.ts'
import { patchPlaywright } from './patch-playwright.ts'
import type { PlaywrightLibrary } from './playwright-types.ts'
import { hideIn, openSeen, type Seen } from './seen.ts'
import { createWatch, type Watch } from './watch-context.ts'
import { type Calls, watchSteps } from './watch-steps.ts'

const { process } = globalThis

export const hookNetwork = (egressProxyPort: number): void => {
  hookSockets(egressProxyPort)
  hookTls()
  hookNames(egressProxyPort)
  answerOrdinaryCalls()
  syncBuiltinESMExports()
}

/** `require` of the folder, which has the packages of the runtime. */
export const requireIn = (folder: string): NodeJS.Require => createRequire(join(folder, 'main.js'))

/** For a process that has its task. */
export const prepareProcess = ({
  folder,
  egressProxyPort,
  task,
}: RunSettings): { watch: Watch; seen: Seen; calls: Calls | null } => {
  const own = join(folder, 'tmp')
  hideFolder(folder, task.chromium?.path ?? null)
  const seen = openSeen(join(own, runFiles.seen))
  const watch = createWatch(seen, { task, output: join(own, runFiles.output) })
  const library = requireIn(folder)('playwright-core') as PlaywrightLibrary
  patchPlaywright(library, { task, egressProxyPort }, watch)
  // The test runner tells of steps itself.
  const calls = task.style === 'library' ? watchSteps(library, seen) : null
  const variables = process.env as Record<string, string>
  process.env = environment({ variables, secretNames: task.secretNames }, hideIn(seen))
  return { watch, seen, calls }
}
