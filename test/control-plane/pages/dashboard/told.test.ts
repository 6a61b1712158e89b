// Runs on both engines in test:all: its statements run in no other file.
import t, { type Test } from 'tap'
import { alertEvent, dispatch, loopbackEnv, queueEvent } from '../../../support/alerting.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { checkWith, sessionOf, visitPage } from '../../../support/dashboard.ts'
import { receiver } from '../../../support/receiver.ts'

const addChannel = async (t: Test, { call }: TestApp): Promise<number> => {
  const hook = await receiver(t, () => ({ status: 200 }))
  const config = { name: 'Hook', url: hook.origin }
  return (await call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config } })).body.id
}

t.test(
  'a channel that is added by the form tells of all checks, those that exist and new ones',
  async (t) => {
    const plane = await testApp(t, { env: loopbackEnv })
    const cookie = await sessionOf(plane)
    const { checkId } = await checkWith(plane, { name: 'Shop', state: 'passing' })
    const path = '/app/do/post/v1/alert-channels?type=EMAIL'
    const form = await visitPage(plane, cookie, path)
    t.match(form.text, /name="body\.autoSubscribe" value="true" checked/)
    t.match(form.text, /name="query\.subscribeExistingChecks" value="true" checked/)
    const sent = {
      ...{ variant: 'EMAIL', 'body.config.address': 'a@example.com', 'body.sendFailure': 'true' },
      ...{ 'body.autoSubscribe': 'true', 'query.subscribeExistingChecks': 'true', _do: 'save' },
    }
    const made = await visitPage(plane, cookie, path, sent)
    t.match(made.location, /^\/app\/channels\/1\?said=created$/)
    t.match((await plane.call('GET', '/v1/alert-channels/1')).body, {
      autoSubscribe: true,
      subscriptions: [{ checkId }],
    })
    const page = await visitPage(plane, cookie, '/app/channels/1')
    t.match(page.text, `<a href="/app/checks/${checkId}">Shop</a>`, 'by name')
    t.notMatch(page.text, 'No check is told of')
  },
)

eachEngine(
  'a channel that nothing is subscribed to says so where it is looked at',
  async (t, plane) => {
    const cookie = await sessionOf(plane)
    const { checkId } = await checkWith(plane, { name: 'Shop', state: 'failing', error: 'status 500' })
    const id = await addChannel(t, plane)
    const sentence = 'No check is told of through this channel.'
    const silent = (await visitPage(plane, cookie, `/app/channels/${id}`)).text
    t.match(silent, sentence)
    t.match(silent, 'made from now on will be, unless their form says otherwise')
    t.match((await visitPage(plane, cookie, '/app/channels')).text, 'unless their form says otherwise')
    const tested = await visitPage(plane, cookie, `/app/do/post/v1/alert-channels/${id}/test`, {
      _do: 'save',
    })
    t.match(tested.text, sentence, 'after its test')
    const overview = (await visitPage(plane, cookie, '/app')).text
    t.match(overview, `<a href="/app/channels/${id}">`)
    t.match(overview, /These are failing, and nobody is told:.*Shop/s)
    t.match((await visitPage(plane, cookie, `/app/checks/${checkId}`)).text, 'Nobody is told when it fails')
    t.match((await visitPage(plane, cookie, '/app/checks?told=nobody')).text, 'Shop')

    const bulk = { 'checkIds[]': checkId, channel: String(id), _do: 'subscribe' }
    const told = await visitPage(plane, cookie, '/app/checks/bulk', bulk)
    t.equal(told.status, 303)
    for (const path of [`/app/channels/${id}`, '/app', `/app/checks/${checkId}`])
      t.notMatch((await visitPage(plane, cookie, path)).text, /obody is told|No check is told/, path)
    t.notMatch((await visitPage(plane, cookie, '/app/checks?told=nobody')).text, 'Shop')
    const after = await visitPage(plane, cookie, `/app/do/post/v1/alert-channels/${id}/test`, { _do: 'save' })
    t.notMatch(after.text, sentence)
  },
  { env: loopbackEnv },
)

