import { bodyText } from '../../net/http/body-text.ts'
import type { ChildTask } from '../task.ts'

/** The first line of the input is the task, the rest the body of the response. */
export const readTask = (input: Buffer): { task: ChildTask; body: string } => {
  const end = input.indexOf(10)
  const task: ChildTask = JSON.parse(input.toString('utf8', 0, end))
  const { contentType } = task
  return { task, body: bodyText({ bytes: input.subarray(end + 1), contentType, cut: false }) }
}
