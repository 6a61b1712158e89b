/** What is stored of agents as JSON: what each offers to run, and what it reported about itself. */
import { Type } from 'typebox'
import { type ClaimRequest, ErrorEvent } from '../../../../protocol/agent-api.ts'
import { playwrightTypes } from '../../../../protocol/check-type.ts'
import { storedDoc, storedList } from '../../../platform/store/database/stored-doc.ts'

/** `agents.check_types` and `agents.isolation` */
export const offeredNames = storedList({ name: 'offers of an agent', items: Type.String() })

/** Before the id of a runtime whose Playwright is installed, in `agents.runtime_ids`. */
const playwrightOf = 'playwright of '

/** Before an engine of Playwright suites, in the same list. */
const engineOf = 'engine '

type Offered = Pick<ClaimRequest, 'runtimeIds' | 'playwrightRuntimeIds' | 'suiteEngines'>

/** `agents.runtime_ids`: every runtime, once more those with Playwright, and what runs suites. */
export const writeRuntimes = ({
  runtimeIds,
  playwrightRuntimeIds = [],
  suiteEngines = [],
}: Offered): string =>
  offeredNames.write([
    ...runtimeIds,
    ...playwrightRuntimeIds.map((id) => playwrightOf + id),
    ...suiteEngines.map((engine) => engineOf + engine),
  ])

/** Those in which an agent runs checks of a type. One that does not say where it has Playwright has it everywhere. */
export const readRuntimes = (text: string, checkType: string): string[] => {
  const names = offeredNames.read(text)
  const withPlaywright = after(playwrightOf, names)
  return withPlaywright.length > 0 && playwrightTypes.some((type) => type === checkType)
    ? withPlaywright
    : names.filter((name) => ![playwrightOf, engineOf].some((prefix) => name.startsWith(prefix)))
}

/** Null: it does not say. */
export const readEngines = (text: string): string[] | null => {
  const engines = after(engineOf, offeredNames.read(text))
  return engines.length === 0 ? null : engines
}

const after = (prefix: string, names: readonly string[]): string[] =>
  names.flatMap((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : []))

/** `agent_error_events.doc` */
export const errorEventDoc = storedDoc({ name: 'error event of an agent', schema: ErrorEvent })
