import { nullable } from '../../../../platform/words/shapes/nullable.ts'
import { EnvironmentVariables } from '../environment-variables.ts'
import { sharedFields } from '../shared-fields.ts'
import { byLocation, byPage } from './analytics.ts'
import { browserSeries } from './browser-series.ts'
import type { CheckKind } from './check-kind.ts'
import {
  dependencies,
  minuteFrequency,
  Script,
  scriptPath,
  sslCheckDomain,
  storedResponseTimes,
} from './fields.ts'
import { browserDetail } from './script-detail.ts'

/** A script that drives a browser. */
export const browser: CheckKind = {
  type: 'BROWSER',
  path: 'browser',
  title: 'BrowserCheck',
  words: 'a browser check',
  label: 'Browser check',
  purpose: 'A script in a real browser',
  note: 'A Node.js script that drives a browser.',
  fields: {
    ...sharedFields,
    script: nullable(Script),
    scriptPath,
    dependencies,
    ...minuteFrequency(),
    ...storedResponseTimes,
    sslCheckDomain,
    environmentVariables: EnvironmentVariables,
  },
  required: ['name', 'script'],
  example: {
    name: 'Sign in',
    script:
      "import { test } from '@playwright/test'\ntest('home', ({ page }) => page.goto('https://example.com'))",
    locations: ['eu-west-1'],
    runtimeId: '2026.04',
  },
  scheduled: true,
  takesVariables: true,
  runsScripts: true,
  opensPages: true,
  keepsResponseTimes: true,
  filesField: 'dependencies',
  needsRuntime: () => true,
  spec: ({ doc: { script = null, scriptPath: path = null, shouldFail }, files, snippets }) => ({
    script,
    scriptPath: path,
    dependencies: files,
    ...(snippets.length === 0 ? {} : { snippets }),
    shouldFail,
  }),
  analytics: { path: 'browser-checks', groupings: [byLocation, byPage] },
  series: browserSeries,
  detail: browserDetail,
}
