/** Pods of a rendered chart as processes: started with its variables, asked by its probe, ended within its time, as a kubelet does. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import {
  type ControlPlaneProgram,
  endsWith,
  listening,
  type Program,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
} from './programs.ts'
import { until } from './until.ts'

type Probe = { httpGet: { path: string } }
type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef?: { key: string } } }
type Container = { args?: string[]; env: Variable[]; readinessProbe: Probe; livenessProbe: Probe }
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
  const folder = await scratchFolder(t)
  const program = endsWith(
    t,
    spawnAgent({
      url,
      spoolDir: join(folder, 'spool'),
      browsers: false,
      // What stands for the cluster's own: its address, its secret, its volumes, and a port of each pod.
      env: {
        ...variablesOf(pod, {}),
        CONTROL_PLANE_URL: url,
        API_KEY: '',
        API_KEY_FILE: keyFile,
        SPOOL_DIR: join(folder, 'spool'),
        AGENT_HEALTH_PORT: '0',
      },
    }),
  )
  const [, port] = await program.line(/probes and metrics on port (\d+)/)
  await isReady(pod, `http://127.0.0.1:${port}`)
  return podOf(t, pod, program)
}

type Installed = {
  pod: PodSpec
  dataDir: string
  secret: { [key: string]: string }
  more?: Record<string, string>
}

/** `secret`: the one that its chart makes, by its keys. */
export const startControlPlanePod = async (
  t: Test,
  { pod, dataDir, secret, more = {} }: Installed,
): Promise<Pod & { plane: ControlPlaneProgram }> => {
  // As above: its name, its volume, and a port of this machine.
  const { BASE_URL: _, ...variables } = variablesOf(pod, secret)
  const env = { ...variables, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', ...more }
  const nodeArgs = (pod.containers[0].args ?? []).filter((argument) => argument.startsWith('--'))
  const plane = await listening(endsWith(t, spawnControlPlane({ dataDir, env, nodeArgs })))
  await isReady(pod, plane.url)
  return { ...podOf(t, pod, plane), plane }
}

const variablesOf = (pod: PodSpec, secret: { [key: string]: string }): Record<string, string> =>
  Object.fromEntries(
    pod.containers[0].env.flatMap(({ name, value, valueFrom }) => {
      const given = value ?? secret[valueFrom?.secretKeyRef?.key ?? '']
      return given === undefined ? [] : [[name, given]]
    }),
  )

const isReady = async (pod: PodSpec, origin: string): Promise<void> => {
  const [{ readinessProbe, livenessProbe }] = pod.containers
  for (const { httpGet } of [livenessProbe, readinessProbe])
    await until('a pod to be ready', async () => (await fetch(origin + httpGet.path)).status === 200)
}

const podOf = (t: Test, pod: PodSpec, program: Program): Pod => ({
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
})
