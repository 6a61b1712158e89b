/** A whole agent and a real control plane in one process: from a run that leaves files to files that are served. */
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Artifact } from '../../../agent/base/run-log.ts'
import { runners } from '../../../agent/checks/index.ts'
import type { Runner } from '../../../agent/checks/runner.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { httpServer } from '../../support/servers.ts'
import { testAgent } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

/** API checks that, besides what they do, leave files behind. */
const leaving = (t: Test, artifacts: Artifact[]): void => {
  const real = runners.API as Runner
  runners.API = {
    ...real,
    run: (job, io, during) => {
      for (const artifact of artifacts) during.runLog.keep(artifact)
      return real.run(job, io, during)
    },
  }
  t.teardown(() => {
    runners.API = real
  })
}

const text = (name: string, content: string): Artifact => ({
  type: 'file',
  name,
  contentType: 'text/plain; charset=utf-8',
  content: Buffer.from(content),
})

const secret = 'a secret that nobody may read'

/** Creates a check that is due now; the address of its results. */
const createCheck = async (t: Test, plane: TestApp): Promise<string> => {
  const target = await httpServer(t, (_, response) => response.end('ok'))
  await plane.call('POST', '/v1/variables', { body: { key: 'TOKEN', value: secret, secret: true } })
  const request = { method: 'GET', url: target.origin }
  const { body } = await plane.call('POST', '/v1/checks/api', {
    body: { name: 'site', request, privateLocations: ['local'], locations: [] },
  })
  return `/v2/check-results/${body.id}`
}

/** The first answer of which it is true. */
const eventually = async (plane: TestApp, path: string, isThere: (body: never) => boolean) => {
  let answer = await plane.call('GET', path)
  const look = async (): Promise<boolean> => {
    answer = await plane.call('GET', path)
    return answer.status === 200 && isThere(answer.body as never)
  }
  await until(path, look, 150)
  return answer
}

const manifestOf = async (plane: TestApp, results: string, count: number) => {
  const page = await eventually(plane, results, ({ length }: { length: number }) => length > 0)
  const home = `${results.replace('/v2/', '/v1/')}/${page.body.entries[0].id}/assets`
  const isThere = ({ entries }: { entries: unknown[] }) => entries.length === count
  return { home, ...(await eventually(plane, home, isThere)) }
}

t.test('what a run leaves is served beside its result, without its secrets', async (t) => {
  const plane = await testApp(t)
  const pcap = Buffer.concat([randomBytes(100_000), Buffer.from(secret), randomBytes(100)])
  leaving(t, [
    text('run.log', `token=${secret}\n`),
    text('run.log', 'of the same name'),
    { type: 'pcap', name: '../x.pcap', contentType: 'application/vnd.tcpdump.pcap', content: pcap },
    text(`${secret}.txt`, 'in a name'),
  ])
  const results = await createCheck(t, plane)
  const agent = await testAgent(t, plane.url, { API_KEY: plane.agentKey })
  const { home, body } = await manifestOf(plane, results, 4)
  t.strictSame(
    body.entries.map(({ name }: { name: string }) => name),
    ['run.log', 'run-2.log', '.._x.pcap', '[secret].txt'],
  )
  t.equal((await plane.call('GET', `${home}/run.log`)).text, 'token=[secret]\n')
  const served = await fetch(`${plane.url}${home}/.._x.pcap`, {
    headers: { authorization: `Bearer ${plane.apiKey}` },
  })
  const bytes = Buffer.from(await served.arrayBuffer())
  t.equal(bytes.length, pcap.length)
  t.equal(bytes.indexOf(secret), -1)
  const [result] = (await plane.call('GET', results)).body.entries
  t.match(result.apiCheckResult.pcapDataUrl, /\/assets\/\.\._x\.pcap$/)
  t.match((await agent.probe('/metrics')).text, /watchpost_agent_artifacts_total\{outcome="uploaded"\} 4/)
})

t.test('a result does not wait for its files', async (t) => {
  const plane = await testApp(t)
  const { store } = plane.app.artifacts
  const gate = Promise.withResolvers<void>()
  plane.app.artifacts.store = {
    ...store,
    write: async (key, offset, bytes) => {
      await gate.promise
      return store.write(key, offset, bytes)
    },
  }
  leaving(t, [text('run.log', 'comes later')])
  const results = await createCheck(t, plane)
  await testAgent(t, plane.url, { API_KEY: plane.agentKey })
  const { home, body } = await manifestOf(plane, results, 0)
  t.strictSame(body.entries, [])
  const [result] = (await plane.call('GET', results)).body.entries
  t.match(result, {
    hasFailures: false,
    hasErrors: false,
    apiCheckResult: { jobAssets: null, pcapDataUrl: null },
  })
  gate.resolve()
  const isThere = ({ entries }: { entries: unknown[] }) => entries.length === 1
  t.match((await eventually(plane, home, isThere)).body.entries, [{ name: 'run.log' }])
  t.equal((await plane.call('GET', `${home}/run.log`)).text, 'comes later')
})
