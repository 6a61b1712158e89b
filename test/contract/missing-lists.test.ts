/** Clients leave empty lists out of a PUT: what was taken out of a file is taken out here. PATCH, and a PUT that is no whole resource, keep. */
import t from 'tap'
import { testApp } from '../support/app.ts'
import { createWorld, type World } from '../support/world.ts'

type Case = {
  path: string
  /** What a client sends while its lists hold nothing. */
  whole: Record<string, unknown>
  lists: (world: World) => Promise<Record<string, unknown>>
  /** Where it is read and changed, if not at its own path. */
  others?: string[]
  reads?: string
  part: Record<string, unknown>
}

const subscription = async (world: World) => [
  { alertChannelId: Number(await world.id('/v1/alert-channels')), activated: true },
]
const variables = [{ key: 'A', value: 'a', locked: false, secret: false }]
const places = { locations: ['eu-west-1'], privateLocations: ['local'] }

const cases: Case[] = [
  {
    path: '/v1/checks/url',
    whole: { name: 'a', request: { url: 'https://example.com/' } },
    lists: async (world) => ({
      ...places,
      tags: ['a', 'b'],
      alertChannelSubscriptions: await subscription(world),
    }),
    others: ['/v1/checks'],
    reads: '/v1/checks',
    part: { muted: true },
  },
  {
    path: '/v1/checks/browser',
    whole: { name: 'a', script: '' },
    lists: async (world) => ({
      ...places,
      tags: ['a'],
      environmentVariables: variables,
      alertChannelSubscriptions: await subscription(world),
    }),
    reads: '/v1/checks',
    part: { script: 'b' },
  },
  {
    path: '/v1/checks/heartbeat',
    whole: { name: 'a', heartbeat: { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' } },
    lists: async (world) => ({ tags: ['a'], alertChannelSubscriptions: await subscription(world) }),
    reads: '/v1/checks',
    part: { name: 'b' },
  },
  ...['v1', 'v2'].map((version) => ({
    path: `/${version}/check-groups`,
    whole: { name: 'a' },
    lists: async (world: World) => ({
      ...places,
      tags: ['a'],
      environmentVariables: variables,
      alertChannelSubscriptions: await subscription(world),
    }),
    reads: '/v1/check-groups',
    part: { concurrency: 7 },
  })),
  {
    path: '/v1/maintenance-windows',
    whole: { name: 'a', startsAt: '2027-01-01T00:00:00.000Z', endsAt: '2027-01-01T01:00:00.000Z' },
    lists: async () => ({ tags: ['a'], silenceAlertsTags: ['b'] }),
    part: { description: 'b' },
  },
]

const emptied = (lists: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(lists).map((name) => [name, []]))

for (const { path, whole, lists: listsOf, others = [], reads = path, part } of cases)
  t.test(`lists that are left out of ${path}`, async (t) => {
    const world = await createWorld(await testApp(t))
    const lists = await listsOf(world)
    const noAlerts = path.includes('check') ? '?autoAssignAlerts=false' : ''
    const { body: created } = await world.call('POST', `${path}${noAlerts}`, whole)
    for (const address of [path, ...others].map((each) => `${each}/${created.id}`)) {
      const shown = async () => (await world.call('GET', `${reads}/${created.id}`)).body
      const write = async (method: string, body: object) => {
        const { status, text } = await world.call(method, `${address}${noAlerts}`, body)
        t.equal(status, 200, text)
        return shown()
      }
      t.match(await write('PUT', { ...whole, ...lists }), lists, `PUT ${address}`)
      t.match(await write('PATCH', part), { ...part, ...lists }, 'PATCH keeps them')
      t.match(await write('PATCH', whole), lists, 'whatever it says')
      if (!path.startsWith('/v2')) t.match(await write('PUT', part), lists, 'and so does a PUT of a part')
      t.match(await write('PUT', whole), emptied(lists), 'a PUT of the whole leaves nothing of them')
    }
  })

t.test('the document says which lists, and of which bodies', async (t) => {
  const { body } = await (await testApp(t)).call('GET', '/openapi.json')
  const said = (path: string, method: string): string => body.paths[path][method].description
  for (const path of ['/v1/checks/url/{id}', '/v2/check-groups/{id}', '/v1/maintenance-windows/{id}']) {
    t.match(said(path, 'put'), /is the whole resource: of .*`tags`.* what it leaves out is empty/)
    t.notMatch(said(path, 'patch'), /whole resource/)
  }
})
