import t from 'tap'
import {
  startedAt,
  whyNoControlPlane,
} from '../../../../control-plane/monitoring/schedule/why-no-control-plane.ts'
import { reportStoreError } from '../../../../control-plane/platform/app/report-store-error.ts'
import { testApp } from '../../../support/app.ts'

const failure = (code: string) => Object.assign(new Error('no'), { code })

t.test('what stood in the way is said as this process met it', async (t) => {
  const { app, advance } = await testApp(t)
  const start = app.clock.now()
  startedAt(app)
  advance(60_000)
  const calm = app.clock.now()
  t.match(whyNoControlPlane(app, { from: start - 10_000, to: start - 5000 }), /^No control plane was at work/)
  t.match(whyNoControlPlane(app, { from: start + 1, to: calm }), /^The control plane stood still/)
  const sentences = { SQLITE_FULL: /disk of its store was full/, '55P03': /locked by somebody else/ }
  for (const [code, sentence] of Object.entries(sentences)) {
    advance(10 * 60_000)
    const from = app.clock.now()
    for (let turn = 0; turn < 30; turn += 1) {
      reportStoreError(app)(failure(code))
      advance(1000)
    }
    t.match(whyNoControlPlane(app, { from: from + 5000, to: from + 15_000 }), sentence)
    t.notMatch(whyNoControlPlane(app, { from: from + 60_000, to: from + 70_000 }), sentence)
  }
})

t.test('what is remembered of errors is bounded', async (t) => {
  const { app, advance } = await testApp(t)
  startedAt(app)
  advance(1000)
  const first = app.clock.now()
  for (let turn = 0; turn < 150; turn += 1) {
    reportStoreError(app)(failure('SQLITE_FULL'))
    advance(120_000)
  }
  t.match(whyNoControlPlane(app, { from: first, to: first + 1000 }), /stood still/)
})
