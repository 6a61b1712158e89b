/** A status page as a visitor meets it: services, what hit them, and what is planned; and ways to look at it. */
import { insertService } from '../../control-plane/communication/status-page-services/queries.ts'
import type { TestApp } from './app.ts'
import { setState } from './dashboard.ts'
import { storeCheck, storeResult } from './stored-results.ts'

const dayMs = 86_400_000

export type ShownPage = {
  pageId: string
  url: string
  services: string[]
  incidents: string[]
  windowId: number
}

type Shape = { services?: number; more?: object; names?: readonly string[]; isQuiet?: boolean }

const made = async (plane: TestApp, path: string, body: object) => {
  const answer = await plane.call('POST', path, { body })
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

const cardNames = ['Shop', 'Payments', 'Platform', 'Internal tools', 'Regions']
const serviceNames = [
  'Storefront',
  'Checkout',
  'Search',
  'Card payments',
  'Invoices',
  'Public API',
  'Webhooks',
  'Sign-in',
]

/** A hundred days after the start of the test's clock, so that there is a past. */
export const shownPage = async (
  plane: TestApp,
  { services: count = 8, more = {}, names = serviceNames, isQuiet = false }: Shape = {},
): Promise<ShownPage> => {
  const { app, accountId } = plane
  const services: string[] = []
  const checkIds: string[] = []
  for (let index = 0; index < count; index++) {
    const id = app.newId()
    const name =
      index < names.length
        ? (names[index] ?? '')
        : `${names[index % names.length]} ${Math.floor(index / names.length) + 1}`
    await app.db.run(insertService, {
      id,
      account_id: accountId,
      name,
      translations: '{}',
      created_at: app.clock.now(),
      updated_at: null,
    })
    const triggerIncident = {
      serviceId: id,
      name,
      description: '',
      severity: 'MAJOR',
      notifySubscribers: false,
    }
    const checkId = await storeCheck(plane, { name, doc: { triggerIncident } })
    await setState(plane, checkId, 'passing')
    checkIds.push(checkId)
    services.push(id)
  }
  plane.advance(100 * dayMs + 9.6 * 3_600_000)
  for (const checkId of checkIds) await storeResult(plane, { checkId, at: app.clock.now() - 60_000 })
  const size = Math.ceil(count / Math.min(count, cardNames.length))
  const cards = Array.from({ length: Math.ceil(count / size) }, (_, index) => ({
    name: cardNames[index] ?? `Card ${index}`,
    services: services.slice(index * size, (index + 1) * size).map((id) => ({ id })),
  }))
  const page = await made(plane, '/v1/status-pages', {
    name: 'Acme',
    url: 'acme',
    description: 'Shop, payments and everything behind them.',
    cards,
    ...more,
  })
  const incidents = isQuiet ? [] : await someIncidents(plane, services)
  const windowId = isQuiet ? 0 : await plannedWork(plane, page.id, services)
  return { pageId: page.id, url: page.url, services, incidents, windowId }
}

type Story = {
  name: string
  severity: string
  services: string[]
  daysAgo: number
  hours: number | null
  texts: string[]
}

const at = (plane: TestApp, ago: number): string => new Date(plane.app.clock.now() - ago).toISOString()

export const tell = async (
  plane: TestApp,
  { name, severity, services, daysAgo, hours, texts }: Story,
): Promise<string> => {
  const [first = '', ...later] = texts
  const incident = await made(plane, '/v1/status-pages/incidents', {
    name,
    severity,
    services: services.map((id) => ({ id })),
    incidentUpdates: [{ description: first, publicIncidentUpdateDate: at(plane, daysAgo * dayMs) }],
  })
  const path = `/v1/status-pages/incidents/${incident.id}/incident-updates`
  for (const [index, description] of later.entries()) {
    const isLast = index === later.length - 1
    const after = (hours ?? 1) * 3_600_000 * ((index + 1) / later.length)
    await made(plane, path, {
      description,
      status: isLast && hours !== null ? 'RESOLVED' : 'IDENTIFIED',
      publicIncidentUpdateDate: at(plane, Math.max(0, daysAgo * dayMs - after)),
    })
  }
  return incident.id
}

const someIncidents = async (
  plane: TestApp,
  [a = '', b = a, c = a, d = a, e = a]: string[],
): Promise<string[]> => {
  const stories: Story[] = [
    {
      name: 'Card payments are declined',
      severity: 'MEDIUM',
      services: [d],
      daysAgo: 0.03,
      hours: null,
      texts: [
        'Some payments by card are declined. We are looking into it.',
        'A provider of ours answers slowly. We are moving traffic away from it; other ways to pay work.',
      ],
    },
    {
      name: 'Search is slow',
      severity: 'MINOR',
      services: [c],
      daysAgo: 6,
      hours: 5,
      texts: ['Search takes longer than usual.', 'An index was being rebuilt. Search is as fast as before.'],
    },
    {
      name: 'Checkout was not available',
      severity: 'CRITICAL',
      services: [b, d],
      daysAgo: 21.2,
      hours: 2.6,
      texts: [
        'Nobody can check out at the moment.',
        'A certificate had expired.',
        'The certificate was renewed, and its renewal is watched now.',
      ],
    },
    {
      name: 'Webhooks arrive late',
      severity: 'MEDIUM',
      services: [e],
      daysAgo: 52,
      hours: 9,
      texts: ['Webhooks are delivered with a delay of some minutes.', 'All of them were delivered.'],
    },
    {
      name: 'Storefront unreachable from some networks',
      severity: 'MAJOR',
      services: [a],
      daysAgo: 75,
      hours: 1.2,
      texts: ['A provider has lost a route to us.', 'The route is back.'],
    },
  ]
  const ids: string[] = []
  for (const story of stories) ids.push(await tell(plane, story))
  return ids
}

const plannedWork = async (plane: TestApp, pageId: string, services: string[]): Promise<number> => {
  const now = plane.app.clock.now()
  const window = await made(plane, '/v1/maintenance-windows', {
    name: 'Database upgrade',
    description: 'Reports may be a few minutes old while the database moves.',
    startsAt: new Date(now + 2 * dayMs).toISOString(),
    endsAt: new Date(now + 2 * dayMs + 2 * 3_600_000).toISOString(),
    statusPageVisibility: { enabled: true, statusPageIds: [pageId], serviceIds: services.slice(0, 1) },
  })
  return window.id
}

/** A check that belongs to the service, with runs on some of the last days. */
export const measured = async (
  plane: TestApp,
  serviceId: string,
  days: ReadonlyArray<{ daysAgo: number; failed: number; runs: number }>,
): Promise<string> => {
  const checkId = await storeCheck(plane, {
    doc: { triggerIncident: { serviceId, name: 'x', severity: 'MAJOR', notifySubscribers: false } },
  })
  for (const { daysAgo, failed, runs } of days)
    for (let index = 0; index < runs; index++)
      await storeResult(plane, {
        checkId,
        at: plane.app.clock.now() - daysAgo * dayMs - index * 1000,
        hasFailures: index < failed,
      })
  return checkId
}
