/** The journeys of own-network-lab.ts: takes parts of the agent's network away and prints what it told of its targets. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import dgram from 'node:dgram'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Answer, decode, encode } from 'dns-packet'
import type { Test } from 'tap'
import { smallProcessArguments, smallProcessEnvironment } from '../../agent/program/small-process.ts'
import type { Outcome } from '../../protocol/result.ts'
import { fakeControlPlane, urlJob } from './fake-control-plane.ts'
import type { LabStep } from './own-network-lab.ts'
import { testApiKey } from './test-agent.ts'
import { until } from './until.ts'

const run = promisify(execFile)
const ends: Array<() => unknown> = []
const ip = (line: string): unknown => execFileSync('ip', line.split(' '))

const names = ['one', 'two', 'three', 'four', 'five']
const addressOf = (name: string): string => `10.88.1.${names.indexOf(name) + 2}`
const healthPort = 9900

/** A network whose name server says SERVFAIL for the root. */
const isClosed = process.argv[2] === 'closed'

let served = 0

const startTargets = async (): Promise<void> => {
  const server = http
    .createServer((_, response) => {
      served += 1
      response.end('ok')
    })
    .listen(8080, '0.0.0.0')
  await once(server, 'listening')
}

const startNameServer = async (): Promise<void> => {
  const socket = dgram.createSocket('udp4')
  socket.on('message', (message, from) => {
    const { id = 0, questions = [] } = decode(message)
    const [question] = questions
    const name = question?.name.replace(/\.test$/, '') ?? ''
    const answers: Answer[] =
      question?.type === 'A' && names.includes(name)
        ? [{ type: 'A', name: question.name, ttl: 1, data: addressOf(name) }]
        : []
    const isKnown = !isClosed || (name !== '' && name !== 'broken')
    const flags = isKnown ? 0x0180 : 0x0182
    socket.send(encode({ type: 'response', id, flags, questions, answers }), from.port, from.address)
  })
  socket.bind(53, '10.88.1.53')
  await once(socket, 'listening')
}

/** The control plane listens on the loopback; this is its way in. */
const startWayIn = async (origin: string): Promise<void> => {
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(new URL(origin).port), '127.0.0.1')
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
    client.pipe(upstream).pipe(client)
  })
  server.listen(9000, '10.88.1.1')
  await once(server, 'listening')
}

