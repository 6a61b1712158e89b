/**
 * What this agent does about a control plane that does not answer: it notices (`orders/keep-contact.ts`), runs its standing orders
 * (`run-orders.ts`), keeps what they saw until it is back (`orders/late-lane.ts`), and may tell somebody meanwhile (`orders/fallback-webhook.ts`).
 */
import { errorMessageOf } from '../../protocol/error-message.ts'
import { evaluate } from '../../protocol/evaluate.ts'
import type { Job } from '../../protocol/job.ts'
import type { Report } from '../../protocol/result.ts'
import type { LateReport } from '../../protocol/standing-order.ts'
import { alertLevelOf } from '../../protocol/verdict.ts'
import { aloneAfterMs } from '../orders/contact.ts'
import { type ContactWatch, watchContact } from '../orders/keep-contact.ts'
import { createLateLane, type LateLane } from '../orders/late-lane.ts'
import { judgedBy, type KeptOrder, type OrderEntry } from '../orders/order-book.ts'
import { isDueSoon } from '../orders/slots-of-rule.ts'
import type { StandingOrders } from '../orders/standing-orders.ts'
import type { AgentCore } from './agent-state.ts'
import type { Alone, AloneParts } from './alone.ts'
import { createRanAlone, type RanAlone } from './ran-alone.ts'
import { createOrderRuns, type OrderRuns } from './run-orders.ts'

type State = AloneParts & {
  agent: AgentCore
  ranAlone: RanAlone
  runs: OrderRuns
  lane: LateLane
  contact: ContactWatch
}

export const createAlone = (agent: AgentCore): Alone => {
  const state = createState(agent)
  const { controlPlane, parts } = agent.options
  return {
    open: async () => {
      const { withFiles, recent } = await parts.late.open(controlPlane.serverNow())
      state.ranAlone.skip(recent)
      return withFiles
    },
    start: state.contact.start,
    heard: state.contact.heard,
    onClaimed: ({ orders, serverTime }) => {
      parts.orders.onClaimed(orders, serverTime)
      state.lane.resume()
    },
    onFailed: ({ status }) => onFailed(state, status),
    noteJob: state.runs.noteJob,
    runOf: state.runs.runOf,
    noteResult: (job, report) => noteResult(state, job, report),
    offer: () => {
      const late = parts.late.held()
      return { revision: parts.orders.known()?.revision ?? null, ...(late === undefined ? {} : { late }) }
    },
    inWords: () => inWords(state),
    levels: () => ({
      standingOrders: parts.orders.book.size(),
      alone: state.contact.aloneSince() === null ? 0 : 1,
      lateReports: parts.late.count(),
    }),
    close: state.runs.close,
    cancel: state.runs.cancel,
    stop: () => {
      state.contact.stop()
      state.lane.stop()
      state.orders.stop()
      state.fallback?.stop()
    },
  }
}

const createState = (agent: AgentCore): State => {
  const { io, controlPlane, metrics, agentId, parts } = agent.options
  const ranAlone = createRanAlone(agent)
  const state: State = {
    ...parts,
    agent,
    ranAlone,
    runs: createOrderRuns(agent, {
      orders: parts.orders,
      ranAlone,
      onReport: (report) => {
        parts.late.add(report)
        state.lane.offer()
      },
      onFinal: (entry, order, report) => onFinal(state, { entry, order, report }),
    }),
    lane: createLateLane({
      agentId,
      batches: parts.late,
      io,
      send: controlPlane.lateReport,
      untilLiveAreSent: (signal) => agent.outbox.untilEmpty(signal),
      hasArtifact: agent.options.artifacts.has,
      told: () => parts.orders.told().checks,
      onToldTaken: () => parts.orders.setTold({ ...parts.orders.told(), checks: [] }),
      onSettled: (jobId, outcome) => {
        metrics.lateUploads.inc({ outcome })
        ranAlone.forget(jobId)
        agent.options.artifacts.settled(jobId, outcome)
      },
    }),
    contact: watchContact({
      io,
      before: lastAnswer(agent),
      serverNow: controlPlane.serverNow,
      needsSigns: () => parts.fallback !== null || isAnyDueSoon(parts.orders, controlPlane.serverNow()),
      askForSign: () => controlPlane.renew({ agentId, leases: [] }),
      onAnswerBetween: agent.claimBackOff.wake,
      onAlone: (knownTo) => onAlone(state, knownTo),
      onBack: () => onBack(state),
    }),
  }
  return state
}

