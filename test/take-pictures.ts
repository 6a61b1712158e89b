/**
 * Takes the pictures of the README: `node test/take-pictures.ts`, when the pages have changed. SCREENSHOTS names another folder. A
 * control plane with a clock of its own has a month of a shop's results; the last two hours are claimed and reported by an
 * agent, and everything follows from that as it always does.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { loops } from '../control-plane/loops.ts'
import { checkKinds } from '../control-plane/monitoring/definitions/checks/types/index.ts'
import { packResultsTick } from '../control-plane/monitoring/results/pack-results.ts'
import { rollupTick } from '../control-plane/monitoring/results/rollups/rollup-tick.ts'
import { makePeriods } from '../control-plane/monitoring/results/stored/make-periods.ts'
import { insertResults } from '../control-plane/monitoring/runs/result-queries.ts'
import type { Job } from '../protocol/job.ts'
import type { Outcome } from '../protocol/result.ts'
import { type TestApp, testApp } from './support/app.ts'
import { signedIn } from './support/dashboard.ts'
import { claimRequest, passingReport } from './support/engine-room.ts'
import { outcomeOf, requestOf, type Site, sites, stateAt, tookOf } from './support/pictured-shop.ts'
import { randomFrom } from './support/random.ts'
import { openBrowser } from './support/result-browser.ts'
import { newStoredResult } from './support/stored-results.ts'

const pathOf = ({ type }: Site): string => checkKinds[type].path

const folder = process.env['SCREENSHOTS'] ?? join(import.meta.dirname, '../docs/pictures')
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const stepMs = 10_000

const made = async (plane: TestApp, path: string, body: object) => {
  const answer = await plane.call('POST', path, { body })
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

/** Who is told; what it is told is read and dropped. */
const receiver = async (): Promise<string> => {
  const server = createServer((request, response) => request.resume().on('end', () => response.end('ok')))
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const end = Math.floor(Date.now() / hourMs) * hourMs - 20 * minuteMs
const begin = Math.floor((end - 31 * dayMs) / dayMs) * dayMs
const engineFrom = end - 2 * hourMs
const time = { now: begin }
const plane = await testApp(t, {
  env: { EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'silent' },
  parts: {
    clock: {
      now: () => time.now,
      monotonic: () => time.now,
      sleep: (_, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
    },
  },
})
const { signal } = new AbortController()
const live = loops.filter(
  ({ name }) => !['retention', 'clock-jump', 'artifacts', 'store-room'].includes(name),
)
const work = async (): Promise<void> => {
  for (const { tick } of live) await tick(plane.app, signal)
}

const named = await plane.call('PUT', `/v1/private-locations/${plane.locationId}`, {
  body: { name: 'Frankfurt' },
})
if (named.status !== 200) throw new Error(named.text)
const channel = await made(plane, '/v1/alert-channels', {
  type: 'WEBHOOK',
  config: { name: 'On call', url: await receiver(), method: 'POST', template: '{}' },
})
const groups = new Map<string, number>()
for (const name of new Set(sites.flatMap(({ group }) => group ?? [])))
  groups.set(name, (await made(plane, '/v1/check-groups?autoAssignAlerts=false', { name, tags: [] })).id)

const services = new Map<Site, string>()
for (const site of sites.filter(({ group }) => group !== undefined))
  services.set(site, (await made(plane, '/v1/status-pages/services', { name: site.name })).id)
const ids = new Map<Site, string>()
for (const site of sites) {
  const settings = {
    name: site.name,
    tags: site.tags,
    // Until an agent is there.
    activated: false,
    frequency: 1,
    privateLocations: ['local'],
    request: requestOf(site),
    degradedResponseTime: site.usualMs * 5,
    maxResponseTime: 5000,
    ...(site.group === undefined ? {} : { groupId: groups.get(site.group) }),
    ...(site.name === 'Careers'
      ? {}
      : { alertChannelSubscriptions: [{ alertChannelId: channel.id, activated: true }] }),
    ...(services.has(site)
      ? {
          triggerIncident: {
            serviceId: services.get(site),
            name: `${site.name} is not available`,
            description: 'We are looking into it.',
            severity: 'MAJOR',
            notifySubscribers: true,
          },
        }
      : {}),
  }
  ids.set(site, (await made(plane, `/v1/checks/${pathOf(site)}?autoAssignAlerts=false`, settings)).id)
}

const cards = [...groups.keys()].map((name) => ({
  name,
  services: sites.filter((site) => site.group === name).map((site) => ({ id: services.get(site) })),
}))
const { id: statusPageId } = await made(plane, '/v1/status-pages', {
  name: 'Acme Shop',
  url: 'acme',
  cards,
  defaultTheme: 'AUTO',
})

const paying = [services.get(sites.find(({ name }) => name === 'Card payments') ?? (sites[0] as Site))]
await made(plane, '/v1/maintenance-windows', {
  name: 'The payment provider moves',
  description: 'Card payments may be refused for some minutes; orders are kept.',
  startsAt: new Date(end + 2 * dayMs - (end % dayMs) + 26 * hourMs).toISOString(),
  endsAt: new Date(end + 2 * dayMs - (end % dayMs) + 28 * hourMs).toISOString(),
  tags: ['none of them'],
  statusPageVisibility: { enabled: true, statusPageIds: [statusPageId], serviceIds: paying },
})

/** What visitors were told of a day's troubles. */
const tellOfTroubles = async (site: Site, day: number): Promise<void> => {
  const serviceId = services.get(site)
  for (const { hoursBefore, minutes, degraded } of site.troubles) {
    const from = end - hoursBefore * hourMs
    if (serviceId === undefined || degraded === true || from < day || from >= day + dayMs) continue
    time.now = from + 2 * minuteMs
    const { id } = await made(plane, '/v1/status-pages/incidents', {
      name: `${site.name} is not available`,
      severity: 'MAJOR',
      services: [{ id: serviceId }],
      incidentUpdates: [
        { description: 'We are looking into it.', status: 'INVESTIGATING', notifySubscribers: false },
      ],
    })
    time.now = from + minutes * minuteMs
    await made(plane, `/v1/status-pages/incidents/${id}/incident-updates`, {
      description: 'A deployment was rolled back; everything answers again.',
      status: 'RESOLVED',
      notifySubscribers: false,
    })
  }
}

t.comment('a month of results')
const randoms = new Map(sites.map((site, n) => [site, randomFrom(n + 1)]))
for (let day = begin; day < engineFrom; day += dayMs) {
  await makePeriods(plane.app.db, { now: day })
  const rows = sites.flatMap((site) => {
    const random = randoms.get(site) ?? Math.random
    const runs = []
    for (let at = day; at < Math.min(day + dayMs, engineFrom); at += 5 * minuteMs) {
      time.now = at
      const state = stateAt(site, at, end)
      const took = tookOf(site, at, { state, random })
      const outcome = outcomeOf(site, { took, state })
      const { observation } = outcome as Extract<Outcome, { kind: 'observed' }>
      runs.push(
        newStoredResult(plane, {
          ...{ checkId: ids.get(site) ?? '', checkType: site.type, at, responseTime: took },
          ...{ hasFailures: state === 'failing', isDegraded: state === 'degraded' },
          doc: {
            name: site.name,
            failure: observation.failure,
            metrics: observation.metrics,
            detail: observation.detail,
          },
        }),
      )
    }
    return runs
  })
  await plane.app.db.transaction((trx) => insertResults(trx, rows))
  for (const site of sites) await tellOfTroubles(site, day)
  time.now = Math.min(day + dayMs + 20 * minuteMs, engineFrom)
  await packResultsTick(plane.app, signal)
  await rollupTick(plane.app, signal)
}

t.comment('two hours of an agent')
time.now = engineFrom
await work()
for (const [site, id] of ids) {
  const answer = await plane.call('PUT', `/v1/checks/${pathOf(site)}/${id}`, { body: { activated: true } })
  if (answer.status !== 200) throw new Error(answer.text)
}
const siteOf = new Map([...ids].map(([site, id]) => [id, site]))
const agent = claimRequest({ checkTypes: ['API', 'URL', 'TCP'], maxMain: 100, maxUptime: 100 })
const post = async (verb: string, body: object) => {
  const answer = await plane.call('POST', `/agent/v1/${verb}`, { key: plane.agentKey, body })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body
}
for (let now = engineFrom; now < end; now += stepMs) {
  time.now = now
  await work()
  const jobs: Job[] = (await post('claim', agent)).jobs
  const reports = jobs.map((job) => {
    const site = siteOf.get(job.checkId)
    if (site === undefined) throw new Error('there is a job of an unknown check')
    const state = stateAt(site, now, end)
    const took = tookOf(site, now, { state, random: randoms.get(site) ?? Math.random })
    return {
      ...passingReport(job, now),
      stoppedAt: now + Math.ceil(took),
      outcome: outcomeOf(site, { took, state }),
    }
  })
  if (reports.length > 0) await post('report', { agentId: agent.agentId, reports })
  await work()
}

t.comment('pictures')
const browser = await openBrowser(t)
const failing = ids.get(sites.find(({ name }) => name === 'Checkout') ?? (sites[0] as Site))
const shots = [
  { name: 'dashboard', path: '/app', height: 640 },
  { name: 'checks', path: '/app/checks', height: 1010 },
  { name: 'check', path: `/app/checks/${failing}`, height: 1010 },
  { name: 'status-page', path: '/status/acme', height: 1010 },
] as const
const phone = { width: 390, height: 844 }
for (const colorScheme of ['light', 'dark'] as const) {
  const context = await signedIn(t, browser, { plane, options: { colorScheme, deviceScaleFactor: 1 } })
  const page = await context.newPage()
  const shoot = async (name: string, path: string, size: { width: number; height: number }) => {
    await page.setViewportSize(size)
    await page.goto(`${plane.url}${path}`)
    const file = `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`
    await page.screenshot({ path: join(folder, file) })
  }
  for (const { name, path, height } of shots) await shoot(name, path, { width: 1280, height })
  await shoot('check-phone', `/app/checks/${failing}`, phone)
  await shoot('status-page-phone', '/status/acme', phone)
}
t.pass(`the pictures are in ${folder}`)
