import type { Sections } from '../rule.ts'

export const analytics: Sections = {
  'Analytics series (Playwright checks)': [
    'every field of the response, with its type',
    'metric names: the thirteen and no other',
  ],
  'GET /v1/analytics/playwright-checks/{id}': [
    'from and to: UNIX timestamps that override `quickRange`',
    'quickRange: one of seven, default last24Hours',
    'aggregationInterval: minutes, 1 to 43200',
    'filterByStatus: a list of success and failure',
    'groupBy: runLocation',
    'metrics: required, several as a comma separated text',
    'limit: an integer, default 10, 1 to 100',
    'page: a number, default 1',
    'checkType of the answer: PLAYWRIGHT; a check of another type is not found',
  ],
}
