import { EnvironmentVariables } from '../environment-variables.ts'
import { sharedFields } from '../shared-fields.ts'
import { byLocation } from './analytics.ts'
import type { CheckKind } from './check-kind.ts'
import { dependencies, minuteFrequency, Script, scriptPath, storedResponseTimes } from './fields.ts'
import { duration } from './run-series.ts'
import { multiStepDetail } from './script-detail.ts'

/** A script of several requests, without a browser. */
export const multiStep: CheckKind = {
  type: 'MULTI_STEP',
  path: 'multistep',
  title: 'MultiStepCheck',
  words: 'a multi-step check',
  label: 'Multi-step check',
  purpose: 'Several requests that build on each other',
  note: 'A Node.js script that sends several requests.',
  fields: {
    ...sharedFields,
    script: Script,
    scriptPath,
    dependencies,
    ...minuteFrequency(),
    ...storedResponseTimes,
    environmentVariables: EnvironmentVariables,
  },
  required: ['name', 'script'],
  example: {
    name: 'Checkout',
    script:
      "import { test } from '@playwright/test'\ntest('orders', ({ request }) => request.get('https://example.com'))",
    locations: ['eu-west-1'],
  },
  scheduled: true,
  takesVariables: true,
  runsScripts: true,
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
  analytics: { path: 'multistep-checks', groupings: [byLocation] },
  series: duration('multistep_check_duration_seconds', 'Duration of runs of a multi-step check'),
  detail: multiStepDetail,
}
