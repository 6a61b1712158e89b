import t from 'tap'
import { checkKinds } from '../../../../../control-plane/monitoring/definitions/checks/types/index.ts'
import { agentPaths } from '../../../../../protocol/agent-api.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { claimRequest } from '../../../../support/engine-room.ts'

const url = { name: 'Home', request: { url: 'https://example.com/' } }
const suite = checkKinds.PLAYWRIGHT.example
const task = checkKinds.AGENTIC.example
const api = { name: 'Orders', request: { method: 'GET', url: 'https://example.com/' } }
const local = { locations: [], privateLocations: ['local'] }
const missedHere = 'Until one can, runs here are missed.'

const connect = async ({ call, agentKey }: TestApp, offer: Parameters<typeof claimRequest>[0] = {}) => {
  const { status } = await call('POST', agentPaths.claim, { key: agentKey, body: claimRequest(offer) })
  if (status !== 200) throw new Error(`the claim was answered with ${status}`)
}

/** What the answer to a write warns of, in its body and in its header. */
const written = async ({ call }: TestApp, method: string, path: string, body: object) => {
  const answer = await call(method, path, { body })
  if (answer.status >= 400) throw new Error(answer.text)
  const { id, warnings } = answer.body
  return { id, warnings, header: answer.headers.get('watchpost-warning') }
}

for (const engine of engineNames)
  t.test(
    `a check that the agents of a location cannot run is written with a warning (${engine})`,
    async (t) => {
      const plane = await testApp(t, { engine })
      const { call, advance } = plane
      await connect(plane, { checkTypes: ['URL', 'API'], runtimeIds: ['2025.04'] })

      const able = await written(plane, 'POST', '/v1/checks/url', { ...url, ...local })
      t.match(able, { warnings: undefined, header: null }, 'there is an agent for it')

      const tcp = { name: 'Port', request: { hostname: 'example.com', port: 443 }, ...local }
      const message = `No agent in location "local" runs checks of type TCP monitor. ${missedHere}`
      const unable = await written(plane, 'POST', '/v1/checks/tcp', tcp)
      t.strictSame(unable.warnings, [{ location: 'local', message }])
      t.equal(unable.header, `"${message.replaceAll('"', '\\"')}"`)
      t.notOk('warnings' in (await call('GET', `/v1/checks/${unable.id}`)).body, 'reading does not warn')

      const unserved = await written(plane, 'POST', '/v1/checks/url', {
        ...url,
        ...local,
        locations: ['eu-west-1'],
      })
      t.strictSame(unserved.warnings, [
        { location: 'eu-west-1', message: `No agent serves location "eu-west-1". ${missedHere}` },
      ])

      const scripted = { ...api, ...local, localSetupScript: '// Node.js', runtimeId: '2026.04' }
      t.match((await written(plane, 'POST', '/v1/checks/api', scripted)).warnings, [
        {
          location: 'local',
          message: /offers the runtime 2026\.04\. Choose one that they have \(2025\.04\)/,
        },
      ])

      const noPlace = await written(plane, 'POST', '/v1/checks/playwright', { ...suite, locations: [] })
      t.strictSame(noPlace.warnings, [{ location: null, message: 'It has no location, so it never runs.' }])
      const placed = await written(plane, 'PUT', `/v1/checks/playwright/${noPlace.id}`, local)
      t.strictSame(placed.warnings, [
        {
          location: 'local',
          message: `No agent in location "local" runs checks of type Playwright check suite. ${missedHere}`,
        },
      ])
      const stopped = await written(plane, 'PUT', `/v1/checks/playwright/${noPlace.id}`, { activated: false })
      t.match(stopped, { warnings: undefined, header: null }, 'a deactivated check is never due')

      advance(10 * 60_000)
      const absent = await written(plane, 'PUT', `/v1/checks/tcp/${unable.id}`, { name: 'renamed' })
      t.equal(
        absent.warnings,
        undefined,
        'nobody was seen anywhere: it is being set up, or is down altogether',
      )
    },
  )

t.test(
  'a suite that asks for an engine which no agent of a location has is written with a warning',
  async (t) => {
    const plane = await testApp(t)
    const write = async (engine: object) =>
      (await written(plane, 'POST', '/v1/checks/playwright', { ...suite, ...local, ...engine })).warnings
    await connect(plane, { checkTypes: ['PLAYWRIGHT'], suiteEngines: ['node@24', 'bun@1.3'] })
    t.strictSame(await write({ engine: 'node@22' }), [
      {
        location: 'local',
        message: `No agent in location "local" runs suites with node@22. Choose an engine that they have (bun@1.3, node@24), or none. ${missedHere}`,
      },
    ])
    t.match(await write({ engine: 'node', engineVersion: '26.1.0' }), [{ message: /suites with node@26/ }])
    t.equal(await write({ engine: 'node', engineVersion: '24.0.1' }), undefined)
    t.equal(await write({ engine: 'bun@1.3' }), undefined)
    t.equal(await write({}), undefined, 'whatever there is runs it')
    await connect(plane, { agentId: 'older', checkTypes: ['PLAYWRIGHT'] })
    t.equal(await write({ engine: 'node@22' }), undefined, 'one that does not say may have it')
  },
)

t.test('where no agent was ever seen only types that no agent can run are warned of', async (t) => {
  const plane = await testApp(t)
  t.equal((await written(plane, 'POST', '/v1/checks/url', { ...url, ...local })).warnings, undefined)
  t.match((await written(plane, 'POST', '/v1/checks/agentic', { ...task, ...local })).warnings, [
    {
      location: 'local',
      message: /^No agent serves location "local"\. It needs an agent with AGENT_LLM_BASE_URL/,
    },
  ])
})

t.test('an agentic check says what an agent needs to run it, whoever is there', async (t) => {
  const plane = await testApp(t)
  const task = { name: 'Task', prompt: 'Open https://shop.example', ...local }
  const needs = `It needs an agent with AGENT_LLM_BASE_URL, AGENT_LLM_API_KEY, AGENT_LLM_MODEL. ${missedHere}`
  const nobody = await written(plane, 'POST', '/v1/checks/agentic', task)
  t.strictSame(nobody.warnings, [
    { location: 'local', message: `No agent serves location "local". ${needs}` },
  ])
  await connect(plane, { checkTypes: ['URL', 'BROWSER'], runtimeIds: ['2026.04'] })
  const without = await written(plane, 'POST', '/v1/checks/agentic', task)
  t.strictSame(without.warnings, [
    {
      location: 'local',
      message: `No agent in location "local" runs checks of type Agentic check. ${needs}`,
    },
  ])
  await connect(plane, { checkTypes: ['URL', 'AGENTIC'] })
  t.equal((await written(plane, 'POST', '/v1/checks/agentic', task)).warnings, undefined)
})
