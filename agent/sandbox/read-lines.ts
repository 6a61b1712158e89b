import type { Readable } from 'node:stream'
import type { Validator } from '../../protocol/validate.ts'

type Reading<T> = { maxBytes: number; onEvent(event: T): void; onNonsense(): void }

/** Reads a child's events, a line of JSON each. What is none, or is too much, is told once; nothing after it is read. */
export const readLines = <T>(
  stream: Readable,
  validate: Validator<T>,
  { maxBytes, onEvent, onNonsense }: Reading<T>,
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
    const event = parse(line, validate)
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

const parse = <T>(line: string, validate: Validator<T>): T | null => {
  try {
    const checked = validate(JSON.parse(line))
    return checked.ok ? checked.value : null
  } catch {
    // No JSON: nothing that our program has written.
    return null
  }
}
