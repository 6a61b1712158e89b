import type { Sections } from '../rule.ts'

export const limits: Sections = {
  Limits: [
    {
      rule: 'request rate on most routes: 600 per 60 seconds',
      elsewhere: [
        'test/control-plane/platform/web/http/limits/rate-limiter.test.ts',
        'the request after the 600th of a minute is refused, and the next minute is free',
      ],
    },
    {
      rule: '`description`: at most 500 characters',
      elsewhere: [
        'test/contract/rules/check-fields.test.ts',
        'description: text or null, at most 500 characters',
      ],
    },
    {
      rule: '`environmentVariables`: at most 100 items',
      elsewhere: ['test/contract/rules/shared-objects.test.ts', 'environmentVariables: at most 100 items'],
    },
    {
      rule: 'check results page size: 1 to 100, default 10',
      elsewhere: ['test/contract/rules/check-result.test.ts', 'limit: an integer, default 10, 1 to 100'],
    },
    {
      rule: 'analytics page size: 1 to 100, default 10',
      elsewhere: ['test/contract/rules/analytics.test.ts', 'limit: an integer, default 10, 1 to 100'],
    },
    {
      rule: 'members page size: 1 to 100',
      elsewhere: [
        'test/contract/rules/members.test.ts',
        'limit: an integer from 1 to 100; all when left out',
      ],
    },
    {
      rule: 'analytics `aggregationInterval`: 1 to 43200 minutes',
      elsewhere: ['test/contract/rules/analytics.test.ts', 'aggregationInterval: minutes, 1 to 43200'],
    },
    {
      rule: '`userContext`: at most 256 characters',
      elsewhere: [
        'test/contract/rules/root-cause-analysis.test.ts',
        'userContext: text or null, default empty, at most 256 characters',
      ],
    },
    {
      rule: 'URL monitor response time thresholds: 0 to 30000 ms',
      elsewhere: [
        'test/contract/rules/url-monitor.test.ts',
        'maxResponseTime: milliseconds or null, default 5000, 0 to 30000',
      ],
    },
    {
      rule: 'heartbeat response time thresholds: 0 to 300000 ms',
      elsewhere: [
        'test/contract/rules/heartbeat-check.test.ts',
        'maxResponseTime: milliseconds or null, default 20000, 0 to 300000',
      ],
    },
    {
      rule: '`sslExpiryThreshold`: 1 to 30',
      elsewhere: [
        'test/contract/rules/alert-channel.test.ts',
        'sslExpiryThreshold: integer, default 30, 1 to 30',
      ],
    },
    {
      rule: 'check group `concurrency`: from 1, default 3',
      elsewhere: [
        'test/contract/rules/check-group.test.ts',
        'concurrency: number from 1, default 3, always in responses',
      ],
    },
    {
      rule: 'agent artifact upload size: at most 150 MB',
      elsewhere: ['test/agent/artifacts/artifact-spool.test.ts', 'the limit is the contract’s: 150 MB'],
    },
    {
      rule: 'some routes have a rate limit of their own',
      elsewhere: [
        'test/control-plane/insight/analytics/analytics.test.ts',
        'analytics are limited to 60 requests in 60 seconds',
      ],
    },
  ],
}
