import { writeSync } from 'node:fs'
import type { BrowserEvent, ScriptError } from '../task.ts'

type Level = Extract<BrowserEvent, { type: 'log' }>['level']

/** What the process tells the agent. */
export type BrowserEvents = {
  started(): void
  log(level: Level, msg: string): void
  declaresTests(): void
  ended(errors: readonly ScriptError[]): void
  hasEnded(): boolean
}

/** As `maxLogBytes` of the agent, which holds it whatever happens here. */
const maxLogBytes = 256 * 1024
const maxLineLength = 8000

/** Lines of JSON on descriptor 3. */
export const createBrowserEvents = (): BrowserEvents => {
  let logRoom = maxLogBytes
  let over = false
  const send = (event: BrowserEvent): void => {
    writeSync(3, `${JSON.stringify(event)}\n`)
  }
  return {
    started: () => send({ type: 'started' }),
    log: (level, msg) => {
      if (logRoom <= 0) return
      const event = { type: 'log', level, msg: shortened(msg) } as const
      logRoom -= Buffer.byteLength(event.msg) + 50
      send(
        logRoom > 0
          ? event
          : { type: 'log', level: 'WARN', msg: 'What the script printed after this is not kept' },
      )
    },
    declaresTests: () => {
      over = true
      send({ type: 'declares-tests' })
    },
    ended: (errors) => {
      if (over) return
      over = true
      send({
        type: 'ended',
        errors: errors.slice(0, 50).map((error) => ({ ...error, message: shortened(error.message) })),
      })
    },
    hasEnded: () => over,
  }
}

const shortened = (text: string): string =>
  text.length <= maxLineLength ? text : `${text.slice(0, maxLineLength)}… (${text.length} characters)`
