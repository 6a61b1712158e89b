/**
 * A run's own thinking: judging what it saw, and taking its secrets out of what it leaves. One budget of CPU time for all of
 * it. What is small is done here and now, up to a sum; everything else in another process, so that no other check waits.
 */
import type { Assertion, AssertionOutcome } from '../../protocol/assertion.ts'
import { type AssertionItem, itemsOf, unjudged } from '../assertions/evaluate.ts'
import type { Sources } from '../assertions/sources.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import { scrubCost } from '../scrub/scrub.ts'
import { type ReportTexts, scrubReport } from '../scrub/scrub-report.ts'
import { judgeInline } from './judge-inline.ts'
import { judgingError, scrubbingError } from './judging-errors.ts'
import { inlineMs } from './limits.ts'
import type { JudgingPool, PoolTask, TaskEnd } from './pool.ts'
import { packTask } from './task.ts'

/** Of one run. */
export type Judge = {
  /**
   * The outcome of each assertion, in their order. `subject` is what the sources of the check type read from. Throws
   * CannotRun when this agent had no time for it.
   */
  evaluate<Subject>(
    assertions: readonly Assertion[],
    subject: Subject,
    sources: Sources<Subject>,
  ): Promise<AssertionOutcome[]>
  /** Throws CannotRun when the secrets could not be taken out. */
  scrub(secrets: readonly string[], report: ReportTexts): Promise<ReportTexts>
}

type JudgeOptions = {
  pool: JudgingPool
  checkId: string
  /** Of the run: nothing is judged any more when its time is up. */
  signal: AbortSignal
}

/** With the whole budget of a run. */
export const createJudge = ({ pool, checkId, signal }: JudgeOptions): Judge => {
  const { budget } = pool
  const left = { cpuMs: budget.cpuMs, inlineMs }
  const elsewhere = async (task: Omit<PoolTask, 'key'>): Promise<TaskEnd> => {
    const end = await pool.run({ key: checkId, ...task })
    left.cpuMs -= end.cpuMs
    return end
  }

  return {
    evaluate: async (assertions, subject, sources) => {
      const items = itemsOf(assertions, subject, sources)
      const outcomes = judgeInline(items, left, pool.monotonic)
      if (!outcomes.includes(null)) return outcomes as AssertionOutcome[]
      const waiting = items.filter((_, index) => outcomes[index] === null)
      const time = timeFor(left.cpuMs - budget.scrubCpuMs, signal)
      const end = await elsewhere({
        packed: packTask({ kind: 'assertions', items: waiting }),
        ...time,
        onAnswer: (answer) => {
          if (answer.kind === 'outcome')
            outcomes[(waiting[answer.index] as AssertionItem).order] = answer.outcome
        },
      })
      if (!outcomes.includes(null)) return outcomes as AssertionOutcome[]
      const problem = judgingError(end, { budget, signal: time.signal })
      return items.map((item) => outcomes[item.order] ?? unjudged(item, problem))
    },

    scrub: async (secrets, report) => {
      if (secrets.length === 0 || slowness * scrubCost(secrets, charactersOf(report)) <= left.inlineMs)
        return scrubReport(secrets, report)
      let clean: ReportTexts | null = null
      const end = await elsewhere({
        packed: packTask({ kind: 'scrub', secrets, report }),
        cpuMs: Math.max(budget.scrubCpuMs, left.cpuMs),
        signal: never,
        onAnswer: (answer) => {
          if (answer.kind === 'report') clean = answer.report
        },
      })
      if (clean === null) throw scrubbingError(end, budget)
      return clean
    },
  }
}

/** What is made for it may take longer than it takes as a rule. */
const slowness = 2

/** A run has to be reported also when its time is up; only what it takes is bounded. */
const never = new AbortController().signal

/** What came until the time was up may still be judged, if that is quickly done. */
const timeFor = (cpuMs: number, signal: AbortSignal): Pick<PoolTask, 'cpuMs' | 'signal'> =>
  signal.aborted && signal.reason instanceof DeadlinePassed
    ? { cpuMs: Math.min(cpuMs, lateCpuMs), signal: never }
    : { cpuMs, signal }

const lateCpuMs = 1000

const charactersOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + charactersOf(item), 0)
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + charactersOf(item), 0)
}
