/** How the world comes by projects, their deployments and import plans. */
import type { Answer } from './app.ts'
import type { World } from './world.ts'

type Created = (answer: Promise<Answer>, pick?: (body: Answer['body']) => string) => Promise<string>
type Maker = (world: World, address: string) => Promise<string>

export const newProject = async ({ plane }: World) => ({ logicalId: plane.app.newId(), name: 'Shop' })

export const projectMakers = (created: Created): Record<string, Maker> => ({
  '/v1/projects': async (world) =>
    created(world.call('POST', '/v1/projects', await newProject(world)), ({ logicalId }) => logicalId),
  '/v1/projects/*/deployments': async (world, address) => {
    const logicalId = decodeURIComponent(address.split('/')[3] ?? '')
    const payload = { type: 'EMAIL', config: { address: 'ada@example.com' } }
    const resources = [{ logicalId: 'mail', type: 'alert-channel', member: true, payload }]
    return created(
      world.call('POST', '/v1/projects/deploy', { project: { logicalId, name: 'Shop' }, resources }),
    )
  },
  '/v1/projects/imports': async (world) => {
    await world.call('POST', '/v1/alert-channels', { type: 'EMAIL', config: { address: 'ada@example.com' } })
    const project = encodeURIComponent(await world.id('/v1/projects'))
    const id = await created(world.call('POST', `/next/projects/${project}/imports`, {}))
    // Applied, so that it can be committed; applying it again leaves it as it is.
    await world.call('POST', `/next/projects/imports/${id}/apply`, {})
    return id
  },
})
