import type { Sections } from '../rule.ts'

export const service: Sections = {
  Conventions: [
    {
      rule: 'request and response bodies are JSON',
      elsewhere: [
        'test/control-plane/platform/web/http/server/server.test.ts',
        'bodies that are not what they should be are 4xx in the error shape and change nothing',
      ],
    },
    {
      rule: "a 'date' is an ISO 8601 calendar date",
      elsewhere: [
        'test/control-plane/communication/maintenance-windows/windows.test.ts',
        'dates without a time are midnight in the time zone; repeatEndsAt is a date there',
      ],
    },
  ],
  'What the service does': [
    {
      rule: 'scheduled monitors run and a result is recorded for every run',
      elsewhere: [
        'test/journeys/first-run.test.ts',
        'a URL monitor that is created runs at once and its judged result is in the API',
      ],
    },
    {
      rule: 'checks run from public and private locations',
      elsewhere: [
        'test/control-plane/monitoring/definitions/check-groups/schedules.test.ts',
        'a group’s settings and their changes reach the schedules of its checks',
      ],
    },
    {
      rule: 'the ten check types',
      elsewhere: [
        'test/contract/rules/check-result.test.ts',
        'checkType: each of the ten types and no other',
      ],
    },
    {
      rule: 'a browser check executes a Node.js browser-automation script',
      outside: 'No agent runs browsers yet: its runs are missed runs that say so',
    },
    {
      rule: 'a URL monitor sends one HTTP request and evaluates assertions on the response',
      elsewhere: ['test/journeys/first-run.test.ts', 'in the shape of the contract, with real timings'],
    },
    {
      rule: 'a heartbeat check is identified by a ping token and a ping URL that the service returns',
      elsewhere: [
        'test/contract/rules/heartbeat-check.test.ts',
        'heartbeat.pingUrl: response only, the address to ping',
      ],
    },
    {
      rule: 'check groups hold shared defaults and settings for their checks',
      elsewhere: [
        'test/control-plane/monitoring/jobs/jobs.test.ts',
        'an API job: the group’s settings merged in, scripts in their order',
      ],
    },
    {
      rule: 'checks of a group are triggered together and run with a configurable concurrency',
      elsewhere: [
        'test/control-plane/monitoring/watches/check-sessions/routes.test.ts',
        'of a group as many run at once as its concurrency says, in their order',
      ],
    },
    {
      rule: 'alert channels deliver notifications',
      elsewhere: [
        'test/control-plane/alerting/notifications/dispatch.test.ts',
        'a notification is sent once, and what was answered is kept',
      ],
    },
    {
      rule: 'checks subscribe to channels',
      elsewhere: [
        'test/control-plane/alerting/engine/alerts.test.ts',
        'subscriptions of check and group: each channel once, none that is switched off',
      ],
    },
    {
      rule: 'status pages publish cards that list services',
      elsewhere: [
        'test/control-plane/communication/status-pages/status-pages.test.ts',
        'a status page through its whole life',
      ],
    },
    {
      rule: 'incidents are created and resolved from `triggerIncident`',
      elsewhere: [
        'test/contract/rules/events.test.ts',
        'a check with `triggerIncident` creates and resolves an incident',
      ],
    },
    {
      rule: 'incidents can be deleted',
      elsewhere: ['test/contract/rules/endpoints.test.ts', 'incidentId: text; No Content, and it is gone'],
    },
    {
      rule: 'maintenance windows pause checks',
      elsewhere: [
        'test/control-plane/communication/maintenance-windows/pausing.test.ts',
        'in a window tagged checks are not due; others go on, and so do they after it',
      ],
    },
    {
      rule: 'maintenance windows silence alerts',
      elsewhere: [
        'test/control-plane/alerting/engine/alerts.test.ts',
        'maintenance keeps alerts back; what still fails at its end alerts then',
      ],
    },
    {
      rule: 'maintenance windows are shown on status pages',
      elsewhere: [
        'test/control-plane/communication/maintenance-windows/window-effect.test.ts',
        'pages and services of statusPageVisibility must belong together',
      ],
    },
    {
      rule: 'a root cause analysis is produced asynchronously and retrieved later',
      elsewhere: [
        'test/contract/rules/root-cause-analysis.test.ts',
        'status: PENDING on creation, COMPLETED on retrieval',
      ],
    },
    {
      rule: 'check sessions run checks on demand, selected by tags or ids',
      elsewhere: [
        'test/contract/rules/check-session.test.ts',
        'response: `sessions`, one for each check that matches the target',
      ],
    },
    {
      rule: 'analytics return aggregated metrics',
      elsewhere: [
        'test/control-plane/insight/analytics/analytics.test.ts',
        'analytics are computed from the stored results',
      ],
    },
    {
      rule: 'client certificates are stored for a host so that checks can present them',
      elsewhere: [
        'test/agent/client-certificate.test.ts',
        'a certificate is presented, and its authorities are trusted for that host',
      ],
    },
    {
      rule: 'snippets are reusable scripts of API and browser checks',
      elsewhere: [
        'test/control-plane/access/snippets/required-snippets.test.ts',
        'a job carries the snippets that its scripts require, and no others',
      ],
    },
    {
      rule: 'resources can be managed with a command-line tool and configuration-as-code',
      outside: 'The contract says itself that this tooling is outside of it',
    },
  ],
  'Gaps in resource fields': [
    {
      rule: 'what the contract does not show',
      outside: 'Decided in docs/decisions, tested beside the resources',
    },
  ],
}
