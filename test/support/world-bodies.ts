/** What routes are sent where their examples alone would be refused. */
import { routes } from '../../control-plane/routes.ts'
import { addPerson } from './members.ts'
import { pageBodies } from './page-bodies.ts'
import { newProject } from './project-makers.ts'
import type { World } from './world.ts'

export const exampleOf = (path: string) => {
  const declared = routes.find((route) => route.method === 'POST' && route.path === path)
  return structuredClone(declared?.example?.body) as Record<string, unknown>
}

export const services = async (world: World) => [{ id: await world.id('/v1/status-pages/services') }]
export const page = async (world: World) => ({
  name: 'Status',
  url: `page-${world.plane.app.newId()}`,
  cards: [{ name: 'Shop', services: await services(world) }],
})
export const trigger = async (world: World) => ({ target: { checkId: [await world.id('/v1/checks')] } })

/** Bodies that name something of the account, or what there may be only once: their example alone would be refused. */
export const bodies: Record<string, (world: World) => Promise<unknown>> = {
  'POST /v1/check-sessions/trigger': trigger,
  'POST /v1/projects': newProject,
  'POST /v1/checkly-storage/download': async (world) => ({ key: await world.id('/v1/code-bundles') }),
  'POST /v1/checkly-storage/peek-code-bundle': async (world) => ({ key: await world.id('/v1/code-bundles') }),
  'POST /v1/test-sessions/trigger': async (world) => ({ name: 'release', ...(await trigger(world)) }),
  'POST /next/test-sessions/trigger': async (world) => ({
    name: 'release',
    checkId: [await world.id('/v1/checks')],
  }),
  'POST /v1/analytics/checks': async (world) => ({ checkIds: [await world.id('/v1/checks')] }),
  ...pageBodies,
  'POST /v1/status-pages': page,
  'PUT /v1/status-pages/*': page,
  'POST /v1/status-pages/incidents': async (world) => ({
    ...exampleOf('/v1/status-pages/incidents'),
    services: await services(world),
  }),
  'PUT /v1/alert-channels/*/subscriptions': async (world) => ({
    checkId: await world.id('/v1/checks'),
    activated: true,
  }),
  'POST /v1/variables': async ({ plane }) => ({
    ...exampleOf('/v1/variables'),
    key: `KEY_${plane.app.newId().replaceAll('-', '')}`,
  }),
  'POST /v1/private-locations': async ({ plane }) => ({
    name: 'Office',
    slugName: plane.app.newId().slice(-12),
  }),
  'POST /v1/accounts/me/invites': async ({ plane }) => ({
    email: `${plane.app.newId()}@example.com`,
    role: 'READ_WRITE',
  }),
  'POST /v1/accounts/me/transfer-ownership': async ({ plane }) => {
    const { userId } = await addPerson(plane, { email: `${plane.app.newId()}@example.com` })
    return { userId, stayOwner: true }
  },
}
