/** What `checks.doc` holds: the fields of the check's type with all defaults filled in; secrets sealed (sealed-settings.ts). */
import { type Static, Type } from 'typebox'
import type { Item } from '../../platform/secrets/sealed-settings.ts'
import { sharedFields } from '../../platform/shapes/shared-fields.ts'

const SharedFields = Type.Object(sharedFields)

/** The fields every type has, and those of some types that more than their own file reads. */
export type CheckDoc = Omit<Static<typeof SharedFields>, 'alertChannelSubscriptions' | 'retryStrategy'> & {
  /** Minutes. */
  frequency: number
  frequencyOffset?: number | null
  degradedResponseTime?: number | null
  maxResponseTime?: number | null
  retryStrategy?: object | null
  request?: unknown
  heartbeat?: HeartbeatDoc
  sslCheckDomain?: string | null
  script?: string | null
  scriptPath?: string | null
  environmentVariables?: Item[] | null
  setupSnippetId?: number | null
  tearDownSnippetId?: number | null
  localSetupScript?: string | null
  localTearDownScript?: string | null
}

export type HeartbeatDoc = {
  period: number
  periodUnit: 'seconds' | 'minutes' | 'hours' | 'days'
  grace: number
  graceUnit: 'seconds' | 'minutes' | 'hours' | 'days'
  pingToken: string
}

/** A file that goes with a script. */
export type CheckFile = { path: string; content: string }
