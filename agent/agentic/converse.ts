/** The conversation with the model about one page: it asks for tools until it has a last word, or may ask no more. */
import { PageGone } from '../browser/drive-page.ts'
import type { Budget } from './budget.ts'
import { type LastWord, lastWordIn } from './last-word.ts'
import type { ChatMessage, Model, ToolCall } from './model.ts'
import { readCall, tools } from './tools.ts'
import { type ToolContext, useTool } from './use-tool.ts'

/** How it ended: by a word of the model's, or because something was used up. */
export type ConversationEnd = LastWord | { stopped: { code: string; message: string } }

type Conversation = {
  model: Model
  budget: Budget
  system: string
  task: string
  context: ToolContext
}

/** A page is long, and only what it shows now matters. */
const olderView = 'This view of the page is no longer kept: read_page shows the present one.'
const usedUp = (message: string): ConversationEnd => ({
  stopped: { code: 'BUDGET_USED_UP', message: `The task was not finished: ${message}` },
})

/** Rejects with CannotRun where the model has no answer, and with the signal's reason when the run is cancelled. */
export const converse = async (
  { model, budget, system, task, context }: Conversation,
  signal: AbortSignal,
): Promise<ConversationEnd> => {
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: task },
  ]
  const views: number[] = []
  const answerCall = async (call: ToolCall): Promise<void> => {
    const content = await answerTo(call, context)
    messages.push({ role: 'tool', toolCallId: call.id, content })
    if (call.name !== 'read_page') return
    for (const index of views.splice(0))
      messages[index] = { ...messages[index], content: olderView } as ChatMessage
    views.push(messages.length - 1)
  }
  try {
    for (;;) {
      const characters = lengthOf(messages)
      const refusal = budget.refusal(characters)
      if (refusal !== null) return usedUp(refusal)
      const answer = await model.ask(
        { messages, tools, maxTokens: budget.maxAnswerTokens(characters) },
        signal,
      )
      budget.spend(answer)
      const { content, toolCalls } = answer
      const said = context.show(content)
      if (said !== '') context.record.step({ type: 'message', name: 'assistant', output: said })
      if (toolCalls.length === 0) return lastWordIn(said)
      messages.push({ role: 'assistant', content, toolCalls })
      for (const call of toolCalls) {
        if (!budget.takeCall())
          return usedUp(`it has used the ${model.settings.maxSteps} steps that a run may use`)
        await answerCall(call)
      }
    }
  } catch (error) {
    if (error instanceof PageGone) return { stopped: { code: error.code, message: error.message } }
    throw error
  }
}

const answerTo = async (call: ToolCall, context: ToolContext): Promise<string> => {
  const { record } = context
  const use = readCall(call)
  if ('problem' in use) {
    record.step({
      type: 'tool_call',
      name: call.name.slice(0, 100),
      input: { arguments: call.arguments.slice(0, 1000) },
    })
    record.error({ code: 'REFUSED', message: use.problem.slice(0, 1000) })
    record.step({ type: 'tool_result', name: call.name.slice(0, 100), output: use.problem })
    return use.problem
  }
  record.step({ type: 'tool_call', name: use.name, input: use.input })
  const output = await useTool(use, context)
  record.step({ type: 'tool_result', name: use.name, output })
  return output
}

const toolsLength = JSON.stringify(tools).length

const lengthOf = (messages: readonly ChatMessage[]): number =>
  toolsLength +
  messages.reduce(
    (sum, message) =>
      sum + message.content.length + ('toolCalls' in message ? JSON.stringify(message.toolCalls).length : 0),
    0,
  )
