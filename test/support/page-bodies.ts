/** Bodies for dashboards and pages of version 3: they name something of the account, or what there may be only once. */
import type { World } from './world.ts'

export const dashboardOf = async (world: World): Promise<{ id: number; customUrl: string }> =>
  (await world.call('GET', `/v1/dashboards/${await world.id('/v1/dashboards')}`)).body

const page = async (world: World) => ({ name: 'Status', url: `page-${world.plane.app.newId()}` })

/** A component of its own: others may be deleted meanwhile. */
const onComponent = async (world: World): Promise<{ componentId: string }> => {
  const path = `/v3/status-pages/${await world.id('/v3/status-pages')}/components`
  return { componentId: (await world.call('POST', path, { name: 'Orders' })).body.id }
}

const update = { status: 'INVESTIGATING', description: 'Payments fail.' }

export const pageBodies: Record<string, (world: World) => Promise<unknown>> = {
  'POST /v1/dashboards': async () => ({ header: 'Shop' }),
  'POST /v1/incidents': async (world) => ({
    ...{ name: 'Payments fail', impact: 'MAJOR', dashboardId: (await dashboardOf(world)).id },
    incidentUpdates: [update],
  }),
  'POST /v3/status-pages': page,
  'PUT /v3/status-pages/*': page,
  'PUT /v3/status-pages/*/components/*': async () => ({ name: 'Checkout' }),
  'POST /v3/status-pages/*/incidents': async (world) => ({
    ...{ name: 'Payments fail', incidentUpdates: [update] },
    componentImpacts: [{ ...(await onComponent(world)), impact: 'PARTIAL_OUTAGE' }],
  }),
  'PUT /v3/status-pages/*/incidents/*/component-impacts': async (world) => ({
    componentImpacts: [{ ...(await onComponent(world)), startedAt: '2026-01-01T00:00:00.000Z' }],
  }),
}
