/** What of Playwright is used here. Its own types come with a runtime, which need not be installed. */
export type Page = {
  once(event: 'crash', listener: () => void): void
  url(): string
  isClosed(): boolean
  screenshot(options: object): Promise<unknown>
}

type Request = {
  failure(): { errorText: string } | null
  resourceType(): string
}

type ContextEvents = {
  page: Page
  console: { type(): string; text(): string; location(): { url: string; lineNumber: number } }
  weberror: { error(): unknown; page(): Page | null }
  requestfailed: Request
  response: { status(): number; request(): Request }
}

export type Context = {
  on<E extends keyof ContextEvents>(event: E, listener: (value: ContextEvents[E]) => void): void
  pages(): Page[]
  exposeBinding(name: string, act: (source: unknown, value: unknown) => void): Promise<unknown>
  addInitScript(script: { content: string }): Promise<unknown>
  close(options?: object): Promise<void>
  tracing: Tracing
} & Wraps

type Tracing = {
  start(options?: {
    title?: string
    screenshots?: boolean
    snapshots?: boolean
    sources?: boolean
  }): Promise<void>
  startChunk(options?: { title?: string }): Promise<void>
  stopChunk(options?: { path?: string }): Promise<void>
  stop(options?: { path?: string }): Promise<void>
}

type Wraps = {
  /** Of Playwright itself: what is done in it is no step of the script. */
  _wrapApiCall?<T>(act: () => Promise<T>, options: { internal: true }): Promise<T>
}

/** What sends requests without a page. `_tracing`: newer ones call it `tracing`. */
export type RequestContext = Wraps & {
  _tracing?: Tracing
  tracing?: Tracing
  dispose(options?: object): Promise<void>
}

/** A call of the library's that a program makes. `apiName`: as it is written, such as `page.goto`. */
export type ApiCall = { apiName?: string; error?: unknown; frames?: ApiFrame[] }
export type ApiChannel = { params?: Record<string, unknown> }
export type ApiFrame = { file: string; line: number }

type Listener = {
  runBeforeCreateBrowserContext?(options: ContextOptions): Promise<void>
  onApiCallBegin?(call: ApiCall | string, about?: object, frames?: ApiFrame[], key?: object): void
  onApiCallEnd?(call: ApiCall | undefined, error?: unknown): void
}
type Instrumentation = { addListener(listener: Listener): void; removeListener(listener: Listener): void }

export type Browser = {
  version(): string
  /** Of Playwright itself: where its test runner adds the options of a test. */
  _instrumentation?: Instrumentation
  contexts(): Context[]
  close(options?: object): Promise<void>
} & Record<'newContext' | '_newContextForReuse', (options?: ContextOptions) => Promise<Context>>

export type ContextOptions = { userAgent?: string | undefined; proxy?: unknown; recordVideo?: unknown }

type BrowserType = {
  launch(options?: object): Promise<Browser>
  launchPersistentContext(folder: string, options?: ContextOptions): Promise<Context>
}

export type PlaywrightLibrary = {
  /** The same in older ones. */
  _defaultContextOptions?: ContextOptions
  /** Of Playwright itself: who listens hears of every call. */
  _instrumentation?: Instrumentation
  chromium: BrowserType
  firefox: BrowserType
  webkit: BrowserType
  request: { newContext(options?: ContextOptions): Promise<RequestContext> }
}
