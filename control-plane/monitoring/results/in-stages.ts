/** A walk whose rows lie in several places: one after the other, and the place says in which of them it is. Pure. */
import type { PieceDone, RetentionKind } from '../../platform/retention/retention-kind.ts'

export const inStages = (...stages: RetentionKind['piece'][]): RetentionKind['piece'] => {
  return async (trx, { after, ...order }): Promise<PieceDone> => {
    const space = after.indexOf(' ')
    const stage = space < 0 ? 0 : Number(after.slice(0, space))
    const piece = stages[stage]
    if (piece === undefined) return { rows: 0, next: null }
    const { rows, next } = await piece(trx, { ...order, after: after.slice(space + 1) })
    if (next !== null) return { rows, next: `${stage} ${next}` }
    return { rows, next: stage + 1 < stages.length ? `${stage + 1} ` : null }
  }
}