/** Twice as long as it takes to be alone: who asks from then on knows it before the slot. */
const signsAheadMs = 2 * aloneAfterMs

const isAnyDueSoon = ({ book }: StandingOrders, now: number): boolean => {
  for (const entry of book.entries()) if (isDueSoon(book.slotsOf(entry), now, signsAheadMs)) return true
  return false
}

/** Of an earlier process, by this machine's clock. */
const lastAnswer = ({ options }: AgentCore): { agoMs: number; serverTime: number } | null => {
  const { parts, controlPlane } = options
  const known = parts.orders.known()
  return known === null
    ? null
    : { agoMs: Math.max(0, controlPlane.serverNow() - known.heardAt), serverTime: known.heardAt }
}

const silentMs = ({ agent, contact }: State): number => agent.options.io.clock.monotonic() - contact.heardAt()

const onAlone = (state: State, knownTo: number): void => {
  const { agent, orders, runs, fallback, lane } = state
  const { io, controlPlane } = agent.options
  lane.pause()
  const now = controlPlane.serverNow()
  const count = orders.areValid(now) ? orders.book.size() : 0
  io.log.warn(
    `alone: the control plane has not answered for ${Math.round(silentMs(state) / 1000)} s; ` +
      (count === 0 ? 'there are no standing orders to go on with' : `${count} standing orders are run`),
  )
  fallback?.onAlone(now - silentMs(state), silentMs(state))
  if (!agent.draining) runs.begin(knownTo)
}

const onBack = ({ agent, late, runs, fallback }: State): void => {
  runs.end()
  fallback?.onBack()
  agent.options.io.log.info(`the control plane answers again: ${late.count()} late results to send`)
}

const unauthorized = 401

const onFailed = ({ contact, lane, orders }: State, status: number): void => {
  contact.claimFailed()
  lane.pause()
  if (status === unauthorized) orders.onRefused()
}

const noteResult = ({ orders, fallback }: State, { checkId }: Job, { outcome }: Report): void => {
  const entry = fallback === null ? undefined : orders.book.get(checkId)
  if (entry === undefined) return
  const level = alertLevelOf(evaluate(outcome, judgedBy(entry)))
  if (level !== 'none') entry.level = level
}

type Final = { entry: OrderEntry; order: KeptOrder; report: LateReport }

const onFinal = ({ fallback }: State, { entry, order, report }: Final): void => {
  const { outcome, startedAt, jobId } = report
  const verdict = evaluate(outcome, order.judgedBy)
  const state = alertLevelOf(verdict)
  if (state === 'none') return
  const before = entry.level === null || entry.level === 'none' ? 'passing' : entry.level
  entry.level = state
  if (entry.muted || fallback === null) return
  const { checkName, checkType } = order.job
  const errorMessage = errorMessageOf(outcome, verdict, order.judgedBy)
  const { checkId } = entry
  fallback.onState(
    {
      checkId,
      checkName,
      checkType,
      state,
      jobId,
      startedAt,
      errorMessage,
      responseTime: verdict.responseTime,
    },
    before,
  )
}

const inWords = ({ contact, orders, runs, agent }: State): string | null => {
  const since = contact.aloneSince()
  if (since === null) return null
  const seconds = Math.round((agent.options.io.clock.monotonic() - contact.heardAt()) / 1000)
  return `alone: the control plane has not answered for ${seconds} s; ${orders.book.size()} standing orders, ${runs.running()} of them running`
}
