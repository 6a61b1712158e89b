import { Type } from 'typebox'

/** Epoch milliseconds on the control plane's clock. */
export const Instant = Type.Integer({ minimum: 0 })
