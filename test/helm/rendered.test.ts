// Runs in test:all only: it renders charts dozens of times.
/** What manifests say, where it matters: golden files beside what follows from one another. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { stringify } from 'yaml'
import { agentVariables } from '../../agent/program/agent-variables.ts'
import { controlPlaneVariables } from '../../control-plane/read-config.ts'
import { chartNames, valueSets } from '../support/chart-values.ts'
import {
  type ChartName,
  type ChartValues,
  chartFolder,
  leastValues,
  type Manifest,
  mergedValues,
  notes,
  rendered,
} from '../support/charts.ts'
import { hasHelm, helm, noHelm } from '../support/helm-program.ts'

const options = { skip: !hasHelm && noHelm }
const golden = new URL('../fixtures/charts/', import.meta.url)

/** What is made by chance in each rendering. */
const withoutChance = (manifest: Manifest): Manifest =>
  manifest.kind === 'Secret' && manifest.data !== undefined
    ? { ...manifest, data: Object.fromEntries(Object.keys(manifest.data).map((name) => [name, '…'])) }
    : manifest

const textOf = (manifests: readonly Manifest[]): string =>
  manifests
    .map(withoutChance)
    .map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n')

const renderings = new Map<string, Promise<Manifest[]>>()

/** Most sets of earlier versions are still what they were: each is rendered once. */
const renderedOnce = (chart: ChartName, values: ChartValues): Promise<Manifest[]> => {
  const key = JSON.stringify([chart, values])
  const manifests = renderings.get(key) ?? rendered(chart, values)
  renderings.set(key, manifests)
  return manifests
}

/** To write them anew: WRITE_GOLDEN=1 node test/helm/rendered.test.ts, then read what `git diff` shows. */
t.test('manifests are what the golden files say', options, async (t) => {
  for (const chart of chartNames)
    for (const [name, values] of Object.entries(valueSets[chart])) {
      const file = new URL(`${chart}-${name.replaceAll(' ', '-').toLowerCase()}.yaml`, golden)
      const all = await renderedOnce(chart, values)
      const isOwn = ({ metadata }: Manifest): boolean => metadata.labels?.['grafana_dashboard'] === undefined
      const text = textOf(all.filter(isOwn).map(withoutRules))
      if (process.env['WRITE_GOLDEN'] === '1') await writeFile(file, text)
      t.equal(text, await readFile(file, 'utf8'), `${chart}: ${name}`)
    }
})

/** Rules and dashboards are files of docs/monitoring, with tests of their own. */
const withoutRules = (manifest: Manifest): Manifest =>
  manifest.kind === 'PrometheusRule'
    ? { ...manifest, spec: 'docs/monitoring/rules/watchpost.rules.yaml' }
    : manifest

const find = (manifests: readonly Manifest[], kind: string): Manifest => {
  const found = manifests.find((manifest) => manifest.kind === kind)
  if (found === undefined) throw new Error(`there is no ${kind}`)
  return found
}

const agentWith = (values: object) => rendered('agent', mergedValues(leastValues.agent, { ...values }))

t.test('a pod has longer to end than its runs have', options, async (t) => {
  for (const drainTimeoutSeconds of [1, 300, 1800]) {
    const { spec } = find(await agentWith({ drainTimeoutSeconds }), 'Deployment')
    const pod = spec.template.spec
    const [{ env }] = pod.containers
    t.equal(pod.terminationGracePeriodSeconds, drainTimeoutSeconds + 30)
    t.same(
      env.find(({ name }: { name: string }) => name === 'DRAIN_TIMEOUT_SECONDS').value,
      String(drainTimeoutSeconds),
    )
  }
})

t.test('no budget forbids that the only pod goes', options, async (t) => {
  for (const chart of chartNames) {
    const { spec } = find(await rendered(chart, leastValues[chart]), 'PodDisruptionBudget')
    t.equal(spec.maxUnavailable, 1)
    t.notOk('minAvailable' in spec)
    t.equal(spec.unhealthyPodEvictionPolicy, 'AlwaysAllow')
  }
})

t.test('who scales sets the number of pods, and nobody else', options, async (t) => {
  const replicasOf = async (autoscaling: object) =>
    find(await agentWith({ autoscaling }), 'Deployment').spec.replicas
  t.equal(await replicasOf({ mode: 'none' }), 1)
  t.equal(await replicasOf({ mode: 'hpa' }), undefined)
  const queue = { locationId: '01a1fdbb-1960-7efb-a84a-32a6e54e95d5', existingSecret: 'api' }
  t.equal(await replicasOf({ mode: 'keda', keda: { queue } }), undefined)
})

