// Runs in test:all only: it renders charts dozens of times.
/**
 * Values that would have been installed and then fail, or do nothing: each is refused by its path, before anything is made. A misspelt name deep
 * inside of what Kubernetes knows is the worst of them, since an API server drops it and says so only in a warning.
 */
import t, { type Test } from 'tap'
import { chartNames } from '../support/chart-values.ts'
import {
  type ChartName,
  type ChartValues,
  helmWith,
  leastValues,
  mergedValues,
  refusal,
} from '../support/charts.ts'
import { hasHelm, helmMajors, noHelm } from '../support/helm-program.ts'
import { triedTogether } from '../support/tried-together.ts'

const options = { skip: !hasHelm && noHelm }

const nested = (path: string, value: unknown): ChartValues => {
  const names = path.split('.').reverse()
  return names.reduce<unknown>((inner, name) => ({ [name]: inner }), value) as ChartValues
}

type Wrong = [path: string, value: unknown]

/** Of both charts. */
const ofPods: Wrong[] = [
  ['image.registry', 'https://registry.example'],
  ['image.tag', 'has blanks'],
  ['image.pullPolicy', 'always'],
  ['image.digest', 'sha256:abc'],
  ['image.digest', 'latest'],
  ['imagePullSecrets', ['Pull_Secret']],
  ['imagePullSecrets', [{ name: 'pull' }]],
  ['env', [{ nam: 'A', value: 'b' }]],
  ['env', [{ name: 'A', valueFrom: { secretKeyRef: { name: 's' } } }]],
  ['env', [{ name: 'A=B', value: 'c' }]],
  ['envFrom', [{ secretref: { name: 's' } }]],
  ['replicas', -1],
  ['replicas', 1.5],
  ['strategy.type', 'Rolling'],
  ['strategy.rollingUpdate.maxSurg', 1],
  ['strategy.rollingUpdate.maxSurge', 'one'],
  ['revisionHistoryLimit', -1],
  ['resources.requests.cpu', '100 m'],
  ['resources.limits.memory', '1GB'],
  ['resources.limits.memory', '512mb'],
  ['resources.request', { cpu: '1' }],
  ['resources.requests.memory', -1],
  ['probes.liveness.periodSecond', 5],
  ['probes.liveness.timeoutSeconds', 0],
  ['probes.readiness.failureThreshold', 'three'],
  ['probes.startup.successThreshold', 2],
  ['probes.startup.httpGet', { path: '/', port: 1 }],
  ['podDisruptionBudget.maxUnavailable', 'half'],
  ['podDisruptionBudget.maxUnavailable', -1],
  ['podSecurityContext.runAsUser', 'root'],
  ['podSecurityContext.runAsUser', -1],
  ['podSecurityContext.fsgroup', 1],
  ['podSecurityContext.fsGroupChangePolicy', 'onRootMismatch'],
  ['podSecurityContext.seccompProfile.type', 'runtime/default'],
  ['securityContext.readOnlyRootFileSystem', true],
  ['securityContext.allowPrivilegeEscalation', 'no'],
  ['securityContext.capabilities.drop', 'ALL'],
  ['securityContext.capabilities.add', ['net_raw']],
  ['nodeSelector', { disk: true }],
  ['nodeSelector', { '-disk': 'ssd' }],
  ['tolerations', [{ key: 'a', operator: 'Equals' }]],
  ['tolerations', [{ key: 'a', effect: 'NoScheduling' }]],
  ['tolerations', [{ keys: 'a' }]],
  ['affinity.nodeAffinity.requiredDuringScheduling', {}],
  ['affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution', [{ weight: 200 }]],
  ['topologySpreadConstraints', [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }]],
  ['topologySpreadConstraints', [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'Schedule' }]],
  ['dnsPolicy', 'clusterFirst'],
  ['dnsConfig.nameserver', ['10.0.0.10']],
  ['dnsConfig.nameservers', ['resolver.example']],
  ['dnsConfig.options', [{ nam: 'ndots' }]],
  ['hostAliases', [{ ip: '10.1.2', hostnames: ['a'] }]],
  ['hostAliases', [{ ip: '10.1.2.3', hostname: ['a'] }]],
  ['commonLabels', { team: 'a b' }],
  ['commonLabels', { 'a/b/c': 'd' }],
  ['commonAnnotations', { note: 1 }],
  ['podLabels', { long: 'a'.repeat(64) }],
  ['fullnameOverride', 'Upper'],
  ['namespaceOverride', 'a_b'],
  ['serviceAccount.name', 'a b'],
  ['priorityClassName', 'High Priority'],
  ['caBundle.configMap', 'My_Authorities'],
  ['caBundle.key', 'a/b'],
  ['networkPolicy.egress', [{ to: [{ ipBlock: { cidr: '10.0.0.0' } }] }]],
  ['networkPolicy.egress', [{ ports: [{ port: 443, protocol: 'tcp' }] }]],
  ['networkPolicy.metricsFrom', [{ namespaceselector: {} }]],
  ['lifecycle.preStop', { sleeps: { seconds: 5 } }],
  ['extraVolumes', [{ name: 'a', emptydir: {} }]],
  ['extraVolumes', [{ name: 'a', emptyDir: {}, hostPath: { path: '/' } }]],
  ['extraVolumeMounts', [{ name: 'a', mountpath: '/a' }]],
  ['extraVolumeMounts', [{ name: 'a', mountPath: 'a' }]],
  ['initContainers', [{ name: 'a', image: 'b', commands: ['c'] }]],
  ['extraContainers', [{ name: 'a', image: 'b', ports: [{ containerPort: 70_000 }] }]],
  ['extraManifests', [{ kind: 'ConfigMap' }]],
  ['metrics.serviceMonitor.interval', '30'],
  ['metrics.serviceMonitor.relabelings', [{ action: 'delete' }]],
]

