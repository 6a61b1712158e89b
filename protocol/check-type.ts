/** The closed list of check types, and what is asked of one most often. */
import type { CheckProtocol, JobQueue } from './checks/check-protocol.ts'
import { checkProtocols } from './checks/index.ts'

export type CheckType = keyof typeof checkProtocols
export type { JobQueue } from './checks/check-protocol.ts'

export const checkTypes = Object.keys(checkProtocols) as readonly CheckType[]

export const protocolOf = (type: CheckType): CheckProtocol => checkProtocols[type]

export const queueOf = (type: CheckType): JobQueue => protocolOf(type).queue

/** The hard limit of one attempt in milliseconds. */
export const runLimitMs = (type: CheckType): number => protocolOf(type).runLimitMs

/** Their runs are for agents that have Playwright of the run's runtime. */
export const playwrightTypes: readonly CheckType[] = checkTypes.filter(
  (type) => protocolOf(type).needsPlaywright,
)

/** The one that examples of the API show. */
export const exampleType: CheckType = 'URL'

/** Whether there are agents that can run it; which of them offer it is theirs to say. */
export const isRunnable = (type: CheckType): boolean => protocolOf(type).spec !== null
