// Runs in test:all only: it fetches helm, and renders charts.
/** What `helm test` and a restore make: for each location, where its agents are and by the way that they take; a store is never replaced. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { type ChartValues, leastValues, type Manifest, mergedValues, rendered } from '../support/charts.ts'
import { hasHelm, noHelm } from '../support/helm-program.ts'
import { localHttp } from '../support/local-http.ts'
import { temporaryFolder } from '../support/test-agent.ts'

const options = { skip: !hasHelm && noHelm }

const testsOf = async (values: ChartValues, kind: 'Pod' | 'Service'): Promise<Manifest[]> =>
  (await rendered('agent', mergedValues(leastValues.agent, values))).filter(
    (manifest) => manifest.kind === kind && manifest.metadata.annotations?.['helm.sh/hook'] === 'test',
  )

const placed = {
  imagePullSecrets: ['pull'],
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  priorityClassName: 'high',
  hostAliases: [{ ip: '10.1.2.3', hostnames: ['watchpost.example'] }],
}
const whereItRuns = {
  imagePullSecrets: [{ name: 'pull' }],
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  priorityClassName: 'high',
  hostAliases: [{ ip: '10.1.2.3', hostnames: ['watchpost.example'] }],
}

t.test('each location is asked for its own agents, from where these run', options, async (t) => {
  const values = { ...placed, locations: { paris: {}, rome: { nodeSelector: { disk: 'hdd' } } } }
  const pods = await testsOf(values, 'Pod')
  const services = await testsOf(values, 'Service')
  t.equal(pods.length, 2)
  for (const [index, location] of ['paris', 'rome'].entries()) {
    const [pod, service] = [pods[index], services[index]]
    t.match(service?.spec.selector, { 'watchpost.dev/location': location })
    t.match(
      pod?.spec.containers[0].args.at(-1),
      `//${service?.metadata.name}.monitoring.svc:8081/-/readiness`,
    )
    t.match(pod?.spec, { ...whereItRuns, nodeSelector: { disk: location === 'paris' ? 'ssd' : 'hdd' } })
    t.notOk(pod?.metadata.labels?.['watchpost.dev/location'], 'no service takes it for an agent')
  }
})

t.test('nobody is asked where all pods may be away', options, async (t) => {
  const queue = { locationId: '01a1fdbb-1960-7efb-a84a-32a6e54e95d5', existingSecret: 'api' }
  const none: ChartValues[] = [
    { replicas: 0 },
    { autoscaling: { mode: 'keda', minReplicas: 0, keda: { queue } } },
  ]
  for (const values of none) {
    t.strictSame(await testsOf(values, 'Service'), [])
    const [pod] = await testsOf(values, 'Pod')
    t.equal(pod?.spec.containers[0].args.at(-1), 'https://watchpost.example/health')
  }
})

t.test('the control plane is asked through the proxy, and agents are not', options, async (t) => {
  const asked: string[] = []
  const target = await localHttp(t, (request, response) => {
    asked.push(`direct ${request.url}`)
    response.end()
  })
  const proxy = http.createServer((request, response) => {
    asked.push(`proxy ${request.url}`)
    response.end()
  })
  proxy.on('connect', (request, socket) => {
    asked.push(`proxy ${request.url}`)
    const onward = net.connect(Number(new URL(target).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    for (const end of [onward, socket]) end.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const { port } = proxy.address() as net.AddressInfo
  const url = `http://127.0.0.1:${port}`
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'HTTP_PROXY'), `${url}\n`)
  const ways: ChartValues[] = [
    { proxy: { http: url, noProxy: '127.0.0.1' } },
    { proxy: { noProxy: '127.0.0.1' }, secretFiles: { HTTP_PROXY: { name: 'proxy', key: 'url' } } },
  ]
  for (const way of ways) {
    asked.length = 0
    const [pod] = await testsOf({ controlPlaneUrl: 'http://watchpost.example', ...way }, 'Pod')
    if (pod === undefined) throw new Error('there is no pod')
    const [{ command, args, env, volumeMounts }] = pod.spec.containers
    t.strictSame(command, ['node', '-e'])
    const [script, plane] = args
    const variables = Object.fromEntries(
      env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    )
    t.equal(variables['NO_PROXY'], '127.0.0.1,.monitoring.svc')
    t.equal(variables['HTTP_PROXY'], way['secretFiles'] === undefined ? url : undefined)
    // The folder stands for the volume that the pod mounts.
    const mounted = volumeMounts?.[0]?.mountPath ?? ''
    const own = mounted === '' ? script : script.replaceAll(mounted, folder)
    const run = (...addresses: string[]): Promise<number> =>
      new Promise((resolve) => {
        const child = execFile(process.execPath, ['-e', own, ...addresses], { env: variables }, () =>
          resolve(child.exitCode ?? -1),
        )
      })
    t.equal(await run(plane, `${target}/-/readiness`), 0)
    t.ok(
      asked.some((line) => /^proxy (http:\/\/)?watchpost\.example/.test(line)),
      asked.join(', '),
    )
    t.ok(asked.includes('direct /-/readiness'), asked.join(', '))
  }
})

t.test('a restore has the store for itself, and never replaces one', options, async (t) => {
  const values = {
    ...placed,
    backup: { enabled: true },
    asCode: { enabled: true, files: { 'a.yaml': '' } },
  }
  const before = await rendered('control-plane', values)
  const during = await rendered('control-plane', {
    ...values,
    restore: { enabled: true, file: 'watchpost-1.backup' },
  })
  const of = (manifests: readonly Manifest[], kind: string): Manifest[] =>
    manifests.filter((manifest) => manifest.kind === kind)
  t.equal(of(before, 'Deployment')[0]?.spec.replicas, 1)
  t.equal(of(during, 'Deployment')[0]?.spec.replicas, 0)
  t.equal(of(before, 'CronJob')[0]?.spec.suspend, false)
  t.equal(of(during, 'CronJob')[0]?.spec.suspend, true)
  t.strictSame(of(during, 'Pod'), [], 'nobody is there to be tested')
  const jobs = of(during, 'Job')
  t.equal(jobs.length, 1, 'and nothing is applied')
  const { spec } = jobs[0]?.spec.template ?? {}
  t.match(spec, whereItRuns)
  t.strictSame(spec.containers[0].args, ['restore', '/backup/watchpost-1.backup'])
  t.notMatch(JSON.stringify(jobs), '--force')
  for (const manifests of [before, during])
    for (const { kind, metadata } of [...of(manifests, 'Pod'), ...of(manifests, 'Job')])
      t.not(metadata.labels?.['app.kubernetes.io/component'], kind === 'Pod' ? 'control-plane' : '', kind)
})
