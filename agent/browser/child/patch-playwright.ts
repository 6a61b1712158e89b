import type { RunSettings } from '../task.ts'
import type { Browser, Context, ContextOptions, PlaywrightLibrary } from './playwright-types.ts'
import type { Watch } from './watch-context.ts'

/**
 * Makes a script's own `chromium.launch()` take the browser of this agent, and all that it opens the egress proxy of the run. The kernel
 * refuses what goes another way: this is for honest programs.
 */
export const patchPlaywright = (
  library: PlaywrightLibrary,
  { task, egressProxyPort }: Pick<RunSettings, 'task' | 'egressProxyPort'>,
  watch: Watch,
): void => {
  const proxy = { server: `http://127.0.0.1:${egressProxyPort}` }
  const adapted = <T extends ContextOptions>(given: T): T => {
    const defaults = library._defaultContextOptions
    const options = withoutTheImpossible(given, { defaults, task, watch })
    const { userAgent = defaults?.userAgent } = options
    if (userAgent === undefined || userAgent.endsWith(task.userAgent)) return options
    return { ...options, userAgent: `${userAgent} ${task.userAgent}` }
  }
  const { chromium, request } = library
  const launchOptions = (options: { args?: string[]; proxy?: unknown } = {}): object => {
    if (task.chromium === null) throw new Error('This check runs without a browser')
    const { path, sandbox, args } = task.chromium
    const own = { executablePath: path, chromiumSandbox: sandbox, headless: true, channel: undefined, proxy }
    const { args: wanted = [] } = options
    if (options.proxy !== undefined || wanted.some(isAboutProxy)) watch.leftOut('proxy')
    return { ...options, ...own, args: [...wanted.filter((arg) => !isAboutProxy(arg)), ...args] }
  }
  const launch = chromium.launch.bind(chromium)
  chromium.launch = async (options) => watchBrowser(await launch(launchOptions(options)), { adapted, watch })
  const launchPersistent = chromium.launchPersistentContext.bind(chromium)
  chromium.launchPersistentContext = async (folder, options = {}) => {
    const context = await launchPersistent(folder, { ...adapted(options), ...launchOptions(options) })
    return watch.context(context, { records: options.recordVideo !== undefined })
  }
  const newRequestContext = request.newContext.bind(request)
  request.newContext = async (options = {}) =>
    watch.requestContext(await newRequestContext({ ...adapted(options), proxy }))
  for (const name of ['firefox', 'webkit'] as const)
    library[name].launch = async () => {
      throw new Error(`There is no ${name} on this agent: it runs browser checks with Chromium`)
    }
}

const isAboutProxy = (arg: string): boolean => /^--(no-)?proxy-/.test(arg)

type Limits = { defaults: ContextOptions | undefined; task: RunSettings['task']; watch: Watch }

const withoutTheImpossible = <T extends ContextOptions>(options: T, { defaults, task, watch }: Limits): T => {
  const wanted = { ...defaults, ...options }
  const possible = { ...options }
  if (wanted.proxy !== undefined) {
    watch.leftOut('proxy')
    possible.proxy = undefined
  }
  if (wanted.recordVideo !== undefined && task.chromium?.videos === false) {
    watch.leftOut('videos')
    possible.recordVideo = undefined
  }
  return possible
}

/** Options that the test runner adds come after ours: whoever listens last sees all of them. */
const withAdaptedOptions = async (
  { _instrumentation: instrumentation }: Browser,
  adapted: Around['adapted'],
  open: () => Promise<Context>,
): Promise<Context> => {
  const listener = {
    runBeforeCreateBrowserContext: async (options: ContextOptions) => {
      Object.assign(options, adapted(options))
    },
  }
  instrumentation?.addListener(listener)
  try {
    return await open()
  } finally {
    instrumentation?.removeListener(listener)
  }
}

type Around = { adapted(options: ContextOptions): ContextOptions; watch: Watch }

const watchBrowser = (browser: Browser, { adapted, watch }: Around): Browser => {
  watch.browser(browser.version())
  for (const name of ['newContext', '_newContextForReuse'] as const) {
    const open = browser[name]?.bind(browser)
    if (open !== undefined)
      browser[name] = async (options = {}): Promise<Context> =>
        watch.context(await withAdaptedOptions(browser, adapted, () => open(adapted(options))), {
          records: options.recordVideo !== undefined,
        })
  }
  const close = browser.close.bind(browser)
  browser.close = async (options) => {
    for (const context of browser.contexts()) await watch.closing(context)
    await close(options)
  }
  return browser
}