const ofAgents: Wrong[] = [
  ['replicaz', 2],
  ['image.variant', 'browser'],
  ['apiKey.value', 'pl_short'],
  ['controlPlaneUrl', 'watchpost.example'],
  ['locations.Paris', {}],
  ['locations.paris.metrics', {}],
  ['drainTimeoutSeconds', '5m'],
  ['secretFiles.LOG_LEVEL', { name: 'a', key: 'b' }],
  ['secretFiles.API_KEY', { name: 'a', key: 'b' }],
  ['secretFiles.AGENT_PROBE_TOKEN', { name: 'a' }],
  ['settings.JOB_CONCURENCY', 2],
  ['settings.API_KEY', 'x'],
  ['settings.HTTPS_PROXY', 'http://proxy.example'],
  ['settings.JOB_CONCURRENCY', 11],
  ['settings.JOB_CONCURRENCY', '0'],
  ['settings.UPTIME_CONCURRENCY', 20_000],
  ['settings.PREPARED_BROWSERS', -1],
  ['settings.SPOOL_MAX_MB', 0.5],
  ['settings.AGENT_LLM_TIMEOUT_SECONDS', 241],
  ['settings.AGENT_LLM_MAX_COST', '2,50'],
  ['settings.LOG_LEVEL', 'verbose'],
  ['settings.SCRIPT_ISOLATION', 'always'],
  ['settings.CAPTURE', 'maybe'],
  ['settings.FALLBACK_AFTER', '5s'],
  ['settings.FALLBACK_WEBHOOK_URL', 'hooks.example'],
  ['settings.BLOCKED_NETWORKS', '10.0.0.0/33'],
  ['settings.ALLOWED_NETWORKS', '10.0.0.0/8, intranet'],
  ['settings.DNS_SERVERS', '10.0.0.300'],
  ['settings.AGENT_PROBE_TOKEN', 'short'],
  ['spool.sizeLimit', '128Mi'],
  ['spool.sizeLimit', '1 Gi'],
  ['cache.sizeLimit', '1G'],
  ['cache.sizeLimit', 'much'],
  ['tmp.sizeLimit', '100m'],
  ['shm.sizeLimit', 0],
  ['spool.volume', { persistentVolumeClaim: { claim: 'a' } }],
  ['cache.volume', { persistentVolumeClaims: { claimName: 'a' } }],
  ['proxy.https', 'proxy:3128'],
  ['drainTimeoutSeconds', 0],
  ['apiKey.existingSecret', 'Agent_Key'],
  ['apiKey.secretKey', 'a b'],
  ['autoscaling.maxReplicas', 0],
  ['autoscaling.hpa.targetCPU', '70%'],
  ['autoscaling.hpa.metrics', [{ type: 'Ressource' }]],
  ['autoscaling.hpa.behavior', { scaleDown: { stabilizationWindowSeconds: 7200 } }],
  ['autoscaling.keda.pollingInterval', 0],
  ['autoscaling.keda.targetValue', 0],
  ['autoscaling.keda.queue.locationId', 'paris'],
  ['autoscaling.keda.prometheus.serverAddress', 'prometheus:9090'],
  ['autoscaling.keda.prometheus.slug', 'pa"ris'],
  ['metrics.podMonitor.interval', '30 s'],
  ['metrics.podMonitor.metricRelabelings', [{ sourceLabels: 'a' }]],
  ['locations.paris.probes.liveness.periodSecond', 5],
  ['locations.paris.resources.limits.memory', '2GB'],
  ['locations.paris.settings.JOB_CONCURRENCY', 12],
  ['locations.paris.spool.sizeLimit', '64Mi'],
]

