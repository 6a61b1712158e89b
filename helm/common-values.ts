/** The type of a chart's description, and what both charts have in common. */
import type { Variable } from '../agent/program/agent-variables.ts'
import {
  annotations,
  count,
  digest,
  entry,
  interval,
  type JsonSchema,
  labels,
  listOf,
  objectName,
  optionalLabel,
  optionalObject,
  registry,
  repository,
  share,
  tag,
} from './kinds-of-values.ts'
import { customResource, kubernetes, kubernetesWithout } from './kubernetes-types.ts'

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
  /** Of those the ones that may stand in `secretFiles` instead. */
  takenOrInFiles?: readonly string[]
  /** Top-level values that an entry of `locations` may replace. */
  perLocation: readonly string[]
}

/** The chart writes where a probe asks; what asks otherwise would stand beside it. */
const handlers = ['exec', 'grpc', 'httpGet', 'tcpSocket']
const probe = (never: readonly string[]): JsonSchema => kubernetesWithout('Probe', [...handlers, ...never])

const monitor = (kind: string, endpoints: string): Chart['special'] => {
  const path = `metrics.${kind[0]?.toLowerCase()}${kind.slice(1)}`
  const of = (name: string): JsonSchema =>
    customResource(`monitoring.coreos.com/v1/${kind}`, ['spec', endpoints, '[]', name])
  return {
    [`${path}.labels`]: labels,
    [`${path}.interval`]: interval,
    [`${path}.relabelings`]: of('relabelings'),
    [`${path}.metricRelabelings`]: of('metricRelabelings'),
  }
}

export const podMonitor = monitor('PodMonitor', 'podMetricsEndpoints')

/** Everything that pods and names of both charts have. */
export const commonValues: Chart['special'] = {
  'image.registry': registry,
  'image.repository': repository,
  'image.tag': tag,
  'image.digest': digest,
  'image.pullPolicy': { enum: ['Always', 'IfNotPresent', 'Never'] },
  imagePullSecrets: listOf(objectName),
  env: listOf(kubernetes('EnvVar')),
  envFrom: listOf(kubernetes('EnvFromSource')),
  replicas: count,
  strategy: kubernetes('DeploymentStrategy'),
  revisionHistoryLimit: count,
  // One success is enough for these, by the rules of Kubernetes; the time to end is not for readiness.
  'probes.liveness': probe(['successThreshold']),
  'probes.readiness': probe(['terminationGracePeriodSeconds']),
  'probes.startup': probe(['successThreshold']),
  'podDisruptionBudget.maxUnavailable': share,
  resources: kubernetes('ResourceRequirements'),
  podSecurityContext: kubernetes('PodSecurityContext'),
  securityContext: kubernetes('SecurityContext'),
  'caBundle.configMap': optionalObject,
  'caBundle.secret': optionalObject,
  'caBundle.key': entry,
  nodeSelector: labels,
  tolerations: listOf(kubernetes('Toleration')),
  affinity: kubernetes('Affinity'),
  topologySpreadConstraints: listOf(kubernetes('TopologySpreadConstraint')),
  priorityClassName: optionalObject,
  runtimeClassName: optionalObject,
  commonLabels: labels,
  commonAnnotations: annotations,
  podLabels: labels,
  podAnnotations: annotations,
  deploymentAnnotations: annotations,
  nameOverride: optionalLabel,
  fullnameOverride: optionalLabel,
  namespaceOverride: optionalLabel,
  'serviceAccount.name': optionalObject,
  'serviceAccount.annotations': annotations,
  'networkPolicy.metricsFrom': listOf(kubernetes('NetworkPolicyPeer')),
  'networkPolicy.egress': listOf(kubernetes('NetworkPolicyEgressRule')),
  dnsPolicy: { enum: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'] },
  dnsConfig: kubernetes('PodDNSConfig'),
  hostAliases: listOf(kubernetes('HostAlias')),
  command: listOf({ type: 'string' }),
  args: listOf({ type: 'string' }),
  lifecycle: kubernetes('Lifecycle'),
  extraVolumes: listOf(kubernetes('Volume')),
  extraVolumeMounts: listOf(kubernetes('VolumeMount')),
  initContainers: listOf(kubernetes('Container')),
  extraContainers: listOf(kubernetes('Container')),
  extraManifests: listOf({
    type: ['object', 'string'],
    required: ['apiVersion', 'kind', 'metadata'],
    minLength: 1,
  }),
  ...monitor('ServiceMonitor', 'endpoints'),
  'metrics.prometheusRule.labels': labels,
  'metrics.dashboards.labels': labels,
  'metrics.dashboards.annotations': annotations,
}
