import { Type } from 'typebox'

/**
 * When a failed attempt is repeated. Waits: FIXED base, LINEAR base × n,
 * EXPONENTIAL base ^ n, SINGLE_RETRY base once. `maxDurationSeconds` covers attempts and waits together.
 */
export const RetryStrategy = Type.Object(
  {
    type: Type.Optional(Type.Enum(['FIXED', 'LINEAR', 'EXPONENTIAL', 'SINGLE_RETRY'], { default: 'FIXED' })),
    baseBackoffSeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 600, default: 60 })),
    maxRetries: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 2 })),
    maxDurationSeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 600, default: 600 })),
    sameRegion: Type.Optional(Type.Boolean({ default: true })),
    onlyOn: Type.Optional(
      Type.Array(Type.Enum(['NETWORK_ERROR']), {
        uniqueItems: true,
        description: 'Left out: on every failure',
      }),
    ),
  },
  { additionalProperties: false, title: 'RetryStrategy' },
)
