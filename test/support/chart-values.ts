/** Values of charts that together touch every line of their templates. */
import type { ChartName, ChartValues } from './charts.ts'

const key = { apiKey: { existingSecret: 'agent-key' } }
const agentBase = { controlPlaneUrl: 'https://watchpost.example/', ...key }
const monitoring = {
  service: { annotations: { a: 'b' } },
  podMonitor: {
    enabled: true,
    labels: { release: 'prometheus' },
    relabelings: [{ action: 'labeldrop', regex: 'pod' }],
  },
  serviceMonitor: {
    enabled: true,
    metricRelabelings: [{ action: 'drop', sourceLabels: ['__name__'], regex: 'x' }],
  },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  dashboards: { enabled: true, annotations: { folder: 'Watchpost' } },
}

/** What a pod may have, in both charts. */
const pods = {
  image: { registry: 'registry.example:5000', tag: '1.2', pullPolicy: 'Always' },
  imagePullSecrets: ['pull'],
  env: [{ name: 'NODE_OPTIONS', valueFrom: { configMapKeyRef: { name: 'options', key: 'node' } } }],
  envFrom: [{ secretRef: { name: 'more' } }],
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
      },
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
    {
      maxSkew: 2,
      topologyKey: 'host',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { a: 'b' } },
    },
  ],
  priorityClassName: 'high',
  runtimeClassName: 'gvisor',
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['10.0.0.10'], options: [{ name: 'ndots', value: '1' }] },
  hostAliases: [{ ip: '10.1.2.3', hostnames: ['intranet'] }],
  commonLabels: { team: 'sre' },
  commonAnnotations: { note: 'kept' },
  podLabels: { mesh: 'off' },
  podAnnotations: { 'sidecar.istio.io/inject': 'false' },
  deploymentAnnotations: { 'reloader.stakater.com/auto': 'true' },
  namespaceOverride: 'elsewhere',
  caBundle: { secret: 'authorities', key: 'bundle.pem' },
  lifecycle: { preStop: { sleep: { seconds: 5 } } },
  extraVolumes: [{ name: 'extra', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'extra', mountPath: '/extra' }],
  networkPolicy: {
    enabled: true,
    metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.169.254/32'] } }] }],
  },
  extraManifests: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-own' }, data: { a: 'b' } },
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-text\n',
  ],
}

