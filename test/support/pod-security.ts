/**
 * The restricted Pod Security Standard (kubernetes.io/docs/concepts/security/pod-security-standards), as its admission judges a pod
 * of Linux: what a pod says against it.
 */
type Context = {
  runAsNonRoot?: boolean
  runAsUser?: number
  privileged?: boolean
  allowPrivilegeEscalation?: boolean
  capabilities?: { drop?: string[]; add?: string[] }
  seccompProfile?: { type?: string }
  sysctls?: Array<{ name: string }>
  procMount?: string
}
type Container = {
  name: string
  securityContext?: Context
  ports?: Array<{ hostPort?: number }>
}
export type PodSpec = {
  hostNetwork?: boolean
  hostPID?: boolean
  hostIPC?: boolean
  securityContext?: Context
  containers: Container[]
  initContainers?: Container[]
  volumes?: Array<{ name: string; [kind: string]: unknown }>
}

const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
]
const volumeKinds = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]
const profiles = ['RuntimeDefault', 'Localhost']

const problemsOfContainer = (
  pod: Context,
  { name, securityContext = {}, ports = [] }: Container,
): string[] => {
  const { capabilities = {}, seccompProfile = pod.seccompProfile } = securityContext
  const found: Array<[boolean, string]> = [
    [securityContext.privileged === true, 'is privileged'],
    [securityContext.allowPrivilegeEscalation !== false, 'does not forbid privilege escalation'],
    [!(capabilities.drop ?? []).includes('ALL'), 'does not drop all capabilities'],
    [(capabilities.add ?? []).some((added) => added !== 'NET_BIND_SERVICE'), 'adds capabilities'],
    [(securityContext.runAsNonRoot ?? pod.runAsNonRoot) !== true, 'may run as root'],
    [(securityContext.runAsUser ?? pod.runAsUser) === 0, 'runs as root'],
    [!profiles.includes(seccompProfile?.type ?? ''), 'has no seccomp profile'],
    [(securityContext.procMount ?? 'Default') !== 'Default', 'has another /proc'],
    [ports.some(({ hostPort = 0 }) => hostPort !== 0), 'takes a port of the host'],
  ]
  return found.filter(([isSo]) => isSo).map(([, problem]) => `${name} ${problem}`)
}

export const restrictedProblems = (spec: PodSpec): string[] => {
  const pod = spec.securityContext ?? {}
  const ofPod: Array<[boolean, string]> = [
    [spec.hostNetwork === true, 'the pod uses the network of the host'],
    [spec.hostPID === true || spec.hostIPC === true, 'the pod shares processes with the host'],
    ...(pod.sysctls ?? []).map(({ name }): [boolean, string] => [
      !safeSysctls.includes(name),
      `the pod sets the sysctl ${name}`,
    ]),
    ...(spec.volumes ?? []).map(({ name, ...kind }): [boolean, string] => [
      Object.keys(kind).some((key) => !volumeKinds.includes(key)),
      `the volume ${name} is of a kind that is not allowed`,
    ]),
  ]
  const containers = [...spec.containers, ...(spec.initContainers ?? [])]
  return [
    ...ofPod.filter(([isSo]) => isSo).map(([, problem]) => problem),
    ...containers.flatMap((container) => problemsOfContainer(pod, container)),
  ]
}
