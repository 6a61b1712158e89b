import t from 'tap'
import { testApp } from '../../../support/app.ts'

t.test('a window that does nothing is written with a warning', async (t) => {
  const { app, call } = await testApp(t)
  const at = (hours: number) => new Date(app.clock.now() + hours * 3_600_000).toISOString()
  const request = { url: 'https://example.com/' }
  await call('POST', '/v1/checks/url', { body: { name: 'Shop', request, tags: ['prod'] } })
  const write = async (body: object, id?: number) => {
    const times = id === undefined ? { startsAt: at(1), endsAt: at(2) } : {}
    const answer = await call(
      id === undefined ? 'POST' : 'PUT',
      `/v1/maintenance-windows${id ? `/${id}` : ''}`,
      {
        body: { ...(id === undefined ? { name: 'Update' } : {}), ...times, ...body },
      },
    )
    const messages = (answer.body.warnings ?? []).map(({ message }: { message: string }) => message)
    t.equal(answer.headers.get('watchpost-warning') === null, messages.length === 0)
    return { id: answer.body.id, messages }
  }
  const nothing = 'It pauses no check, keeps back no alert, and no status page shows it.'
  t.strictSame((await write({ tags: ['prod'] })).messages, [])
  t.strictSame((await write({ pauseAllChecks: true })).messages, [])
  t.strictSame((await write({ silenceAllAlerts: true })).messages, [])
  t.strictSame((await write({ silenceAlertsTags: ['prod'] })).messages, [])
  t.strictSame((await write({ statusPageVisibility: { enabled: true } })).messages, [])
  const idle = await write({})
  t.strictSame(idle.messages, [nothing])
  t.strictSame((await write({ tags: ['prod', 'porduction'] })).messages, [
    'No check and no group has the tag "porduction".',
  ])
  t.strictSame((await write({ tags: ['stage'] }, idle.id)).messages, [
    nothing,
    'No check and no group has the tag "stage".',
  ])
  const past = { pauseAllChecks: true, startsAt: at(-5), endsAt: at(-4) }
  t.strictSame((await write(past)).messages, [
    'Its last occurrence is over: it does not take place any more.',
  ])
  t.strictSame((await write({ ...past, repeatUnit: 'DAY', repeatInterval: 1 })).messages, [])
  t.notOk(
    'warnings' in (await call('GET', `/v1/maintenance-windows/${idle.id}`)).body,
    'reading does not warn',
  )
})