const startAgent = (): void => {
  const main = fileURLToPath(new URL('../../agent/main.ts', import.meta.url))
  const command = ['netns', 'exec', 'agent', process.execPath, ...smallProcessArguments, main]
  const agent = spawn('ip', command, {
    env: {
      ...process.env,
      ...smallProcessEnvironment,
      CONTROL_PLANE_URL: 'http://10.88.1.1:9000',
      API_KEY: testApiKey,
      SPOOL_DIR: '/run/spool',
      AGENT_HEALTH_PORT: String(healthPort),
      AGENT_HEALTH_HOST: '0.0.0.0',
      CAPTURE: 'off',
      DNS_SERVERS: '10.88.1.53',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  ends.push(() => agent.kill('SIGKILL'))
}

/** Asked inside the agent's namespace, where its loopback stays. Not at once: the control plane is in this process. */
const judged = async (): Promise<number> => {
  const code = `fetch('http://127.0.0.1:${healthPort}/metrics').then((r) => r.text()).then(console.log)`
  const { stdout } = await run('ip', ['netns', 'exec', 'agent', process.execPath, '-e', code])
  return Number(/^watchpost_agent_own_network_results_total (\d+)/m.exec(stdout)?.[1])
}

const plane = await fakeControlPlane(
  { teardown: (end: () => unknown) => ends.push(end) } as unknown as Test,
  {
    serverTime: Date.now,
    apiKey: testApiKey,
  },
)

/** Lines of `ip` take parts away and bring them back: when so many runs were judged, or else once every run was told of. */
type Step = {
  name: string
  hosts: string[]
  away?: string[]
  back?: string[]
  judged?: number
  until?: 'run'
}

/** What is taken away must be away when the runs begin, on a busy machine too. */
const leadMs = { plain: 1500, away: 6000 }

/** Runs that are claimed while all is well, and due when it is not. */
const take = async (step: Step, before: number): Promise<LabStep> => {
  const { name, hosts, away = [], back = [] } = step
  const lead = away.length > 0 ? leadMs.away : leadMs.plain
  const hostsOfJobs = new Map<string, string>()
  const requests = served
  const claims = plane.claims.length
  for (const host of hosts) {
    const job = urlJob(`http://${host}:8080/`, { runAt: Date.now() + lead, deadlineMs: 2000 })
    hostsOfJobs.set(job.id, host)
    plane.offer(job)
  }
  const reports = () => plane.reports.filter(({ jobId }) => hostsOfJobs.has(jobId))
  await plane.until(() => plane.claims.length > claims)
  for (const line of away) ip(line)
  if (step.judged !== undefined)
    await until(`${name}: judged`, async () => (await judged()) >= before + (step.judged ?? 0), 500)
  else if (step.until === 'run') await plane.until(() => served === requests + hosts.length)
  else await plane.until(() => reports().length === hosts.length)
  for (const line of back) ip(line)
  await plane.until(() => reports().length === hosts.length)
  const outcomes: Record<string, Outcome> = {}
  for (const { jobId, outcome } of reports()) outcomes[hostsOfJobs.get(jobId) ?? ''] = outcome
  return { name, outcomes, judged: (await judged()) - before }
}

const addresses = names.map(addressOf)
const some = addresses.slice(0, 3)
const without = (...missing: string[]): Pick<Step, 'away' | 'back'> => ({
  away: missing.map((address) => `addr del ${address}/32 dev lo`),
  back: missing.map((address) => `addr add ${address}/32 dev lo`),
})
const routeBack = '-n agent route add default via 10.88.0.1'

const ofNames = names.map((name) => `${name}.test`)
const closedSteps: Step[] = [
  { name: 'all is well', hosts: ofNames },
  { name: 'a zone is broken', hosts: ['broken.test'] },
  { name: 'a zone is broken beside others', hosts: [...ofNames, 'broken.test'] },
  { name: 'a rack is away', ...without(...addresses.slice(0, 4)), hosts: ofNames },
  {
    name: 'no carrier',
    away: ['link set router down'],
    back: ['link set router up'],
    hosts: ['three.test'],
    judged: 1,
  },
]

const openSteps: Step[] = [
  { name: 'all is well', hosts: [...addresses, 'one.test'] },
  { name: 'one target is away', ...without('10.88.1.2'), hosts: ['10.88.1.2'] },
  { name: 'one of many targets is away', ...without('10.88.1.2'), hosts: some },
  { name: 'all targets are away', ...without(...some), hosts: some },
  { name: 'the control plane is away', ...without('10.88.1.1'), hosts: some, until: 'run' },
  {
    name: 'no default route',
    away: ['-n agent route del default'],
    back: [routeBack],
    hosts: some,
    judged: 3,
  },
  {
    name: 'no interface',
    away: ['-n agent link set out down'],
    back: ['-n agent link set out up', routeBack],
    hosts: [...some, 'two.test'],
    judged: 4,
  },
  {
    name: 'no carrier',
    away: ['link set router down'],
    back: ['link set router up'],
    hosts: ['10.88.1.3'],
    judged: 1,
  },
  { name: 'the name server is away', ...without('10.88.1.53'), hosts: ['two.test', '10.88.1.4'] },
  { name: 'all is well again', hosts: [...addresses, 'one.test'] },
]

try {
  await startTargets()
  await startNameServer()
  await startWayIn(plane.origin)
  startAgent()
  await plane.until(() => plane.claims.length > 0)
  const taken: LabStep[] = []
  for (const step of isClosed ? closedSteps : openSteps)
    taken.push(
      await take(
        step,
        taken.reduce((sum, { judged }) => sum + judged, 0),
      ),
    )
  process.stdout.write(JSON.stringify(taken))
} finally {
  for (const end of ends) end()
}
process.exit(0)
