// Runs in test:all only: its programs are killed again and again.
/**
 * A large file on its way from the agent's spool to the control plane, and `kill -9` of either program in the middle of
 * it, again and again: the file arrives whole, and what had arrived is not sent again.
 */
import { hash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { artifactKey } from '../../control-plane/platform/store/artifact-store/store.ts'
import { agentPaths, type ClaimResponse, type ReportResponse } from '../../protocol/agent-api.ts'
import { callApi, urlMonitor } from '../support/api.ts'
import { announced } from '../support/artifacts.ts'
import { claimRequest, passingReport } from '../support/engine-room.ts'
import { objectStoreProblem, startObjectStore } from '../support/object-store.ts'
import {
  agentKey,
  apiKey,
  listening,
  type Program,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
} from '../support/programs.ts'
import { startRecordingProxy } from '../support/recording-proxy.ts'
import { until } from '../support/until.ts'

const megabyte = 1024 * 1024
const fileBytes = 64 * megabyte
const kills = 4

/** How much of a file is in the store, whether its programs run or not. */
type WatchedStore = { env: Record<string, string>; sizeOf(key: string): number }

const inFolder = async (t: Test): Promise<WatchedStore> => {
  const path = await scratchFolder(t)
  return {
    env: { ARTIFACTS_URL: `file:${path}` },
    sizeOf: (key) => statSync(join(path, key.slice(0, 2), key), { throwIfNoEntry: false })?.size ?? 0,
  }
}

const inBucket = async (t: Test): Promise<WatchedStore> => {
  const { env, objects } = await startObjectStore(t)
  const ofKey = (key: string) => objects().filter(({ name }) => name.includes(key))
  return { env, sizeOf: (key) => ofKey(key).reduce((sum, { size }) => sum + size, 0) }
}

const killed = (open: (t: Test) => Promise<WatchedStore>) => async (t: Test) => {
  const [folder, store] = [await scratchFolder(t), await open(t)]
  const [dataDir, spoolDir] = [join(folder, 'data'), join(folder, 'spool')]
  const proxy = await startRecordingProxy()
  t.teardown(proxy.close)
  const startPlane = async (): Promise<Program> => {
    const program = await listening(spawnControlPlane({ dataDir, env: store.env }))
    proxy.forwardTo(program.port)
    return program
  }
  const startAgent = () => spawnAgent({ url: proxy.url, spoolDir, browsers: false })
  const programs: { controlPlane: Program; agent: Program | null } = {
    controlPlane: await startPlane(),
    agent: null,
  }
  t.teardown(() => Promise.all([programs.agent?.end('SIGKILL'), programs.controlPlane.end('SIGKILL')]))

  const asAgent = async <A>(path: string, body: object): Promise<A> => {
    const response = await fetch(proxy.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${agentKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (response.status !== 200) throw new Error(await response.text())
    return (await response.json()) as A
  }
  const check = await callApi<{ id: string }>(proxy.url, '/v1/checks/url', {
    method: 'POST',
    body: { ...urlMonitor('site', 'http://127.0.0.1/'), frequency: 60, frequencyOffset: 300 },
  })
  t.equal(check.status, 201)
  const { jobs } = await asAgent<ClaimResponse>(agentPaths.claim, claimRequest())
  const [job] = jobs
  if (job === undefined) throw new Error('there is no job')
  const bytes = randomBytes(fileBytes)
  const note = announced('capture.pcap', bytes)
  const report = { ...passingReport(job, Date.now()), artifacts: [note] }
  const { outcomes } = await asAgent<ReportResponse>(agentPaths.report, {
    agentId: 'agent-1',
    reports: [report],
  })
  t.match(outcomes, [{ outcome: 'accepted' }])
  const resultId = job.id

  // As an agent leaves it that was killed once its report was accepted.
  mkdirSync(join(spoolDir, 'artifacts'), { recursive: true })
  const spooled = join(spoolDir, 'artifacts', '000000000000001-000000001-test')
  writeFileSync(spooled, bytes)
  writeFileSync(`${spooled}.json`, JSON.stringify({ jobId: resultId, note }))

  const key = artifactKey(resultId, note.name)
  const size = (): number => store.sizeOf(key)
  const agentIsDone = (): boolean => readdirSync(join(spoolDir, 'artifacts')).length === 0

  programs.agent = startAgent()
  const killedAt: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    const from = size()
    // Into a part, and never so far that none is left for the next. Nothing arrives while a program starts.
    for (let now = from; now < from + 5 * megabyte && !agentIsDone(); now = size())
      await sleep(now === from ? 10 : 1)
    if (kill % 2 === 0) {
      await programs.agent.end('SIGKILL')
      killedAt.push(size())
      programs.agent = startAgent()
    } else {
      proxy.forwardTo(null)
      await programs.controlPlane.end('SIGKILL')
      killedAt.push(size())
      programs.controlPlane = await startPlane()
    }
    t.ok(size() >= from, 'what has arrived stays')
  }
  const inTheMiddle = killedAt.filter((at) => at > 0 && at < fileBytes)
  t.ok(inTheMiddle.length >= 2, `${inTheMiddle.length} of ${kills} kills were in the middle`)
  await until('the agent has nothing left to send', agentIsDone)

  const response = await fetch(
    `${proxy.url}/v1/check-results/${check.body.id}/${resultId}/assets/${note.name}`,
    { headers: { authorization: `Bearer ${apiKey}` } },
  )
  const arrived = response.status === 200 ? new Uint8Array(await response.arrayBuffer()) : new Uint8Array()
  t.equal(response.status, 200)
  t.equal(arrived.length, fileBytes)
  t.equal(hash('sha256', arrived, 'hex'), note.sha256, 'byte for byte')
  t.comment(`killed at ${killedAt.map((at) => `${(at / megabyte).toFixed(1)} MB`).join(', ')}`)
}

t.test('kills in the middle of an upload into a folder', killed(inFolder))
t.test(
  'kills in the middle of an upload into a bucket',
  { skip: objectStoreProblem() ?? false },
  killed(inBucket),
)
