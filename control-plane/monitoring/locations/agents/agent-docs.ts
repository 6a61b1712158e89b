/** What is stored of agents as JSON: what each offers to run, and what it reported about itself. */
import { Type } from 'typebox'
import { type ClaimRequest, ErrorEvent } from '../../../../protocol/agent-api.ts'
import { playwrightTypes } from '../../../../protocol/check-type.ts'
import { storedDoc, storedList } from '../../../platform/store/database/stored-doc.ts'

/** `agents.check_types` and `agents.isolation` */
export const offeredNames = storedList({ name: 'offers of an agent', items: Type.String() })

/** Before the id of a runtime whose Playwright is installed, in `agents.runtime_ids`. */
const playwrightOf = 'playwright of '

type OfferedRuntimes = Pick<ClaimRequest, 'runtimeIds' | 'playwrightRuntimeIds'>

/** `agents.runtime_ids`: every runtime, and once more those with Playwright. */
export const writeRuntimes = ({ runtimeIds, playwrightRuntimeIds = [] }: OfferedRuntimes): string =>
  offeredNames.write([...runtimeIds, ...playwrightRuntimeIds.map((id) => playwrightOf + id)])

/** Those in which an agent runs checks of a type. One that does not say where it has Playwright has it everywhere. */
export const readRuntimes = (text: string, checkType: string): string[] => {
  const names = offeredNames.read(text)
  const withPlaywright = names.flatMap((name) =>
    name.startsWith(playwrightOf) ? name.slice(playwrightOf.length) : [],
  )
  return withPlaywright.length > 0 && playwrightTypes.some((type) => type === checkType)
    ? withPlaywright
    : names.filter((name) => !name.startsWith(playwrightOf))
}

/** `agent_error_events.doc` */
export const errorEventDoc = storedDoc({ name: 'error event of an agent', schema: ErrorEvent })
