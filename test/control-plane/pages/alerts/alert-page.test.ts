// Runs on both engines in test:all: its statements run in no other file.
import { createHmac } from 'node:crypto'
import { request } from 'node:http'
import type { Test } from 'tap'
import t from 'tap'
import { alertToken } from '../../../../control-plane/alerting/messages/alert-link.ts'
import { openSession } from '../../../../control-plane/platform/web/http/auth/session.ts'
import { type AlertRoom, alertRoom } from '../../../support/alert-room.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'

const dayMs = 86_400_000
const browser = { accept: 'text/html,*/*' }
const formType = { 'content-type': 'application/x-www-form-urlencoded' }

type OpenAlert = AlertRoom & { checkId: string; alertId: string; token: string }

const each = (
  name: string,
  body: (t: Test, room: OpenAlert) => Promise<void>,
  env: Record<string, string> = {},
): void => {
  for (const engine of engineNames)
    t.test(`${name} (${engine})`, async (t) => {
      const room = await alertRoom(t, engine, env)
      const checkId = await room.addCheck({ name: '<script>alert(1)</script> & "home"' })
      await room.run('pf')
      const [{ id: alertId }] = (await room.call('GET', `/v1/check-alerts/${checkId}`)).body
      const expiresAt = room.app.clock.now() + dayMs
      const token = alertToken(room.app, { alertId, channelId: 0, expiresAt })
      await body(t, { ...room, checkId, alertId, token })
    })
}

const responseOf = async ({ call, checkId }: OpenAlert) =>
  (await call('GET', `/v1/checks/${checkId}/alert-explanation`)).body.response

const get = ({ call, token }: OpenAlert, headers: Record<string, string> = browser) =>
  call('GET', `/alerts/${token}`, { key: null, headers })

const send = async ({ url, token }: OpenAlert, body: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${url}/alerts/${token}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...browser, ...formType, ...headers },
    body,
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

each('opening the link changes nothing; its form acknowledges, snoozes and takes back', async (t, room) => {
  for (let opened = 0; opened < 3; opened++) {
    const { status, text, headers } = await get(room)
    t.equal(status, 200)
    t.match(text, '<button>Acknowledge</button>')
    t.notMatch(text, '<script>')
    t.match(headers.get('content-security-policy'), "form-action 'self'")
    t.match(headers.get('content-security-policy'), "frame-ancestors 'none'")
    t.match(headers.get('referrer-policy'), 'no-referrer')
  }
  t.equal(await responseOf(room), null, 'a scanner that opens links acknowledges nothing')
  const sent = await send(room, 'action=acknowledge')
  t.equal(sent.status, 303, sent.text)
  t.equal(sent.headers.get('location'), `/alerts/${room.token}`)
  t.match(await responseOf(room), { action: 'ACKNOWLEDGED', via: 'LINK' })
  t.match((await get(room)).text, 'Acknowledged by somebody with the link')
  await send(room, 'action=snooze&minutes=240')
  t.match(await responseOf(room), { action: 'SNOOZED', via: 'LINK' })
  await send(room, 'action=withdraw')
  t.equal(await responseOf(room), null)
  await room.run('p')
  t.match((await get(room)).text, 'The check has recovered')
  t.equal((await send(room, 'action=acknowledge')).status, 303, 'and the page says how it is')
  t.equal(await responseOf(room), null)
})

each('forms of other sites, wrong actions, and links that are not ours', async (t, room) => {
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  t.equal((await send(room, 'action=acknowledge', foreign)).status, 403)
  t.equal((await send(room, 'action=delete')).status, 400)
  t.equal((await send(room, 'action=snooze&minutes=99999')).status, 400)
  t.equal(await responseOf(room), null)
  const cut = room.token.slice(0, -1)
  const turned = `${room.token[0] === 'A' ? 'B' : 'A'}${room.token.slice(1)}`
  for (const token of [cut, turned, `${room.token}A`, 'x'])
    t.equal((await get({ ...room, token })).status, 404, token)
  t.match((await get({ ...room, token: cut })).text, 'This link does not work')
  room.advance(2 * dayMs)
  t.equal((await get(room)).status, 410)
  t.equal((await send(room, 'action=acknowledge')).status, 410)
})

