/**
 * What `results.doc` holds beyond the row's columns: the check's name then, why it failed, and the part of its type under
 * the name that the type gives it (`resultProperty` in protocol/checks). A heartbeat's events are results too.
 */
import { type Static, Type } from 'typebox'
import { Failure, LogLine } from '../../../protocol/result.ts'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'

const StoredResult = Type.Object({
  name: Type.String(),
  error: nullable(Type.String(), { default: null }),
  errorGroupIds: Type.Array(Type.String(), { default: [] }),
  /** Absent where the run was part of no trace. */
  traceId: Type.Optional(Type.String()),
  /** Of the run itself in that trace. */
  spanId: Type.Optional(Type.String()),
  log: Type.Array(LogLine, { default: [] }),
  /** How many files were announced; absent: none. */
  artifacts: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Absent where nothing was observed. */
  failure: Type.Optional(nullable(Failure)),
  metrics: Type.Optional(Type.Record(Type.String(), Type.Number())),
  /** True: what the run saw is over (shorten-result.ts); of the type's part only what analytics read is left. */
  shortened: Type.Optional(Type.Boolean()),
  /** True: an agent made the run by itself while it could not reach the control plane. */
  arrivedLate: Type.Optional(Type.Boolean()),
  /** True: it had been recorded as missed. */
  replacedMissedRun: Type.Optional(Type.Boolean()),
  /** Of a run that arrived late: which version of its check was run. */
  checkVersion: Type.Optional(Type.Integer()),
  /** Of heartbeats: what came, and from where. */
  state: Type.Optional(Type.String()),
  source: Type.Optional(nullable(Type.String())),
  userAgent: Type.Optional(nullable(Type.String())),
})
export type ResultDoc = Static<typeof StoredResult> & Record<string, unknown>

/** Results are many and small: what would only repeat a default is not written. */
type NewResultDoc = Partial<ResultDoc> & Pick<ResultDoc, 'name' | 'error'>

export const resultDoc = storedDoc<typeof StoredResult, ResultDoc, NewResultDoc>({
  name: 'result',
  schema: StoredResult,
})
