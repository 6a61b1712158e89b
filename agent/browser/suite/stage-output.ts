import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type { RunLog } from '../../base/run-log.ts'
import { maxLogBytes } from '../task.ts'
import { firstReason } from './first-reason.ts'

const maxLines = 15
/** Of the first ones, in which a reason is looked for. */
const maxFirstLines = 1000
const maxLine = 4000

/** Says each line that a command prints as it comes, up to a limit; `end` tells the first that is a reason to fail, else the last of them. */
export const readStageOutput = (
  { stdout, stderr }: ChildProcess,
  { say, clean }: { say: RunLog['say']; clean(line: string): string },
): { end(): string } => {
  let room = maxLogBytes
  const first: string[] = []
  const last: string[] = []
  const read = (stream: Readable, level: 'INFO' | 'WARN'): void => {
    const lines = createInterface({ input: limited(stream), crlfDelay: Number.POSITIVE_INFINITY })
    lines.on('line', (raw) => {
      const line = clean(stripVTControlCharacters(raw)).trimEnd().slice(0, maxLine)
      if (line === '') return
      if (first.length < maxFirstLines) first.push(line)
      last.push(line)
      if (last.length > maxLines) last.shift()
      if (room <= 0) return
      room -= line.length + 50
      say(room > 0 ? level : 'WARN', room > 0 ? line : 'What the command printed after this is not kept')
    })
  }
  read(stdout as Readable, 'INFO')
  read(stderr as Readable, 'WARN')
  return { end: () => firstReason(first) ?? last.join('\n') }
}

/** A line without an end would be held for as long as it grows. */
async function* cut(stream: Readable): AsyncGenerator<Buffer> {
  let sinceBreak = 0
  for await (const part of stream as AsyncIterable<Buffer>) {
    const at = part.lastIndexOf(10)
    sinceBreak = at === -1 ? sinceBreak + part.length : part.length - at
    yield part
    if (sinceBreak > 64 * 1024) {
      sinceBreak = 0
      yield Buffer.from('\n')
    }
  }
}

const limited = (stream: Readable): Readable => {
  // The process is gone; what it had said by then counts.
  stream.on('error', () => undefined)
  const lines = Readable.from(cut(stream))
  lines.on('error', () => undefined)
  return lines
}
