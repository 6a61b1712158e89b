/** What a run leaves to be read: its steps, and what was asserted. Bounded. */
import type { AgenticAssertion, AgenticStep, stepTypes } from '../../protocol/checks/agentic-result.ts'
import type { RunLog } from '../base/run-log.ts'
import type { Io } from '../net/io.ts'

type RunError = { code: string; message: string }

type Step = { type: (typeof stepTypes)[number]; name: string; input?: object; output?: string }

export type RunRecord = {
  step(step: Step): void
  /** The last word on a condition counts: pages change. */
  assertion(one: AgenticAssertion): void
  error(error: RunError): void
  steps: AgenticStep[]
  assertions(): AgenticAssertion[]
  errors: RunError[]
}

const maxOutput = 2000
const maxErrors = 50

export const createRecord = ({ clock }: Pick<Io, 'clock'>, say: RunLog['say']): RunRecord => {
  const steps: AgenticStep[] = []
  const errors: RunError[] = []
  const assertions = new Map<string, AgenticAssertion>()
  return {
    step: ({ type, name, input = {}, output = '' }) => {
      const timestamp = new Date(clock.now()).toISOString()
      const shown = shortened(output)
      steps.push({
        type,
        name,
        input: { ...input },
        output: shown,
        timestamp,
        sequenceNumber: steps.length + 1,
      })
      if (type === 'tool_call') say('INFO', `${name} ${JSON.stringify(input)}`)
      else if (type === 'message') say('INFO', `The model says: ${shown}`)
    },
    assertion: (one) => {
      const key = JSON.stringify([one.condition, one.expected])
      assertions.delete(key)
      assertions.set(key, one)
    },
    error: (error) => {
      say('WARN', error.message)
      if (errors.length < maxErrors) errors.push(error)
    },
    steps,
    assertions: () => [...assertions.values()],
    errors,
  }
}

const shortened = (text: string): string => (text.length <= maxOutput ? text : `${text.slice(0, maxOutput)}…`)
