/**
 * Takes secrets out of what leaves the agent. Pure. One scrubber per job, used once, where all of it passes (`run-job.ts`).
 *
 * A *secret* is a value that nobody may read in a result. It is found however it is spelled
 * (`protocol/secrets/find-secrets.ts`), over the lines of a log, and cut off where a text was cut.
 *
 * Invariant: what comes out has the shape of what went in. So values that are shorter than four characters, or part of
 * a word of the protocol ("true", "EQUALS", "https://"), are not secrets: hiding them would hide the result.
 */
import type { LogLine, Observation } from '../../protocol/result.ts'
import { type Cut, joinCuts, type SecretFinder, withoutCuts } from '../../protocol/secrets/find-secrets.ts'
import { shortestSecret } from '../../protocol/secrets/secret-forms.ts'
import { finderOf } from './hidden-values.ts'

export const hidden = '[secret]'

/** Headers that identify somebody: their values are never shown, whatever the check says. Lower case. */
export const sensitiveHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'proxy-authorization',
])

type Scrubber = {
  text(text: string): string
  /** Of a log: what one line begins and the next ones end is found as well. */
  lines<Line extends { msg: string }>(lines: readonly Line[]): Line[]
  observation(observation: Observation): Observation
}

export const createScrubber = (secrets: Iterable<string>): Scrubber => {
  const finder = finderOf(secrets)
  if (finder === null)
    return { text: (text) => text, lines: (lines) => [...lines], observation: (observation) => observation }
  const clean: Clean = {
    text: (text) => (text.length < finder.shortest ? text : withoutCuts(text, cutsOf(finder, text), hidden)),
    lines: (lines) => cleanLines(finder, lines),
  }
  return { ...clean, observation: (observation) => scrubbed(observation, clean) }
}

/**
 * About how many milliseconds of a processor it takes to make a scrubber and to take the secrets out of texts of so many
 * characters together. The text costs the same for one secret as for thousands.
 */
export const scrubCost = (secrets: Iterable<string>, characters: number): number => {
  let all = 0
  let size = 0
  for (const secret of secrets) {
    if (secret.length < shortestSecret) continue
    all += 1
    size += secret.length
  }
  return all === 0 ? 0 : 0.01 + (1500 * all + 20 * size + 80 * characters) / 1e6
}

type Clean = Omit<Scrubber, 'observation'>

/** Nothing shorter is ever cut (`brief` in assertions/evaluate.ts cuts first). */
const shortestCut = 200

const cutsOf = (finder: SecretFinder, text: string): Cut[] =>
  text.length < shortestCut ? finder.inText(text) : withEnds(finder, text, finder.inText(text))

/** A text that was cut inside a secret ends, or has before its last "…", with the start of one. */
const withEnds = (finder: SecretFinder, text: string, cuts: Cut[]): Cut[] => {
  const dots = text.lastIndexOf('…')
  const ends = dots === -1 ? [text.length] : [dots, text.length]
  const more = ends
    .map((end) => ({ start: finder.startOfCut(text, end), end }))
    .filter(({ start, end }) => start < end)
  return more.length === 0 ? cuts : joinCuts([...cuts, ...more])
}

const cleanLines = <Line extends { msg: string }>(finder: SecretFinder, lines: readonly Line[]): Line[] => {
  const whole = finder.inText(lines.map(({ msg }) => msg).join(''))
  let offset = 0
  let next = 0
  return lines.map((line) => {
    const end = offset + line.msg.length
    const cuts: Cut[] = []
    for (; next < whole.length && (whole[next] as Cut).start < end; next += 1) {
      const cut = whole[next] as Cut
      if (offset < end)
        cuts.push({ start: Math.max(0, cut.start - offset), end: Math.min(cut.end, end) - offset })
      if (cut.end > end) break
    }
    offset = end
    const all = line.msg.length < shortestCut ? cuts : withEnds(finder, line.msg, cuts)
    return { ...line, msg: withoutCuts(line.msg, all, hidden) }
  })
}

const scrubbed = (observation: Observation, clean: Clean): Observation => {
  const shown = scrubValue(observation, clean) as Observation
  const { failure } = shown
  if (failure === null) return shown
  return {
    ...shown,
    failure: { ...failure, code: failure.code.slice(0, 100), message: failure.message.slice(0, 4096) },
  }
}

/** Properties that show a value as the target sent it, where a number can be a secret too. */
const observed = new Set(['actual', 'target'])

const scrubValue = (value: unknown, clean: Clean): unknown => {
  if (typeof value === 'string') return clean.text(value)
  if (isLog(value)) return cleanLog(value, clean)
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, clean))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      clean.text(key),
      typeof item === 'number' && observed.has(key) ? scrubNumber(item, clean) : scrubValue(item, clean),
    ]),
  )
}

/** The lines of scripts are also a part of what is observed (`jobLog`). */
const isLog = (value: unknown): value is LogLine[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item) => typeof item?.msg === 'string' && typeof item.level === 'string')

const cleanLog = (lines: LogLine[], clean: Clean): unknown[] =>
  clean
    .lines(lines)
    .map(({ msg }, at) => ({ ...(scrubValue({ ...lines[at], msg: '' }, clean) as object), msg }))

const scrubNumber = (value: number, { text }: Clean): number | string => {
  const clean = text(String(value))
  return clean === String(value) ? value : clean
}
