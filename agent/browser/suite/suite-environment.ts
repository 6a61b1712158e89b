import { join } from 'node:path'
import { authoritiesOfNode } from '../authorities.ts'
import type { Chromium } from '../task.ts'
import type { SuiteFolder } from './suite-folder.ts'
import type { SuiteJob, SuiteWorld } from './suites-options.ts'
import type { SuiteSettings } from './task.ts'

type Environment = { job: SuiteJob; suiteFolder: SuiteFolder; world: SuiteWorld; chromium: Chromium }

/** What both stages have in common. What a check says never comes before what the isolation needs. */
export const suiteEnvironment = ({
  job,
  suiteFolder,
  world,
  chromium,
}: Environment): Record<string, string> => {
  const { folder, programs, egressProxy } = suiteFolder
  const { spec, variables, secretNames, userAgent } = job
  const settings: SuiteSettings = {
    folder: folder.path,
    egressProxyPort: egressProxy.port,
    task: { secretNames, chromium, userAgent, traces: true, style: 'test' },
    ffmpeg: chromium.videos ? world.options.ffmpeg : null,
    configPath: spec.playwrightConfigPath,
    projects: spec.projects,
    tags: spec.tags,
  }
  const preload = `--no-warnings --require ${join(folder.path, 'suite-preload.mjs')}`
  const { NODE_OPTIONS: own = '', ...wanted } = variables
  return {
    LANG: 'C.UTF-8',
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    ...wanted,
    TZ: 'UTC',
    HOME: folder.writable,
    TMPDIR: folder.writable,
    XDG_CACHE_HOME: folder.writable,
    XDG_CONFIG_HOME: folder.writable,
    OPENSSL_CONF: '/dev/null',
    PATH: [programs, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    NODE_OPTIONS: `${preload} ${own}`.trim(),
    // The agent's Chromium is used.
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
    PLAYWRIGHT_BROWSERS_PATH: join(folder.writable, 'browsers'),
    WATCHPOST_SUITE: JSON.stringify(settings),
    ...authoritiesOfNode(folder.path, world.options.extraCaCerts),
  }
}
