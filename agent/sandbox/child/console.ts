import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { format } from 'node:util'
import type { Events } from './events.ts'

/** Makes `console` write lines of the run's log. */
export const readyConsole = (log: Events['log']): void => {
  const writer = (level: Parameters<typeof log>[0]): Writable =>
    new Writable({
      decodeStrings: false,
      write: (text: string, _, done) => {
        log(level, text.replace(/\n$/, ''))
        done()
      },
    })
  const console = new Console({ stdout: writer('INFO'), stderr: writer('ERROR') })
  console.debug = (...args: unknown[]) => log('DEBUG', format(...args))
  console.warn = (...args: unknown[]) => log('WARN', format(...args))
  globalThis.console = console
}
