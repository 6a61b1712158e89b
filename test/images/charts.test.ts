// Runs in test:all only: it starts containers.
// Runs last: CI builds the images meanwhile.
/** The pods of both charts, with the options that follow from what helm renders: what a chart says is what runs here. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Variant } from '../../images/variants.ts'
import { type ChartName, type ChartValues, rendered } from '../support/charts.ts'
import { containerTargets } from '../support/container-targets.ts'
import { containerNetwork, imageEngine, runContainer, statusOf, tagOfImage } from '../support/containers.ts'
import { firstResult } from '../support/first-result.ts'
import { hasHelm, noHelm } from '../support/helm-program.ts'
import { protocolChecks } from '../support/image-checks.ts'
import {
  agentKey,
  apiKey,
  endsWith,
  listening,
  scratchFolder,
  spawnControlPlane,
} from '../support/programs.ts'
import { podmanRunOf, type RenderedPod } from '../support/rendered-pod.ts'
import { until } from '../support/until.ts'

t.setTimeout(500_000)

const roomFor = async (name: Variant['name']) => {
  const { engine, skip } = await imageEngine(name)
  return { engine, skip: hasHelm ? skip : noHelm }
}

const podOf = async (chart: ChartName, values: ChartValues): Promise<RenderedPod> => {
  const deployment = (await rendered(chart, values)).find(({ kind }) => kind === 'Deployment')
  return deployment?.spec.template.spec
}

const isRestricted = (t: Test, status: Record<string, string>): void => {
  t.match(status, {
    ...{ Uid: /^10001\t/, CapEff: /^0+$/, CapBnd: /^0+$/, NoNewPrivs: '1', Seccomp: '2' },
    init: /tini$/,
  })
}

const agent = await roomFor('uptime')
t.test("the agent's chart, from its values to first results", { skip: agent.skip }, async (t) => {
  const { engine } = agent
  if (engine === null) return
  const folder = await scratchFolder(t)
  const plane = spawnControlPlane({ dataDir: join(folder, 'data'), env: { HOST: '0.0.0.0' } })
  const { url, port } = await listening(endsWith(t, plane))
  const network = await containerNetwork(t, engine)
  const targets = await containerTargets(t)
  const pod = await podOf('agent', {
    controlPlaneUrl: `http://${network.gateway}:${port}`,
    apiKey: { existingSecret: 'watchpost-agent', secretKey: 'key' },
    image: { variant: 'uptime' },
    drainTimeoutSeconds: 20,
    settings: { LOG_LEVEL: 'debug' },
  })
  const run = await podmanRunOf(pod, { secrets: { 'watchpost-agent': { key: agentKey } }, folder })
  t.equal(run.image, tagOfImage('uptime'), 'the chart names the image that is built')
  const container = await runContainer(t, engine, tagOfImage('uptime'), { network, ...run })
  await container.line(/connected to the control plane/)
  isRestricted(t, statusOf(container))
  await protocolChecks(t, { url, host: network.gateway, targets })
  t.equal(await container.stop(), 0, 'it drains')
})

const plane = await roomFor('control-plane')
t.test("the control plane's chart, with the agent's beside it", { skip: plane.skip }, async (t) => {
  const { engine } = plane
  if (engine === null) return
  const folder = await scratchFolder(t)
  const network = await containerNetwork(t, engine)
  const entries = {
    'encryption-key': Buffer.alloc(32, 7).toString('base64'),
    'account-id': '11111111-2222-4333-8444-555555555555',
    'api-key': apiKey,
    'agent-key': agentKey,
  }
  const pod = await podOf('control-plane', {
    secrets: { existingSecret: 'keys' },
    settings: { LOG_LEVEL: 'info' },
  })
  const run = await podmanRunOf(pod, { secrets: { keys: entries }, folder })
  const container = await runContainer(t, engine, tagOfImage('control-plane'), { network, ...run })
  const url = `http://${container.address}:8080`
  await until('readiness', async () => {
    const answer = await fetch(`${url}/-/readiness`).catch(() => null)
    return answer?.status === 200
  })
  isRestricted(t, statusOf(container))
  const agentPod = await podOf('agent', {
    controlPlaneUrl: url,
    apiKey: { existingSecret: 'keys', secretKey: 'agent-key' },
    image: { variant: 'uptime' },
  })
  const agentRun = await podmanRunOf(agentPod, { secrets: { keys: entries }, folder: join(folder, 'agent') })
  await runContainer(t, engine, tagOfImage('uptime'), { network, ...agentRun })
  const request = { url: `${url}/health` }
  t.match(await firstResult(t, url, '/v1/checks/url', { request }), { hasFailures: false, hasErrors: false })
})