const ofControlPlanes: Wrong[] = [
  ['persistance', { size: '1Gi' }],
  ['secretFiles.SMTP_URL', { name: 'a', key: 'b' }],
  ['settings.RETENTION_DAYS', 2],
  ['settings.DATABASE_URL', 'x'],
  ['settings.OIDC_CLIENT_SECRET', 'x'],
  ['database.url', 'mysql://a'],
  ['restore.file', '../a'],
  ['asCode.files', { 'a.yaml': 1 }],
  ['oidc.roleMapping', { ops: 'OWNER' }],
  ['oidc.roleMapping', { 'a,b': 'ADMIN' }],
  ['settings.RETENTION_RESULTS_DAYS', 0],
  ['settings.RETENTION_AUDIT_DAYS', '1y'],
  ['settings.RETENTION_ALERTS_DAYS', 10_001],
  ['settings.LOG_LEVEL', 'verbose'],
  ['settings.STORE_MAX_GB', '20GB'],
  ['settings.STORE_MAX_GB', 0],
  ['settings.EGRESS_ALLOWED_NETWORKS', '10.0.0.0/8;172.16.0.0/12'],
  ['settings.API_REQUESTS_PER_MINUTE', 0],
  ['settings.STANDING_ORDERS_HOURS', 1000],
  ['settings.DATABASE_POOLER', 'statement'],
  ['settings.OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['settings.WATCHDOG_URL', 'ftp://a'],
  ['trustedProxies', ['10.0.0.0/40']],
  ['trustedProxies', ['0.0.0.0/0']],
  ['trustedProxies', ['loadbalancer']],
  ['secrets.encryptionKey', Buffer.alloc(16).toString('base64')],
  ['secrets.accountId', '0000-1111'],
  ['secrets.apiKey', 'has blanks in its middle'],
  ['persistence.size', '10 GB'],
  ['persistence.size', 'much'],
  ['persistence.accessModes', ['ReadWrite']],
  ['persistence.accessModes', []],
  ['persistence.selector', { matchlabels: { a: 'b' } }],
  ['persistence.storageClass', 'Fast SSD'],
  ['artifacts.pvc.accessModes', 'ReadWriteMany'],
  ['artifacts.s3.url', 's3://Bucket'],
  ['artifacts.s3.endpoint', 's3.example'],
  ['service.port', 70_000],
  ['service.type', 'Loadbalancer'],
  ['ingress.hosts', ['https://watchpost.example']],
  ['ingress.hosts', ['watchpost.example/path']],
  ['ingress.tls', [{ secretname: 'tls' }]],
  ['gateway.hostnames', ['Watchpost.Example']],
  ['gateway.parentRefs', [{ name: 'public', namespaces: 'a' }]],
  ['gateway.filters', [{ type: 'Redirect' }]],
  ['backup.schedule', '61 3 * * *'],
  ['backup.schedule', '0 3 * *'],
  ['backup.schedule', 'every day'],
  ['backup.keep', 0],
  ['backup.resources', { limits: { memory: 'lots' } }],
  ['asCode.files', { 'a/b.yaml': 'x' }],
  ['asCode.subPath', '../etc'],
  ['oidc.scopes', 'email profile'],
  ['mail.from', 'Watchpost'],
  ['tmp.sizeLimit', '1Gib'],
  ['terminationGracePeriodSeconds', 1],
]

const wrong: { [chart in ChartName]: Wrong[] } = {
  agent: [...ofPods, ...ofAgents],
  'control-plane': [...ofPods, ...ofControlPlanes],
}

/** Whether a line of helm points to the value or into it, or to what holds a name that does not exist. */
const pointsTo = (line: string, path: string): boolean => {
  const all = path.split('.')
  const pointer = (count: number): string =>
    `at '${all
      .slice(0, count)
      .map((name) => `/${name}`)
      .join('')}`
  return (
    line.includes(`${pointer(all.length)}'`) ||
    line.includes(`${pointer(all.length)}/`) ||
    (line.includes(`${pointer(all.length - 1)}'`) &&
      [`'${all.at(-1)}'`, `property ${all.at(-1)} is`].some((word) => line.includes(word)))
  )
}

/** A line of one value says nothing of another. */
const schemaNames = (message: string, path: string): boolean =>
  message.split('\n').some((line) => pointsTo(line, path))

/** The path in the words of a template. */
const templateNames = (message: string, path: string): boolean =>
  message.includes(
    path
      .split('.')
      .filter((name) => !/^(locations|paris)$/.test(name))
      .join('.'),
  )

/** Of two values at one place, or one inside of the other, there is one at a time. */
const areInOnePlace = ([one]: Wrong, [other]: Wrong): boolean =>
  `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`)

