/** What is stored of agents as JSON: what each offers to run, and what it reported about itself. */
import { Type } from 'typebox'
import { ErrorEvent } from '../../../protocol/agent-api.ts'
import { storedDoc, storedList } from '../../platform/database/stored-doc.ts'

/** `agents.check_types`, `agents.runtime_ids` and `agents.walls` */
export const offeredNames = storedList({ name: 'offers of an agent', items: Type.String() })

/** `agent_error_events.doc` */
export const errorEventDoc = storedDoc({ name: 'error event of an agent', schema: ErrorEvent })
