/** Pods of a rendered chart as processes: started with its variables, asked by its probe, ended within its time, as a kubelet does. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import { endsWith, type Program, scratchFolder, spawnAgent } from './programs.ts'
import { until } from './until.ts'

type Probe = { httpGet: { path: string } }
type Container = { env: { name: string; value?: string }[]; readinessProbe: Probe }
type PodSpec = { terminationGracePeriodSeconds: number; containers: [Container, ...Container[]] }
type Deployment = { kind: string; spec: { strategy: object; template: { spec: PodSpec } } }

/** Of a golden file of test/fixtures/charts. */
export const deploymentIn = (file: string): Deployment['spec'] => {
  const text = readFileSync(new URL(`../fixtures/charts/${file}`, import.meta.url), 'utf8')
  const all = parseAllDocuments(text).map((document) => document.toJS() as Deployment)
  const found = all.find(({ kind }) => kind === 'Deployment')
  if (found === undefined) throw new Error(`${file} has no deployment`)
  return found.spec
}

export type Pod = {
  program: Program
  /** What a node that loses its power does to it. */
  kill(): Promise<void>
  /** SIGTERM, and how long it took to be gone; it fails where a kubelet would have to kill it. */
  end(): Promise<number>
}

type Cluster = { pod: PodSpec; url: string; keyFile: string }

/** Resolves once its probe says that it is ready. */
export const startPod = async (t: Test, { pod, url, keyFile }: Cluster): Promise<Pod> => {
  const [{ env, readinessProbe }] = pod.containers
  const given = Object.fromEntries(
    env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  )
  const folder = await scratchFolder(t)
  const program = endsWith(
    t,
    spawnAgent({
      url,
      spoolDir: join(folder, 'spool'),
      // What stands for the cluster's own: its address, its secret, its volumes, and a port of each pod.
      env: {
        ...given,
        CONTROL_PLANE_URL: url,
        API_KEY: '',
        API_KEY_FILE: keyFile,
        SPOOL_DIR: join(folder, 'spool'),
        AGENT_HEALTH_PORT: '0',
      },
    }),
  )
  const [, port] = await program.line(/probes and metrics on port (\d+)/)
  const address = `http://127.0.0.1:${port}${readinessProbe.httpGet.path}`
  await until('a pod to be ready', async () => (await fetch(address)).status === 200)
  return {
    program,
    kill: () => program.end('SIGKILL'),
    end: async () => {
      const begunAt = performance.now()
      await program.end('SIGTERM')
      const tookMs = performance.now() - begunAt
      t.equal(await program.exitCode(), 0, 'a pod ends by itself')
      t.ok(tookMs < pod.terminationGracePeriodSeconds * 1000, 'and before it would be killed')
      return tookMs
    },
  }
}