export const valueSets: { [chart in ChartName]: { [name: string]: ChartValues } } = {
  agent: {
    default: agentBase,
    uptime: {
      ...agentBase,
      image: { variant: 'uptime' },
      settings: { UPTIME_CONCURRENCY: 2000, LOG_LEVEL: 'debug' },
    },
    everything: {
      ...agentBase,
      ...pods,
      metrics: monitoring,
      settings: {
        JOB_CONCURRENCY: 3,
        AGENT_LLM_DAILY_TOKENS: 5_000_000,
        AGENT_LLM_INPUT_PRICE: 0.15,
        CAPTURE: 'off',
      },
      proxy: { http: 'http://proxy:3128', https: 'http://proxy:3128', noProxy: '.svc,10.0.0.0/8' },
      autoscaling: {
        mode: 'hpa',
        minReplicas: 2,
        maxReplicas: 9,
        hpa: { targetMemory: 80, behavior: { scaleDown: { stabilizationWindowSeconds: 300 } } },
      },
      spool: { volume: { persistentVolumeClaim: { claimName: 'spool' } } },
      cache: { volume: { persistentVolumeClaim: { claimName: 'cache' } } },
      initContainers: [],
      schedulerName: 'other',
    },
    'a key of its own': { controlPlaneUrl: 'http://wp', apiKey: { value: `pl_${'a'.repeat(32)}` } },
    'two locations': {
      controlPlaneUrl: 'https://watchpost.example',
      settings: { LOG_LEVEL: 'warn' },
      locations: {
        paris: { apiKey: { existingSecret: 'paris' }, replicas: 2 },
        'new-york': {
          apiKey: { existingSecret: 'ny', secretKey: 'key' },
          image: { variant: 'dev' },
          settings: { JOB_CONCURRENCY: 4 },
          autoscaling: {
            mode: 'keda',
            minReplicas: 0,
            keda: { queue: { locationId: '01a1fdbb-1960-7efb-a84a-32a6e54e95d5', existingSecret: 'api' } },
          },
        },
      },
    },
    'secrets as files': {
      ...agentBase,
      image: { variant: 'uptime' },
      secretFiles: {
        AGENT_PROBE_TOKEN: { name: 'probe', key: 'token' },
        FALLBACK_WEBHOOK_URL: { name: 'hooks', key: 'url' },
        HTTPS_PROXY: { name: 'proxy', key: 'url' },
      },
    },
    'keda by Prometheus': {
      ...agentBase,
      autoscaling: {
        mode: 'keda',
        keda: {
          trigger: 'prometheus',
          prometheus: { serverAddress: 'http://prometheus:9090', slug: 'Paris-1' },
        },
      },
    },
    OpenShift: {
      ...agentBase,
      openshift: true,
      image: { digest: `sha256:${'0'.repeat(64)}` },
      serviceAccount: { create: false },
    },
    'config map of authorities': {
      ...agentBase,
      caBundle: { configMap: 'ca' },
      ping: { sysctl: false },
      test: { enabled: false },
    },
  },
  'control-plane': {
    default: {},
    everything: {
      ...pods,
      baseUrl: 'https://watchpost.example',
      metrics: {
        serviceMonitor: { enabled: true },
        prometheusRule: { enabled: true },
        dashboards: { enabled: true },
      },
      settings: { RETENTION_RESULTS_DAYS: 90, LOG_LEVEL: 'debug', STORE_MAX_GB: 20 },
      oidc: {
        issuer: 'https://login.example/realms/main',
        clientId: 'watchpost',
        existingSecret: 'oidc',
        roleMapping: { ops: 'ADMIN', dev: 'READ_WRITE', '*': 'READ_ONLY' },
      },
      mail: { existingSecret: 'smtp', from: 'Watchpost <alerts@example.com>' },
      ingress: {
        enabled: true,
        className: 'nginx',
        hosts: ['watchpost.example'],
        tls: [{ secretName: 'tls', hosts: ['watchpost.example'] }],
      },
      gateway: {
        enabled: true,
        parentRefs: [{ name: 'public', namespace: 'gateways' }],
        hostnames: ['watchpost.example'],
      },
      backup: { enabled: true, withKeys: true, storageClass: 'slow' },
      asCode: {
        enabled: true,
        files: { 'shop.yaml': 'project: shop\n' },
        secret: 'shop',
        prune: true,
        adopt: true,
      },
      persistence: {
        storageClass: 'fast',
        annotations: { a: 'b' },
        selector: { matchLabels: { disk: 'ssd' } },
      },
      service: { type: 'NodePort', port: 8080 },
      networkPolicy: { ...pods.networkPolicy, from: [{ podSelector: {} }] },
    },
    PostgreSQL: {
      baseUrl: 'https://watchpost.example',
      replicas: 3,
      database: { existingSecret: 'postgres' },
      secrets: { existingSecret: 'keys' },
      artifacts: {
        kind: 's3',
        s3: {
          url: 's3://bucket/prefix',
          endpoint: 'https://s3.example',
          region: 'eu-1',
          existingSecret: 's3',
        },
      },
    },
    'PostgreSQL by its address': {
      database: { url: 'postgres://watchpost:secret@db/watchpost' },
      artifacts: { kind: 'pvc', pvc: { storageClass: 'nfs' } },
      replicas: 2,
    },
    'secrets as files': {
      secrets: { existingSecret: 'keys', asFiles: true },
      baseUrl: 'https://watchpost.example',
      backup: { enabled: true },
      artifacts: { kind: 's3', s3: { url: 's3://bucket', existingSecret: 's3' } },
      oidc: { issuer: 'https://login.example', clientId: 'watchpost', existingSecret: 'oidc' },
      mail: { existingSecret: 'smtp', from: 'alerts@example.com' },
      restore: { enabled: true, file: 'watchpost.backup' },
      secretFiles: { RCA_API_KEY: { name: 'models', key: 'api-key' } },
    },
    restoring: {
      imagePullSecrets: ['pull'],
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      backup: { enabled: true },
      restore: { enabled: true, file: 'watchpost-2026-11-22.backup', withoutSecrets: true },
      asCode: { enabled: true, files: { 'shop.yaml': 'project: shop\n' } },
    },
    OpenShift: {
      openshift: true,
      persistence: { existingClaim: 'own' },
      serviceAccount: { create: false, name: 'own' },
    },
  },
}

export const chartNames: readonly ChartName[] = ['agent', 'control-plane']
