import { agentKey } from './access/api-keys/agent-key.ts'
import type { Reader, Variable } from './platform/settings/reading.ts'

/** What the first account gets instead of what is generated; null: generated. */
export type BootstrapSettings = {
  accountId: string | null
  apiKey: string | null
  agentKey: string | null
}

export const bootstrapVariables: readonly Variable[] = [
  {
    name: 'BOOTSTRAP_ACCOUNT_ID',
    default: 'generated into DATA_DIR',
    meaning: 'id of the first account (a UUID)',
  },
  {
    name: 'BOOTSTRAP_API_KEY',
    secret: true,
    default: 'generated into DATA_DIR',
    meaning: "API key of the first account's owner (20 to 200 characters)",
  },
  {
    name: 'BOOTSTRAP_AGENT_KEY',
    secret: true,
    default: 'generated into DATA_DIR',
    meaning: 'key of the agents of the private location "local" (pl_ and 32 hex digits)',
  },
]

/** An id as this program writes it. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const readBootstrapSettings = ({ matching }: Reader): BootstrapSettings =>
  Object.freeze({
    accountId: matching('BOOTSTRAP_ACCOUNT_ID', uuid, 'a UUID in lower case'),
    apiKey: matching('BOOTSTRAP_API_KEY', /^[\x21-\x7e]{20,200}$/, '20 to 200 visible characters'),
    agentKey: matching('BOOTSTRAP_AGENT_KEY', agentKey.pattern, 'pl_ and 32 hex digits in lower case'),
  })
