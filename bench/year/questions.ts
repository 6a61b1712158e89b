/** What an account's pages and dashboards ask for, of a store that may have a year of results. */
import { sized } from '../support/size.ts'
import { dayMs } from './mix.ts'

/** Checks by how often they run; `cursor`: of a page in the middle of the year; ids are null where the store is empty. */
export type Contents = {
  minutely: string
  often: string
  from: number
  to: number
  cursor: string | null
  resultId: string | null
  sessionId: string | null
}

export type Question = { name: string; path: string | null; goalMs: number; requests: number }

const listGoalMs = 100
const usualRequests = sized(60, 1)
/** Of what reads something of every check. */
const fewRequests = 1

const query = (path: string, parameters: Record<string, string | number>): string =>
  `${path}?${new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]))}`

const seconds = (ms: number): number => Math.floor(ms / 1000)

const lists = (is: Contents): Question[] => {
  const middle = { from: seconds(is.from), to: seconds((is.from + is.to) / 2) }
  const results = `/v2/check-results/${is.minutely}`
  const list = (name: string, path: string | null): Question => ({
    name,
    path,
    goalMs: listGoalMs,
    requests: usualRequests,
  })
  return [
    list('P6 checks', '/v1/checks?limit=100'),
    list('P6 failing checks', '/v1/checks?limit=100&status=failing'),
    list('P6 statuses, last page of 1,000', '/v1/check-statuses?limit=1000&page=10'),
    list('results, newest', `${results}?limit=100`),
    list('results of a ten-second check', `/v2/check-results/${is.often}?limit=100`),
    list('results, failing', `${results}?limit=100&hasFailures=true`),
    list('results of one location', `${results}?limit=100&location=elsewhere`),
    list('results of a location without any', `${results}?limit=100&location=nowhere`),
    list('results, half a year back', query(results, { limit: 100, to: middle.to })),
    list(
      'results behind a cursor',
      is.cursor === null ? null : query(results, { limit: 100, nextId: is.cursor, ...middle }),
    ),
    list('results, the last 6 hours by pages', `/v1/check-results/${is.minutely}?limit=100&page=3`),
    list(
      'one result, half a year old',
      is.resultId === null ? null : `/v1/check-results/${is.minutely}/${is.resultId}`,
    ),
    list('error groups', '/v1/error-groups?limit=100'),
    list('error groups of a check, page 10', `/v1/error-groups/checks/${is.minutely}?limit=10&page=10`),
    list('missed runs', '/v1/missed-runs?limit=100'),
    list(
      'missed runs of a check for another reason',
      `/v1/missed-runs?limit=100&checkId=${is.minutely}&reason=OVERLAP`,
    ),
    list('one session', is.sessionId === null ? null : `/v2/check-sessions/${is.sessionId}`),
    list('alerts', '/v1/check-alerts?limit=100'),
    list('notifications', '/v1/alert-notifications?limit=100'),
  ]
}

const metrics = 'availability,responseTime_avg,responseTime_p50,responseTime_p95,responseTime_p99'

const analytics = ({ minutely, often, from, to }: Contents): Question[] => {
  const asked = (checkId: string, days: number, minutes: number): string =>
    query(`/v1/analytics/url-monitors/${checkId}`, {
      from: seconds(Math.max(from, to - days * dayMs)),
      to: seconds(to),
      aggregationInterval: minutes,
      metrics,
      limit: 100,
    })
  return [
    { name: 'P5 30 days by hours', path: asked(minutely, 30, 60), goalMs: 15, requests: usualRequests },
    {
      name: 'P5 30 days of ten-second runs by hours',
      path: asked(often, 30, 60),
      goalMs: 15,
      requests: usualRequests,
    },
    { name: 'P5 a year by days', path: asked(minutely, 365, 1440), goalMs: 10, requests: usualRequests },
    { name: 'P5 a year by hours', path: asked(minutely, 365, 60), goalMs: 150, requests: usualRequests },
    {
      name: 'report of 30 days of all checks',
      path: '/v1/reporting?quickRange=last30Days',
      goalMs: 1000,
      requests: fewRequests,
    },
  ]
}

export const questionsOf = (contents: Contents): Question[] => [...lists(contents), ...analytics(contents)]
