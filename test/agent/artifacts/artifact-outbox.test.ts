/** An agent's uploads against a real control plane, over connections that break. */
import { randomBytes } from 'node:crypto'
import { readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createArtifactOutbox } from '../../../agent/artifacts/artifact-outbox.ts'
import { openArtifactSpool } from '../../../agent/artifacts/artifact-spool.ts'
import { type CleanArtifact, cleanArtifact } from '../../../agent/artifacts/clean-artifact.ts'
import { createDispatcher } from '../../../agent/program/dispatcher.ts'
import type { RealIo } from '../../../agent/program/real-io.ts'
import { createControlPlane } from '../../../agent/reporting/control-plane.ts'
import { agentIo, recordingLog } from '../../support/agent-io.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { reported } from '../../support/artifacts.ts'
import { cuttingProxy } from '../../support/cutting-proxy.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const clean = (name: string, content: Buffer | { path: string }): CleanArtifact =>
  cleanArtifact(
    { type: 'pcap', name, contentType: 'application/vnd.tcpdump.pcap', content },
    { secrets: [], name },
  )

type Options = { origin: string; key: string; dir?: string; partBytes?: number; io?: RealIo }

/** The part of an agent that keeps and uploads artifacts. */
const uploader = (
  t: Test,
  { origin, key, dir = temporaryFolder(t), partBytes = 65_536, ...more }: Options,
) => {
  const { log, lines } = recordingLog()
  // Waits of back-off are over at once.
  const io = more.io ?? { ...agentIo({ log }), random: () => 0 }
  const dispatcher = createDispatcher({
    controlPlaneUrl: origin,
    proxy: { http: null, https: null, none: null },
    extraCaCerts: null,
  })
  const controlPlane = createControlPlane({
    url: origin,
    apiKey: key,
    dispatcher,
    io,
    observe: () => undefined,
    onAnswer: () => undefined,
  })
  const spool = openArtifactSpool({ dir, capacity: () => 1_000_000_000, io })
  const outcomes: string[] = []
  const errors: Error[] = []
  const outbox = createArtifactOutbox({
    spool,
    io,
    controlPlane,
    partBytes,
    onSettled: (outcome) => outcomes.push(outcome),
    onDiskError: (error) => errors.push(error),
  })
  t.teardown(async () => {
    outbox.stop()
    await controlPlane.close()
  })
  const sent = (): Promise<boolean> => outbox.flush(new AbortController().signal)
  return {
    outbox,
    spool,
    outcomes,
    errors,
    lines,
    dir,
    sent,
    files: () => readdirSync(join(dir, 'artifacts')),
  }
}

const download = async ({ url, apiKey }: TestApp, path: string): Promise<Buffer> => {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } })
  return Buffer.from(await answer.arrayBuffer())
}

/** What a run leaves behind is taken before its report is sent. */
const takeAndReport = (plane: TestApp, { outbox }: ReturnType<typeof uploader>, files: CleanArtifact[]) =>
  reported(plane, async (jobId) => (await outbox.take(jobId, files)).notes)

t.test('files follow their result once it is accepted, and leave the spool', async (t) => {
  const plane = await testApp(t)
  const agent = uploader(t, { origin: plane.url, key: plane.agentKey })
  const [large, path] = [randomBytes(200_000), join(agent.dir, 'trace.zip')]
  writeFileSync(path, large)
  const files = [
    clean('a.txt', Buffer.from('small')),
    clean('empty', Buffer.alloc(0)),
    clean('trace.zip', { path }),
  ]
  const { resultId, assets } = await takeAndReport(plane, agent, files)
  t.notOk(readdirSync(agent.dir).includes('trace.zip'), 'what a run hands over is taken')
  t.equal(agent.outcomes.length, 0, 'nothing is sent before the result is accepted')
  agent.outbox.settled(resultId, 'accepted')
  t.ok(await agent.sent())
  t.strictSame(agent.outcomes, ['uploaded', 'uploaded', 'uploaded'])
  t.strictSame(agent.files(), [])
  t.ok((await download(plane, `${assets}/trace.zip`)).equals(large))
  t.equal((await download(plane, `${assets}/a.txt`)).toString(), 'small')
})

t.test('a connection that is cut half way costs a part, not the file', async (t) => {
  const plane = await testApp(t)
  const proxy = await cuttingProxy(t, Number(new URL(plane.url).port), [150_000, 40_000, 1_000])
  const agent = uploader(t, { origin: proxy.origin, key: plane.agentKey })
  const bytes = randomBytes(400_000)
  const { resultId, assets } = await takeAndReport(plane, agent, [clean('a.bin', bytes)])
  const offsets: number[] = []
  const { store } = plane.app.artifacts
  plane.app.artifacts.store = {
    ...store,
    write: (key, offset, part) => {
      offsets.push(offset)
      return store.write(key, offset, part)
    },
  }
  agent.outbox.settled(resultId, 'accepted')
  t.ok(await agent.sent())
  t.equal(proxy.cuts.count, 3)
  t.strictSame(
    offsets,
    offsets.toSorted((a, b) => a - b),
    'no byte that had arrived was sent again',
  )
  t.equal(offsets.filter((offset) => offset === 0).length, 1)
  t.ok((await download(plane, `${assets}/a.bin`)).equals(bytes))
  t.match(agent.lines, [/cannot be reached|connected/])
})

t.test('what an agent left when it died is sent by the next one', async (t) => {
  const plane = await testApp(t)
  const dead = uploader(t, { origin: 'http://127.0.0.1:9', key: plane.agentKey })
  const { assets } = await takeAndReport(plane, dead, [clean('a.bin', Buffer.from('survives'))])
  const next = uploader(t, { origin: plane.url, key: plane.agentKey, dir: dead.dir })
  next.outbox.start(new Set())
  t.ok(await next.sent())
  t.equal((await download(plane, `${assets}/a.bin`)).toString(), 'survives')
  t.strictSame(next.files(), [])
})