t.test('KEDA asks for one number, at the address that the API has it', options, async (t) => {
  const queue = { locationId: '01a1fdbb-1960-7efb-a84a-32a6e54e95d5', existingSecret: 'api' }
  const { spec } = find(await agentWith({ autoscaling: { mode: 'keda', keda: { queue } } }), 'ScaledObject')
  const [{ metadata }] = spec.triggers
  t.equal(
    metadata.url,
    `https://watchpost.example/v1/private-locations/${queue.locationId}/queue?includeRunning=true`,
  )
})

t.test(
  'KEDA by Prometheus asks by the slug, once for all control planes, and for runs under way',
  options,
  async (t) => {
    const prometheus = { serverAddress: 'http://prometheus:9090' }
    const autoscaling = { mode: 'keda', keda: { trigger: 'prometheus', prometheus } }
    const triggerWith = async (values: object) =>
      find(await agentWith({ autoscaling, ...values }), 'ScaledObject').spec.triggers[0].metadata
    const asked = (slug: string) =>
      ['jobs', 'running_jobs']
        .map((name) => `sum(max by (queue) (watchpost_queue_${name}{location="${slug}"}))`)
        .join(' + ')
    const byName = await triggerWith({ locations: { paris: {} } })
    t.equal(byName.query, asked('paris'))
    t.equal(byName.ignoreNullValues, 'false', 'what is missing is not none')
    const keda = { prometheus: { slug: 'Paris-HQ' } }
    t.equal((await triggerWith({ locations: { paris: { autoscaling: { keda } } } })).query, asked('Paris-HQ'))
    const own = { ...prometheus, query: 'vector(1)' }
    t.equal(
      (await triggerWith({ autoscaling: mergedValues(autoscaling, { keda: { prometheus: own } }) })).query,
      'vector(1)',
    )
  },
)

t.test('another key rolls the pods', options, async (t) => {
  const annotationsWith = async (digit: string) => {
    const apiKey = { value: `pl_${digit.repeat(32)}`, existingSecret: '' }
    return find(await agentWith({ apiKey }), 'Deployment').spec.template.metadata.annotations
  }
  const first = await annotationsWith('a')
  t.not(first['checksum/api-key'], (await annotationsWith('b'))['checksum/api-key'])
  t.same(await annotationsWith('a'), first)
})

t.test('a key is never in a variable, an argument or an annotation', options, async (t) => {
  const value = `pl_${'c'.repeat(32)}`
  const manifests = await agentWith({ apiKey: { value, existingSecret: '' } })
  const others = manifests.filter(({ kind }) => kind !== 'Secret')
  t.notMatch(JSON.stringify(others), value)
  const { spec } = find(manifests, 'Deployment')
  t.equal(
    spec.template.spec.containers[0].env.find(({ name }: { name: string }) => name === 'API_KEY'),
    undefined,
  )
})

type Entry = { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }

t.test('a secret that is a file is mounted, and no variable holds it', options, async (t) => {
  const known: { [chart in ChartName]: Set<string> } = {
    agent: new Set(agentVariables.flatMap(({ name, secret }) => (secret ? [name] : []))),
    'control-plane': new Set(controlPlaneVariables.flatMap(({ name, secret }) => (secret ? [name] : []))),
  }
  for (const chart of chartNames) {
    const manifests = await rendered(chart, valueSets[chart]['secrets as files'] ?? {})
    const pods = manifests.flatMap(({ kind, spec }) => {
      if (kind === 'Deployment' || kind === 'Job') return [spec.template.spec]
      return kind === 'CronJob' ? [spec.jobTemplate.spec.template.spec] : []
    })
    t.equal(pods.length, chart === 'agent' ? 1 : 3, 'those that read settings')
    for (const { containers, volumes } of pods) {
      const [{ name, env, volumeMounts }] = containers
      const entries: Entry[] = env
      t.strictSame(
        entries.filter((entry) => known[chart].has(entry.name)),
        [],
        `${name}: no variable is a secret`,
      )
      const { mountPath } = volumeMounts.find((mount: Entry) => mount.name === 'secret-files')
      const volume = volumes.find((one: Entry) => one.name === 'secret-files')
      const mounted: string[] = volume.projected.sources.map(
        ({ secret }: { secret: { items: { path: string }[] } }) => `${mountPath}/${secret.items[0]?.path}`,
      )
      const named = entries.flatMap(({ name, value = '' }) =>
        value.startsWith(mountPath) ? [[name, value]] : [],
      )
      t.strictSame(
        named.map(([, path]) => path).toSorted(),
        mounted.toSorted(),
        `${name}: what is named is there`,
      )
      for (const [variable, path] of named) t.equal(variable, `${path?.slice(mountPath.length + 1)}_FILE`)
    }
  }
})

