import t from 'tap'
import { firstResult } from '../support/first-result.ts'
import { address, nameServer } from '../support/name-server.ts'
import { endsWith, listening, scratchFolder, spawnAgent, spawnControlPlane } from '../support/programs.ts'
import { answering, closedPort } from '../support/servers.ts'

t.test('TCP and DNS checks that are created run at once, and their results say what was seen', async (t) => {
  const resolver = await nameServer(t, ({ answer, send }) => send(answer([], { rcode: 3 })))
  const folder = await scratchFolder(t)
  const { url } = await listening(endsWith(t, spawnControlPlane({ dataDir: `${folder}/data` })))
  const agent = endsWith(
    t,
    spawnAgent({
      url,
      spoolDir: `${folder}/spool`,
      env: { DNS_SERVERS: `127.0.0.1:${resolver.port}` },
      browsers: false,
    }),
  )
  await agent.line(/connected to the control plane/)

  await t.test('TCP', async (t) => {
    const { port } = await answering(t, 'PONG 7\n')
    const assertions = [
      { source: 'RESPONSE_DATA', property: '^PONG (\\d+)', comparison: 'EQUALS', target: '7' },
    ]
    const request = { hostname: '127.0.0.1', port, data: 'PING\n', assertions }
    t.match(await firstResult(t, url, '/v1/checks/tcp', { request }), {
      checkType: 'TCP',
      hasFailures: false,
      hasErrors: false,
      error: null,
      apiCheckResult: null,
      dnsCheckResult: null,
      tcpCheckResult: {
        assertions: [{ passed: true, actual: '7' }],
        request: { hostname: '127.0.0.1', port, data: 'PING\n' },
        response: { data: 'PONG 7\n', endedBy: 'close', error: null },
        timingPhases: { dns: 0, connection: Number, data: Number, total: Number },
      },
    })
  })

  await t.test('TCP to a closed port', async (t) => {
    const port = await closedPort()
    const result = await firstResult(t, url, '/v1/checks/tcp', { request: { hostname: '127.0.0.1', port } })
    t.match(result, { hasFailures: true, hasErrors: false, error: /refused the connection/ })
    const passing = { request: { hostname: '127.0.0.1', port }, shouldFail: true }
    t.match(await firstResult(t, url, '/v1/checks/tcp', passing), { hasFailures: false, hasErrors: false })
  })

  await t.test('DNS', async (t) => {
    const { port } = await nameServer(t, ({ answer, send }) =>
      send(answer([address('a.example', '192.0.2.1')])),
    )
    const assertions = [
      { source: 'JSON_ANSWER', property: '$.Answer[*].data', comparison: 'EQUALS', target: '192.0.2.1' },
      { source: 'TEXT_ANSWER', property: 'IN\\tA\\t(.+)', comparison: 'EQUALS', target: '192.0.2.1' },
    ]
    const request = { query: 'a.example', recordType: 'A', nameServer: '127.0.0.1', port, assertions }
    t.match(await firstResult(t, url, '/v1/checks/dns', { request }), {
      checkType: 'DNS',
      hasFailures: false,
      hasErrors: false,
      tcpCheckResult: null,
      dnsCheckResult: {
        assertions: [{ passed: true }, { passed: true }],
        nameServerInfo: { host: '127.0.0.1', port },
        response: { returnCode: 'NOERROR', protocol: 'UDP', answer: { Answer: [{ type: 'A', TTL: 300 }] } },
        requestError: null,
      },
    })
  })

  await t.test('DNS with the name servers of the machine', async (t) => {
    const request = { query: 'name.invalid', recordType: 'AAAA' }
    t.match(await firstResult(t, url, '/v1/checks/dns', { request }), {
      hasFailures: true,
      hasErrors: false,
      error: `The name server 127.0.0.1:${resolver.port} answered NXDOMAIN for name.invalid AAAA`,
      dnsCheckResult: { request: { nameServer: null, protocol: 'UDP' }, requestError: null },
    })
  })
})
