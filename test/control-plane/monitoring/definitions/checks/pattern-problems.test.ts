import t from 'tap'
import { testApp } from '../../../../support/app.ts'

const places = { privateLocations: ['local'], frequency: 1 }

t.test('a pattern in slashes is refused, with what to write instead', async (t) => {
  const plane = await testApp(t)
  const api = (assertion: object) =>
    plane.call('POST', '/v1/checks/api', {
      body: {
        ...{ name: 'api', ...places },
        request: {
          method: 'GET',
          url: 'http://127.0.0.1/',
          assertions: [{ comparison: 'EQUALS', ...assertion }],
        },
      },
    })
  for (const [assertion, name, hint] of [
    [
      { source: 'TEXT_BODY', property: '/version (.*)/' },
      'property',
      '"version (.*)", or "\\\\/version (.*)\\\\/"',
    ],
    [{ source: 'HEADERS', property: 'server', regex: '/nginx/i' }, 'regex', '"(?i)nginx", or'],
    [{ source: 'TEXT_BODY', property: '/a/g' }, 'property', '"a", or'],
  ] as const) {
    const { status, body } = await api(assertion)
    t.equal(status, 400)
    t.match(
      body.message,
      `"request.assertions.0.${name}" is a regular expression without slashes around it: write ${hint}`,
    )
  }
  for (const assertion of [
    { source: 'TEXT_BODY', property: '\\/version\\/' },
    { source: 'TEXT_BODY', property: '/version' },
    { source: 'TEXT_BODY', property: '/' },
    { source: 'JSON_BODY', property: '$.paths["/a/"]' },
    { source: 'TEXT_BODY', comparison: 'CONTAINS', target: '/version/' },
  ])
    t.equal((await api(assertion)).status, 201, JSON.stringify(assertion))
  const dns = await plane.call('POST', '/v1/checks/dns', {
    body: {
      ...{ name: 'dns', ...places },
      request: {
        ...{ query: 'example.com', recordType: 'A' },
        assertions: [{ source: 'TEXT_ANSWER', property: '/10\\..*/', comparison: 'NOT_EMPTY' }],
      },
    },
  })
  t.match(dns.body.message, 'write "10\\\\..*"')
  const group = await plane.call('POST', '/v1/check-groups', {
    body: {
      name: 'group',
      apiCheckDefaults: { assertions: [{ source: 'TEXT_BODY', property: '/ok/', comparison: 'NOT_EMPTY' }] },
    },
  })
  t.match(
    group.body.message,
    '"apiCheckDefaults.assertions.0.property" is a regular expression without slashes',
  )
})
