import t, { type Test } from 'tap'
import type { ChannelTypeName } from '../../../../control-plane/alerting/channels/channel-type.ts'
import { deadlineMs } from '../../../../control-plane/alerting/notifications/analysis-in-time.ts'
import type {
  AlertAnalysis,
  HasAnalyses,
} from '../../../../control-plane/alerting/templates/asked-of-others.ts'
import type { WholeApp } from '../../../../control-plane/whole-app.ts'
import { addChannel, alertEvent, dispatch, loopbackEnv, queueEvent } from '../../../support/alerting.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { everyChannel } from '../../../support/every-channel.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { receiver } from '../../../support/receiver.ts'
import { until } from '../../../support/until.ts'
import { work } from '../../../support/work.ts'

const cause = /127\.0\.0\.1:80 refused the connection/
const firstStep = /is the service running, since when/

const failingCheck = async (plane: TestApp): Promise<void> => {
  const { status, text } = await plane.call('POST', '/v1/checks/url', {
    body: {
      name: 'Home page',
      request: { url: 'http://127.0.0.1/', assertions: [] },
      privateLocations: ['local'],
      frequency: 60,
      doubleCheck: false,
    },
  })
  if (status !== 201) throw new Error(text)
  if ((await work(plane, 'failing')) !== 1) throw new Error('It was not run')
}

t.test(
  'the first message of an alert says the cause and the first step, whatever it is sent by',
  async (t) => {
    const { env, bodies, texts } = await everyChannel(t)
    const plane = await testApp(t, { env })
    for (const { type, config } of bodies) await addChannel(plane, type, config)
    const named = await receiver(t)
    for (const webhookType of ['WEBHOOK_MSTEAMS', 'WEBHOOK_TELEGRAM', 'WEBHOOK_DISCORD', 'WEBHOOK_SPLUNK'])
      await addChannel(plane, 'WEBHOOK', { name: 'n', url: `${named.origin}/${webhookType}`, webhookType })
    const template =
      '{"why":"{{PROBABLE_CAUSE}}","first":"{{FIRST_STEP}}","class":"{{AI_ANALYSIS_CLASSIFICATION}}"}'
    await addChannel(plane, 'WEBHOOK', { name: 't', url: `${named.origin}/template`, template })
    await failingCheck(plane)
    await dispatch(plane.app)
    const withText: ChannelTypeName[] = ['EMAIL', 'SLACK', 'SLACK_APP', 'WEBHOOK', 'PAGERDUTY', 'OPSGENIE']
    for (const type of withText) {
      t.ok(texts(type).length > 0, type)
      for (const text of texts(type)) {
        t.match(text, cause, type)
        t.match(text, firstStep, type)
      }
    }
    t.equal(named.received.length, 5)
    for (const { path, text } of named.received) {
      const read = path.includes('TELEGRAM') ? (new URLSearchParams(text).get('text') ?? '') : text
      t.match(read, cause, path)
      t.match(read, firstStep, path)
    }
    const filled = named.received.find(({ path }) => path === '/template')?.json
    t.match(filled, { why: cause, first: firstStep, class: 'INFRA_ERROR' })
    t.notMatch(filled.why, /in a row/, 'messages say since when beside it')
    t.match(
      texts('WEBHOOK').map((text) => JSON.parse(text)),
      [{ probable_cause: cause, first_step: firstStep }],
    )
  },
)

/** A control plane whose analyses are these, and one message of a run that waits for each of some channels. */
const withAnalysis = async (
  t: Test,
  analysisOf: HasAnalyses['lookups']['analysisOf'],
  configs: readonly object[] = [{}],
) => {
  const clock = fakeClock()
  const plane = await testApp(t, { env: loopbackEnv, parts: { clock } })
  const app: WholeApp = { ...plane.app, lookups: { ...plane.app.lookups, analysisOf } }
  const hook = await receiver(t)
  const channels = configs.map((config, n) =>
    addChannel(plane, 'WEBHOOK', { name: `${n}`, url: `${hook.origin}/${n}`, ...config }),
  )
  await queueEvent(app, alertEvent({ accountId: plane.accountId }), await Promise.all(channels))
  return { app, clock, hook }
}

t.test('a message leaves without a cause that is late, after its deadline and not before', async (t) => {
  let asked = 0
  const { app, clock, hook } = await withAnalysis(t, () => {
    asked += 1
    return new Promise(() => {})
  })
  const dispatched = dispatch(app)
  await until('an analysis has begun', () => asked > 0, 5)
  clock.advance(deadlineMs - 1)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(hook.received.length, 0)
  clock.advance(1)
  await dispatched
  t.strictSame(
    hook.received.map(({ json }) => json.probable_cause),
    [null],
  )
})

t.test('the messages of one run share an analysis', async (t) => {
  let asked = 0
  const analysisOf = async () => {
    asked += 1
    return { fields: { AI_ANALYSIS_ROOT_CAUSE: 'the disk is full' }, told: null }
  }
  const { app, hook } = await withAnalysis(t, analysisOf, [{}, {}, {}])
  await dispatch(app)
  t.match(
    hook.received.map(({ json }) => json.probable_cause),
    Array(3).fill('the disk is full'),
  )
  t.equal(asked, 1)
})

t.test('programs read what is code between quotes, and templates as it was written', async (t) => {
  const written = {
    AI_ANALYSIS_ROOT_CAUSE: 'Nothing listens (`ss -ltn`).',
    AI_ANALYSIS_CODE_FIX: 'Run `start`.',
  }
  const template = '{"why":"{{PROBABLE_CAUSE}}","first":"{{FIRST_STEP}}"}'
  const { app, hook } = await withAnalysis(t, async () => ({ fields: written, told: null }), [
    {},
    { template },
  ])
  await dispatch(app)
  const json = (path: string) => hook.received.find((one) => one.path === path)?.json
  t.match(json('/0'), { probable_cause: 'Nothing listens ("ss -ltn").', first_step: 'Run "start".' })
  t.match(json('/1'), { why: 'Nothing listens (`ss -ltn`).', first: 'Run `start`.' })
})

t.test('a cause that cannot be found out keeps back no message', async (t) => {
  const { app, hook } = await withAnalysis(t, () => Promise.reject(new Error('the store is away')))
  await dispatch(app)
  t.strictSame(
    hook.received.map(({ json }) => json.probable_cause),
    [null],
  )
})

t.test('when everything fails at once, few look for causes and all are told in time', async (t) => {
  const plane = await testApp(t, { env: loopbackEnv })
  let [now, most, asked] = [0, 0, 0]
  const analysisOf = async (): Promise<AlertAnalysis> => {
    asked += 1
    most = Math.max(most, ++now)
    await new Promise((resolve) => setImmediate(resolve))
    now -= 1
    return { fields: { AI_ANALYSIS_ROOT_CAUSE: 'everything is down' }, told: null }
  }
  const app: WholeApp = { ...plane.app, lookups: { ...plane.app.lookups, analysisOf } }
  const hook = await receiver(t)
  const channel = await addChannel(plane, 'WEBHOOK', { name: 'w', url: hook.origin })
  const events = Array.from({ length: 300 }, () =>
    alertEvent({ accountId: plane.accountId, checkId: app.newId(), checkResultId: app.newId() }),
  )
  for (const event of events) await queueEvent(app, event, [channel])
  await dispatch(app)
  t.equal(hook.received.length, events.length)
  t.ok(most <= 8, `${most} at once`)
  t.ok(asked > 0)
})
