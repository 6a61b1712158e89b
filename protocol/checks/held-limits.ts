import { type Static, Type } from 'typebox'

/**
 * Of all processes or files of a run together. `kernel`: it gives no more than that. `measured`: the agent looks how much it is, and
 * stops the run when it is more.
 */
const HeldLimit = Type.Object({
  mb: Type.Integer({ minimum: 0 }),
  heldBy: Type.Enum(['kernel', 'measured']),
})
export type HeldLimit = Static<typeof HeldLimit>

/** Which limits a run had, and who held them. */
export const HeldLimits = Type.Object({ memory: HeldLimit, files: HeldLimit })
export type HeldLimits = Static<typeof HeldLimits>
