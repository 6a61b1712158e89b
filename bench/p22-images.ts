/** P22: how long images take to be ready, and what memory they take then. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../images/engine.ts'
import type { Variant } from '../images/variants.ts'
import {
  builtImages,
  type Container,
  type ContainerNetwork,
  containerNetwork,
  measuresOf,
  restricted,
  runContainer,
  tagOfImage,
} from '../test/support/containers.ts'
import { agentKey } from '../test/support/programs.ts'
import type { Bench, Row, Running } from './bench.ts'
import { peakResidentMb, residentMb } from './support/cpu-time.ts'
import { countResults, type Installation, install } from './support/installation.ts'
import { grouped, percentile, rounded } from './support/numbers.ts'
import { createChecks } from './support/prepare.ts'
import { processTree, treeMb } from './support/process-trees.ts'
import { sized } from './support/size.ts'
import { startTarget } from './support/targets.ts'
import { until } from './support/wait.ts'

const rounds = sized(4, 1)
const idleMs = sized(20_000, 500)
const checks = sized(10_000, 10)
const measuredMs = sized(60_000, 500)
const goalS = 5
const goalMb = 256

const names = ['uptime', 'agent', 'control-plane'] as const

type Name = (typeof names)[number]
type Room = { b: Running; engine: Engine; network: ContainerNetwork; plane: Installation['controlPlane'] }
type Started = { container: Container; runMs: number; readyMs: number }

const soon = { everyMs: 20, withinMs: 120_000 }

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ status }) => status === 200,
    () => false,
  )

/** A container of its own, so that nothing was compiled before. */
const start = async ({ b, engine, network, plane }: Room, name: Name): Promise<Started> => {
  const env = { CONTROL_PLANE_URL: `http://${network.gateway}:${plane.port}`, API_KEY: agentKey }
  const startedAt = performance.now()
  const options = { network, options: restricted, ...(name === 'control-plane' ? {} : { env }) }
  const container = await runContainer(b, engine, tagOfImage(name), options)
  const runMs = performance.now() - startedAt
  const port = name === 'control-plane' ? 8080 : 8081
  await until(`${name} to be ready`, soon, () => answers(`http://${container.address}:${port}/-/readiness`))
  return { container, runMs, readyMs: performance.now() - startedAt }
}

const browserMs = async ({ container, readyMs }: Started): Promise<number> => {
  const ready = performance.now()
  const isTried = async () => (await measuresOf(container)).browser['chromium'] === 1
  await until('its browser', soon, isTried)
  return readyMs + performance.now() - ready
}

const startOf = async (room: Room, name: Name): Promise<Row> => {
  const all: { runMs: number; readyMs: number; browserMs: number; idleMb: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const started = await start(room, name)
    const untilBrowserMs = name === 'agent' ? await browserMs(started) : 0
    await sleep(idleMs)
    const { container, runMs, readyMs } = started
    all.push({ runMs, readyMs, browserMs: untilBrowserMs, idleMb: treeMb([container.pid]) })
    await container.stop()
  }
  const least = (of: (one: (typeof all)[number]) => number): number => Math.min(...all.map(of))
  const readyS = rounded(least((one) => one.readyMs) / 1000, 1)
  const browserS = rounded(least((one) => one.browserMs) / 1000, 1)
  const runS = rounded(least((one) => one.runMs) / 1000, 1)
  const idleMb = Math.round(least((one) => one.idleMb))
  return {
    name: `P22 ${name}`,
    work: 'a first start of the image',
    ours: `ready after ${readyS} s${name === 'agent' ? `, its browser tried after ${browserS} s` : ''}; idle ${idleMb} MB`,
    against: `\`podman run\` itself ${runS} s`,
    ratio: '–',
    goal: `ready ≤ ${goalS} s`,
    met: readyS <= goalS,
    numbers: { readyS, runS, idleMb, ...(name === 'agent' ? { browserS } : {}) },
    notes: [],
  }
}

