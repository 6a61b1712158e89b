import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Podman without systemd, registries or anything that others have: runc, because crun refuses old control groups, and limits
 * that a container engine inside of a container may set, too.
 */
export const ownStorage = (folder: string, { runc }: { runc: boolean }): Record<string, string> => {
  mkdirSync(folder, { recursive: true })
  const [containers, storage] = [join(folder, 'containers.conf'), join(folder, 'storage.conf')]
  writeWhole(
    containers,
    `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
${runc ? 'runtime = "runc"' : ''}
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "${join(folder, 'networks')}"
`,
  )
  writeWhole(
    storage,
    `[storage]
driver = "overlay"
graphroot = "${join(folder, 'graph')}"
runroot = "${join(folder, 'run')}"
`,
  )
  return { CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage }
}

/** At once: another process of ours may be starting podman with the same folder. */
const writeWhole = (path: string, content: string): void => {
  const written = `${path}.${process.pid}`
  writeFileSync(written, content)
  renameSync(written, path)
}
