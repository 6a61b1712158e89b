/** Alert channels, their subscriptions, and the lists of alerts and notifications. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

const instant = integer
const bit = integer

export const alertChannels: string[] = [
  table(
    'alert_channels',
    {
      id: integer,
      account_id: text,
      type: text,
      auto_subscribe: bit,
      created_at: instant,
      updated_at: nullable(instant),
      version: integer,
      doc: text,
      sealed_config: text,
    },
    primaryKey('id'),
  ),
  index('alert_channels_account', 'alert_channels (account_id, id)'),
  table(
    'channel_subscriptions',
    {
      id: integer,
      account_id: text,
      channel_id: integer,
      subject: text,
      check_id: nullable(text),
      group_id: nullable(integer),
      activated: bit,
    },
    primaryKey('id'),
  ),
  index('channel_subscriptions_channel', 'channel_subscriptions (channel_id, subject)', { unique: true }),
  index('channel_subscriptions_subject', 'channel_subscriptions (account_id, subject)'),
  table(
    'check_alerts',
    {
      id: text,
      account_id: text,
      check_id: text,
      check_type: text,
      alert_type: text,
      name: text,
      started_at: instant,
      created_at: instant,
      doc: text,
    },
    primaryKey('id'),
  ),
  index('check_alerts_account', 'check_alerts (account_id, created_at, id)'),
  index('check_alerts_check', 'check_alerts (check_id, created_at, id)'),
  table(
    'alert_notifications',
    {
      id: text,
      account_id: text,
      channel_id: integer,
      type: text,
      check_id: text,
      check_type: text,
      check_alert_id: text,
      check_result_id: text,
      status: text,
      sent_at: nullable(instant),
      created_at: instant,
      doc: text,
    },
    primaryKey('id'),
  ),
  index('alert_notifications_account', 'alert_notifications (account_id, created_at, id)'),
  index('alert_notifications_channel', 'alert_notifications (channel_id, created_at, id)'),
]
