import t from 'tap'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

const request = {
  url: 'https://example.com/',
  assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
}

for (const engine of engineNames)
  t.test(`a URL monitor through its whole life (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const created = await call('POST', '/v1/checks/url', {
      body: {
        name: 'site',
        request,
        privateLocations: ['local'],
        locations: [],
        frequency: 0,
        frequencyOffset: 10,
      },
    })
    t.equal(created.status, 201, created.text)
    t.match(created.body, {
      name: 'site',
      checkType: 'URL',
      activated: true,
      muted: false,
      doubleCheck: true,
      shouldFail: false,
      locations: [],
      privateLocations: ['local'],
      tags: [],
      useGlobalAlertSettings: true,
      frequency: 0,
      frequencyOffset: 10,
      degradedResponseTime: 3000,
      maxResponseTime: 5000,
      runParallel: false,
      description: null,
      groupId: null,
      runtimeId: null,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: null,
      alertChannels: { email: [], webhook: [], slack: [], sms: [] },
    })
    t.strictSame(created.body.request, {
      url: 'https://example.com/',
      method: 'GET',
      followRedirects: true,
      skipSSL: false,
      ipFamily: 'IPv4',
      assertions: [{ source: 'STATUS_CODE', property: '', comparison: 'EQUALS', target: '200', regex: '' }],
    })
    t.strictSame(created.body.alertSettings, {
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: 1 },
      timeBasedEscalation: { minutesFailingThreshold: 5 },
      reminders: { amount: 0, interval: 5 },
      parallelRunFailureThreshold: { enabled: false, percentage: 10 },
    })
    const { id } = created.body
    const read = await call('GET', `/v1/checks/${id}`)
    t.strictSame(read.body, created.body)
    t.equal(read.headers.get('etag'), '"1"')

    const changed = await call('PUT', `/v1/checks/url/${id}`, { body: { name: 'renamed', frequency: 5 } })
    t.equal(changed.status, 200, changed.text)
    t.match(changed.body, { name: 'renamed', frequency: 5, updated_at: '2026-01-01T00:00:00.000Z' })
    t.strictSame(changed.body.request, created.body.request, 'what is not sent stays')

    t.match((await call('GET', '/v1/checks')).body, [{ id, name: 'renamed' }])
    t.equal((await call('DELETE', `/v1/checks/${id}`)).status, 204)
    t.equal((await call('GET', `/v1/checks/${id}`)).status, 404)
    t.equal((await call('DELETE', `/v1/checks/${id}`)).status, 404)
    t.equal((await call('PUT', `/v1/checks/url/${id}`, { body: { name: 'x' } })).status, 404)
    t.equal((await call('GET', `/v2/check-results/${id}`)).status, 404)
  })
