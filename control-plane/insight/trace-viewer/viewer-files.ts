/** The files of Playwright's trace viewer, as a package of Playwright brings them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'

/** `packed`: by gzip, once somebody has asked for it. */
type ViewerFile = { type: string; bytes: Buffer; packed(): Promise<Buffer> }

/** By their paths in the viewer's folder. Nothing else of the disk can be named. */
type ViewerFiles = ReadonlyMap<string, ViewerFile>

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.webmanifest': 'application/manifest+json',
}

/** Of its files that are not pages. */
export const otherTypesOfFiles: readonly string[] = Object.values(types)
  .map((type) => type.split(';')[0] ?? '')
  .filter((type) => type !== 'text/html')

const runtimes = fileURLToPath(new URL('../../../runtimes/', import.meta.url))
const inPackage = 'node_modules/playwright-core/lib/vite/traceViewer'

/** The viewer's service worker runs at secure addresses and on the machine itself, nowhere else. */
export const canShowTraces = (app: App & HasTraceViewer): boolean =>
  isSecure(app.config.baseUrl) && viewerFiles(app) !== null

const isSecure = (baseUrl: string): boolean => {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'https:' || /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Of Playwright's trace viewer; null: the newest installed runtime's. */
export type HasTraceViewer = { config: { traceViewerDir: string | null } }

/** Null as long as no runtime is installed; one that is installed later is found. */
export const viewerFiles = (app: App & HasTraceViewer): ViewerFiles | null => {
  const known = cacheOf(app)
  const folder = known.files === null ? viewerFolder(app.config.traceViewerDir) : null
  if (folder !== null) known.files = readViewer(folder)
  return known.files
}

const cacheOf = perApp((): { files: ViewerFiles | null } => ({ files: null }))

/** The newest runtime's reads the traces of older ones. */
const viewerFolder = (set: string | null): string | null => {
  const folders = set === null ? installed() : [set]
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? null
}

const installed = (): string[] =>
  existsSync(runtimes)
    ? readdirSync(runtimes)
        .sort()
        .reverse()
        .map((name) => join(runtimes, name, inPackage))
    : []

const pack = promisify(gzip)

const packedOnce = (bytes: Buffer): (() => Promise<Buffer>) => {
  let packed: Promise<Buffer> | undefined
  return () => {
    packed ??= pack(bytes)
    return packed
  }
}

const readViewer = (folder: string): ViewerFiles => {
  const files = new Map<string, ViewerFile>()
  for (const within of ['', 'assets/']) {
    for (const entry of readdirSync(join(folder, within), { withFileTypes: true })) {
      const type = types[extname(entry.name)]
      if (!entry.isFile() || type === undefined) continue
      const bytes = readFileSync(join(folder, within, entry.name))
      files.set(within + entry.name, { type, bytes, packed: packedOnce(bytes) })
    }
  }
  return files
}
