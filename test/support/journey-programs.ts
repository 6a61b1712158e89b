import type { Test } from 'tap'
import { callApi } from './api.ts'
import {
  type AgentOptions,
  endsWith,
  listening,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
} from './programs.ts'

export type JourneyPrograms = {
  url: string
  /** Makes something of the API, and gives its id. */
  create<T = string>(path: string, body: object): Promise<T>
}

/** A control plane and an agent as they are started, connected, until the test ends. `env`: more settings of the agent. */
export const journeyPrograms = async (
  t: Test,
  { env, browsers }: Pick<AgentOptions, 'env' | 'browsers'> = {},
): Promise<JourneyPrograms> => {
  const folder = await scratchFolder(t)
  const { url } = await listening(endsWith(t, spawnControlPlane({ dataDir: `${folder}/data` })))
  const agent = endsWith(t, spawnAgent({ url, spoolDir: `${folder}/spool`, env, browsers }))
  await agent.line(/connected to the control plane/)
  return { url, create: creating(t, url) }
}

/** Makes things of the API. */
export const creating =
  (t: Test, url: string): JourneyPrograms['create'] =>
  async <T>(path: string, body: object) => {
    const created = await callApi<{ id: T }>(url, path, { method: 'POST', body })
    t.equal(created.status, 201, JSON.stringify(created.body))
    return created.body.id
  }
