/** What is wrong with a task before anybody has tried it, and what would help. Pure. */
import type { AgenticSuggestion } from '../../protocol/checks/agentic-result.ts'
import type { TaskWords } from './task-words.ts'

/** Why it is not begun, or null. */
export const taskErrorOf = ({ missing, origins }: TaskWords): { code: string; message: string } | null => {
  if (missing.length > 0)
    return {
      code: 'UNKNOWN_VARIABLE',
      message: `The task names variables that are not set: ${missing.join(', ').slice(0, 1000)}`,
    }
  return origins.length === 0
    ? {
        code: 'NO_ADDRESS',
        message: 'The task names no address: pages are opened at hosts that it names only',
      }
    : null
}

export const suggestionsFor = ({ missing, origins }: TaskWords): AgenticSuggestion[] => [
  ...(missing.length === 0
    ? []
    : [
        {
          summary: 'Set the variables that the task names, at the check, its group or the account',
          ...{ prompt: '', promptReplacement: '', category: 'credentials' },
          secrets: missing.slice(0, 20).map((name) => name.slice(0, 255)),
        },
      ]),
  ...(origins.length > 0
    ? []
    : [
        {
          summary: 'Say in the task at which address it begins, such as https://shop.example',
          ...{ prompt: '', promptReplacement: '', secrets: [], category: 'endpoint' },
        },
      ]),
]
