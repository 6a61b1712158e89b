/** Whether the agents of a location can run something, and what stands against it. */
import { runtimeIds } from '../../../../protocol/runtime.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { type Told, tell } from '../../../platform/words/told.ts'
import { offeredNames, readEngines, readRuntimes } from './agent-docs.ts'
import { agentGoneMs } from './agent-presence.ts'
import { agentsOfLocation } from './queries.ts'

/** `location`: its id; `locationName`, `typeName`: the names that people know. */
type Requirement = {
  location: string
  locationName: string
  checkType: string
  typeName: string
  runtimeId: string | null
  /** Of a Playwright suite that asks for one. */
  engine?: string | null
}

/** `detail`: one sentence. `isServed`: agents were seen there, and none of them is able. */
type Inability = { detail: Told; isServed: boolean }

/** Null: an agent that was seen lately is able. */
export const whyUnable = async (db: Db, needed: Requirement, now: number): Promise<Inability | null> => {
  const { location, checkType, runtimeId, engine = null } = needed
  const agents = await db.all(agentsOfLocation, { location, since: now - agentGoneMs })
  const where = needed.locationName
  if (agents.length === 0) return { detail: tell`No agent serves location "${where}".`, isServed: false }
  const able = agents.filter(({ check_types }) => listed(check_types, checkType))
  if (able.length === 0)
    return {
      detail: tell`No agent in location "${where}" runs checks of type ${{ text: needed.typeName, values: [] }}.`,
      isServed: true,
    }
  if (runtimeId !== null && !able.some((one) => readRuntimes(one.runtime_ids, checkType).includes(runtimeId)))
    return { detail: withoutRuntime(needed, where, able), isServed: true }
  const engines = able.map(({ runtime_ids }) => readEngines(runtime_ids))
  if (engine !== null && engines.every((offered) => offered !== null && !offered.includes(engine)))
    return { detail: withoutEngine(engine, where, engines.flat()), isServed: true }
  return null
}

/** Says what helps: agents get no other runtimes by waiting. */
const withoutRuntime = (
  { checkType, runtimeId }: Requirement,
  where: string,
  agents: readonly { runtime_ids: string }[],
): Told => {
  const offered = new Set(agents.flatMap(({ runtime_ids }) => readRuntimes(runtime_ids, checkType)))
  const others = runtimeIds.filter((id) => offered.has(id)).join(', ')
  const choose =
    others === ''
      ? tell`Its agents have no runtime at all.`
      : tell`Choose one that they have (${others}) as the runtimeId of the check, its group or the account, or start an agent that has it.`
  return tell`No agent in location "${where}" offers the runtime ${runtimeId}. ${choose}`
}

const withoutEngine = (engine: string, where: string, offered: readonly (string | null)[]): Told => {
  const others = [...new Set(offered)].filter((one) => one !== null).toSorted()
  return tell`No agent in location "${where}" runs suites with ${engine}. Choose an engine that they have (${others.join(', ')}), or none.`
}

const listed = (json: string, value: string): boolean => offeredNames.read(json).includes(value)
