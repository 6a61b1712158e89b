import t from 'tap'
import { retainedTrace } from '../../../agent/browser/child/retained-trace.ts'

t.test('what fails leaves a trace, whatever was wanted; who wants more gets it', async (t) => {
  for (const mode of ['on', 'retain-on-failure', 'retain-on-first-failure']) {
    t.equal(retainedTrace(mode), mode)
    t.same(retainedTrace({ mode, sources: false }), { mode, sources: false })
  }
  for (const wanted of [undefined, 'off', 'on-first-retry', 'on-all-retries', 'retry-with-trace', {}])
    t.same(retainedTrace(wanted), { mode: 'retain-on-failure', screenshots: false }, String(wanted))
  t.same(retainedTrace({ mode: 'on-first-retry', screenshots: true }), {
    ...{ mode: 'retain-on-failure', screenshots: true },
  })
})
