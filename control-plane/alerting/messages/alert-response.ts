/**
 * What somebody answered to an alert: it is known (acknowledged, until a run passes), or it is to rest until then (snoozed).
 * Either keeps back reminders and nothing else: a recovery, and a level that is worse than what was answered, are told. Pure.
 */
import { type Static, Type } from 'typebox'
import { englishSpeech, type Speech } from '../../platform/web/html/speech.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { type Told, tell } from '../../platform/words/told.ts'

/** The longest snooze: later, people no longer remember what they put off. */
export const longestSnoozeMs = 30 * 24 * 60 * 60_000

export const AlertResponse = Type.Object(
  {
    /** Of a snooze its end; null: acknowledged. */
    until: nullable(Type.Number()),
    at: Type.Number(),
    by: Type.String(),
    via: Type.Enum(['API_KEY', 'SESSION', 'LINK', 'SLACK']),
    /** The level that people had been told of. */
    of: Type.Enum(['degraded', 'failing']),
  },
  { additionalProperties: false },
)
export type AlertResponse = Static<typeof AlertResponse>
export type Responder = Pick<AlertResponse, 'by' | 'via'>

/** Who has a name is called by it, and by a sentence of ours otherwise. */
export const responderInWords = (by: string): string | Told => {
  if (by === 'somebody with the link') return tell`somebody with the link`
  const [, type, id] = /^the receiver of (\w+) channel (\d+)$/.exec(by) ?? []
  return id === undefined ? by : tell`the receiver of ${type} channel ${id}`
}

/** `acknowledged by Ada`, `snoozed until 14 Mar 2026, 02:13 UTC by Ada` */
export const responseInWords = (
  { until, by }: Pick<AlertResponse, 'until' | 'by'>,
  { text, instant, told }: Speech = englishSpeech,
): string => {
  const responder = responderInWords(by)
  const who = typeof responder === 'string' ? responder : told(responder)
  return until === null
    ? text('acknowledged by {0}', who)
    : text('snoozed until {0} by {1}', instant(until), who)
}
