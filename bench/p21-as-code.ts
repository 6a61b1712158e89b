/** P21: how long checks as code need to plan and to make a thousand checks. */
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiKey, type ControlPlaneProgram, follow, type Teardown } from '../test/support/programs.ts'
import type { Bench } from './bench.ts'
import { cpuSeconds } from './support/cpu-time.ts'
import { install } from './support/installation.ts'
import { grouped, median, rounded } from './support/numbers.ts'
import { poster } from './support/post-json.ts'
import { sized } from './support/size.ts'

const checks = sized(1000, 10)
const groups = sized(20, 3)
const rounds = sized(3, 1)
const connections = 8
const applyGoalS = 20
const planGoalS = 3
const clone = fileURLToPath(new URL('..', import.meta.url))

const groupBody = (n: number) => ({ name: `Group ${n}` })
const checkBody = (n: number) => ({
  name: `Check ${n}`,
  request: {
    url: `https://shop.example/${n}`,
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
  },
})
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

/** What a team would keep in its repository; groups are referred to by their keys. */
const files = {
  groups: Object.fromEntries(upTo(groups).map((n) => [`g${n}`, groupBody(n)])),
  checks: Object.fromEntries(
    upTo(checks).map((n) => [
      `check-${n}`,
      { checkType: 'URL', ...checkBody(n), groupId: `\${group.g${n % groups}}` },
    ]),
  ),
}

const all = checks + groups
const ends = {
  planned: new RegExp(`: ${all} to create; 0 unchanged`),
  applied: new RegExp(`Applied: ${all} created \\(`),
  unchanged: new RegExp(`: nothing to do, ${all} unchanged`),
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

/** The command of users, from its start to its end; throws unless it says what is expected. */
const command = async (controlPlane: ControlPlaneProgram, words: string[], says: RegExp): Promise<number> =>
  timed(async () => {
    const child = spawn('npx', ['watchpost', ...words], {
      cwd: clone,
      env: { ...process.env, INIT_CWD: clone, WATCHPOST_URL: controlPlane.url, WATCHPOST_API_KEY: apiKey },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const program = follow(child, 'npx watchpost')
    await program.exitCode()
    if (!says.test(program.output())) throw new Error(`${words.join(' ')}: ${program.output().slice(-1000)}`)
  })

/** Each group and each check by a request of its own, and nothing else. */
const barePosts = async ({ url }: ControlPlaneProgram): Promise<number> => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const post = poster(url, apiKey, agent)
  try {
    return await timed(async () => {
      const made = await Promise.all(
        upTo(groups).map((n) => post('/v2/check-groups', JSON.stringify(groupBody(n)))),
      )
      const ids = (made as { id: number }[]).map(({ id }) => id)
      await Promise.all(
        upTo(checks).map((n) =>
          post('/v1/checks/url', JSON.stringify({ ...checkBody(n), groupId: ids[n % groups] })),
        ),
      )
    })
  } finally {
    agent.destroy()
  }
}

/** On two empty accounts: one for each way. */
const round = async (b: Teardown) => {
  const { controlPlane, folder } = await install(b)
  const file = join(folder, 'watchpost.json')
  await writeFile(file, JSON.stringify(files))
  const planEmptyS = await command(controlPlane, ['plan', file], ends.planned)
  const cpuBefore = cpuSeconds(controlPlane.pid)
  const applyS = await command(controlPlane, ['apply', file], ends.applied)
  const applyCpuS = cpuSeconds(controlPlane.pid) - cpuBefore
  const planS = await command(controlPlane, ['plan', file], ends.unchanged)
  await controlPlane.end('SIGTERM')
  // A key may ask 600 times a minute.
  const bare = await install(b, { API_REQUESTS_PER_MINUTE: String(1000 * connections) })
  const bareBefore = cpuSeconds(bare.controlPlane.pid)
  const bareS = await barePosts(bare.controlPlane)
  const bareCpuS = cpuSeconds(bare.controlPlane.pid) - bareBefore
  await bare.controlPlane.end('SIGTERM')
  return { planEmptyS, applyS, applyCpuS, planS, bareS, bareCpuS }
}

type Measured = Awaited<ReturnType<typeof round>>

export const asCode: Bench = {
  id: 'P21',
  name: 'p21-as-code',
  measures: `\`npx watchpost apply\` of ${grouped(checks)} checks in ${groups} groups from its start to its end, on an empty account, beside the same by bare POSTs, one a resource, over ${connections} kept-alive connections with the limit of requests lifted; and \`plan\`, before it and when nothing is left to do; medians of ${rounds}`,
  run: async (b) => {
    const measured: Measured[] = []
    for (let n = 0; n < rounds; n++) measured.push(await round(b))
    const of = (name: keyof Measured): number => median(measured.map((one) => one[name]))
    const plan = Math.max(of('planS'), of('planEmptyS'))
    const [applyS, bareS] = [of('applyS'), of('bareS')]
    const numbers = Object.fromEntries(
      (Object.keys(measured[0] ?? {}) as (keyof Measured)[]).map((name) => [name, rounded(of(name), 2)]),
    )
    const shared = { notes: [], ratio: '', against: '' }
    return [
      {
        ...shared,
        name: 'P21 apply',
        work: `apply of ${grouped(checks)} checks`,
        ours: `${applyS.toFixed(1)} s (${of('applyCpuS').toFixed(1)} s of CPU)`,
        against: `${bareS.toFixed(1)} s by bare POSTs (${of('bareCpuS').toFixed(1)} s of CPU)`,
        ratio: `${(applyS / bareS).toFixed(2)}×`,
        goal: `≤ ${applyGoalS} s`,
        met: applyS <= applyGoalS,
        numbers: { checks, ...numbers },
      },
      {
        ...shared,
        name: 'P21 plan',
        work: `plan of ${grouped(checks)} checks`,
        ours: `${of('planEmptyS').toFixed(1)} s to make all, ${of('planS').toFixed(1)} s when all is there`,
        goal: `≤ ${planGoalS} s`,
        met: plan <= planGoalS,
        numbers: { checks, planEmptyS: rounded(of('planEmptyS'), 2), planS: rounded(of('planS'), 2) },
      },
    ]
  },
}
