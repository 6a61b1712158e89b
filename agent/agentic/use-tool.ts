/**
 * One call of a tool, from what the model wrote to what it is told. Everything that the model may not do is refused here or behind the
 * browser's isolation, so it does not matter what a page has made it believe.
 */

import type { DriveCommand } from '../browser/drive-page.ts'
import type { PageAct, PageAnswer, PageTarget } from '../browser/page-task.ts'
import type { RunRecord } from './record.ts'
import type { TaskWords } from './task-words.ts'
import {
  type AssertArguments,
  conditionOf,
  expectedOf,
  type FillArguments,
  problemOfAssertion,
  type ToolUse,
} from './tools.ts'

export type ToolContext = {
  command: DriveCommand
  words: TaskWords
  record: RunRecord
  /** Grows where servers of the task's own addresses lead. */
  origins: Set<string>
  /** Whether a value can be found again in what pages show. */
  canHide(secret: string): boolean
  /** As results have it: without secrets. */
  show(text: string): string
  /** As the model is told of it: the same, marked as the page's. */
  mark(pageText: string): string
  pictures: { taken: number }
}

const maxPictures = 20

/** What the model is told. Rejects when the page is gone. */
export const useTool = async (use: ToolUse, context: ToolContext): Promise<string> => {
  const act = actFor(use, context)
  if ('problem' in act) return refused(act.problem, context)
  const answer = await context.command(act)
  for (const origin of answer.origins) if (act.act === 'open' && act.follow) context.origins.add(origin)
  if (answer.refused) {
    context.record.error({ code: 'REFUSED', message: context.show(answer.problem ?? 'It was refused') })
    return `Refused. ${context.mark(answer.problem ?? '')}`
  }
  if (answer.problem !== null) return `It failed. ${context.mark(answer.problem)}`
  if (use.name === 'assert') return asserted(use.input, answer, context)
  return `Done. ${context.mark(wordsOn(answer))}`
}

const refused = (problem: string, { record }: ToolContext): string => {
  record.error({ code: 'REFUSED', message: problem })
  return `Refused: ${problem}`
}

const wordsOn = ({ url, title, text }: PageAnswer): string =>
  [`address: ${url}`, `title: ${title}`, ...(text === '' ? [] : [text])].join('\n')

const asserted = (
  input: AssertArguments,
  answer: PageAnswer,
  { record, mark, show }: ToolContext,
): string => {
  const { passed } = answer
  const actual = show(answer.actual)
  record.assertion({ condition: conditionOf(input), passed, actual, expected: expectedOf(input) })
  return `${passed ? 'Passed.' : 'Failed.'} ${mark(`actual: ${actual}`)}`
}

const actFor = (use: ToolUse, context: ToolContext): PageAct | { problem: string } => {
  switch (use.name) {
    case 'open':
      return openAct(use.input.url, context)
    case 'read_page':
      return { act: 'read' }
    case 'click':
      return { act: 'click', target: use.input }
    case 'fill':
      return fillAct(use.input, context)
    case 'press':
      return { act: 'press', key: use.input.key, target: targetOf(use.input) }
    case 'screenshot':
      return pictureAct(context)
    case 'assert': {
      const problem = problemOfAssertion(use.input)
      const { check, expected = '' } = use.input
      return problem === null
        ? { act: 'assert', check, expected, target: targetOf(use.input) }
        : { problem: `This assertion says nothing: ${problem}` }
    }
  }
}

const targetOf = ({ role, name, nth }: Partial<PageTarget>): PageTarget | null =>
  role === undefined ? null : { role, name, nth }

const openAct = (text: string, { origins, words }: ToolContext): PageAct | { problem: string } => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    return { problem: `${text} is no http or https address` }
  if (url.username !== '' || url.password !== '')
    return { problem: 'Addresses with credentials are not opened' }
  if (!origins.has(url.origin)) return { problem: `${url.origin} is not opened: the task does not name it` }
  return { act: 'open', url: url.href, follow: words.addresses.includes(url.href) }
}

const fillAct = (
  { role, name, nth, text, variable }: FillArguments,
  { words, canHide }: ToolContext,
): PageAct | { problem: string } => {
  if ((text === undefined) === (variable === undefined))
    return { problem: 'fill needs either text or variable' }
  const target = { role, name, nth }
  if (text !== undefined) return { act: 'fill', target, value: text }
  const found = words.variables.find(({ key }) => key === variable)
  if (found === undefined) return { problem: `The task does not name a variable ${variable}` }
  if (found.secret && !canHide(found.value))
    return { problem: `The variable ${variable} is too short to be hidden in what the page shows` }
  return { act: 'fill', target, value: found.value }
}

const pictureAct = ({ pictures }: ToolContext): PageAct | { problem: string } => {
  if (pictures.taken >= maxPictures) return { problem: `A run may keep ${maxPictures} pictures` }
  pictures.taken += 1
  return { act: 'screenshot', name: `screenshot-${pictures.taken}` }
}
