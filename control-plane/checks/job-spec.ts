import type { CheckType } from '../../protocol/check-type.ts'

/**
 * What an agent is told to do for a check of each type: the part of the stored check that crosses the wire.
 * The shape is `spec` of the type in protocol/checks.
 */
type CheckDoc = { request?: unknown; shouldFail?: boolean }

const requestAndShouldFail = ({ request, shouldFail = false }: CheckDoc) => ({ request, shouldFail })

const specs: Partial<Record<CheckType, (doc: CheckDoc) => unknown>> = {
  URL: requestAndShouldFail,
}

export const jobSpec = (type: CheckType, doc: CheckDoc): unknown => specs[type]?.(doc) ?? {}