const refusalOf = (t: Test, chart: ChartName, group: readonly Wrong[]): Promise<string[]> =>
  refusal(
    t,
    chart,
    group.reduce((values, entry) => mergedValues(values, nested(...entry)), leastValues[chart]),
  )

for (const chart of chartNames)
  t.test(`${chart}: values that are wrong anywhere are refused, by their path`, options, async (t) => {
    t.ok(wrong[chart].length > 100, `${wrong[chart].length} of them`)
    const what = (entry: Wrong): string => entry.map((part) => JSON.stringify(part)).join(': ')
    const left: Wrong[] = []
    // Of a schema helm tells all that is wrong, of templates the first only.
    for (const group of triedTogether(wrong[chart], areInOnePlace)) {
      const messages = await refusalOf(t, chart, group)
      for (const entry of group)
        if (messages.every((message) => schemaNames(message, entry[0]))) t.pass(what(entry))
        else left.push(entry)
    }
    for (const entry of left)
      for (const message of await refusalOf(t, chart, [entry]))
        t.ok(schemaNames(message, entry[0]) || templateNames(message, entry[0]), what(entry), { message })
  })

type Right = [chart: ChartName, values: ChartValues]

const right: Right[] = [
  [
    'agent',
    { settings: { JOB_CONCURRENCY: '10', UPTIME_CONCURRENCY: 10_000, LOG_LEVEL: 'DEBUG', CAPTURE: false } },
  ],
  [
    'agent',
    {
      settings: { SPOOL_MAX_MB: 400, SUITE_CACHE_MAX_MB: 0, FALLBACK_AFTER: '90s' },
      spool: { sizeLimit: '480Mi' },
    },
  ],
  [
    'agent',
    { settings: { SPOOL_MAX_MB: 10_000 }, spool: { volume: { persistentVolumeClaim: { claimName: 'a' } } } },
  ],
  [
    'agent',
    { settings: { BLOCKED_NETWORKS: '10.0.0.0/8 fd00::/8,192.168.1.7', DNS_SERVERS: '[::1]:53, 10.0.0.10' } },
  ],
  [
    'agent',
    { spool: { sizeLimit: 536_870_912 }, cache: { sizeLimit: '5500M' }, settings: { LOG_LEVEL: '' } },
  ],
  ['agent', { image: { variant: 'uptime' }, cache: { sizeLimit: '1Mi' } }],
  [
    'agent',
    {
      strategy: { type: 'Recreate' },
      resources: { limits: { memory: '1.5Gi', cpu: 2, 'nvidia.com/gpu': 1 } },
    },
  ],
  [
    'agent',
    {
      podSecurityContext: {
        sysctls: [{ name: 'net.core.somaxconn', value: '1024' }],
        supplementalGroups: [1],
      },
    },
  ],
  [
    'agent',
    {
      cache: {
        volume: {
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '9Gi' } } },
            },
          },
        },
      },
    },
  ],
  [
    'control-plane',
    { settings: { RETENTION_RESULTS_DAYS: '90', STORE_MAX_GB: 0.5, OTEL_SDK_DISABLED: true } },
  ],
  ['control-plane', { trustedProxies: ['loopback', '10.0.0.0/8', 'fd00::/8', '192.0.2.1'] }],
  ['control-plane', { backup: { enabled: true, schedule: '*/30 1-5,22 * jan-mar mon,fri' } }],
  ['control-plane', { backup: { enabled: true, schedule: '@daily' }, tmp: { sizeLimit: '1.5G' } }],
  ['control-plane', { ingress: { enabled: true, hosts: ['watchpost.example', '*.status.example'] } }],
  ['control-plane', { probes: { startup: { initialDelaySeconds: 0 }, readiness: { successThreshold: 2 } } }],
  [
    'control-plane',
    {
      lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
      mail: { existingSecret: 's', from: 'A <a@b.example>' },
    },
  ],
  [
    'control-plane',
    {
      secrets: {
        encryptionKey: [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')).join(','),
        accountId: '00000000-0000-4000-8000-000000000001',
        apiKey: 'a'.repeat(20),
        agentKey: `pl_${'a'.repeat(32)}`,
      },
    },
  ],
]

/** What the first keys of one say could lend the other what it lacks; settings are each by itself. */
const areAtOneKey = ([, one]: Right, [, other]: Right): boolean => {
  const keysOf = ({ settings = {}, ...others }: ChartValues): string[] => [
    ...Object.keys(others),
    ...Object.keys(settings as object).map((name) => `settings.${name}`),
  ]
  const keys = new Set(keysOf(other))
  return keysOf(one).some((key) => keys.has(key))
}

for (const chart of chartNames)
  t.test(`${chart}: what may be said in other ways is taken`, options, async (t) => {
    for (const group of triedTogether(
      right.filter(([of]) => of === chart),
      areAtOneKey,
    ))
      for (const major of helmMajors) {
        const values = group.reduce((all, [, own]) => mergedValues(all, own), leastValues[chart])
        const { code, stderr } = await helmWith(['template', 'wp'], { chart, values, major })
        t.equal(code, 0, `Helm ${major}: ${JSON.stringify(group.map(([, own]) => own))}`, { stderr })
      }
  })
