import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { nicenessOfBrowsers, setNiceness } from '../base/low-priority.ts'
import type { PathRule } from '../isolation/landlock.ts'
import type { Program } from '../isolation/program.ts'
import { readableRule } from '../isolation/system-files.ts'
import type { OwnParts } from '../sandbox/own-parts.ts'
import { type Lent, type ScriptChild, type Shape, startOwnChild } from '../sandbox/start-child.ts'
import { authoritiesOfNode } from './authorities.ts'
import type { BrowsersOptions } from './browsers-options.ts'
import { filesOfChromium } from './chromium-files.ts'
import type { Style } from './task.ts'

/**
 * What must be known of a run before its process starts. `chromium`: the program and whether it has its own sandbox. `page`: no script,
 * but a page that is driven from outside.
 */
export type BrowserShape = Shape & {
  style: Style | 'page'
  chromium: { path: string; sandbox: boolean } | null
}

/** All files of a run together. */
export const filesOfBrowsers = { on: 'disk', mb: 1024, files: 50_000 } as const
/** All processes of a run together. */
export const maxMemoryMb = 2048
/** Of the objects of one process of Node. */
export const maxHeapMb = 1024

export const startBrowserChild = (
  shape: BrowserShape,
  options: BrowsersOptions & { program(): Promise<Program> },
): Promise<ScriptChild> =>
  startOwnChild(
    {
      program: options.program,
      modules: shape.modules,
      files: filesOfBrowsers,
      profile: 'browser',
      memoryMb: maxMemoryMb,
      start: (own, isolated, lent) =>
        isolated ? startIsolated(shape, { ...own, ...lent }, options) : startBare(shape, own, options),
      lower: ({ pid }) => setNiceness(pid, nicenessOfBrowsers),
    },
    options,
  )

const nodeArguments = ({ style }: BrowserShape): string[] => [
  '--no-warnings',
  `--max-old-space-size=${maxHeapMb}`,
  style === 'page' ? 'page-main.mjs' : 'browser-main.mjs',
  style,
]

const startIsolated = (
  shape: BrowserShape,
  own: OwnParts & Lent,
  { isolation, ffmpeg, extraCaCerts }: BrowsersOptions,
): ChildProcess => {
  const { folder, owner, egressProxy, volume, group } = own
  return isolation.launch({
    profile: shape.chromium?.sandbox === true ? 'browser-sandbox' : 'browser',
    folder: folder.path,
    writable: folder.writable,
    volume,
    group,
    readable: readableBy(shape, ffmpeg),
    egressProxyPort: egressProxy.port,
    owner,
    args: nodeArguments(shape),
    env: environment(own, { ffmpeg, extraCaCerts }),
  })
}

const readableBy = ({ modules, chromium }: BrowserShape, ffmpeg: string | null): readonly PathRule[] => [
  ...(modules === null ? [] : [readableRule(modules)]),
  ...(chromium === null ? [] : filesOfChromium(chromium.path, chromium.sandbox)),
  ...(ffmpeg === null ? [] : [{ path: ffmpeg, file: true, may: 'run' } as const]),
]

const startBare = (shape: BrowserShape, own: OwnParts, { host, ...options }: BrowsersOptions): ChildProcess =>
  spawn(host.execPath, nodeArguments(shape), {
    cwd: own.folder.path,
    env: { TZ: 'UTC', HOME: own.folder.writable, TMPDIR: own.folder.writable, ...environment(own, options) },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })

const environment = (
  { egressProxy, folder }: OwnParts,
  { ffmpeg, extraCaCerts }: Pick<BrowsersOptions, 'ffmpeg' | 'extraCaCerts'>,
): Record<string, string> => ({
  WATCHPOST_EGRESS_PROXY_PORT: String(egressProxy.port),
  XDG_CACHE_HOME: folder.writable,
  XDG_CONFIG_HOME: folder.writable,
  PLAYWRIGHT_BROWSERS_PATH: join(folder.writable, 'browsers'),
  ...authoritiesOfNode(folder.path, extraCaCerts),
  ...(ffmpeg === null ? {} : { WATCHPOST_FFMPEG: ffmpeg }),
})
