/** What `checks.doc` holds: the fields of the check's type with all defaults filled in; secrets sealed (sealed-settings.ts). */
import { type Static, Type } from 'typebox'
import { storedDoc, storedList } from '../../../platform/store/database/stored-doc.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { RetryStrategy } from './retry-strategy.ts'
import type { Item } from './sealed-settings.ts'
import { sharedFields } from './shared-fields.ts'

const SharedFields = Type.Object(sharedFields)

const { alertChannelSubscriptions: _, ...storedFields } = sharedFields

/** What every check has beside the fields of its type. A type that is never retried has no strategy, and gets none. */
const StoredCheck = Type.Object({
  ...storedFields,
  doubleCheck: Type.Optional(Type.Boolean()),
  retryStrategy: Type.Optional(nullable(RetryStrategy)),
})

/** The fields every type has, and those of some types that more than their own file reads. */
export type CheckDoc = Omit<Static<typeof SharedFields>, 'alertChannelSubscriptions' | 'retryStrategy'> & {
  /** Minutes. */
  frequency: number
  frequencyOffset?: number | null
  degradedResponseTime?: number | null
  maxResponseTime?: number | null
  retryStrategy?: object | null
  request?: unknown
  sendTraceparent?: boolean
  heartbeat?: HeartbeatDoc
  sslCheckDomain?: string | null
  script?: string | null
  scriptPath?: string | null
  codeBundleId?: string | null
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

export const checkDoc = storedDoc<typeof StoredCheck, CheckDoc>({ name: 'check', schema: StoredCheck })

/** A file that goes with a script. */
const CheckFile = Type.Object({ path: Type.String(), content: Type.String() })
export type CheckFile = Static<typeof CheckFile>

/** `check_files.doc` */
export const checkFiles = storedList({ name: 'files of a check', items: CheckFile })
