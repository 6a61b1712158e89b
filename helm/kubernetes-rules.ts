/** What servers of Kubernetes refuse, and their OpenAPI document does not say: words, ranges, patterns, by type and property. Rules with a `type` are the whole of it. */
import {
  annotations,
  cidr,
  count,
  entry,
  host,
  integer,
  ip,
  type JsonSchema,
  labels,
  listOf,
  objectName,
  quantity,
  share,
  text,
} from './kinds-of-values.ts'

type Rules = { [keyword: string]: unknown; properties?: { [property: string]: JsonSchema } }

const words = (...names: string[]): JsonSchema => ({ enum: names })
const properties = (of: { [property: string]: JsonSchema }): Rules => ({ properties: of })
const port = integer(1, 65_535)
const seconds = integer(1, 86_400)
/** A number, or the name of a port of the container. */
const namedPort: JsonSchema = { type: ['integer', 'string'], minimum: 1, maximum: 65_535, minLength: 1 }
const required = { type: 'string', minLength: 1 }
const someName = objectName
const oneOfThem: Rules = { minProperties: 1, maxProperties: 1 }
const modes = listOf(words('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'))
const selectors = words('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt')
const profile = words('RuntimeDefault', 'Unconfined', 'Localhost')
const ids = { runAsUser: count, runAsGroup: count }
/** A file's mode, 0 to 0777. */
const mode = integer(0, 511)
const term = properties({ weight: integer(1, 100) })
const reference = properties({ name: someName, key: entry })

export const kubernetesRules: { [type: string]: Rules } = {
  Quantity: quantity,
  IntOrString: share,
  Toleration: properties({
    operator: words('Exists', 'Equal', 'Lt', 'Gt'),
    effect: words('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
  }),
  TopologySpreadConstraint: properties({
    maxSkew: { type: 'integer', minimum: 1 },
    minDomains: { type: 'integer', minimum: 1 },
    topologyKey: required,
    whenUnsatisfiable: words('DoNotSchedule', 'ScheduleAnyway'),
    nodeAffinityPolicy: words('Honor', 'Ignore'),
    nodeTaintsPolicy: words('Honor', 'Ignore'),
  }),
  PodAffinityTerm: properties({ topologyKey: required }),
  WeightedPodAffinityTerm: term,
  PreferredSchedulingTerm: term,
  NodeSelectorRequirement: properties({ operator: selectors }),
  LabelSelectorRequirement: properties({ operator: words('In', 'NotIn', 'Exists', 'DoesNotExist') }),
  LabelSelector: properties({ matchLabels: labels }),
  PodSecurityContext: properties({
    ...ids,
    fsGroup: count,
    fsGroupChangePolicy: words('OnRootMismatch', 'Always'),
    supplementalGroups: listOf(count),
    supplementalGroupsPolicy: words('Merge', 'Strict'),
  }),
  SecurityContext: properties({ ...ids, procMount: words('Default', 'Unmasked') }),
  Capabilities: properties({
    add: listOf(text('^[A-Z][A-Z0-9_]*$')),
    drop: listOf(text('^[A-Z][A-Z0-9_]*$')),
  }),
  SeccompProfile: properties({ type: profile }),
  AppArmorProfile: properties({ type: profile }),
  Probe: properties({
    initialDelaySeconds: integer(0, 86_400),
    periodSeconds: seconds,
    timeoutSeconds: seconds,
    successThreshold: integer(1, 1000),
    failureThreshold: integer(1, 10_000),
    terminationGracePeriodSeconds: seconds,
  }),
  PodDNSConfig: properties({ nameservers: { ...listOf(ip), maxItems: 3 } }),
  PodDNSConfigOption: { ...properties({ name: required }), required: ['name'] },
  HostAlias: properties({ ip, hostnames: listOf(host) }),
  EnvVar: properties({ name: text('^[^= ]+$') }),
  EnvVarSource: oneOfThem,
  EnvFromSource: properties({ prefix: text('^[^= ]*$') }),
  ConfigMapEnvSource: { ...properties({ name: someName }), required: ['name'] },
  SecretEnvSource: { ...properties({ name: someName }), required: ['name'] },
  ConfigMapKeySelector: { ...reference, required: ['name', 'key'] },
  SecretKeySelector: { ...reference, required: ['name', 'key'] },
  Container: properties({
    name: text('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'),
    image: required,
    imagePullPolicy: words('Always', 'IfNotPresent', 'Never'),
    restartPolicy: words('Always', 'OnFailure', 'Never'),
    terminationMessagePolicy: words('File', 'FallbackToLogsOnError'),
  }),
  ContainerPort: properties({
    containerPort: port,
    hostPort: port,
    protocol: words('TCP', 'UDP', 'SCTP'),
  }),
  HTTPGetAction: properties({ port: namedPort, scheme: words('HTTP', 'HTTPS') }),
  TCPSocketAction: properties({ port: namedPort }),
  GRPCAction: properties({ port }),
  SleepAction: properties({ seconds: integer(0, 86_400) }),
  VolumeMount: properties({
    name: required,
    mountPath: text('^/[^:]*$'),
    mountPropagation: words('None', 'HostToContainer', 'Bidirectional'),
    recursiveReadOnly: words('Disabled', 'IfPossible', 'Enabled'),
  }),
  // Its name beside one source.
  Volume: {
    ...properties({ name: text('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$') }),
    minProperties: 1,
    maxProperties: 2,
  },
  EmptyDirVolumeSource: properties({ medium: text('^(Memory|HugePages(-[0-9]+[KMG]i)?)?$') }),
  SecretVolumeSource: properties({ secretName: someName, defaultMode: mode }),
  ConfigMapVolumeSource: properties({ name: someName, defaultMode: mode }),
  ProjectedVolumeSource: properties({ defaultMode: mode }),
  KeyToPath: properties({ key: entry, path: text('^[^/]'), mode }),
  PersistentVolumeClaimVolumeSource: properties({ claimName: someName }),
  PersistentVolumeClaimSpec: properties({
    accessModes: modes,
    volumeMode: words('Filesystem', 'Block'),
    storageClassName: someName,
  }),
  ObjectMeta: properties({ labels, annotations }),
  IPBlock: properties({ cidr, except: listOf(cidr) }),
  NetworkPolicyPort: properties({
    port: namedPort,
    endPort: port,
    protocol: words('TCP', 'UDP', 'SCTP'),
  }),
  IngressTLS: properties({ secretName: someName, hosts: listOf(host) }),
  DeploymentStrategy: properties({ type: words('RollingUpdate', 'Recreate') }),
  MetricSpec: properties({
    type: words('Resource', 'ContainerResource', 'Pods', 'Object', 'External'),
  }),
  MetricTarget: properties({
    type: words('Utilization', 'Value', 'AverageValue'),
    averageUtilization: { type: 'integer', minimum: 1 },
  }),
  HPAScalingRules: properties({
    stabilizationWindowSeconds: integer(0, 3600),
    selectPolicy: words('Max', 'Min', 'Disabled'),
  }),
  HPAScalingPolicy: properties({
    type: words('Pods', 'Percent'),
    value: { type: 'integer', minimum: 1 },
    periodSeconds: integer(1, 1800),
  }),
}
