import { writeSync } from 'node:fs'
import { format } from 'node:util'
import type { Changes, ScriptEvent } from '../task.ts'

type Level = Extract<ScriptEvent, { type: 'log' }>['level']

/** What a child tells its parent. */
export type Events = {
  started(): void
  log(level: Level, msg: string): void
  hide(value: string): void
  threw(message: string, line: number | null): void
  /** Whether it could be said: what is too large is told as the script's failure, by an exception. */
  done(changes: Changes): boolean
}

/** As `maxAnswerBytes` and `maxLogBytes` of the parent, which holds them whatever happens here. */
const maxAnswerBytes = 256 * 1024
const maxLogBytes = 32 * 1024
const maxLineLength = 8000
const maxMessageLength = 2000

/** The only way out: lines of JSON on descriptor 3. */
export const createEvents = (): Events => {
  const bytesOf = Buffer.byteLength
  const { stringify } = JSON
  let logRoom = maxLogBytes
  const line = (event: ScriptEvent): string => `${stringify(event)}\n`
  const send = (event: ScriptEvent): void => {
    writeSync(3, line(event))
  }
  return {
    started: () => send({ type: 'started' }),
    log: (level, msg) => {
      if (logRoom <= 0) return
      const text = line({ type: 'log', level, msg: shortened(msg, maxLineLength) })
      logRoom -= bytesOf(text)
      if (logRoom > 0) writeSync(3, text)
      else send({ type: 'log', level: 'WARN', msg: 'What the script printed after this is not kept' })
    },
    hide: (value) => send({ type: 'hide', value }),
    threw: (message, at) =>
      send({ type: 'threw', message: shortened(format(message), maxMessageLength), line: at }),
    done: (changes) => {
      const text = line({ type: 'done', changes })
      if (bytesOf(text) > maxAnswerBytes)
        throw new Error(`it changed more than the ${maxAnswerBytes / 1024} KB that it may hand over`)
      writeSync(3, text)
      return true
    },
  }
}

const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`
