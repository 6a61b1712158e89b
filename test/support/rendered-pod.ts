/**
 * A pod as a chart renders it, as options of `podman run`: its user, rights, sysctls, volumes, memory, environment and command. (`podman
 * kube play` ignores sysctls and hands secrets over wrongly, so it would test something else.) What is not known here is an error.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type SecretData = { [name: string]: { [key: string]: string } }
type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }
type Volume = {
  name: string
  emptyDir?: { medium?: string; sizeLimit?: string }
  secret?: { secretName: string; defaultMode?: number; items: Array<{ key: string; path: string }> }
  persistentVolumeClaim?: { claimName: string }
}
type Context = {
  runAsUser?: number
  runAsGroup?: number
  runAsNonRoot?: boolean
  fsGroup?: number
  readOnlyRootFilesystem?: boolean
  allowPrivilegeEscalation?: boolean
  capabilities?: { drop?: string[]; add?: string[] }
  sysctls?: Array<{ name: string; value: string }>
}
export type RenderedPod = {
  securityContext: Context
  containers: Array<{
    image: string
    command?: string[]
    args?: string[]
    env: Variable[]
    volumeMounts: Array<{ name: string; mountPath: string; readOnly?: boolean }>
    resources: { limits?: { memory?: string } }
    securityContext: Context
  }>
  volumes: Volume[]
}

export type PodmanRun = { image: string; options: string[]; command: string[]; env: Record<string, string> }

/** What stands for the cluster's own: secrets, and a folder for those that are mounted. */
export type Cluster = { secrets: SecretData; folder: string }

const found = <T>(value: T | undefined, what: string): T => {
  if (value === undefined) throw new Error(`${what} is not there`)
  return value
}

const secretOf = ({ secrets }: Cluster, name: string, key: string): string =>
  found(secrets[name]?.[key], `the entry ${key} of the secret ${name}`)

const environmentOf = (cluster: Cluster, variables: readonly Variable[]): Record<string, string> =>
  Object.fromEntries(
    variables.map(({ name, value, valueFrom }) => {
      const reference = valueFrom?.secretKeyRef
      return [
        name,
        reference === undefined ? found(value, name) : secretOf(cluster, reference.name, reference.key),
      ]
    }),
  )

const bytesOf = (quantity: string): string => quantity.replace(/i$/, '').toLowerCase()

type Mount = { mountPath: string; readOnly?: boolean }

const mountOptions = async (
  cluster: Cluster,
  { name, emptyDir, secret, persistentVolumeClaim }: Volume,
  { mountPath, readOnly }: Mount,
): Promise<string[]> => {
  if (emptyDir !== undefined) {
    const size = emptyDir.sizeLimit === undefined ? '' : `,size=${bytesOf(emptyDir.sizeLimit)}`
    // Kubelets make them with these rights; /dev/shm is mounted by the engine itself.
    if (mountPath === '/dev/shm')
      return ['--shm-size', bytesOf(found(emptyDir.sizeLimit, 'the size of /dev/shm'))]
    return [
      '--mount',
      `type=tmpfs,destination=${mountPath},tmpfs-mode=1777,notmpcopyup${size.replace(',size', ',tmpfs-size')}`,
    ]
  }
  const folder = join(cluster.folder, name)
  await mkdir(folder, { recursive: true })
  if (persistentVolumeClaim !== undefined) {
    await chmod(folder, 0o2777)
    return ['--volume', `${folder}:${mountPath}`]
  }
  if (secret === undefined) throw new Error(`the volume ${name} is of a kind that is not known here`)
  for (const { key, path } of secret.items) {
    await writeFile(join(folder, path), secretOf(cluster, secret.secretName, key))
    // With an fsGroup the kubelet gives files to that group; here others stand for it.
    await chmod(join(folder, path), (secret.defaultMode ?? 0o644) | 0o004)
  }
  return ['--volume', `${folder}:${mountPath}${readOnly ? ':ro' : ''}`]
}

/** @throws Error for what podman would have to do otherwise than a kubelet */
export const podmanRunOf = async (pod: RenderedPod, cluster: Cluster): Promise<PodmanRun> => {
  const [container, ...others] = pod.containers
  if (container === undefined || others.length > 0) throw new Error('one container is known here')
  const context = { ...pod.securityContext, ...container.securityContext }
  const { runAsUser, runAsGroup, capabilities = {} } = context
  const volumes = new Map(pod.volumes.map((volume) => [volume.name, volume]))
  const mounts = await Promise.all(
    container.volumeMounts.map((mount) =>
      mountOptions(cluster, found(volumes.get(mount.name), `the volume ${mount.name}`), mount),
    ),
  )
  const options = [
    ...(runAsUser === undefined ? [] : ['--user', `${runAsUser}:${runAsGroup ?? 0}`]),
    ...(context.readOnlyRootFilesystem ? ['--read-only', '--read-only-tmpfs=false'] : []),
    ...(capabilities.drop ?? []).flatMap((name) => ['--cap-drop', name]),
    ...(capabilities.add ?? []).flatMap((name) => ['--cap-add', name]),
    ...(context.allowPrivilegeEscalation === false ? ['--security-opt', 'no-new-privileges'] : []),
    ...(pod.securityContext.sysctls ?? []).flatMap(({ name, value }) => ['--sysctl', `${name}=${value}`]),
    ...(container.resources.limits?.memory === undefined
      ? []
      : ['--memory', bytesOf(container.resources.limits.memory)]),
    ...mounts.flat(),
    ...(container.command === undefined ? [] : ['--entrypoint', JSON.stringify(container.command)]),
  ]
  return {
    image: container.image,
    options,
    command: container.args ?? [],
    env: environmentOf(cluster, container.env),
  }
}
