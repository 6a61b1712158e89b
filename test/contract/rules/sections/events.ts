import type { Sections } from '../rule.ts'

export const events: Sections = {
  Events: [
    '`sendFailure`: the channel is told of failures',
    '`sendRecovery`: the channel is told of recoveries',
    'a check whose `muted` is true sends no notifications on failure or recovery',
    'a check with `triggerIncident` creates and resolves an incident',
    {
      rule: '`sendDegraded`: the channel is told of degradations',
      elsewhere: [
        'test/control-plane/alerting/engine/alerts.test.ts',
        'a channel hears of a degradation and its end only if it wants to',
      ],
    },
    {
      rule: '`sslExpiry`: the channel is told of expiring certificates',
      elsewhere: [
        'test/control-plane/monitoring/watches/certificate-expiry/certificate-expiry.test.ts',
        'a domain is looked at hourly and alerted about daily, each channel from its threshold on',
      ],
    },
    {
      rule: 'a maintenance window can notify on start, on end and some minutes before',
      elsewhere: [
        'test/control-plane/communication/maintenance-windows/notices.test.ts',
        'subscribers are reminded, told of the start and of the end, each once',
      ],
    },
    {
      rule: 'the agent reports error-level events unless `EXTERNAL_OBSERVABILITY` is off',
      elsewhere: [
        'test/agent/program/report-error.test.ts',
        'at most ten events a minute leave, and none when observability is off',
      ],
    },
    {
      rule: 'such an event has limited technical metadata and none of what a check or the environment holds',
      elsewhere: [
        'test/agent/program/report-error.test.ts',
        'an event has the fields of the allow-list and nothing that a check, a target or the environment holds',
      ],
    },
  ],
}
