import { boundedCache } from '../../../../protocol/bounded-memo.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import type { Check } from './schema.ts'

/**
 * Checks as they were last shown, so that one which has not changed is not put together, validated and written as text
 * again (`web/http/server/endpoint.ts` keeps the text of a frozen answer). `basis` says what an answer was made from: whoever
 * asks reads it from the store first, so a change counts at once, whichever control plane made it.
 */
type CheckAnswerCache = {
  recall(view: string, basis: string): Check | undefined
  remember(view: string, basis: string, check: Check): void
  size(): number
}

const maxRemembered = 2000

export const createCheckAnswerCache = (): CheckAnswerCache => {
  const shown = boundedCache<string, { basis: string; check: Check }>(maxRemembered)
  return {
    recall: (view, basis) => {
      const known = shown.get(view)
      return known?.basis === basis ? known.check : undefined
    },
    remember: (view, basis, check) => shown.set(view, { basis, check: Object.freeze(check) }),
    size: () => shown.size,
  }
}

export const checkAnswerCache = perApp(createCheckAnswerCache)
