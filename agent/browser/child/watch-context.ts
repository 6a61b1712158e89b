import { join } from 'node:path'
import type { LeftOut, RunSettings } from '../task.ts'
import type { Context, Page, RequestContext } from './playwright-types.ts'
import { after, keepPageError, noteDeath, type Seen } from './seen.ts'
import { internally, shareTracing } from './share-tracing.ts'
import { reportBinding, vitalsScript } from './vitals-script.ts'
import { watchChromium } from './watch-chromium.ts'

/** Looks at what a script opens, for its result. */
export type Watch = {
  browser(version: string): void
  /** The script wants something that it does not get. */
  leftOut(what: LeftOut): void
  /** `records`: its pages are recorded. */
  context(context: Context, options: { records: boolean }): Promise<Context>
  requestContext(context: RequestContext): Promise<RequestContext>
  /** Before a context closes: what it has to give is taken. */
  closing(context: Context): Promise<void>
  /** The script has failed: what its pages look like, their traces and videos. */
  takeEvidence(): Promise<void>
  /** Writes down what was seen: whoever is told that the run has ended ends this process. */
  flush(): void
}

const maxPages = 100
/** Of contexts that send requests without a page: each has files of its own while it is recorded. */
const maxTraced = 50
const maxUrl = 2048
/** For one picture of a page that may be stuck. */
const screenshotMs = 3000
/** For the end of videos, of a browser that may be stuck. */
const closeMs = 3000

/** `output`: where pictures and traces go, which only programs of the library need: the test runner has its own. */
export const createWatch = (
  seen: Seen,
  { task, output }: { task: RunSettings['task']; output: string },
): Watch => {
  const closers = new Map<Context | RequestContext, () => Promise<void>>()
  const recorded = new Map<Context, Context['close']>()
  const isLibrary = task.style === 'library'
  const chromium = task.chromium === null ? null : watchChromium(task.chromium.path, seen)
  let count = 0
  const closing = async (context: Context | RequestContext): Promise<void> => {
    const close = closers.get(context)
    closers.delete(context)
    await close?.()
  }
  return {
    browser: (version) => {
      seen.state.browserVersion = version
      seen.changed()
    },
    leftOut: (what) => {
      if (seen.state.leftOut.includes(what)) return
      seen.state.leftOut.push(what)
      seen.changed()
    },
    context: async (context, { records }) => {
      watchErrors(context, seen)
      await internally(context, () => watchVitals(context, seen))
      if (!isLibrary) return shareTracing(context)
      count += 1
      closers.set(context, await recording(context, { traces: task.traces, output, count }))
      const close = context.close.bind(context)
      if (records) recorded.set(context, close)
      context.close = (options) => closing(context).then(() => close(options))
      return context
    },
    requestContext: async (context) => {
      if (!isLibrary || !task.traces) return context
      count += 1
      if (count > maxTraced) return context
      const close = await recordRequests(context, join(output, `trace-${count}.zip`))
      if (close === null) return context
      closers.set(context, close)
      const dispose = context.dispose.bind(context)
      context.dispose = (options) => closing(context).then(() => dispose(options))
      return context
    },
    closing,
    takeEvidence: async () => {
      for (const context of [...closers.keys()]) await closing(context)
      // A video is whole once its context has closed.
      await Promise.race([
        Promise.all([...recorded.values()].map((close) => close().catch(ignoreClosed))),
        after(closeMs),
      ])
      await chromium?.settled()
    },
    flush: seen.flush,
  }
}

const watchErrors = (context: Context, seen: Seen): void => {
  const { state, changed } = seen
  const count = (name: 'consoleErrors' | 'networkErrors' | 'documentErrors' | 'userScriptErrors'): void => {
    state[name] += 1
    changed()
  }
  const watchPage = (page: Page): void =>
    page.once('crash', () => noteDeath(seen, 'A page of Chromium crashed'))
  context.pages().forEach(watchPage)
  context.on('page', watchPage)
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

/** What ends it, when the context is put away; null: this Playwright cannot. */
const recordRequests = async (
  context: RequestContext,
  path: string,
): Promise<(() => Promise<void>) | null> => {
  const { _tracing: tracing = context.tracing } = context
  if (tracing === undefined) return null
  const stop = tracing.stop.bind(tracing)
  await internally(context, () => tracing.start({ snapshots: true, sources: true }))
  return () => internally(context, () => stop({ path })).catch(ignoreClosed)
}

type Recording = { traces: boolean; output: string; count: number }

/** What is done when the context closes: a picture of its last page, and the end of its trace, whoever has started that. */
const recording = async (
  context: Context,
  { traces, output, count }: Recording,
): Promise<() => Promise<void>> => {
  const { tracing } = context
  const stop = tracing.stop.bind(tracing)
  if (traces)
    await internally(context, () => tracing.start({ screenshots: true, snapshots: true, sources: true }))
  shareTracing(context)
  return async () => {
    const page = context.pages().findLast(isShown)
    if (page !== undefined) await takePicture(page, join(output, `page-${count}.png`))
    await stop({ path: join(output, `trace-${count}.zip`) }).catch(ignoreClosed)
  }
}

const isShown = (page: Page): boolean => !page.isClosed() && page.url() !== 'about:blank'

const takePicture = async (page: Page, path: string): Promise<void> => {
  await page.screenshot({ path, timeout: screenshotMs }).catch(ignoreClosed)
}

/** The browser may be gone, or the page stuck: then there is no picture and no trace of it. */
const ignoreClosed = (): undefined => undefined