t.test('two agents that share a folder do no harm to each other', async (t) => {
  const plane = await testApp(t)
  const bytes = randomBytes(500_000)
  const first = uploader(t, { origin: plane.url, key: plane.agentKey })
  const { resultId, assets } = await takeAndReport(plane, first, [clean('a.bin', bytes)])
  const second = uploader(t, { origin: plane.url, key: plane.agentKey, dir: first.dir })
  first.outbox.settled(resultId, 'accepted')
  second.outbox.start(new Set())
  t.strictSame(await Promise.all([first.sent(), second.sent()]), [true, true])
  t.ok((await download(plane, `${assets}/a.bin`)).equals(bytes))
})

t.test(
  'what nobody waits for is dropped, and so are the files of a result that was not accepted',
  async (t) => {
    const plane = await testApp(t)
    const agent = uploader(t, { origin: plane.url, key: plane.agentKey })
    await agent.outbox.take('stale', [clean('a', Buffer.from('a'))])
    agent.outbox.settled('stale', 'stale')
    t.strictSame(agent.files(), [])
    await agent.outbox.take('unknown', [clean('a', Buffer.from('a'))])
    agent.outbox.settled('unknown', 'duplicate')
    t.ok(await agent.sent())
    t.strictSame(agent.outcomes, ['unwanted'])
    t.strictSame(agent.files(), [])
  },
)

t.test('a file that changed on the disk is sent a few times and then dropped', async (t) => {
  const plane = await testApp(t)
  const agent = uploader(t, { origin: plane.url, key: plane.agentKey })
  const { resultId, assets } = await takeAndReport(plane, agent, [
    clean('a.bin', Buffer.from('as announced')),
  ])
  writeFileSync(agent.spool.of(resultId)[0]!.path, 'as ANNOUNCED')
  agent.outbox.settled(resultId, 'accepted')
  t.ok(await agent.sent())
  t.strictSame(agent.outcomes, ['damaged'])
  t.match(agent.lines.at(-1), /dropped.*SHA-256/)
  t.equal((await plane.call('GET', `${assets}/a.bin`)).status, 404)
})

t.test('a control plane without room is asked again until it has some', async (t) => {
  const plane = await testApp(t)
  const { store } = plane.app.artifacts
  const noSpace = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  let failures = 2
  plane.app.artifacts.store = {
    ...store,
    write: async (key, offset, bytes) => {
      if (failures-- > 0) throw noSpace
      return store.write(key, offset, bytes)
    },
  }
  const waits: number[] = []
  const io = agentIo()
  const hasty = {
    ...io,
    random: () => 0,
    clock: {
      ...io.clock,
      sleep: async (ms: number) => {
        waits.push(ms)
      },
    },
  }
  const agent = uploader(t, { origin: plane.url, key: plane.agentKey, io: hasty })
  const { resultId } = await takeAndReport(plane, agent, [clean('a.bin', Buffer.from('bytes'))])
  agent.outbox.settled(resultId, 'accepted')
  t.ok(await agent.sent())
  t.strictSame(waits, [60_000, 60_000], 'as long as it asked for')
  t.strictSame(agent.outcomes, ['uploaded'])
})

t.test('what cannot be kept is said in the log of the result', async (t) => {
  const agent = uploader(t, { origin: 'http://127.0.0.1:9', key: 'x' })
  const sparse = join(agent.dir, 'sparse')
  writeFileSync(sparse, '')
  truncateSync(sparse, 150 * 1024 * 1024 + 1)
  const files = [clean('video.webm', { path: sparse }), clean('gone.png', { path: join(agent.dir, 'gone') })]
  const { notes, lines } = await agent.outbox.take('job', [...files, clean('ok', Buffer.from('x'))])
  t.match(notes, [
    { name: 'video.webm', sha256: null, refused: 'larger than 150 MB' },
    { name: 'gone.png', sha256: null, refused: 'the agent could not store it (ENOENT)' },
    { name: 'ok', size: 1, sha256: String },
  ])
  t.match(lines, [
    { level: 'WARN', msg: 'The file video.webm (150.0 MB) is not kept: larger than 150 MB' },
    { level: 'WARN', msg: /gone\.png/ },
  ])
  t.equal(agent.errors.length, 1, 'a disk that fails is our own failure')
  const many = Array.from({ length: 600 }, (_, index) => clean(`${index}`, Buffer.alloc(0)))
  const taken = await agent.outbox.take('many', many)
  t.equal(taken.notes.length, 500)
  t.match(taken.lines, [{ msg: '100 more files are not kept: a run may leave 500' }])
})

t.test(
  'of a run that two agents made, the files of the one whose result was accepted are kept',
  async (t) => {
    const plane = await testApp(t)
    const [first, second] = [0, 1].map(() => uploader(t, { origin: plane.url, key: plane.agentKey }))
    if (first === undefined || second === undefined) return t.fail()
    const { resultId, assets } = await takeAndReport(plane, first, [
      clean('a.txt', Buffer.from('of the first')),
    ])
    await second.outbox.take(resultId, [clean('a.txt', Buffer.from('of the second'))])
    second.outbox.settled(resultId, 'duplicate')
    t.ok(await second.sent())
    t.strictSame(second.outcomes, ['unwanted'], 'and nothing of it is written over the other')
    t.strictSame(second.files(), [])
    first.outbox.settled(resultId, 'accepted')
    t.ok(await first.sent())
    t.equal((await download(plane, `${assets}/a.txt`)).toString(), 'of the first')
  },
)
