import type { Readable } from 'node:stream'
import { compile } from '../../protocol/validate.ts'
import { maxAnswerBytes, maxLogBytes, ScriptEvent } from './task.ts'

const validate = compile(ScriptEvent)

/** All that a child may say, with room for the names around it. */
const maxBytes = maxAnswerBytes + 2 * maxLogBytes

/** Reads a child's events. What is none, or is too much, is told once; nothing after it is read. */
export const readEvents = (
  stream: Readable,
  { onEvent, onNonsense }: { onEvent(event: ScriptEvent): void; onNonsense(): void },
): void => {
  let rest: Buffer[] = []
  let bytes = 0
  let over = false
  const stop = (): void => {
    over = true
    rest = []
    onNonsense()
  }
  const take = (line: string): void => {
    const event = parse(line)
    if (event === null) stop()
    else onEvent(event)
  }
  stream.on('data', (part: Buffer) => {
    bytes += part.length
    if (over) return
    if (bytes > maxBytes) return stop()
    let start = 0
    for (let end = part.indexOf(10); end !== -1 && !over; end = part.indexOf(10, start)) {
      take(Buffer.concat([...rest, part.subarray(start, end)]).toString())
      rest = []
      start = end + 1
    }
    rest.push(part.subarray(start))
  })
  // A line that is not finished belongs to a child that was stopped: how it ended says more.
  stream.on('error', () => undefined)
}

const parse = (line: string): ScriptEvent | null => {
  try {
    const checked = validate(JSON.parse(line))
    return checked.ok ? checked.value : null
  } catch {
    // No JSON: nothing that our program has written.
    return null
  }
}
