/** What of an attempt of the test runner made it fail, and where: in the script, or in a file beside it. Pure. */
import { stripVTControlCharacters } from 'node:util'

type Location = { file: string; line: number }
export type Failure = { message?: string; value?: string; stack?: string; location?: Location }
export type RunnerStep = {
  category: string
  title: string
  startTime: Date
  /** -1: it has not ended. */
  duration: number
  error?: Failure
  location?: Location
  parent?: RunnerStep
  steps: RunnerStep[]
}
export type Attempt = { status: string; errors: Failure[]; steps: RunnerStep[] }

type Cause = { message: string; location: Location | null }

/** What a step of the script's own is: the start of its browser is none. */
export const toldSteps = ['test.step', 'expect', 'pw:api']

/**
 * `isOwn`: the file is one of the script's, not of a package. An error that only says that the time of the test was up gives way to that
 * of the action that it ended; without one, it tells of the step that was under way, or was the last.
 */
export const causesOf = ({ status, errors, steps }: Attempt, isOwn: (file: string) => boolean): Cause[] => {
  const own = steps
    .flatMap(allWithin)
    .filter(
      ({ category, location }) =>
        toldSteps.includes(category) && location !== undefined && isOwn(location.file),
    )
  const told = errors.length === 0 && status === 'interrupted' ? [{ message: 'It was interrupted' }] : errors
  const failures = told
    .map((failure) => ({ failure, message: textOf(failure) }))
    .toSorted((a, b) => Number(isTimeUp(a)) - Number(isTimeUp(b)))
  return failures
    .filter(
      ({ message }) =>
        !failures.some((other) => other.message !== message && other.message.includes(message)),
    )
    .map(({ failure, message }) => {
      const location =
        own.findLast(({ error }) => error !== undefined && textOf(error) === message)?.location ??
        [failure.location, ...framesOf(failure)].find((one) => one !== undefined && isOwn(one.file))
      return location === undefined ? unlocated(message, own) : { message, location }
    })
}

const isTimeUp = ({ message }: { message: string }): boolean =>
  /^(?:Test|"\w+" hook|Fixture "[^"]+") timeout of \d+ms exceeded/.test(message)

/** A step before those within it, in the order in which they began. */
const allWithin = (step: RunnerStep): RunnerStep[] => [step, ...step.steps.flatMap(allWithin)]

const unlocated = (message: string, own: readonly RunnerStep[]): Cause => {
  const underWay = own.findLast(({ duration }) => duration < 0)
  const last = underWay ?? own.at(-1)
  if (last === undefined) return { message, location: null }
  const how = underWay === undefined ? `after "${last.title}"` : `while "${last.title}" was under way`
  return { message: `${message.replace(/\.$/, '')} ${how}`, location: last.location ?? null }
}

const framesOf = ({ stack = '' }: Failure): Location[] =>
  [...stripVTControlCharacters(stack).matchAll(/^ +at (?:.* \()?(?:file:\/\/)?(\/.+?):(\d+):\d+\)?$/gm)].map(
    ([, file = '', line]) => ({ file, line: Number(line) }),
  )

const textOf = ({ message, value }: Failure): string =>
  stripVTControlCharacters(message ?? value ?? 'It failed without a word')