t.test('large numbers among the settings stay digits', options, async (t) => {
  const { spec } = find(
    await agentWith({ settings: { AGENT_LLM_DAILY_TOKENS: 25_000_000, AGENT_LLM_INPUT_PRICE: 0.15 } }),
    'Deployment',
  )
  const { env } = spec.template.spec.containers[0]
  const settingOf = (wanted: string) => env.find(({ name }: { name: string }) => name === wanted).value
  t.equal(settingOf('AGENT_LLM_DAILY_TOKENS'), '25000000')
  t.equal(settingOf('AGENT_LLM_INPUT_PRICE'), '0.15')
})

t.test('the embedded database has one pod at a time', options, async (t) => {
  t.same(find(await rendered('control-plane', {}), 'Deployment').spec.strategy, { type: 'Recreate' })
  const shared = { database: { existingSecret: 'p' } }
  t.equal(find(await rendered('control-plane', shared), 'Deployment').spec.strategy.type, 'RollingUpdate')
  t.notOk((await rendered('control-plane', shared)).some(({ kind }) => kind === 'PersistentVolumeClaim'))
})

t.test('its notes say how to get in, and what agents beside it are told', options, async (t) => {
  const inside = await notes('control-plane', {})
  const wp = 'http://wp-watchpost.monitoring.svc'
  t.match(inside, 'port-forward service/wp-watchpost 8080:80')
  t.match(inside, `grep -o 'http[^ ]*/sign-in/first/[^ ]*' | sed 's#^${wp}#http://localhost:8080#'`)
  t.match(inside, 'watchpost member sign-in-link --email owner@watchpost.localhost')
  const outside = await notes('control-plane', {
    baseUrl: 'https://watchpost.example',
    ingress: { enabled: true, hosts: ['watchpost.example'] },
    service: { port: 8080 },
  })
  t.notMatch(outside, /port-forward|localhost:8080/)
  t.match(outside, `--set controlPlaneUrl=${wp}:8080 `)
  t.match(outside, '--set apiKey.existingSecret=wp-watchpost --set apiKey.secretKey=agent-key')
})

/** Kubernetes takes no change of these: an upgrade would fail. */
const lasting: { [kind: string]: (manifest: Manifest) => unknown } = {
  Deployment: ({ spec }) => spec.selector,
  Service: ({ spec }) => spec.clusterIP ?? null,
  PersistentVolumeClaim: ({ spec }) => [spec.accessModes, spec.storageClassName ?? null],
}

/** Kept at each release, and never written again: WRITE_RELEASE=0.2.0 node test/helm/rendered.test.ts. */
t.test('an upgrade from each earlier version changes nothing that must not change', options, async (t) => {
  const release = process.env['WRITE_RELEASE']
  if (release !== undefined) {
    await mkdir(new URL(release, golden), { recursive: true })
    await writeFile(
      new URL(`${release}/upgrade.json`, golden),
      `${JSON.stringify(await lastingNow(), null, 2)}\n`,
    )
    const folder = fileURLToPath(new URL(release, golden))
    // From these upgraded.test.ts upgrades.
    for (const chart of chartNames) await helm(['package', chartFolder(chart), '-d', folder], folder)
  }
  const releases = (await readdir(golden)).filter((name) => /^\d/.test(name))
  t.ok(releases.length > 0)
  for (const version of releases) {
    const earlier: Earlier[] = JSON.parse(await readFile(new URL(`${version}/upgrade.json`, golden), 'utf8'))
    for (const { chart, values, lasting } of earlier)
      t.match(
        lastingOf(await renderedOnce(chart, asUpgraded(values))),
        lasting,
        `${chart}: values of ${version}`,
      )
  }
})

/** With what an upgrade asks for by its name, since it did nothing before: docs/deploy/upgrade.md lists it. */
const asUpgraded = (values: ChartValues): ChartValues =>
  JSON.stringify(values).includes('"trigger":"prometheus"')
    ? mergedValues(values, { autoscaling: { keda: { prometheus: { slug: 'office' } } } })
    : values

type Earlier = { chart: ChartName; values: ChartValues; lasting: { [manifest: string]: unknown } }

const lastingNow = (): Promise<Earlier[]> =>
  Promise.all(
    chartNames.flatMap((chart) =>
      Object.values(valueSets[chart]).map(async (values) => ({
        chart,
        values,
        lasting: lastingOf(await rendered(chart, values)),
      })),
    ),
  )

const lastingOf = (manifests: readonly Manifest[]): { [manifest: string]: unknown } =>
  Object.fromEntries(
    manifests.flatMap((manifest) => {
      const read = lasting[manifest.kind]
      return read === undefined ? [] : [[`${manifest.kind} ${manifest.metadata.name}`, read(manifest)]]
    }),
  )
