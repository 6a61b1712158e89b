import type { Sections } from '../rule.ts'

export const alertChannel: Sections = {
  'Alert channel': [
    'id: number',
    'type: each of the eight types and no other, required',
    'config: an object that varies by type, required',
    'subscriptions: the checks subscribed to the channel',
    'sendRecovery: boolean',
    'sendFailure: boolean',
    'sendDegraded: boolean',
    'sslExpiry: boolean, default false',
    'sslExpiryThreshold: integer, default 30, 1 to 30',
    'autoSubscribe: boolean, default false',
    'autoSubscribe: newly created checks are subscribed',
    'created_at: date-time',
    'updated_at: date-time or null',
    'every field of the table is in what is read, with its type',
    {
      rule: 'sslExpiryThreshold: when alerting on SSL certificates starts',
      elsewhere: [
        'test/control-plane/monitoring/watches/certificate-expiry/certificate-expiry.test.ts',
        'a domain is looked at hourly and alerted about daily, each channel from its threshold on',
      ],
    },
  ],
}
