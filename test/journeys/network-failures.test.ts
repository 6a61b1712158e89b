// Runs in test:all only: it starts both programs again and again.
import t, { type Test } from 'tap'
import { type CheckResult, firstResult } from '../support/first-result.ts'
import {
  apiKey,
  endsWith,
  listening,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
} from '../support/programs.ts'
import { closedPort, tcpServer } from '../support/servers.ts'
import { tshark, tsharkProblem } from '../support/tshark.ts'

const hasTrace = ({ apiCheckResult }: CheckResult): boolean =>
  apiCheckResult?.jobAssets?.some((address) => address.endsWith('/traceroute.json')) === true

const hasCapture = ({ apiCheckResult }: CheckResult): boolean =>
  typeof apiCheckResult?.pcapDataUrl === 'string'

const linesOf = ({ apiCheckResult }: CheckResult): string =>
  ((apiCheckResult?.jobLog?.['request'] ?? []) as { msg: string }[]).map(({ msg }) => msg).join('\n')

/** Of RFC 9293, section 3.1, as tshark prints them. */
const syn = '0x0002'
const resetAndAck = '0x0014'

/** As somebody who reads the result follows its links. */
const download = async (address: string, key = apiKey): Promise<{ status: number; bytes: Buffer }> => {
  const response = await fetch(address, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** The two programs, and why the agent's failing checks carry no packet capture; null if they do. */
const started = async (t: Test, capture: 'on' | 'off') => {
  const folder = await scratchFolder(t)
  const { url } = await listening(endsWith(t, spawnControlPlane({ dataDir: `${folder}/data` })))
  const env = { CAPTURE: capture }
  const agent = endsWith(t, spawnAgent({ url, spoolDir: `${folder}/spool`, env, browsers: false }))
  await agent.line(/connected to the control plane/)
  if (capture === 'off') return { url, problem: 'CAPTURE is off' }
  const [said] = await agent.line(/packets of failing checks are captured|carry no packet capture/)
  return { url, problem: said.startsWith('carry') ? 'packets cannot be captured here' : null }
}

t.test('a failure of the network comes with its explanation', async (t) => {
  const { url, problem } = await started(t, 'on')
  const skip = problem ?? tsharkProblem() ?? false

  await t.test('the way to the target, and a line on what is missing', async (t) => {
    const port = await closedPort()
    const request = { url: `http://127.0.0.1:${port}/` }
    const result = await firstResult(t, url, '/v1/checks/url', { request, isThere: hasTrace })
    t.match(result, { hasFailures: true, hasErrors: false, error: /refused the connection/ })
    t.match(linesOf(result), /^The traceroute to 127\.0\.0\.1 port \d+ \(TCP\) reached it after 1 hop/m)
    t.match(linesOf(result), problem === null ? /are in capture\.pcap/ : /^No packet capture: /m)
    const address = result.apiCheckResult?.jobAssets?.find((one) => one.endsWith('/traceroute.json')) ?? ''
    t.match(JSON.parse((await download(address)).bytes.toString()), {
      address: '127.0.0.1',
      port,
      reached: true,
      hops: [{ hop: 1, address: '127.0.0.1', lossPercent: 0 }],
    })
    t.equal((await download(address, 'wp_of-somebody-else-0123456789')).status, 401)
  })

  await t.test('the refused connection of a URL monitor', { skip }, async (t) => {
    const port = await closedPort()
    const request = { url: `http://127.0.0.1:${port}/` }
    const { apiCheckResult } = await firstResult(t, url, '/v1/checks/url', { request, isThere: hasCapture })
    const { bytes } = await download(apiCheckResult?.pcapDataUrl ?? '')
    t.match(tshark(bytes, ['tcp.dstport', 'tcp.flags']), [
      [String(port), syn],
      [/\d+/, resetAndAck],
    ])
  })

  await t.test('the handshake that the server of an API check broke off', { skip }, async (t) => {
    const { port } = await tcpServer(t, (socket) => socket.once('data', () => socket.resetAndDestroy()))
    const request = { method: 'GET', url: `https://127.0.0.1:${port}/` }
    const { apiCheckResult } = await firstResult(t, url, '/v1/checks/api', { request, isThere: hasCapture })
    const { bytes } = await download(apiCheckResult?.pcapDataUrl ?? '')
    const types = tshark(bytes, ['tls.handshake.type', 'tcp.flags'])
    t.ok(
      types.some(([type]) => type === '1'),
      'the client’s hello',
    )
    t.equal(types.at(-1)?.[1], resetAndAck, 'and the reset')
  })
})

t.test('what is no failure of the network leaves no files and no log', async (t) => {
  const { url } = await started(t, 'off')
  const passing = await firstResult(t, url, '/v1/checks/url', { request: { url: `${url}/health` } })
  t.match(passing, {
    hasFailures: false,
    apiCheckResult: { jobLog: null, jobAssets: null, pcapDataUrl: null },
  })
  const missing = await firstResult(t, url, '/v1/checks/url', { request: { url: `${url}/nothing-here` } })
  t.match(missing, { hasFailures: true, apiCheckResult: { jobLog: null, jobAssets: null } })

  const port = await closedPort()
  const refused = await firstResult(t, url, '/v1/checks/url', {
    request: { url: `http://127.0.0.1:${port}/` },
    isThere: hasTrace,
  })
  t.match(linesOf(refused), /^No packet capture: CAPTURE is off$/m)
  t.equal(refused.apiCheckResult?.pcapDataUrl, null)
})
