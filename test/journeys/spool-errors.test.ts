// Runs in test:all only: it fills a disk.
/** The disk of an agent's spool is read-only, or its folder vanishes: it goes on measuring, and its results arrive. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { callApi, urlMonitor } from '../support/api.ts'
import { endsWith, scratchFolder, spawnAgent, startControlPlane } from '../support/programs.ts'
import { startRecordingProxy } from '../support/recording-proxy.ts'
import { httpServer } from '../support/servers.ts'
import { noSmallDisk, readOnlyDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const skip = noSmallDisk()

const setUp = async (t: Test) => {
  const folder = await scratchFolder(t)
  const target = await httpServer(t, (_request, response) => response.end('ok'))
  const { url, port } = endsWith(t, await startControlPlane({ dataDir: `${folder}/data` }))
  const proxy = await startRecordingProxy()
  t.teardown(proxy.close)
  proxy.forwardTo(port)
  const create = (name: string) =>
    callApi<{ id: string }>(url, '/v1/checks/url', {
      method: 'POST',
      body: urlMonitor(name, `${target.origin}/`),
    })
  return { folder, proxy, create }
}

t.test('a read-only disk with what an earlier agent left', { skip }, async (t) => {
  const { proxy, create } = await setUp(t)
  const disk = await readOnlyDisk(t, (folder) => {
    mkdirSync(`${folder}/spool/artifacts`, { recursive: true })
    mkdirSync(`${folder}/spool/000000000000001-000000001-x.jsonl`)
    writeFileSync(
      `${folder}/spool/000000000000002-000000001-x.jsonl`,
      `${JSON.stringify({ jobId: 'left' })}\n`,
    )
    writeFileSync(`${folder}/spool/agent.json`, '{"agentId":"earlier","host":"elsewhere","pid":1}\n')
  })
  const agent = endsWith(t, spawnAgent({ url: proxy.url, spoolDir: `${disk}/spool`, browsers: false }))
  for (let index = 0; index < 5; index += 1) await create(`check ${index}`)
  await until('results', () => proxy.acknowledged.size >= 5)
  t.ok(agent.running())
  t.match(agent.output(), /read-only/)
})

t.test('a folder that is deleted under a running agent', async (t) => {
  const { folder, proxy, create } = await setUp(t)
  const agent = endsWith(t, spawnAgent({ url: proxy.url, spoolDir: `${folder}/spool`, browsers: false }))
  await create('before')
  await until('a first result', () => proxy.acknowledged.size >= 1)
  rmSync(`${folder}/spool`, { recursive: true })
  for (let index = 0; index < 5; index += 1) await create(`check ${index}`)
  await until('results', () => proxy.acknowledged.size >= 6)
  t.ok(agent.running())
})
