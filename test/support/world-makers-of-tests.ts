/** How the world comes by tests of checks, and by the addresses that start them. */
import type { Answer } from './app.ts'
import { work } from './work.ts'
import type { World } from './world.ts'

type Maker = (world: World, address: string) => Promise<string>

const created = async (answer: Promise<Answer>, pick: (body: Answer['body']) => string | undefined) => {
  const { status, text, body } = await answer
  const id = pick(body)
  if (status >= 300 || id === undefined) throw new Error(`${status} ${text}`)
  return id
}

const same =
  (place: string): Maker =>
  (world) =>
    world.id(place)

export const makersOfTests: Record<string, Maker> = {
  '/v1/test-sessions': async (world) =>
    created(
      world.call('POST', '/v1/test-sessions/trigger', {
        name: 'release',
        target: { checkId: [await world.id('/v1/checks')] },
      }),
      ({ testSessionId }) => testSessionId,
    ),
  '/v1/test-sessions/*/results': async (world, address) => {
    const test = address.replace(/\/results$/, '')
    await work(world.plane, 'passing')
    return created(world.call('GET', test), ({ results }) => results[0]?.testSessionResultId)
  },
  '/v1/triggers/checks': async (world) => {
    const id = await world.id('/v1/checks')
    await world.call('POST', `/v1/triggers/checks/${id}`)
    return id
  },
  '/v1/triggers/check-groups': async (world) => {
    const id = await world.id('/v1/check-groups')
    await world.call('POST', `/v1/triggers/check-groups/${id}`)
    return id
  },
  '/checks': same('/v1/triggers/checks'),
  '/check-groups': same('/v1/triggers/check-groups'),
  '/checks/*/trigger': async (world, address) =>
    created(world.call('GET', `/v1/triggers/checks/${address.split('/')[2]}`), ({ token }) => token),
  '/check-groups/*/trigger': async (world, address) =>
    created(world.call('GET', `/v1/triggers/check-groups/${address.split('/')[2]}`), ({ token }) => token),
  '/v1/test-session-error-groups': async (world) => {
    const id = await world.id('/v1/checks')
    const body = { name: 'release', target: { checkId: id } }
    const started = await world.call('POST', '/v1/test-sessions/trigger', body)
    await work(world.plane, 'failing')
    return created(
      world.call('GET', `/v1/test-sessions/${started.body.testSessionId}`),
      ({ errorGroupIds }) => errorGroupIds[0],
    )
  },
  '/v1/test-session-error-groups/projects': async () => 'shop',
  '/v1/root-cause-analyses/test-session-error-groups': same('/v1/test-session-error-groups'),
  '/app/test-sessions': same('/v1/test-sessions'),
  '/accounts/*/test-sessions': same('/v1/test-sessions'),
  '/accounts/*/test-sessions/*/results': async (world) => {
    const test = `/v1/test-sessions/${await world.id('/v1/test-sessions')}`
    return world.id('/v1/test-sessions/*/results', `${test}/results`)
  },
}