t.test('checks are subscribed by tag, name, group or all, without an id', async (t) => {
  const plane = await testApp(t, { env: loopbackEnv })
  const cookie = await sessionOf(plane)
  await checkWith(plane, { name: 'Shop', state: 'passing' })
  await checkWith(plane, { name: 'Blog', state: 'passing' })
  const id = await addChannel(t, plane)
  const path = `/app/do/post/v1/alert-channels/${id}/subscriptions`
  const form = await visitPage(plane, cookie, path)
  for (const name of ['all', 'search', 'tags']) t.match(form.text, `name="body.${name}`)
  await visitPage(plane, cookie, path, { 'body.search': 'sho', _do: 'save' })
  t.equal((await plane.call('GET', `/v1/alert-channels/${id}`)).body.subscriptions.length, 1)
  await visitPage(plane, cookie, path, { 'body.all': 'true', _do: 'save' })
  t.equal((await plane.call('GET', `/v1/alert-channels/${id}`)).body.subscriptions.length, 2)
})

t.test('what the API warns of is said after a form, and on the page of the check', async (t) => {
  const plane = await testApp(t, { env: loopbackEnv })
  const cookie = await sessionOf(plane)
  const check = { 'body.name': 'Shop', 'body.request.url': 'https://shop.example/', 'body.activated': 'true' }
  const saved = await visitPage(plane, cookie, '/app/do/post/v1/checks/url', { ...check, _do: 'save' })
  t.equal(saved.status, 200)
  t.match(saved.text, /It was saved, but:.*It has no location, so it never runs\./s)
  const next = saved.text.match(/href="(\/app\/checks\/[0-9a-f-]{36}\?said=created)"/)?.[1] ?? ''
  t.match((await visitPage(plane, cookie, next)).text, 'It has no location, so it never runs.')
  const broken = { 'body.name': 'Cart', 'body.script': "import a from 'a'\nconst b = (\n" }
  const scripted = await visitPage(plane, cookie, '/app/do/post/v1/checks/browser', {
    ...broken,
    _do: 'save',
  })
  t.match(scripted.text, /It was saved, but:.*The script cannot be parsed, line 2: /s)
  const window = {
    ...{ 'body.name': 'Update', 'body.startsAt': '2020-01-01T00:00', 'body.endsAt': '2020-01-01T01:00' },
    ...{ 'body.pauseAllChecks': 'true', _do: 'save' },
  }
  const past = await visitPage(plane, cookie, '/app/do/post/v1/maintenance-windows', window)
  t.match(past.text, 'Its last occurrence is over')
})

t.test('a message that failed and is tried again has not been delivered', async (t) => {
  const plane = await testApp(t, { env: loopbackEnv })
  const { app, accountId } = plane
  const cookie = await sessionOf(plane)
  await checkWith(plane, { name: 'Shop', state: 'failing' })
  const hook = await receiver(t, () => ({ status: 500, body: 'broken' }))
  const config = { name: 'Hook', url: hook.origin }
  const { id } = (await plane.call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config } })).body
  const undelivered = async (): Promise<string> =>
    /id="undelivered".*?<\/section>/s.exec((await visitPage(plane, cookie, '/app')).text)?.[0] ?? ''
  await queueEvent(app, alertEvent({ accountId }), [id])
  t.match(await undelivered(), 'everything was delivered', 'not tried yet')
  await dispatch(app)
  t.match(await undelivered(), /HTTP 500: broken.*Tried again at/s)
  t.notMatch(await undelivered(), /Send again|everything was delivered/)
  for (let more = 0; more < 4; more++) {
    plane.advance(20_000)
    await dispatch(app)
  }
  t.match(await undelivered(), /HTTP 500: broken.*Given up after 5 of 5 tries.*Send again/s)
})

t.test('who was not told is not said to have been told', async (t) => {
  const plane = await testApp(t, { env: loopbackEnv })
  const cookie = await sessionOf(plane)
  const { checkId } = await checkWith(plane, { name: 'Shop', state: 'passing' })
  const { text } = await visitPage(plane, cookie, `/app/checks/${checkId}`)
  t.match(text, /Channels were told<\/dt>\s*<dd[^>]*>nothing yet/)
})
