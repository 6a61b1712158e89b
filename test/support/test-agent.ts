import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Environment } from '../../agent/base/read-variables.ts'
import { readConfig } from '../../agent/program/config.ts'
import { createDispatcher } from '../../agent/program/dispatcher.ts'
import { type RunningAgent, startAgent } from '../../agent/program/start.ts'
import { agentIo, recordingLog } from './agent-io.ts'

export const testApiKey = `pl_${'0123456789abcdef'.repeat(2)}`

export type TestAgent = RunningAgent & {
  lines: string[]
  probe(path: string): Promise<{ status: number; text: string }>
}

/** A folder that goes with the test. */
export const temporaryFolder = (t: Test): string => {
  const path = mkdtempSync(join(tmpdir(), 'watchpost-test-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A real agent, all but its process, that serves the control plane at `origin` until the test ends. */
export const testAgent = async (
  t: Test,
  origin: string,
  env: Environment = {},
  change: Parameters<typeof agentIo>[0] = {},
): Promise<TestAgent> => {
  const { log, lines } = recordingLog()
  const config = readConfig(
    {
      CONTROL_PLANE_URL: origin,
      API_KEY: testApiKey,
      AGENT_HEALTH_PORT: '0',
      AGENT_HEALTH_HOST: '127.0.0.1',
      SPOOL_DIR: temporaryFolder(t),
      CAPTURE: 'off',
      ...env,
    },
    (path) => readFileSync(path, 'utf8'),
  )
  const io = agentIo({ ...config, log, ...change })
  const started = await startAgent({
    self: { host: 'test', pid: 1, isAlive: () => false },
    config,
    io,
    dispatcher: createDispatcher(config),
    platform: 'test-x64',
    runtime: 'node test',
    nodeVersion: 'v24.0.0',
  })
  let stopping: Promise<void> | null = null
  const stop = (): Promise<void> => {
    stopping ??= started.stop()
    return stopping
  }
  t.teardown(stop)
  const { port } = started.health.address() as net.AddressInfo
  const probe = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    return { status: response.status, text: await response.text() }
  }
  return { ...started, lines, stop, probe }
}
