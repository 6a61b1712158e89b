// Runs in test:all only: it signs in wrongly again and again.
/** Nothing of ours stays English outside of the dashboard either: signing in, invites, links of alerts and results, errors. */
import t, { type Test } from 'tap'
import { newLinkToken, storeLink } from '../../../../control-plane/access/sign-in/links.ts'
import { alertLink } from '../../../../control-plane/alerting/messages/alert-link.ts'
import { resultLink } from '../../../../control-plane/alerting/messages/result-link.ts'
import { addChannel, loopbackEnv } from '../../../support/alerting.ts'
import { urlMonitor } from '../../../support/api.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson } from '../../../support/members.ts'
import { dataPattern, pseudoLocales, unsaidIn } from '../../../support/pseudo-language.ts'
import { filesThatSay } from '../../../support/source-of-text.ts'
import { signedInAs, type Visitor, visitorOf } from '../../../support/visitor.ts'
import { work } from '../../../support/work.ts'

/** What is on the pages by the test's own hand, or by the target's. */
const ownWords = ['Zebra', 'Ada', 'Bea', 'local', 'Test', 'connect ECONNREFUSED', 'GET', 'URL', 'ms']

const pathOf = (link: string): string => new URL(link).pathname

const expectSaid = (t: Test, pages: readonly { path: string; text: string }[], data: RegExp) => {
  const unsaid = pages.flatMap(({ path, text }) =>
    unsaidIn(text, data).map(
      (said) => `${path}: ${said} ← ${filesThatSay(said).join(', ') || 'no file says it as it is'}`,
    ),
  )
  t.equal([...new Set(unsaid)].join('\n'), '')
}

/** A check that fails, its alert and its result. */
const failure = async (plane: TestApp) => {
  await addChannel(plane, 'EMAIL', { address: 'ops@example.com' })
  const body = { ...urlMonitor('Zebra', 'http://127.0.0.1/'), doubleCheck: false }
  const { id: checkId } = (await plane.call('POST', '/v1/checks/url', { body })).body
  await plane.call('POST', '/v1/alert-channels/1/subscriptions', { body: { all: true } })
  if ((await work(plane, 'failing')) !== 1) throw new Error('nothing was run')
  const [alert] = (await plane.call('GET', '/v1/check-alerts')).body
  const [result] = (await plane.call('GET', `/v1/check-results/${checkId}`)).body
  const expiresAt = plane.app.clock.now() + 86_400_000
  return {
    alertPath: pathOf(alertLink(plane.app, { alertId: alert.id, channelId: 0, expiresAt })),
    resultPath: pathOf(resultLink(plane.app, { checkId, resultId: result.id, expiresAt })),
  }
}

t.test('pages before and beside the dashboard', async (t) => {
  const plane = await testApp(t, { parts: { locales: pseudoLocales }, env: loopbackEnv })
  const { app } = plane
  const { alertPath, resultPath } = await failure(plane)
  const { userId } = await addPerson(plane, { email: 'ada@example.com', name: 'Ada', role: 'OWNER' })
  const reader = await addPerson(plane, { email: 'bea@example.com', name: 'Bea', role: 'READ_ONLY' })
  const token = newLinkToken(app)
  await app.db.transaction((trx) =>
    storeLink(trx, { userId, purpose: 'FORGOTTEN', now: app.clock.now(), token }),
  )
  const firstLink = `/sign-in/first/${token}`
  const invited = await plane.call('POST', '/v1/accounts/me/invites', {
    body: { email: 'cleo@example.com', role: 'READ_ONLY' },
  })
  t.equal(invited.status, 201, invited.text)
  const invitePath = pathOf(
    invited.body.acceptUrl ?? invited.body.link ?? `http://x/invites/${invited.body.token}`,
  )

  const pages: { path: string; text: string; status: number }[] = []
  const see = async (path: string, answer: Promise<{ text: string; status: number }>): Promise<void> => {
    plane.advance(1500)
    const { text, status } = await answer
    pages.push({ path: `${status} ${path}`, text, status })
  }
  const anybody = visitorOf(plane)
  const get = (path: string, visitor: Visitor = anybody) => see(path, visitor.get(path))
  const post = (path: string, fields: Record<string, string>, visitor: Visitor = anybody) =>
    see(path, visitor.post(path, fields))
  for (const path of ['/sign-in', '/sign-in/forgotten', firstLink, invitePath, alertPath, resultPath])
    await get(path)
  await post('/sign-in', { email: 'ada@example.com', password: 'wrong horse battery' })
  await post('/sign-in', { key: 'cu_wrong' })
  await post('/sign-in/forgotten', { email: 'ada@example.com' })
  await post(firstLink, { password: 'short' })
  await post(invitePath, { password: 'short' })
  await post(alertPath, { action: 'acknowledge' })
  await get(alertPath)
  await post(alertPath, { action: 'snooze', minutes: '60' })
  await get(alertPath)
  t.ok(
    pages.every(({ status }) => status < 500),
    pages.map(({ path }) => path).join(' '),
  )
  for (let attempt = 0; attempt < 12; attempt += 1)
    await post('/sign-in', { email: 'ada@example.com', password: 'wrong horse battery' })
  t.equal(pages.at(-1)?.status, 429)
  for (const path of ['/nothing', '/invites/gone', '/alerts/gone', '/results/gone', '/sign-in/first/gone'])
    await get(path)
  const bea = await signedInAs(plane, reader.userId)
  await get('/app/checks/0', bea)
  await get('/app/nothing', bea)
  await get('/app/audit', bea)
  await see(
    '/app/checks/new/url',
    bea.post('/app/checks/new/url', {}, { origin: 'https://elsewhere.example' }),
  )
  const errors = pages.filter(({ status }) => status >= 400)
  t.ok(errors.length >= 7, `${errors.length} errors`)
  expectSaid(t, pages, dataPattern(ownWords))
})
