import type { Sections } from '../rule.ts'

export const checkResult: Sections = {
  'Check result': [
    'every field of the table is in a result, with its type',
    'resultType: FINAL or ATTEMPT',
    'apiCheckResult: an object or null',
    'apiCheckResult: every field with its type',
    'errorGroupIds: the error groups that a failure belongs to',
    {
      rule: 'browserCheckResult: an object',
      outside: 'No agent runs browsers yet; the field is there, and null',
    },
    {
      rule: 'multiStepCheckResult: an object',
      outside: 'No agent runs multi-step checks yet; the field is there, and null',
    },
    'agenticCheckResult: summary, prompt, assertions, suggestions, steps, errors, artifactManifest',
  ],
  'GET /v2/check-results/{checkId}': [
    'limit: an integer, default 10, 1 to 100',
    'nextId: the cursor of the previous response, null when there are no more',
    'from: records at or after this UNIX timestamp',
    'to: records before this UNIX timestamp',
    'location: a location value',
    'checkType: each of the ten types and no other',
    'hasFailures: only results with failures',
    'resultType: FINAL (the default), ATTEMPT or ALL',
    'response: `length`, `entries` and `nextId`',
  ],
}
