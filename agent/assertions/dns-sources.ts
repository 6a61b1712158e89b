import { jsonSource, type Sources, textSource } from './sources.ts'

/** What an answer of a name server offers to assertions. `responseTime` is milliseconds. */
export type DnsSubject = { code: string; text: string; json: unknown; responseTime: number }

export const dnsSources: Sources<DnsSubject> = {
  RESPONSE_TIME: { label: 'response time', read: ({ responseTime }) => responseTime },
  RESPONSE_CODE: { label: 'response code', read: ({ code }) => code },
  TEXT_ANSWER: textSource('text answer', ({ text }) => text),
  JSON_ANSWER: jsonSource('JSON answer', ({ json }) => ({ value: json })),
}
