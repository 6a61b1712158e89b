import type { Sections } from '../rule.ts'

export const checkSession: Sections = {
  'Check session': ['every field of the table is in a session, with its type', 'runSource: TRIGGER_API'],
  'POST /v1/check-sessions/trigger': [
    'target.matchTags: lists of lists of text',
    'target.matchTags: a tag with `!` before it negates',
    'target.checkId: a list of text',
    'refreshCache: boolean, default false',
    'response: `sessions`, one for each check that matches the target',
    {
      rule: 'refreshCache: skips caches of Playwright check suites',
      elsewhere: [
        'test/control-plane/monitoring/definitions/code-bundles/suites.test.ts',
        'a session may do without what agents kept, and others do not',
      ],
    },
  ],
}
