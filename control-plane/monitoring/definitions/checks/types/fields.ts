/** Fields that several check types have, and the rules that bind them. */
import { Type } from 'typebox'
import type { Violation } from '../../../../../protocol/validate.ts'
import { violation } from '../../../../platform/words/errors.ts'
import { nullable } from '../../../../platform/words/shapes/nullable.ts'
import type { CheckDoc } from '../check-doc.ts'
import { frequencies } from '../schedule-rules.ts'

const maxInt = 2_147_483_647
/** Scripts are text that people write. */
const maxScriptLength = 512 * 1024

const frequencyOf = (values: readonly number[], fallback: number, description: string) =>
  Type.Unsafe<number>({ type: 'integer', enum: [...values], default: fallback, description })

/** Of checks that may run several times a minute. */
export const subMinuteFrequency = {
  frequency: frequencyOf(
    frequencies,
    10,
    'Minutes between runs; 0 with a `frequencyOffset` of 10, 20 or 30: every that many seconds',
  ),
  /** Its bounds depend on `frequency` (schedule-rules.ts). */
  frequencyOffset: Type.Integer({
    minimum: 1,
    maximum: 600,
    description:
      'With `frequency` 0: 10, 20 or 30 (seconds between runs); 1 to 60: 1 to frequency × 10; above 60: 1 to ' +
      'frequency / 60, rounded up. Left out: spread over the period',
  }),
}

/** Of checks that start something heavier: from `fastest` minutes on. */
export const minuteFrequency = (fastest = 1, fallback = 10) => ({
  frequency: frequencyOf(
    frequencies.filter((minutes) => minutes >= fastest),
    fallback,
    'Minutes between runs',
  ),
})

const storedTime = nullable(Type.Number({ minimum: 0, maximum: 300_000 }), {
  default: null,
  description: 'Kept and shown, without effect',
})

/** Bounds in milliseconds, which differ by type; null for none. */
export const responseTimes = (maximum: number, degraded: number, max: number) => ({
  degradedResponseTime: nullable(Type.Number({ minimum: 0, maximum }), { default: degraded }),
  maxResponseTime: nullable(Type.Number({ minimum: 0, maximum }), { default: max }),
})

/** Of checks whose time says little (`keepsResponseTimes`). */
export const storedResponseTimes = {
  degradedResponseTime: storedTime,
  maxResponseTime: storedTime,
}

/** Of checks that send HTTP requests. */
export const sendTraceparent = Type.Boolean({
  default: false,
  description:
    'Each attempt sends a `traceparent` of its own (W3C Trace Context), whose trace the result names in `traceId`; a ' +
    'header of that name in the request itself is left as it is',
})

export const degradedBeforeMax = ({ degradedResponseTime, maxResponseTime }: CheckDoc): Violation[] =>
  typeof degradedResponseTime === 'number' &&
  typeof maxResponseTime === 'number' &&
  degradedResponseTime > maxResponseTime
    ? [violation('degradedResponseTime', 'order', 'must not be greater than "maxResponseTime"')]
    : []

export const Script = Type.String({ maxLength: maxScriptLength, examples: ['// Node.js'] })
export const OptionalScript = nullable(Script, { default: null })

export const scriptPath = nullable(Type.String({ minLength: 1, maxLength: 1000 }), {
  default: null,
  description: 'Path of the script in the runtime',
})

export const File = Type.Object(
  { path: Type.String({ minLength: 1, maxLength: 1000 }), content: Type.String() },
  { additionalProperties: false, title: 'CheckFile' },
)

export const dependencies = nullable(Type.Array(File, { maxItems: 1000 }), {
  default: [],
  description: 'Files that the script uses',
})

export const sslCheckDomain = nullable(
  Type.String({
    maxLength: 253,
    pattern:
      '^(?=.{1,253}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$',
    examples: ['shop.example.com'],
  }),
  { default: null, description: 'Domain whose SSL certificate is watched' },
)

const SnippetId = nullable(Type.Integer({ minimum: 1, maximum: maxInt }), { default: null })

/** Around the request of an API check. */
export const setupAndTearDown = {
  setupSnippetId: SnippetId,
  tearDownSnippetId: SnippetId,
  localSetupScript: OptionalScript,
  localTearDownScript: OptionalScript,
}

/** The fields but one, for types that it makes no sense for. */
export const without = <F extends Record<string, unknown>, K extends keyof F>(
  fields: F,
  name: K,
): Omit<F, K> => {
  const { [name]: _, ...others } = fields
  return others
}
