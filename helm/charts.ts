/** What is special in the values of each chart: all else about them is read from their values.yaml. */
import { agentVariables, type Variable } from '../agent/program/agent-variables.ts'
import { roles } from '../control-plane/platform/words/shapes/roles.ts'
import { controlPlaneVariables } from '../control-plane/read-config.ts'

export type JsonSchema = { [keyword: string]: unknown }

export type Chart = {
  folder: 'agent' | 'control-plane'
  title: string
  /** What the README shows first: commands that lead to a first result. */
  introduction: string
  /** Values by their path, whose schema cannot be read from their default. */
  special: { [path: string]: JsonSchema }
  /** Settings by their names, and those that values of the chart stand for. */
  variables: readonly Variable[]
  taken: { [variable: string]: string }
  /** Top-level values that an entry of `locations` may replace. */
  perLocation: readonly string[]
}

const quantity: JsonSchema = { type: ['string', 'integer'], pattern: '^[0-9]+(\\.[0-9]+)?([EPTGMk]i?|m)?$' }
const count: JsonSchema = { type: 'integer', minimum: 0 }
const objects: JsonSchema = { type: 'array', items: { type: 'object' } }
const texts: JsonSchema = { type: 'array', items: { type: 'string' } }
const named: JsonSchema = {
  type: 'array',
  items: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
}
const labels: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } }
const free: JsonSchema = { type: 'object' }
const share: JsonSchema = { type: ['integer', 'string'], pattern: '^[0-9]+%?$', minimum: 0 }
const address: JsonSchema = { type: 'string', pattern: '^(https?://.+)?$' }
const digest: JsonSchema = { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' }
const pullPolicy: JsonSchema = { enum: ['Always', 'IfNotPresent', 'Never'] }
const dnsPolicy: JsonSchema = { enum: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'] }

/** Everything that pods and names of both charts have. */
const common: Chart['special'] = {
  'image.digest': digest,
  'image.pullPolicy': pullPolicy,
  'image.tag': { type: ['string', 'number'] },
  imagePullSecrets: texts,
  env: named,
  envFrom: objects,
  replicas: count,
  strategy: free,
  'probes.liveness': free,
  'probes.readiness': free,
  'probes.startup': free,
  'podDisruptionBudget.maxUnavailable': share,
  resources: free,
  podSecurityContext: free,
  securityContext: free,
  nodeSelector: labels,
  tolerations: objects,
  affinity: free,
  topologySpreadConstraints: objects,
  commonLabels: labels,
  commonAnnotations: labels,
  podLabels: labels,
  podAnnotations: labels,
  deploymentAnnotations: labels,
  'serviceAccount.annotations': labels,
  'networkPolicy.metricsFrom': objects,
  'networkPolicy.egress': objects,
  dnsPolicy,
  dnsConfig: free,
  hostAliases: objects,
  command: texts,
  args: texts,
  lifecycle: free,
  extraVolumes: named,
  extraVolumeMounts: named,
  initContainers: named,
  extraContainers: named,
  extraManifests: { type: 'array', items: { type: ['object', 'string'] } },
  'metrics.serviceMonitor.labels': labels,
  'metrics.serviceMonitor.relabelings': objects,
  'metrics.serviceMonitor.metricRelabelings': objects,
  'metrics.prometheusRule.labels': labels,
  'metrics.dashboards.labels': labels,
  'metrics.dashboards.annotations': labels,
}

const agent: Chart = {
  folder: 'agent',
  title: 'Watchpost agent',
  introduction: `The agents of a private location: they ask the control plane for runs of checks, run them from where they
are, and report. They connect outwards only, need no capability and write only to their own volumes.

\`\`\`sh
kubectl create secret generic watchpost-agent --from-literal=api-key=pl_…   # the key of the private location
helm install agent ./helm/agent --set controlPlaneUrl=https://watchpost.example --set apiKey.existingSecret=watchpost-agent
helm test agent
\`\`\`

With browser, multi-step and Playwright checks a pod takes about a gigabyte of memory for each that runs at once; for URL, API, DNS,
TCP and ICMP checks alone \`--set image.variant=uptime\` is a fourth of the image and a tenth of the memory.`,
  special: {
    ...common,
    controlPlaneUrl: address,
    'apiKey.value': { type: 'string', pattern: '^(pl_[0-9a-f]{32})?$' },
    'image.variant': { enum: ['agent', 'uptime', 'dev'] },
    'spool.sizeLimit': quantity,
    'spool.volume': free,
    'cache.sizeLimit': quantity,
    'cache.volume': free,
    'tmp.sizeLimit': quantity,
    'shm.sizeLimit': quantity,
    drainTimeoutSeconds: { type: 'integer', minimum: 1, maximum: 86_400 },
    'autoscaling.mode': { enum: ['none', 'hpa', 'keda'] },
    'autoscaling.minReplicas': count,
    'autoscaling.maxReplicas': { type: 'integer', minimum: 1 },
    'autoscaling.hpa.metrics': objects,
    'autoscaling.hpa.behavior': free,
    'autoscaling.keda.trigger': { enum: ['queue', 'prometheus'] },
    'autoscaling.keda.targetValue': { type: 'number', exclusiveMinimum: 0 },
    'autoscaling.keda.activationValue': { type: 'number', minimum: 0 },
    'metrics.service.annotations': labels,
    'metrics.podMonitor.labels': labels,
    'metrics.podMonitor.relabelings': objects,
    'metrics.podMonitor.metricRelabelings': objects,
  },
  variables: agentVariables,
  taken: {
    CONTROL_PLANE_URL: 'controlPlaneUrl',
    API_KEY: 'apiKey',
    API_KEY_FILE: 'apiKey',
    AGENT_HEALTH_PORT: 'the chart (8081)',
    AGENT_HEALTH_HOST: 'the chart (all addresses)',
    DRAIN_TIMEOUT_SECONDS: 'drainTimeoutSeconds',
    SPOOL_DIR: 'spool',
    SUITE_CACHE_DIR: 'cache',
    HTTP_PROXY: 'proxy.http',
    HTTPS_PROXY: 'proxy.https',
    NO_PROXY: 'proxy.noProxy',
    EXTRA_CA_CERTS: 'caBundle',
    PLAYWRIGHT_BROWSERS_PATH: 'the image',
  },
  perLocation: [
    'controlPlaneUrl',
    'apiKey',
    'image',
    'imagePullSecrets',
    'replicas',
    'settings',
    'env',
    'envFrom',
    'proxy',
    'caBundle',
    'spool',
    'cache',
    'tmp',
    'shm',
    'resources',
    'drainTimeoutSeconds',
    'strategy',
    'revisionHistoryLimit',
    'probes',
    'podDisruptionBudget',
    'autoscaling',
    'openshift',
    'podSecurityContext',
    'securityContext',
    'ping',
    'networkPolicy',
    'dnsPolicy',
    'dnsConfig',
    'hostAliases',
    'hostNetwork',
    'nodeSelector',
    'tolerations',
    'affinity',
    'topologySpreadConstraints',
    'priorityClassName',
    'runtimeClassName',
    'schedulerName',
    'podLabels',
    'podAnnotations',
    'deploymentAnnotations',
    'command',
    'args',
    'lifecycle',
    'extraVolumes',
    'extraVolumeMounts',
    'initContainers',
    'extraContainers',
  ],
}

const controlPlane: Chart = {
  folder: 'control-plane',
  title: 'Watchpost control plane',
  introduction: `The control plane: API, schedule, results, alerts and status pages. Without a database it keeps everything in one file on
a volume, with one pod; with PostgreSQL any number of pods share it.

\`\`\`sh
helm install watchpost ./helm/control-plane --set baseUrl=https://watchpost.example \\
  --set ingress.enabled=true --set 'ingress.hosts={watchpost.example}'
helm test watchpost
\`\`\`

The notes that Helm prints say how to sign in for the first time, how to read the API key and how to install the agents of the location
\`local\`. [docs/deploy/kubernetes.md](../../docs/deploy/kubernetes.md) has the way from here to a first result, also without a name and an ingress.`,
  special: {
    ...common,
    baseUrl: address,
    settings: {},
    'persistence.size': quantity,
    'persistence.accessModes': texts,
    'persistence.annotations': labels,
    'persistence.selector': free,
    'artifacts.kind': { enum: ['data', 'pvc', 's3'] },
    'artifacts.s3.url': { type: 'string', pattern: '^(s3://.+)?$' },
    'artifacts.s3.endpoint': address,
    'artifacts.pvc.size': quantity,
    'artifacts.pvc.accessModes': texts,
    'secrets.encryptionKey': { type: 'string', pattern: '^([A-Za-z0-9+/=,]{44,})?$' },
    'secrets.accountId': { type: 'string', pattern: '^([0-9a-f-]{36})?$' },
    'secrets.apiKey': { type: 'string', pattern: '^(.{20,200})?$' },
    'secrets.agentKey': { type: 'string', pattern: '^(pl_[0-9a-f]{32})?$' },
    'database.url': { type: 'string', pattern: '^(postgres(ql)?://.+)?$' },
    'oidc.issuer': address,
    'oidc.roleMapping': {
      type: 'object',
      // What the list of OIDC_ROLE_MAPPING cannot say.
      propertyNames: { pattern: '^[^,]+$' },
      additionalProperties: { enum: roles.filter((role) => role !== 'OWNER') },
    },
    trustedProxies: texts,
    'tmp.sizeLimit': quantity,
    'service.type': { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
    'service.port': { type: 'integer', minimum: 1, maximum: 65_535 },
    'service.annotations': labels,
    'ingress.annotations': labels,
    'ingress.hosts': texts,
    'ingress.tls': objects,
    'gateway.annotations': labels,
    'gateway.hostnames': texts,
    'gateway.parentRefs': named,
    'gateway.filters': objects,
    'asCode.files': { type: 'object', additionalProperties: { type: 'string' } },
    'asCode.resources': free,
    'asCode.deadlineSeconds': { type: 'integer', minimum: 30 },
    'backup.size': quantity,
    'backup.keep': { type: 'integer', minimum: 1 },
    'backup.resources': free,
    'networkPolicy.from': objects,
    terminationGracePeriodSeconds: { type: 'integer', minimum: 5 },
  },
  variables: controlPlaneVariables,
  taken: {
    PORT: 'the chart (8080)',
    HOST: 'the chart (all addresses)',
    BASE_URL: 'baseUrl',
    DATA_DIR: 'persistence',
    DATABASE_URL: 'database',
    ARTIFACTS_URL: 'artifacts',
    ENCRYPTION_KEY: 'secrets',
    BOOTSTRAP_ACCOUNT_ID: 'secrets',
    BOOTSTRAP_API_KEY: 'secrets',
    BOOTSTRAP_AGENT_KEY: 'secrets',
    TRUSTED_PROXIES: 'trustedProxies',
    OIDC_ISSUER: 'oidc.issuer',
    OIDC_CLIENT_ID: 'oidc.clientId',
    OIDC_CLIENT_SECRET: 'oidc.existingSecret',
    OIDC_ROLE_MAPPING: 'oidc.roleMapping',
    OIDC_GROUPS_CLAIM: 'oidc.groupsClaim',
    OIDC_SCOPES: 'oidc.scopes',
    OIDC_NAME: 'oidc.name',
    SMTP_URL: 'mail.existingSecret',
    MAIL_FROM: 'mail.from',
    TRACE_VIEWER_DIR: 'the image',
  },
  perLocation: [],
}

export const charts: readonly Chart[] = [agent, controlPlane]