each('whoever is signed in answers under a name of their own', async (t, room) => {
  const { app, accountId } = room
  const session = { accountId, userId: null, apiKeyId: null, address: '', browser: '' }
  const { userId } = await addPerson(room, { email: 'ada@example.com', name: 'Ada', role: 'READ_RUN' })
  const cookie = (await openSession(app, { ...session, userId })).split(';')[0] ?? ''
  await send(room, 'action=acknowledge', { cookie })
  t.match(await responseOf(room), { via: 'SESSION', by: 'Ada' })
})

const secret = 'slack-signing-secret'
const press = async (
  { call, app }: OpenAlert,
  payload: object,
  { key = secret, age = 0, tamper = '' } = {},
) => {
  const text = `payload=${encodeURIComponent(JSON.stringify(payload))}`
  const timestamp = String(Math.floor(app.clock.now() / 1000) - age)
  const signature = createHmac('sha256', key).update(`v0:${timestamp}:${text}`).digest('hex')
  const headers = {
    ...formType,
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
  }
  return call('POST', '/integrations/slack/actions', { key: null, raw: text + tamper, headers })
}

each(
  'buttons of the Slack app: signed by Slack, and not long ago',
  async (t, room) => {
    const pressed = (action_id: string, value = room.token) => ({
      user: { id: 'U1', name: 'ada' },
      actions: [{ action_id, value }],
    })
    const refused = [
      await press(room, pressed('acknowledge'), { key: 'another' }),
      await press(room, pressed('acknowledge'), { age: 301 }),
      await press(room, pressed('acknowledge'), { age: -301 }),
      await press(room, pressed('acknowledge'), { tamper: '&x=1' }),
    ]
    t.strictSame(
      refused.map(({ status }) => status),
      [401, 401, 401, 401],
    )
    t.equal((await press(room, { nothing: true })).status, 400)
    t.equal(await responseOf(room), null)
    t.equal((await press(room, pressed('acknowledge', 'forged'))).status, 204)
    t.equal(await responseOf(room), null)
    t.equal((await press(room, pressed('acknowledge'))).status, 204)
    t.match(await responseOf(room), { action: 'ACKNOWLEDGED', via: 'SLACK', by: 'ada (Slack)' })
    t.equal((await press(room, pressed('snooze-60'))).status, 204)
    t.match(await responseOf(room), { action: 'SNOOZED', via: 'SLACK' })
  },
  { SLACK_APP_SIGNING_SECRET: secret },
)

each(
  'what no press of Slack looks like is refused before its body is read',
  async (t, { url, app }) => {
    const now = String(Math.floor(app.clock.now() / 1000))
    const signature = `v0=${'0'.repeat(64)}`
    const cases: Record<string, [headers: Record<string, string>, status: number]> = {
      'no signature': [{ 'x-slack-request-timestamp': now }, 401],
      'no time': [{ 'x-slack-signature': signature }, 401],
      'another form': [{ 'x-slack-request-timestamp': now, 'x-slack-signature': 'v1=00' }, 401],
      'long ago': [{ 'x-slack-request-timestamp': '1', 'x-slack-signature': signature }, 401],
      'too large': [{ 'x-slack-request-timestamp': now, 'x-slack-signature': signature }, 413],
    }
    for (const [name, [headers, status]] of Object.entries(cases)) {
      const { promise: answered, resolve, reject } = Promise.withResolvers<number | undefined>()
      const length = { ...formType, ...headers, 'content-length': '250000' }
      const sent = request(
        `${url}/integrations/slack/actions`,
        { method: 'POST', headers: length },
        (response) => {
          response.resume()
          resolve(response.statusCode)
        },
      )
      sent.on('error', reject)
      // The headers, and not a byte of the body.
      sent.flushHeaders()
      t.equal(await answered, status, name)
      sent
        .off('error', reject)
        .on('error', () => undefined)
        .destroy()
    }
  },
  { SLACK_APP_SIGNING_SECRET: secret },
)

each('without a signing secret there is no such address', async (t, room) => {
  t.equal((await press(room, {})).status, 404)
})
