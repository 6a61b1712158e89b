import type { RunSettings } from '../task.ts'
import type { Browser, Context, ContextOptions, PlaywrightLibrary } from './playwright-types.ts'
import type { Watch } from './watch-context.ts'

/**
 * Makes a script's own `chromium.launch()` take the browser of this agent, and all that it opens the broker of the run. The kernel
 * refuses what goes another way: this is for honest programs.
 */
export const patchPlaywright = (
  library: PlaywrightLibrary,
  { task, brokerPort }: Pick<RunSettings, 'task' | 'brokerPort'>,
  watch: Watch,
): void => {
  const proxy = { server: `http://127.0.0.1:${brokerPort}` }
  const named = <T extends ContextOptions>(options: T): T => {
    const { userAgent = library._defaultContextOptions?.userAgent } = options
    if (userAgent === undefined || userAgent.endsWith(task.userAgent)) return options
    return { ...options, userAgent: `${userAgent} ${task.userAgent}` }
  }
  const { chromium, request } = library
  const launchOptions = (options: { args?: string[] } & object = {}): object => {
    if (task.chromium === null) throw new Error('This check runs without a browser')
    const { path, sandbox, args } = task.chromium
    const own = { executablePath: path, chromiumSandbox: sandbox, headless: true, channel: undefined, proxy }
    return { ...options, ...own, args: [...(options.args ?? []), ...args] }
  }
  const launch = chromium.launch.bind(chromium)
  chromium.launch = async (options) => watchBrowser(await launch(launchOptions(options)), { named, watch })
  const launchPersistent = chromium.launchPersistentContext.bind(chromium)
  chromium.launchPersistentContext = async (folder, options = {}) => {
    const context = await launchPersistent(folder, { ...named(options), ...launchOptions(options) })
    return watch.context(context)
  }
  const newRequestContext = request.newContext.bind(request)
  request.newContext = (options = {}) => newRequestContext({ ...named(options), proxy })
  for (const name of ['firefox', 'webkit'] as const)
    library[name].launch = async () => {
      throw new Error(`There is no ${name} on this agent: it runs browser checks with Chromium`)
    }
}

/** Options that the test runner adds come after ours: whoever listens last sees all of them. */
const withNamedOptions = async (
  { _instrumentation: instrumentation }: Browser,
  named: Around['named'],
  open: () => Promise<Context>,
): Promise<Context> => {
  const listener = {
    runBeforeCreateBrowserContext: async (options: ContextOptions) => {
      Object.assign(options, named(options))
    },
  }
  instrumentation?.addListener(listener)
  try {
    return await open()
  } finally {
    instrumentation?.removeListener(listener)
  }
}

type Around = { named(options: ContextOptions): ContextOptions; watch: Watch }

const watchBrowser = (browser: Browser, { named, watch }: Around): Browser => {
  watch.browser(browser.version())
  for (const name of ['newContext', '_newContextForReuse'] as const) {
    const open = browser[name]?.bind(browser)
    if (open !== undefined)
      browser[name] = async (options = {}): Promise<Context> =>
        watch.context(await withNamedOptions(browser, named, () => open(named(options))))
  }
  const close = browser.close.bind(browser)
  browser.close = async (options) => {
    for (const context of browser.contexts()) await watch.closing(context)
    await close(options)
  }
  return browser
}
