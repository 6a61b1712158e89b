/** What a program of the library does, call by call, as Playwright itself tells it. */
import type { ApiCall, ApiChannel, ApiFrame, PlaywrightLibrary } from './playwright-types.ts'
import { keepStep, type Seen } from './seen.ts'

/** `stack`: in the form of an error's. */
type Call = { title: string; startedAt: number; stack: string }

export type Calls = {
  /** The one that began last and has not ended. */
  underWay(): Call | null
  /** What the last one that failed did so with. */
  readonly lastFailed: unknown
}

export const watchSteps = ({ _instrumentation: instrumentation }: PlaywrightLibrary, seen: Seen): Calls => {
  const begun = new Map<object, Call>()
  let lastFailed: unknown = null
  instrumentation?.addListener({
    onApiCallBegin: (call, ...pieces) => {
      const told = asOne(call, pieces)
      if (told === null) return
      const { known, apiName, params, frames: own } = told
      begun.set(known, { title: titleOf(apiName, params), startedAt: seen.now(), stack: stackOf(own) })
    },
    onApiCallEnd: (call, failure) => {
      const step = call === undefined ? undefined : begun.get(call)
      if (step === undefined || call === undefined) return
      begun.delete(call)
      const error = call.error ?? failure
      if (error !== undefined) lastFailed = error
      if (step.title === '') return
      const { title, startedAt } = step
      const durationMs = Math.max(0, seen.now() - startedAt)
      keepStep(seen, { title, depth: 0, startedAt, durationMs, failed: error !== undefined })
    },
  })
  return {
    underWay: () => [...begun.values()].findLast(({ title }) => title !== '') ?? null,
    get lastFailed() {
      return lastFailed
    },
  }
}

type Named = { url?: unknown; selector?: unknown }
type Pieces = [about?: object | undefined, frames?: ApiFrame[] | undefined, key?: object | undefined]
type Told = { known: object; apiName: string; params: Named | undefined; frames: readonly ApiFrame[] }

/** Playwright 1.48 tells of a call in pieces, and knows it again by the last of them. */
const asOne = (call: ApiCall | string, [about, frames = [], key]: Pieces): Told | null => {
  if (typeof call === 'string')
    return key === undefined ? null : { known: key, apiName: call, params: about, frames }
  const { apiName = '', frames: own = [] } = call
  return { known: call, apiName, params: (about as ApiChannel | undefined)?.params, frames: own }
}

/** What is typed or sent stays private: only what is named here is shown. */
const titleOf = (apiName: string, { url, selector }: Named = {}): string => {
  const subject = [url, selector].find((value) => typeof value === 'string')
  return subject === undefined ? apiName : `${apiName} ${subject}`
}

const stackOf = (frames: readonly ApiFrame[]): string =>
  frames.map(({ file, line }) => `at ${file}:${line}`).join('\n')
