import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { nicenessOfBrowsers, setNiceness } from '../low-priority.ts'
import type { Program } from '../sandbox/program.ts'
import { type OwnParts, type ScriptChild, type Shape, startOwnChild } from '../sandbox/start-child.ts'
import type { PathRule } from '../walls/landlock.ts'
import { readableRule } from '../walls/system-files.ts'
import type { BrowsersOptions } from './browsers.ts'
import { filesOfChromium } from './find-chromium.ts'
import type { Style } from './task.ts'

/** What must be known of a run before its process starts. `chromium`: the program and whether it has its own sandbox. */
export type BrowserShape = Shape & { style: Style; chromium: { path: string; sandbox: boolean } | null }

/** Of the objects of one process of Node. */
const maxHeapMb = 1024

export const startBrowserChild = (
  shape: BrowserShape,
  options: BrowsersOptions & { program(): Promise<Program> },
): Promise<ScriptChild> =>
  startOwnChild(
    {
      program: options.program,
      modules: shape.modules,
      start: (own, walled) => (walled ? behindWalls : withoutWalls)(shape, own, options),
      lower: ({ pid }) => setNiceness(pid, nicenessOfBrowsers),
    },
    options,
  )

const nodeArguments = ({ style }: BrowserShape, { folder }: OwnParts): string[] => [
  '--no-warnings',
  `--max-old-space-size=${maxHeapMb}`,
  join(folder.path, 'browser-main.mjs'),
  style,
]

const behindWalls = (shape: BrowserShape, own: OwnParts, { walls }: BrowsersOptions): ChildProcess => {
  const { folder, owner, broker } = own
  return walls.launch({
    profile: shape.chromium?.sandbox === true ? 'browser-sandbox' : 'browser',
    folder: folder.path,
    writable: folder.writable,
    readable: readableBy(shape),
    brokerPort: broker.port,
    owner,
    args: nodeArguments(shape, own),
    env: environment(own),
  })
}

const readableBy = ({ modules, chromium }: BrowserShape): readonly PathRule[] => [
  ...(modules === null ? [] : [readableRule(modules)]),
  ...(chromium === null ? [] : filesOfChromium(chromium.path, chromium.sandbox)),
]

const withoutWalls = (shape: BrowserShape, own: OwnParts, { host }: BrowsersOptions): ChildProcess =>
  spawn(host.execPath, nodeArguments(shape, own), {
    cwd: own.folder.path,
    env: { TZ: 'UTC', HOME: own.folder.writable, TMPDIR: own.folder.writable, ...environment(own) },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })

const environment = ({ broker, folder }: OwnParts): Record<string, string> => ({
  WATCHPOST_BROKER_PORT: String(broker.port),
  XDG_CACHE_HOME: folder.writable,
  XDG_CONFIG_HOME: folder.writable,
})
