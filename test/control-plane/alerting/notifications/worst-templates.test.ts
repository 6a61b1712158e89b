// Runs in a process of its own: it measures the processor time of the event loop.
// Runs in test:all only: it measures the worst inputs.
import t from 'tap'
import {
  contentColumns,
  flagsOf,
  openConfig,
} from '../../../../control-plane/alerting/alert-channels/channel-row.ts'
import { findChannel, updateChannel } from '../../../../control-plane/alerting/alert-channels/queries.ts'
import {
  addChannel,
  alertEvent,
  dispatch,
  loopbackEnv,
  queueEvent,
  storedNotifications,
} from '../../../support/alerting.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { receiver } from '../../../support/receiver.ts'
import { worstTemplates } from '../../../support/worst-templates.ts'

const { searched = '' } = worstTemplates
const worst = { name: 'w', url: 'https://example.com', template: searched }

/** Of this thread alone, in milliseconds. */
const loopTimeMs = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const storeTemplates = async ({ app, accountId }: TestApp, id: number, changes: object): Promise<void> => {
  const row = await app.db.get(findChannel, { id, accountId })
  if (!row) throw new Error('There is no such channel')
  const config = { ...openConfig(app.cipher, row), ...changes }
  await app.db.run(updateChannel, {
    ...row,
    ...contentColumns(app.cipher, id, { type: 'WEBHOOK', config, flags: flagsOf(row) }),
  })
}

t.test('a template that takes too much is refused when it is saved, off the event loop', async (t) => {
  const { call } = await testApp(t)
  const save = () => call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config: worst } })
  await save()
  const answers: string[] = []
  const spent = await loopTimeMs(async () => {
    const saves = Array.from({ length: 10 }, async () => {
      const { status, body } = await save()
      answers.push('save')
      t.equal(status, 400)
      t.match(body.attributes.violations, [
        {
          path: 'config.template',
          message: /cannot|can be filled in: it goes through more than 3000000 characters/,
        },
      ])
    })
    const other = call('GET', '/v1/alert-channels').then(() => answers.push('other'))
    await Promise.all([...saves, other])
  })
  t.equal(answers[0], 'other', 'who asks for something else does not wait')
  t.ok(spent < 1000, `${Math.round(spent)} ms of the event loop`)
})

t.test('what an account may try at once is bounded, and others are not refused for it', async (t) => {
  const { call, addKey } = await testApp(t)
  const template = `{"at": "{{moment "YYYY"}}"}`
  const config = { ...worst, template }
  const save = (key?: string) =>
    call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config }, ...(key ? { key } : {}) })
  const { apiKey } = await addKey()
  const [others, ...own] = await Promise.all([save(apiKey), ...Array.from({ length: 90 }, () => save())])
  t.equal(others?.status, 201)
  const refused = own.filter(({ status }) => status === 429)
  t.ok(refused.length > 0)
  t.equal(own.length, refused.length + own.filter(({ status }) => status === 201).length)
  t.equal(refused[0]?.headers.get('retry-after'), '1')
})

t.test('an alert whose template takes too much goes out in its default form and says so', async (t) => {
  const given = await testApp(t, { env: loopbackEnv })
  await given.call('POST', '/v1/variables', { body: { key: 'TOKEN', value: 's3cret-token' } })
  const hook = await receiver(t)
  const id = await addChannel(given, 'WEBHOOK', { name: 'w', url: hook.origin })
  await storeTemplates(given, id, {
    url: `${hook.origin}/{{#if REGION}}{{REGION}}{{/if}}/{{TOKEN}}?a=${searched}`,
    headers: [{ key: 'authorization', value: 'Bearer {{TOKEN}}' }],
    template: searched,
  })
  const events = Array.from({ length: 10 }, () =>
    queueEvent(given.app, alertEvent({ accountId: given.accountId }), [id]),
  )
  await Promise.all(events)
  const spent = await loopTimeMs(() => dispatch(given.app))
  t.ok(spent < 1500, `${Math.round(spent)} ms of the event loop`)
  t.equal(hook.received.length, 10)
  t.match(hook.received[0], {
    path: /^\/eu-west-1\/s3cret-token\?a=/,
    headers: { authorization: 'Bearer s3cret-token', 'content-type': 'application/json' },
    json: {
      event: 'Check "Home page" has failed',
      notice: /cannot be filled in for the address .*goes through more than/,
    },
  })
  for (const { status, tries, result } of await storedNotifications(given.app)) {
    t.match({ status, tries }, { status: 'SUCCESS', tries: 1 })
    t.match(result, /goes through more than 3000000 characters.* the body .*default form\. HTTP 200/)
  }
})

t.test('a change that was tried against secrets that are others by now is tried again', async (t) => {
  const { call, app, accountId } = await testApp(t)
  const url = 'https://example.com'
  const config = { name: 'w', url, webhookSecret: 'first-secret-of-all' }
  const { body } = await call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config } })
  const template = '{{#if TAGS}}x{{/if}}'
  const masked = { ...config, webhookSecret: body.config.webhookSecret, template }
  const changed = { ...config, webhookSecret: 'other-secret-of-all' }
  const path = `/v1/alert-channels/${body.id}`
  const [first, second] = await Promise.all([
    call('PUT', path, { body: { type: 'WEBHOOK', config: masked } }),
    call('PUT', path, { body: { type: 'WEBHOOK', config: changed } }),
  ])
  t.strictSame([first.status, second.status], [200, 200])
  const row = await app.db.get(findChannel, { id: body.id, accountId })
  t.equal(row && openConfig(app.cipher, row)['webhookSecret'], 'other-secret-of-all')
})
