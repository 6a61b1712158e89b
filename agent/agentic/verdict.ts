/** Whether the run has passed. What our code found on the page decides; the model's word can only make it worse. Pure. */
import type { AgenticAssertion } from '../../protocol/checks/agentic-result.ts'
import type { Failure } from '../../protocol/result.ts'
import type { ConversationEnd } from './converse.ts'

export const verdictOf = (
  end: ConversationEnd,
  assertions: readonly AgenticAssertion[],
  shouldFail: boolean,
): Failure | null => {
  const found = failureOf(end, assertions)
  if (!shouldFail) return found
  return found === null ? failure('TASK_PASSED', 'The task passed, and the check expects it to fail') : null
}

const failureOf = (end: ConversationEnd, assertions: readonly AgenticAssertion[]): Failure | null => {
  const failed = assertions.find(({ passed }) => !passed)
  if (failed !== undefined) {
    const { condition, expected, actual } = failed
    const message = `An assertion failed: ${condition}: expected ${brief(expected)}, was ${brief(actual)}`
    return failure('ASSERTION_FAILED', message)
  }
  if ('stopped' in end) return failure(end.stopped.code, end.stopped.message)
  if (!end.completed) return failure('TASK_NOT_COMPLETED', `The task could not be done: ${end.summary}`)
  return assertions.length === 0
    ? failure('NO_ASSERTION', 'The model ended without having checked anything')
    : null
}

const brief = (text: string): string => JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200)}…`)

const failure = (code: string, message: string): Failure => ({
  code,
  message: message.slice(0, 4000),
  network: false,
})
