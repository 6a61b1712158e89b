import { join } from 'node:path'
import type { RunSettings } from '../task.ts'
import type { Context, Page } from './playwright-types.ts'
import { keepPageError, type Seen } from './seen.ts'
import { reportBinding, vitalsScript } from './vitals-script.ts'

/** Looks at what a script opens, for its result. */
export type Watch = {
  browser(version: string): void
  context(context: Context): Promise<Context>
  /** Before a context closes: what it has to give is taken. */
  closing(context: Context): Promise<void>
  /** The script has failed: what its pages look like, and their traces. */
  takeEvidence(): Promise<void>
}

const maxPages = 100
const maxUrl = 2048
/** For one picture of a page that may be stuck. */
const screenshotMs = 3000

/** `output`: where pictures and traces go, which only programs of the library need: the test runner has its own. */
export const createWatch = (
  seen: Seen,
  { task, output }: { task: RunSettings['task']; output: string },
): Watch => {
  const closers = new Map<Context, () => Promise<void>>()
  const isLibrary = task.style === 'library'
  const closing = async (context: Context): Promise<void> => {
    const close = closers.get(context)
    closers.delete(context)
    await close?.()
  }
  return {
    browser: (version) => {
      seen.state.browserVersion = version
      seen.changed()
    },
    context: async (context) => {
      watchErrors(context, seen)
      await internally(context, () => watchVitals(context, seen))
      if (!isLibrary) return context
      const count = closers.size + 1
      closers.set(context, await recording(context, { traces: task.traces, output, count }))
      const close = context.close.bind(context)
      context.close = async (options) => {
        await closing(context)
        await close(options)
      }
      return context
    },
    closing,
    takeEvidence: async () => {
      for (const context of [...closers.keys()]) await closing(context)
    },
  }
}

const internally = <T>(context: Context, act: () => Promise<T>): Promise<T> =>
  context._wrapApiCall === undefined ? act() : context._wrapApiCall(act, { internal: true })

const watchErrors = (context: Context, seen: Seen): void => {
  const { state, changed } = seen
  const count = (name: 'consoleErrors' | 'networkErrors' | 'documentErrors' | 'userScriptErrors'): void => {
    state[name] += 1
    changed()
  }
  const ofRequest = (type: string) => count(type === 'document' ? 'documentErrors' : 'networkErrors')
  context.on('console', (message) => {
    if (message.type() !== 'error') return
    count('consoleErrors')
    const { url, lineNumber } = message.location()
    keepPageError(seen, { source: 'console', text: message.text(), url, line: lineNumber + 1 })
  })
  context.on('weberror', (thrown) => {
    count('userScriptErrors')
    const url = thrown.page()?.url() ?? ''
    keepPageError(seen, { source: 'script', text: String(thrown.error()), url, line: null })
  })
  context.on('requestfailed', (request) => {
    // What a page gives up by itself when it goes on is no error.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') ofRequest(request.resourceType())
  })
  context.on('response', (response) => {
    if (response.status() >= 400) ofRequest(response.request().resourceType())
  })
}

type Told = { id: string; url: string; values: Record<string, number> }

const watchVitals = async (context: Context, { state, changed }: Seen): Promise<void> => {
  const ids = new Map<string, SeenPage>()
  await context.exposeBinding(reportBinding, (_, value) => {
    const { id, url, values } = value as Told
    let page = ids.get(id)
    if (page === undefined) {
      if (state.pages.length >= maxPages) return
      page = { url: String(url).slice(0, maxUrl), values: {} }
      ids.set(id, page)
      state.pages.push(page)
    }
    for (const [name, number] of Object.entries(values))
      if (/^[A-Z]{3,4}$/.test(name) && Number.isFinite(number) && number >= 0) page.values[name] = number
    changed()
  })
  await context.addInitScript({ content: vitalsScript })
}

type SeenPage = Seen['state']['pages'][number]

type Recording = { traces: boolean; output: string; count: number }

/** What is done when the context closes: a picture of its last page, and the end of its trace. */
const recording = async (
  context: Context,
  { traces, output, count }: Recording,
): Promise<() => Promise<void>> => {
  const { tracing } = context
  const [start, stop] = [tracing.start.bind(tracing), tracing.stop.bind(tracing)]
  let isOurs = traces
  if (traces) await internally(context, () => start({ screenshots: true, snapshots: true, sources: true }))
  // A script that traces itself gets its own trace, and we have none.
  tracing.start = async (options) => {
    if (isOurs) await stop()
    isOurs = false
    await start(options)
  }
  return async () => {
    const page = context.pages().findLast(isShown)
    if (page !== undefined) await takePicture(page, join(output, `page-${count}.png`))
    if (!isOurs) return
    isOurs = false
    await stop({ path: join(output, `trace-${count}.zip`) }).catch(ignoreClosed)
  }
}

const isShown = (page: Page): boolean => !page.isClosed() && page.url() !== 'about:blank'

const takePicture = async (page: Page, path: string): Promise<void> => {
  await page.screenshot({ path, timeout: screenshotMs }).catch(ignoreClosed)
}

/** The browser may be gone, or the page stuck: then there is no picture and no trace of it. */
const ignoreClosed = (): undefined => undefined
