/** Notifications as an outbox: what is still to be sent, when it is tried next, and who is at it. */
import { index } from '../ddl.ts'

const add = (column: string): string => `alter table alert_notifications add column ${column}`

export const notificationOutbox: string[] = [
  add('due_at bigint'),
  add('claimed_until bigint not null default 0'),
  add('claims bigint not null default 0'),
  add('tries bigint not null default 0'),
  add('sequence bigint not null default 0'),
  add("event text not null default ''"),
  index('alert_notifications_due', 'alert_notifications (due_at, id)', { where: 'due_at is not null' }),
  index('alert_notifications_order', 'alert_notifications (channel_id, check_id, sequence)', {
    where: 'due_at is not null',
  }),
]
