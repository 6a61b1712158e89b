import type { LogLine } from '../../protocol/result.ts'

/** Writes a line of the log of a run. */
export type Say = (level: LogLine['level'], msg: string) => void

/** A script that scans a network shall not fill its log. */
const maxSentences = 50

/** Says each sentence once, and not too many of them. */
export const sayOnce = (say: Say): Say => {
  const told = new Set<string>()
  return (level, msg) => {
    if (told.size > maxSentences || told.has(msg)) return
    told.add(msg)
    if (told.size <= maxSentences) say(level, msg)
    else say('WARN', 'More was refused on the network than is kept here')
  }
}
