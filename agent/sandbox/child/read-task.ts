import { TextDecoder } from 'node:util'
import type { ChildTask } from '../task.ts'

const charset = /charset="?([\w-]+)/i

/** The first line of the input is the task, the rest the body of the response. */
export const readTask = (input: Buffer): { task: ChildTask; body: string } => {
  const end = input.indexOf(10)
  const task: ChildTask = JSON.parse(input.toString('utf8', 0, end))
  return { task, body: decoder(task.contentType).decode(input.subarray(end + 1)) }
}

const decoder = (contentType: string): TextDecoder => {
  try {
    return new TextDecoder(charset.exec(contentType)?.[1] ?? 'utf-8')
  } catch {
    // A charset that nobody knows reads as UTF-8, as it does in assertions.
    return new TextDecoder()
  }
}
