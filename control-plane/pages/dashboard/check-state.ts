/** How a check is, as its page says it first: since when, why, where, what to look at first, and who was told. */
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import { type Explained, explainInWords } from '../../insight/alert-explanations/explain.ts'
import type { AlertExplanation } from '../../insight/alert-explanations/schema.ts'
import { type Cause, causeOfResult } from '../../insight/result-pages/cause.ts'
import { causeInWords } from '../../insight/result-pages/cause-in-words.ts'
import { reasonOf } from '../../insight/result-pages/verdict.ts'
import { countChecks } from '../../monitoring/definitions/checks/list-queries.ts'
import { toldWarnings } from '../../monitoring/definitions/checks/run-warnings.ts'
import type { Check } from '../../monitoring/definitions/checks/schema.ts'
import { readCheckResult } from '../../monitoring/results/routes.ts'
import type { CheckResult } from '../../monitoring/results/schema.ts'
import { readCheckStatus } from '../../monitoring/watches/check-statuses/routes.ts'
import type { CheckStatus } from '../../monitoring/watches/check-statuses/schema.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { Content } from '../../platform/web/html/html.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import type { Told } from '../../platform/words/told.ts'
import { type LocationNames, locationNames } from './check-links.ts'
import { channelChoices } from './forms/choices.ts'
import { type State, stateOf } from './parts.ts'
import type { RequestContext } from './request-context.ts'

export type CheckState = {
  state: State
  status: CheckStatus | null
  explanation: AlertExplanation
  /** The same with its sentences. */
  explained: Explained
  /** Of a state that is not well. */
  since: number | null
  /** What the newest run says, and the newest that is as bad as the state. */
  newest: CheckResult | null
  decisive: CheckResult | null
  reason: Content
  firstStep: Content
  rootCause: Content
  /** Those whose newest run says the same, among all whose newest run is known. */
  places: { affected: string[]; all: string[] }
  names: LocationNames
  channelNames: ReadonlyMap<number, Content>
  /** What keeps it from running. */
  warnings: Told[]
  isUntold: boolean
}

export const readState = async (context: RequestContext, check: Check): Promise<CheckState> => {
  const { id } = check
  const explained = await explainInWords(context.app, { accountId: context.principal.accountId, checkId: id })
  if (explained === undefined) throw notFound()
  const { explanation } = explained
  const status = await orNull(context.call(readCheckStatus, { params: { checkId: id } }))
  const state = check.activated ? stateOf(status?.state) : 'paused'
  const isBad = state === 'failing' || state === 'degraded'
  const { sequence } = explanation
  const newest = await resultOf(context, id, sequence[0]?.checkResultId)
  const bad = isBad ? sequence.find(({ verdict }) => verdict === state) : undefined
  const decisive = await resultOf(context, id, bad?.checkResultId, newest)
  const shown = isBad ? decisive : state === 'unknown' && newest?.hasErrors ? newest : null
  const cause = state === 'failing' && decisive !== null ? await knownCause(context, decisive) : null
  const words = cause === null ? null : causeInWords(cause)
  return {
    ...{ state, status, explanation, explained, newest, decisive, names: await locationNames(context) },
    since: isBad ? sinceOf(explanation, state) : null,
    reason: shown === null ? null : reasonOf({ result: shown, check: limitsOf(check), ping: null }),
    firstStep: words?.codeFix ?? null,
    rootCause: words?.rootCause ?? null,
    places: placesOf(sequence, state),
    channelNames: new Map(
      (await channelChoices(context)).map(({ value, label, said = label }) => [Number(value), said] as const),
    ),
    ...(await hindrances(context, check)),
  }
}

type Analysed = { at: number; cause: Cause | null }
const analysesOf = perApp(() => boundedCache<string, Analysed>(500))
/** The page is looked at again and again while a check fails; an analysis by others may come meanwhile. */
const analysedMs = 60_000

const knownCause = async (
  context: RequestContext,
  { id, checkId }: Pick<CheckResult, 'id' | 'checkId'>,
): Promise<Cause | null> => {
  const known = analysesOf(context.app).get(id)
  if (known !== undefined && known.at <= context.now && context.now - known.at < analysedMs)
    return known.cause
  const { accountId } = context.principal
  const cause = (await causeOfResult(context.app, { id, checkId, accountId })) ?? null
  analysesOf(context.app).delete(id)
  analysesOf(context.app).set(id, { at: context.now, cause })
  return cause
}

/** A check that was never due has no status, and a result may be deleted meanwhile. */
const orNull = async <T>(answered: Promise<{ body: T }>): Promise<T | null> => {
  try {
    return (await answered).body
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

const resultOf = async (
  context: RequestContext,
  checkId: string,
  checkResultId: string | undefined,
  known: CheckResult | null = null,
): Promise<CheckResult | null> => {
  if (checkResultId === undefined) return null
  if (known?.id === checkResultId) return known
  return orNull(context.call(readCheckResult, { params: { checkId, checkResultId } }))
}

const limitsOf = (check: Check): Parameters<typeof reasonOf>[0]['check'] => ({
  ...{ name: check.name, description: check.description ?? null, tags: check.tags },
  degradedResponseTime: check.degradedResponseTime ?? null,
  maxResponseTime: check.maxResponseTime ?? null,
})

/** What alerting goes by; where it sees no trouble (yet), the first of the newest runs that say the same. */
const sinceOf = ({ since, state: judged, sequence }: AlertExplanation, state: State): number | null => {
  if (since !== null && judged === state) return Date.parse(since)
  const change = sequence.findIndex(({ verdict }) => verdict !== state && verdict !== 'none')
  const first = sequence
    .slice(0, change === -1 ? undefined : change)
    .findLast(({ verdict }) => verdict === state)
  return first === undefined ? null : Date.parse(first.startedAt)
}

const placesOf = (sequence: AlertExplanation['sequence'], state: State): CheckState['places'] => {
  const latest = new Map<string, string>()
  for (const { runLocation, verdict } of sequence)
    if (verdict !== 'none' && !latest.has(runLocation)) latest.set(runLocation, verdict)
  return {
    affected: [...latest].filter(([, verdict]) => verdict === state).map(([place]) => place),
    all: [...latest.keys()],
  }
}

/** What keeps it from running, or from telling anybody. */
const hindrances = async (
  { app, principal: { accountId }, now }: RequestContext,
  check: Check,
): Promise<Pick<CheckState, 'warnings' | 'isUntold'>> => {
  const { id, checkType: type, activated, groupId } = check
  if (!activated) return { warnings: [], isUntold: false }
  const written = { id, account_id: accountId, type, activated, group_id: groupId, shown: check }
  return {
    warnings: (await toldWarnings(app.db, written, now)).map(({ told }) => told),
    isUntold: (await countChecks(app.db, { accountId, checkId: id, isUntold: true })) > 0,
  }
}
