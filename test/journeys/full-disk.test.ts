// Runs in test:all only: it fills a disk or takes a store away.
/**
 * The disk fills up, under the store of the control plane or under the spool of the agent, while both programs run: what
 * cannot be kept is refused and not promised, the rest goes on, and nothing that was acknowledged is lost.
 */
import BetterSqlite from 'better-sqlite3'
import t from 'tap'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { callApi, urlMonitor } from '../support/api.ts'
import { holdingTarget } from '../support/holding-target.ts'
import { nothingLost, sumOf } from '../support/nothing-lost.ts'
import { endsWith, scratchFolder, spawnAgent, startControlPlane } from '../support/programs.ts'
import { startRecordingProxy } from '../support/recording-proxy.ts'
import { noSmallDisk, smallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const skip = noSmallDisk()

t.test('no room for the store', { skip }, async (t) => {
  const disk = await smallDisk(t, 128)
  const folder = await scratchFolder(t)
  const target = await holdingTarget(t)
  const controlPlane = endsWith(t, await startControlPlane({ dataDir: `${disk.folder}/data` }))
  const { url, port } = controlPlane
  const proxy = await startRecordingProxy()
  t.teardown(proxy.close)
  proxy.forwardTo(port)
  const agent = endsWith(t, spawnAgent({ url: proxy.url, spoolDir: `${folder}/spool`, browsers: false }))
  const create = (name: string) =>
    callApi<{ id: string; message?: string }>(url, '/v1/checks/url', {
      method: 'POST',
      body: urlMonitor(name, `${target.origin}/`),
    })
  const created: string[] = []
  for (let index = 0; index < 20; index++) created.push((await create(`check ${index}`)).body.id)
  await until('results', () => proxy.acknowledged.size >= 20)
  target.hold()
  for (let index = 0; index < 5; index++) created.push((await create(`under way ${index}`)).body.id)
  await until('runs under way', () => target.waiting() >= 5)

  disk.fill()
  let refused = await create('one too many')
  for (let turn = 0; refused.status === 201; turn++) {
    created.push(refused.body.id)
    refused = await create(`one too many ${turn}`)
  }
  t.strictSame(refused, {
    status: 507,
    body: {
      statusCode: 507,
      error: 'Insufficient Storage',
      message: 'Insufficient Storage',
      attributes: {},
    } as never,
  })
  const before = proxy.acknowledged.size
  for (let index = 0; index < 50; index++)
    t.equal((await create(`in vain ${index}`)).status, 507, 'as long as there is no room')
  const list = await callApi<unknown[]>(url, '/v1/checks?limit=100')
  t.equal(list.status, 200, 'what is stored can be read')
  t.ok(list.body.length >= 20)
  for (const path of ['/-/readiness', '/-/liveness', '/health', '/metrics'])
    t.equal((await fetch(url + path)).status, 200, path)
  target.release()
  const refusedBefore = proxy.refused()
  await until('results that find no room', () => proxy.refused() >= refusedBefore + 2)
  t.equal(proxy.acknowledged.size, before, 'no result is accepted that cannot be stored')

  disk.makeRoom()
  await until('the results of the meantime', () => proxy.acknowledged.size >= before + 20)
  t.equal((await create('after that')).status, 201)
  t.ok(controlPlane.running())
  t.ok(agent.running())
  const lines = controlPlane.output().split('\n')
  const failed = lines.filter((line) => /A request failed|A background loop failed/.test(line))
  t.strictSame(
    failed.filter((line) => !/SQLITE_(FULL|IOERR)/.test(line)),
    [],
    'nothing else went wrong',
  )
  t.strictSame(
    failed.filter((line) => line.includes('A request failed')),
    [],
  )
  t.equal(lines.filter((line) => line.includes('The store has no room')).length, 1, 'it is said once')
  t.ok(failed.length <= 20, `and once by each loop: ${failed.length}`)

  const db = openDatabase(`sqlite:${disk.folder}/data/watchpost.db`)
  t.teardown(() => db.close())
  const ledger = await nothingLost(t, db, { ...proxy, created })
  const file = new BetterSqlite(`${disk.folder}/data/watchpost.db`, { readonly: true })
  t.teardown(() => file.close())
  t.equal(file.pragma('integrity_check', { simple: true }), 'ok', 'nothing is damaged')
  t.comment(sumOf(ledger))
})

t.test('no room for the spool', { skip }, async (t) => {
  const disk = await smallDisk(t, 2)
  const folder = await scratchFolder(t)
  const target = await holdingTarget(t)
  const { url, port } = endsWith(t, await startControlPlane({ dataDir: `${folder}/data` }))
  const proxy = await startRecordingProxy()
  t.teardown(proxy.close)
  proxy.forwardTo(port)
  const agent = endsWith(t, spawnAgent({ url: proxy.url, spoolDir: `${disk.folder}/spool`, browsers: false }))
  await agent.line(/connected to the control plane/)
  const fullAt = performance.now()
  disk.fill()
  const created: string[] = []
  const create = async (name: string): Promise<void> => {
    // Slots so far apart that nobody who is slow for a while misses one.
    const body = { ...urlMonitor(name, `${target.origin}/`), frequencyOffset: 30 }
    created.push((await callApi<{ id: string }>(url, '/v1/checks/url', { method: 'POST', body })).body.id)
  }
  for (let index = 0; index < 20; index++) await create(`check ${index}`)
  await until('results', () => proxy.acknowledged.size >= 20)
  target.hold()
  for (let index = 0; index < 5; index++) await create(`under way ${index}`)
  await until('runs under way', () => target.waiting() >= 5)
  // Results wait in memory as well, while nobody takes them.
  proxy.forwardTo(null)
  target.release()
  const before = proxy.acknowledged.size
  const refusedBefore = proxy.refused()
  await until('results that nobody takes', () => proxy.refused() >= refusedBefore + 2)
  proxy.forwardTo(port)
  await until('the results of the meantime', () => proxy.acknowledged.size > before)
  t.ok(agent.running())
  const said = agent
    .output()
    .split('\n')
    .filter((line) => line.includes('ENOSPC'))
  const minutes = Math.ceil((performance.now() - fullAt) / 60_000)
  t.ok(said.length >= 1 && said.length <= 1 + minutes, `it is said once a minute: ${said.length}`)
  disk.makeRoom()

  const db = openDatabase(`sqlite:${folder}/data/watchpost.db`)
  t.teardown(() => db.close())
  const ledger = await nothingLost(t, db, { ...proxy, created })
  t.equal(ledger.missed, 0, 'nothing was missed for want of room')
})
