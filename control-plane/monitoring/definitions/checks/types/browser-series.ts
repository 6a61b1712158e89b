import { duration, type Measurement, type RunSeries } from './run-series.ts'

type Page = { webVitals?: Record<string, { value?: number }> }
type BrowserDetail = { pages?: Page[]; traceSummary?: Record<string, number> }

const vitals = ['CLS', 'FCP', 'LCP', 'TBT', 'TTFB'] as const
const errorTypes = {
  console: 'consoleErrors',
  network: 'networkErrors',
  document: 'documentErrors',
  user_script: 'userScriptErrors',
}

const vitalsName = 'browser_check_web_vitals_seconds'
const errorsName = 'browser_check_errors'
const took = duration('browser_check_duration_seconds', 'Duration of runs of a browser check')

/** How long runs took, the web vitals of the pages that they opened, and the errors there. */
export const browserSeries: RunSeries = {
  families: [
    {
      name: vitalsName,
      help: 'Web vitals of the pages that runs of a browser check opened; CLS is a score and no time',
      buckets: 'seconds',
    },
    ...took.families,
    { name: errorsName, help: 'Errors in a run of a browser check, by type', buckets: 'counts' },
  ],
  read: (run) => {
    const { pages = [], traceSummary = {} } = (run.detail ?? {}) as BrowserDetail
    const ofVital = (name: string): Measurement => ({
      family: vitalsName,
      type: name,
      values: pages.flatMap(({ webVitals }) => {
        const value = webVitals?.[name]?.value
        return value === undefined ? [] : [name === 'CLS' ? value : value / 1000]
      }),
    })
    const ofErrors = ([type, count]: [string, string]): Measurement => ({
      family: errorsName,
      type,
      values: traceSummary[count] === undefined ? [] : [traceSummary[count]],
    })
    return [
      ...took.read(run),
      ...vitals.map(ofVital).filter(({ values }) => values.length > 0),
      ...Object.entries(errorTypes)
        .map(ofErrors)
        .filter(({ values }) => values.length > 0),
    ]
  },
}
