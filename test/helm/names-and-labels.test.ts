// Runs in test:all only: it fetches helm, and renders charts.
/** What an API server would refuse or mix up, though each value by itself is right: names, labels, leftovers of what is merged. */
import t from 'tap'
import { chartNames } from '../support/chart-values.ts'
import {
  type ChartName,
  type ChartValues,
  helmWith,
  leastValues,
  type Manifest,
  manifestsIn,
  mergedValues,
  rendered,
} from '../support/charts.ts'
import { hasHelm, noHelm } from '../support/helm-program.ts'

const options = { skip: !hasHelm && noHelm }

const namedRelease = async (release: string, chart: ChartName, values: ChartValues): Promise<Manifest[]> => {
  const { code, stdout, stderr } = await helmWith(['template', release], {
    chart,
    values: mergedValues(leastValues[chart], values),
  })
  if (code !== 0) throw new Error(stderr)
  return manifestsIn(stdout)
}

const deploymentOf = (manifests: readonly Manifest[]): Manifest => {
  const found = manifests.find(({ kind }) => kind === 'Deployment')
  if (found === undefined) throw new Error('there is no deployment')
  return found
}

t.test('long names stay apart, and within what Kubernetes takes', options, async (t) => {
  const longest = 'a-release-of-53-characters-which-is-all-that-helm-has'
  t.equal(longest.length, 53)
  const locations = Object.fromEntries(
    ['a', 'b'].map((end) => [
      `a-location-with-a-long-name--${end}`,
      { apiKey: { value: `pl_${'a'.repeat(32)}`, existingSecret: '' } },
    ]),
  )
  const everything: { [chart in ChartName]: ChartValues } = {
    agent: { locations, metrics: { dashboards: { enabled: true } } },
    'control-plane': {
      backup: { enabled: true },
      asCode: { enabled: true, files: { 'a.yaml': '' } },
      artifacts: { kind: 'pvc' },
    },
  }
  for (const chart of chartNames)
    for (const release of [longest, `${longest.slice(0, 52)}-`.replace(/-$/, 'x')]) {
      const manifests = await namedRelease(release, chart, everything[chart])
      const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      t.equal(new Set(names).size, names.length, `${chart}: no two are one`)
      for (const { kind, metadata } of manifests)
        t.ok(metadata.name.length <= (kind === 'CronJob' ? 52 : 63), `${kind} ${metadata.name}`)
    }
  const nameOf = async (release: string) =>
    deploymentOf(await namedRelease(release, 'control-plane', {})).metadata.name
  t.not(await nameOf(longest), await nameOf(`${longest.slice(0, 50)}ere`), 'two releases of one beginning')
  t.equal(await nameOf('wp'), 'wp-watchpost', 'short names are as they are')
})

t.test('no label of a user takes the place of one that selects', options, async (t) => {
  const claims = {
    'app.kubernetes.io/name': 'mine',
    'app.kubernetes.io/instance': 'mine',
    'app.kubernetes.io/managed-by': 'me',
    'watchpost.dev/location': 'mine',
    'app.kubernetes.io/part-of': 'shop',
    team: 'sre',
  }
  for (const chart of chartNames)
    for (const values of [
      { commonLabels: claims },
      { podLabels: claims },
      { metrics: { serviceMonitor: { enabled: true, labels: claims } } },
    ]) {
      const manifests = await rendered(chart, mergedValues(leastValues[chart], values))
      const { metadata, spec } = deploymentOf(manifests)
      t.match(spec.template.metadata.labels, spec.selector.matchLabels, `${chart}: pods are selected`)
      t.match(metadata.labels, { 'app.kubernetes.io/instance': 'wp', 'app.kubernetes.io/managed-by': 'Helm' })
      for (const { kind, metadata } of manifests)
        t.match(
          metadata.labels,
          { 'app.kubernetes.io/instance': 'wp', 'app.kubernetes.io/managed-by': 'Helm' },
          kind,
        )
      const said = JSON.stringify(manifests)
      t.match(said, '"team":"sre"')
      t.match(said, '"app.kubernetes.io/part-of":"shop"', 'what selects nothing may be said otherwise')
    }
})

t.test('a release and a location that look like numbers are texts', options, async (t) => {
  const { metadata, spec } = deploymentOf(await namedRelease('123', 'agent', { locations: { 456: {} } }))
  t.equal(metadata.labels?.['app.kubernetes.io/instance'], '123')
  t.strictSame(spec.selector.matchLabels['watchpost.dev/location'], '456')
})

t.test('another strategy has nothing left of the rolling one', options, async (t) => {
  const strategy = { type: 'Recreate', rollingUpdate: { maxSurge: 1 } }
  for (const chart of chartNames) {
    const values = mergedValues(leastValues[chart], { strategy })
    t.strictSame(deploymentOf(await rendered(chart, values)).spec.strategy, { type: 'Recreate' })
  }
  const rolling = { ...leastValues.agent, strategy: { rollingUpdate: { maxSurge: '50%' } } }
  t.strictSame(deploymentOf(await rendered('agent', rolling)).spec.strategy, {
    type: 'RollingUpdate',
    rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 },
  })
})

const podWith = async (values: ChartValues) =>
  deploymentOf(await rendered('agent', mergedValues(leastValues.agent, values))).spec.template.spec

t.test('sysctls of pods stand beside what pings need', options, async (t) => {
  const own = { name: 'net.core.somaxconn', value: '1024' }
  const ping = { name: 'net.ipv4.ping_group_range', value: '0 2147483647' }
  const sysctls = async (values: ChartValues) => (await podWith(values)).securityContext.sysctls
  t.strictSame(await sysctls({}), [ping])
  t.strictSame(await sysctls({ podSecurityContext: { sysctls: [own] } }), [own, ping])
  const narrower = { ...ping, value: '10001 10001' }
  t.strictSame(await sysctls({ podSecurityContext: { sysctls: [narrower] } }), [narrower])
  t.strictSame(await sysctls({ ping: { sysctl: false }, podSecurityContext: { sysctls: [own] } }), [own])
})

t.test('on and off reach the agent as it knows them, however YAML reads them', options, async (t) => {
  for (const [value, wanted] of [
    [false, 'off'],
    [true, 'on'],
    ['off', 'off'],
  ] as const) {
    const [{ env }] = (await podWith({ settings: { CAPTURE: value } })).containers
    t.strictSame(env.find(({ name }: { name: string }) => name === 'CAPTURE').value, wanted)
  }
})

t.test(
  'a volume that is smaller than what the agent puts there is refused with both numbers',
  options,
  async (t) => {
    const saidOf = async (values: ChartValues) =>
      (
        await helmWith(['template', 'wp'], {
          chart: 'agent',
          values: mergedValues(leastValues.agent, values),
        })
      ).stderr
    t.match(
      await saidOf({ spool: { sizeLimit: '600Mi' }, settings: { SPOOL_MAX_MB: 512 } }),
      /spool\.sizeLimit is 600Mi, and the agent puts up to SPOOL_MAX_MB 512 there: it takes a fifth more, 615Mi/,
    )
    t.match(
      await saidOf({ locations: { paris: { cache: { sizeLimit: '4Gi' } } } }),
      /cache\.sizeLimit of the location paris is 4Gi.*SUITE_CACHE_MAX_MB 4096 there.*4916Mi/,
    )
    t.notMatch(await saidOf({ spool: { sizeLimit: '615Mi' }, settings: { SPOOL_MAX_MB: 512 } }), /Error/)
  },
)
