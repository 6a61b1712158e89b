/** A process of a script may start for as long as its check has time, and what a busy machine left of that is no failure of a target. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { RunCancelled } from '../../../agent/base/deadline.ts'
import { runBrowserChild } from '../../../agent/browser/run-browser-child.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

/** Starts when it is told to, prints a line, and ends when it is stopped. */
const program = `const tell = (event) => require('fs').writeSync(3, JSON.stringify(event) + '\\n')
process.on('SIGUSR1', () => { tell({ type: 'started' }); tell({ type: 'log', level: 'INFO', msg: 'begun' }) })
process.on('SIGINT', () => tell({ type: 'ended', errors: [] }))
setInterval(() => undefined, 1000)
process.stdout.write('up')`

const timeMs = 110_000

const setUp = async (t: Test) => {
  const clock = fakeClock()
  const controller = new AbortController()
  const process_ = spawn(process.execPath, ['-e', program], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  t.teardown(() => process_.kill('SIGKILL'))
  await once(process_.stdout!, 'readable')
  const path = temporaryFolder(t)
  const begun = Promise.withResolvers<void>()
  const child = {
    process: process_,
    group: null,
    owner: null,
    folder: { path, writable: path, inside: path, volume: null },
    egressProxy: { port: 0, serve: () => undefined, close: async () => undefined },
    end: async () => void process_.kill('SIGKILL'),
    remove: async () => undefined,
  }
  const say = (_: string, msg: string): void => {
    if (msg === 'begun') begun.resolve()
  }
  const ending = runBrowserChild(
    {
      style: 'test',
      entry: 'script.ts',
      variables: {},
      secretNames: [],
      chromium: null,
      userAgent: '',
      traces: false,
      keepsTraces: false,
    },
    {
      ...{ clock, host: process, child, timeMs, stopAt: clock.monotonic() + timeMs },
      listener: { signal: controller.signal, say, hide: () => true },
      spent: new AbortController().signal,
    },
  )
  // Whoever waits for it is told.
  ending.catch(() => undefined)
  const begin = async (): Promise<void> => {
    process_.kill('SIGUSR1')
    await begun.promise
  }
  return { clock, controller, ending, begin }
}

t.test('one that takes a minute to start has the rest of its time', async (t) => {
  const { clock, ending, begin } = await setUp(t)
  clock.advance(50_000)
  await begin()
  clock.advance(59_999)
  t.match(await Promise.race([ending, 'it runs']), 'it runs')
  clock.advance(1)
  t.match(await ending, { limit: 'was stopped: its time was up after 110 s' })
})

t.test('one that never starts could not be run, at the end of its time', async (t) => {
  const { clock, ending } = await setUp(t)
  clock.advance(timeMs - 1)
  t.match(await Promise.race([ending, 'it waits']), 'it waits')
  clock.advance(1)
  await t.rejects(ending, { message: 'A process for the script did not start within its 110 seconds' })
})

t.test('one that started so late that little was left could not be run', async (t) => {
  const { clock, ending, begin } = await setUp(t)
  clock.advance(80_000)
  await begin()
  clock.advance(30_000)
  await t.rejects(ending, {
    message: 'A process for the script started only after 80 of its 110 seconds',
  })
})

t.test('a run that is cancelled before is cancelled', async (t) => {
  const { controller, ending } = await setUp(t)
  const reason = new RunCancelled()
  controller.abort(reason)
  await t.rejects(ending, reason)
})
