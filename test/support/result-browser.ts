/** Results of browser checks with real files, and a real browser that looks at their pages. */
import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Test } from 'tap'
import { findChromium } from '../../agent/browser/find-chromium.ts'
import { ownRuntimes } from '../../agent/sandbox/runtimes.ts'
import { resultLink } from '../../control-plane/alerting/engine/result-link.ts'
import { completeArtifact, insertArtifact } from '../../control-plane/monitoring/artifacts/queries.ts'
import { artifactKey } from '../../control-plane/platform/store/artifact-store/store.ts'
import type { TestApp } from './app.ts'
import { storeCheck, storeResult } from './stored-results.ts'

const dayMs = 86_400_000

type Locator = {
  first(): Locator
  click(): Promise<void>
  count(): Promise<number>
  allTextContents(): Promise<string[]>
  textContent(): Promise<string | null>
  waitFor(): Promise<void>
}
export type Frame = {
  url(): string
  evaluate<T>(act: string): Promise<T>
  locator(selector: string): Locator
}
export type BrowserPage = Frame & {
  goto(url: string): Promise<unknown>
  fill(selector: string, value: string): Promise<void>
  click(selector: string): Promise<void>
  screenshot(options?: object): Promise<Buffer>
  getByText(text: string | RegExp): Locator
  frames(): Frame[]
  setViewportSize(size: { width: number; height: number }): Promise<void>
  emulateMedia(media: { colorScheme: 'light' | 'dark' }): Promise<void>
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
}
export type BrowserContext = {
  newPage(): Promise<BrowserPage>
  on(event: 'request', listener: (request: { url(): string }) => void): void
  tracing: { start(options: object): Promise<void>; stop(options: object): Promise<void> }
  close(): Promise<void>
}
export type ResultBrowser = {
  newContext(options?: object): Promise<BrowserContext>
  close(): Promise<void>
}

/** The newest runtime's Playwright with this machine's own browser. */
export const openBrowser = async (t: Test): Promise<ResultBrowser> => {
  const load = createRequire(join(ownRuntimes, '2026-04', 'package.json'))
  const { chromium } = load('playwright-core')
  const browser: ResultBrowser = await chromium.launch({
    executablePath: findChromium('/none')?.path,
    headless: true,
  })
  t.teardown(() => browser.close())
  return browser
}

export type ResultFile = { name: string; type: string; contentType: string; bytes: Buffer }

type FailedRun = {
  detail: object
  files: readonly ResultFile[]
  name?: string
  log?: object[]
  error?: string
}

/** A failed run of a browser check as the store has it once its files are there, and the address of its page. */
export const failedRun = async (plane: TestApp, { detail, files, name, log = [], error }: FailedRun) => {
  const { app, accountId } = plane
  const at = app.clock.now()
  const checkId = await storeCheck(plane, { type: 'BROWSER', ...(name === undefined ? {} : { name }) })
  const resultId = await storeResult(plane, {
    ...{ checkId, at, checkType: 'BROWSER', hasFailures: true, responseTime: 2310 },
    doc: {
      ...(name === undefined ? {} : { name }),
      browserCheckResult: detail,
      log,
      error,
      artifacts: files.length,
    },
  })
  for (const [position, { name, type, contentType, bytes }] of files.entries()) {
    await app.db.run(insertArtifact, {
      ...{
        result_id: resultId,
        name,
        position,
        account_id: accountId,
        check_id: checkId,
        location: 'local',
        type,
      },
      ...{
        content_type: contentType,
        size: bytes.length,
        sha256: hash('sha256', bytes, 'hex'),
        refused: null,
      },
      ...{ created_at: at, expires_at: at + 30 * dayMs },
    })
    await app.artifacts.store.write(artifactKey(resultId, name), 0, once(bytes))
    await app.db.run(completeArtifact, { resultId, name, now: at })
  }
  return { checkId, resultId, link: resultLink(app, { checkId, resultId, expiresAt: at + dayMs }) }
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** As an agent writes it; what is not given is empty. */
export const scriptDetail = (startTime: number, more: object = {}): object => ({
  type: 'PLAYWRIGHT',
  traceSummary: { consoleErrors: 0, networkErrors: 0, documentErrors: 0, userScriptErrors: 0 },
  ...{ pageErrors: [], pages: [], errors: [], failedLine: null, steps: [] },
  ...{ startTime, endTime: startTime + 2310, runtimeVersion: '2026.04' },
  resources: { peakMemoryMb: 312, cpuMs: 1480 },
  ...{ jobLog: null, jobAssets: null, playwrightTestTraces: [], playwrightTestJsonReportFile: null },
  ...{ browserVersion: '148.0.7632.4', sandbox: true, playwrightTestVideos: [] },
  ...more,
})
