/** What a program of the library does, call by call, as Playwright itself tells it. */
import type { ApiCall, ApiChannel, PlaywrightLibrary } from './playwright-types.ts'
import { keepStep, type Seen } from './seen.ts'

export const watchSteps = ({ _instrumentation: instrumentation }: PlaywrightLibrary, seen: Seen): void => {
  const begun = new WeakMap<object, { title: string; startedAt: number }>()
  instrumentation?.addListener({
    onApiCallBegin: (call, channel) => {
      // Playwright 1.48 tells it otherwise, in texts.
      if (typeof call === 'object') begun.set(call, { title: titleOf(call, channel), startedAt: seen.now() })
    },
    onApiCallEnd: (call) => {
      const step = typeof call === 'object' ? begun.get(call) : undefined
      if (step === undefined || step.title === '') return
      const { title, startedAt } = step
      const durationMs = Math.max(0, seen.now() - startedAt)
      keepStep(seen, { title, depth: 0, startedAt, durationMs, failed: call?.error !== undefined })
    },
  })
}

/** What is typed or sent stays private: only what is named here is shown. */
const titleOf = ({ apiName = '' }: ApiCall, channel?: ApiChannel): string => {
  const { url, selector } = channel?.params ?? {}
  const subject = [url, selector].find((value) => typeof value === 'string')
  return subject === undefined ? apiName : `${apiName} ${subject}`
}