const programOf = ({ pid }: Pick<Container, 'pid'>): number => {
  const found = processTree([pid]).find(({ pid: one, command }) => one !== pid && command.includes('main.ts'))
  if (found === undefined) throw new Error('there is no agent in the container')
  return found.pid
}

type Memory = { p50: number; max: number; peak: number }

const memoryOf = async (pid: number): Promise<Memory> => {
  const samples: number[] = []
  for (const end = performance.now() + measuredMs; performance.now() < end; ) {
    await sleep(Math.min(1000, measuredMs / 4))
    samples.push(residentMb(pid))
  }
  return { p50: percentile(samples, 50), max: percentile(samples, 100), peak: peakResidentMb(pid) }
}

/** All checks are due when it starts; then the same container starts again. */
const loaded = async (b: Running, engine: Engine): Promise<Row> => {
  const { db, controlPlane } = await install(b)
  const target = await startTarget(b, 'http')
  await createChecks(db, checks, (index) => ({
    name: `check ${index}`,
    request: { url: `${target}/` },
    frequency: 1,
  }))
  const container = await runContainer(b, engine, tagOfImage('uptime'), {
    network: { name: 'host', gateway: '' },
    options: restricted.filter((option) => !/sysctl|ping_group/.test(option)),
    env: { CONTROL_PLANE_URL: controlPlane.url, API_KEY: agentKey, AGENT_HEALTH_PORT: '0', CAPTURE: 'off' },
  })
  const more = async (count: number): Promise<void> => {
    const before = await countResults(db)
    const all = async () => (await countResults(db)) - before >= count
    await until('runs of all checks', { everyMs: 200, withinMs: 180_000 }, all)
  }
  await more(checks)
  const first = await memoryOf(programOf(container))
  await engine.ask(['restart', '--time', '60', container.id])
  const pid = Number(await engine.ask(['inspect', '--format', '{{.State.Pid}}', container.id]))
  await more(checks)
  const again = await memoryOf(programOf({ pid }))
  const shown = ({ p50, peak }: Memory): string => `p50 ${p50} MB, peak ${peak} MB`
  return {
    name: 'P22 memory',
    work: `uptime image with ${grouped(checks)} checks`,
    ours: `first start ${shown(first)}; after a restart ${shown(again)}`,
    against: '–',
    ratio: '–',
    goal: `peak ≤ ${goalMb} MB`,
    met: first.peak <= goalMb,
    numbers: {
      firstP50: first.p50,
      firstPeak: first.peak,
      againP50: again.p50,
      againPeak: again.peak,
    },
    notes: [],
  }
}

const notBuilt = (missing: readonly Variant['name'][]): Row => ({
  name: 'P22',
  work: `a first start of ${missing.join(', ')}`,
  ours: 'not built here: npm run images',
  against: '–',
  ratio: '–',
  goal: `ready ≤ ${goalS} s`,
  met: null,
  numbers: {},
  notes: [],
})

export const imageStarts: Bench = {
  id: 'P22',
  name: 'p22-images',
  measures: `from \`podman run\` to a readiness of 200, as the restricted standard runs images (docs/deploy/images.md), the best of ${rounds}, each with volumes of its own, so that nothing is compiled; idle: all processes of the container ${idleMs / 1000} s later, the least; memory: the program of the uptime image with ${grouped(checks)} URL checks, each every minute, over ${measuredMs / 1000} s, its peak with the first runs, all of them due at once. WATCHPOST_IMAGES names the folder of \`npm run images -- --storage\``,
  run: async (b) => {
    const built = await builtImages(names)
    const there = names.filter((name) => built?.names.includes(name))
    const missing = names.filter((name) => !there.includes(name))
    const rows = missing.length === 0 ? [] : [notBuilt(missing)]
    if (built === null || there.length === 0) return rows
    const { engine } = built
    const { controlPlane: plane } = await install(b, { HOST: '0.0.0.0' })
    const room = { b, engine, network: await containerNetwork(b, engine), plane }
    for (const name of there) rows.push(await startOf(room, name))
    if (there.includes('uptime')) rows.push(await loaded(b, engine))
    return rows
  },
}
