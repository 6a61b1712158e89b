/** Results of browser checks with real files, and a real browser that looks at their pages. */
import { hash } from 'node:crypto'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import rootTest, { type Test } from 'tap'
import { findChromium } from '../../agent/browser/find-chromium.ts'
import { resultLink } from '../../control-plane/alerting/messages/result-link.ts'
import { completeArtifact, insertArtifact } from '../../control-plane/monitoring/artifacts/queries.ts'
import { artifactKey } from '../../control-plane/platform/store/artifact-store/store.ts'
import type { TestApp } from './app.ts'
import { storeCheck, storeResult } from './stored-results.ts'

const dayMs = 86_400_000

export type { BrowserContext, BrowserContextOptions, Frame, Page as BrowserPage } from 'playwright-core'

const path = findChromium('/none')?.path

/** Why no page can be looked at here, or false: for the `skip` of a test. */
export const noChromium = path === undefined && 'no Chromium is installed'

export type ResultBrowser = { newContext(options?: BrowserContextOptions): Promise<BrowserContext> }

/** One for all tests of a file: it takes longer to start than most pages take to be looked at. */
const running: { browser?: Promise<Browser> } = {}

const startBrowser = (executablePath: string): Promise<Browser> => {
  rootTest.teardown(async () => {
    const browser = await running.browser
    delete running.browser
    await browser?.close()
  })
  return chromium.launch({ executablePath, headless: true })
}

/** This machine's own browser; what is opened with it is closed when the test ends. */
export const openBrowser = async (t: Test): Promise<ResultBrowser> => {
  if (path === undefined) throw new Error('a test that opens a browser is skipped where there is none')
  running.browser ??= startBrowser(path)
  const browser = await running.browser
  return {
    newContext: async (options) => {
      const context = await browser.newContext(options)
      t.teardown(() => context.close())
      return context
    },
  }
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
