/** Opens a trace with what Playwright's own viewer opens it with (`show-trace`): its loader and its model, of the installed runtime. */
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { findRuntimes, installedModules, ownRuntimes } from '../../agent/sandbox/runtimes.ts'

type Model = {
  actions: { title?: string; method: string; params: Record<string, unknown>; error?: { message: string } }[]
  resources: {
    request: { url: string; headers: { name: string; value: string }[] }
    response: { status: number }
  }[]
  errorDescriptors: { message: string }[]
  pages: { screencastFrames: unknown[] }[]
}

type Viewer = {
  ZipTraceLoaderBackend: new (path: string) => object
  TraceLoader: new () => {
    contextEntries: unknown[]
    load(backend: object, progress: (done: number, total: number) => void): Promise<void>
    storage(): { snapshotsForTest(): string[] }
  }
  TraceModel: new (path: string, contexts: unknown[]) => Model
}

export type OpenedTrace = Model & { snapshots: number }

export const openTrace = async (path: string): Promise<OpenedTrace> => {
  const runtime = findRuntimes(ownRuntimes).find(({ id }) => id === '2026.04')
  const library = join(installedModules(runtime!)!, 'playwright-core/lib')
  const load = createRequire(import.meta.url)
  const aliases = registerHooks({
    resolve: (name, context, next) =>
      next(name.replace(/^@isomorphic\/(.*)$/, join(library, 'utils/isomorphic/$1.js')), context),
  })
  const { ZipTraceLoaderBackend, TraceLoader, TraceModel }: Viewer = {
    ...load(join(library, 'server/trace/viewer/traceParser.js')),
    ...load(join(library, 'utils/isomorphic/trace/traceLoader.js')),
    ...load(join(library, 'utils/isomorphic/trace/traceModel.js')),
  }
  aliases.deregister()
  const loader = new TraceLoader()
  await loader.load(new ZipTraceLoaderBackend(path), () => undefined)
  const model = new TraceModel(path, loader.contextEntries)
  return Object.assign(model, { snapshots: loader.storage().snapshotsForTest().length })
}
