// Runs on both engines in test:all: the whole product works on each.
/**
 * Promise 5 as somebody lives it, on every type of channel. Once per engine on a clock that is moved by hand, every loop of
 * the control plane ticking; once with the programs as they are installed, on the real clock.
 */
import t, { type Test } from 'tap'
import { loops } from '../../control-plane/loops.ts'
import { aliveTick } from '../../control-plane/monitoring/runs/recover.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { alertJourney } from '../support/alert-journey.ts'
import { callApi } from '../support/api.ts'
import { testApp } from '../support/app.ts'
import { engineNames } from '../support/databases.ts'
import { everyChannel } from '../support/every-channel.ts'
import { inProcessAgent } from '../support/in-process-agent.ts'
import { endsWith, listening, scratchFolder, spawnAgent, spawnControlPlane } from '../support/programs.ts'
import { until } from '../support/until.ts'

const stepMs = 20_000
const longestSteps = 30
/** A control plane that says nothing for longer was away, and would be forgiven for it. */
const aliveEveryMs = 5_000
const retryOnce = (baseBackoffSeconds: number) => ({
  retryStrategy: { type: 'FIXED', baseBackoffSeconds, maxRetries: 1 },
})

for (const engine of engineNames)
  t.test(`from a failing target to everybody knowing, and back (${engine})`, async (t) => {
    const every = await everyChannel(t)
    const plane = await testApp(t, { engine, env: every.env })
    const agent = inProcessAgent(plane)
    const often = loops.filter(({ intervalMs }) => intervalMs <= stepMs)
    const timed = often.filter(({ wakeOn }) => wakeOn === undefined)
    const woken = often.filter(({ wakeOn }) => wakeOn !== undefined)
    const { signal } = new AbortController()
    const tickAll = (some: typeof often) => Promise.all(some.map(({ tick }) => tick(plane.app, signal)))
    /** What the programs do all the time: every loop beside the others, runs that are due, and what both wake. */
    const work = async () => {
      await tickAll(timed)
      await agent.runDue()
      await tickAll(woken)
    }
    const pass = async () => {
      for (let passedMs = 0; passedMs < stepMs; passedMs += aliveEveryMs) {
        plane.advance(aliveEveryMs)
        await aliveTick(plane.app)
      }
    }
    const { tookMs, workedMs, news } = await alertJourney(t, {
      every,
      call: plane.call,
      check: { frequency: 1, ...retryOnce(20) },
      until: async (what, done) => {
        for (let steps = 0; steps < longestSteps; steps++) {
          await work()
          if (done()) return
          await pass()
        }
        throw new Error(`${what} did not come in ${longestSteps} steps`)
      },
    })
    t.strictSame(news, ['[Acme status] Investigating: Shop is down', '[Acme status] Resolved: Shop is down'])
    for (let steps = 0; steps < 6; steps++) {
      await pass()
      await work()
    }
    t.strictSame(every.heard(), every.onceEach('failure', 'reminder', 'recovery'), 'nor anything later')
    t.comment(
      `${Math.round(tookMs)} ms from the creation of the check to the last mail, ${Math.round(workedMs)} ms of them working`,
    )
  })

t.test('the same with the programs as they are installed, on the real clock', async (t) => {
  const every = await everyChannel(t)
  const folder = await scratchFolder(t)
  const { url } = await listening(
    endsWith(t, spawnControlPlane({ dataDir: `${folder}/data`, env: every.env })),
  )
  const { tookMs } = await alertJourney(t, {
    every,
    call: (method, path, { body, key } = {}) =>
      key === null ? callAsAnybody(`${url}${path}`, method, body) : callApi(url, path, { method, body }),
    check: { frequency: 0, frequencyOffset: 10, ...retryOnce(1) },
    beforeFirstRun: async (checkId) => {
      await remindAfterSeconds(t, { databaseUrl: `sqlite:${folder}/data/watchpost.db`, checkId, seconds: 6 })
      endsWith(t, spawnAgent({ url, spoolDir: `${folder}/spool`, browsers: false }))
    },
    until: (what, done) => until(what, done, 20),
  })
  t.comment(`${(tookMs / 1000).toFixed(1)} s from the creation of the check to the last mail`)
})

/** The shortest interval that the API accepts is a minute, and longer than a test should wait. */
const remindAfterSeconds = async (
  t: Test,
  { databaseUrl, checkId, seconds }: { databaseUrl: string; checkId: string; seconds: number },
): Promise<void> => {
  const db = openDatabase(databaseUrl)
  const [row] = await db.select((k) => k.selectFrom('checks').select('doc').where('id', '=', checkId))
  const doc = JSON.parse(row?.doc ?? '')
  doc.alertSettings.reminders.interval = seconds / 60
  await db.execute((k) =>
    k
      .updateTable('checks')
      .set({ doc: JSON.stringify(doc) })
      .where('id', '=', checkId),
  )
  await db.close()
  t.equal(doc.alertSettings.reminders.amount, 1)
}

const callAsAnybody = async (url: string, method: string, body?: object) => {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.text() }
}
