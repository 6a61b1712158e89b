/** Alerts and their notifications end, but those of an alert that is open: the latest of a check that is not well, or of a location or a group. */
import { sql } from 'kysely'
import { kindOfTable, type RetentionKind } from '../../platform/retention/retention-kind.ts'

/** Of an alert under this name. A check that is well, and of which people believe so, has no state. */
const isOpen = (alert: 'check_alerts' | 'of_it') => sql<boolean>`
  ((exists (select 1 from alert_states state where state.check_id = ${sql.ref(`${alert}.check_id`)})
    or exists (select 1 from check_group_health whole where whole.account_id = ${sql.ref(`${alert}.account_id`)}
      and whole.told is not null and 'group:' || cast(whole.group_id as text) = ${sql.ref(`${alert}.check_id`)}))
  and not exists (select 1 from check_alerts newer where newer.check_id = ${sql.ref(`${alert}.check_id`)}
    and newer.created_at > ${sql.ref(`${alert}.created_at`)})
  or exists (select 1 from location_problems ongoing where ongoing.location_id = ${sql.ref(`${alert}.check_id`)}
    and ongoing.problem = ${sql.ref(`${alert}.problem`)} and ongoing.noticed_at <= ${sql.ref(`${alert}.created_at`)}))`

export const alertsKind: RetentionKind = kindOfTable({
  name: 'alerts',
  table: 'check_alerts',
  setting: 'alerts',
  makesRoom: true,
  at: 'created_at',
  idsGrow: false,
  isOver: sql`not (${isOpen('check_alerts')})`,
})

/** As long as alerts: it says why there was none. */
export const keptBackKind: RetentionKind = kindOfTable({
  name: 'kept-back-failures',
  table: 'kept_back_failures',
  setting: 'alerts',
  makesRoom: true,
  at: 'ended_at',
  idsGrow: true,
})

/** What still waits to be sent has a due time. */
export const notificationsKind: RetentionKind = kindOfTable({
  name: 'notifications',
  table: 'alert_notifications',
  setting: 'notifications',
  makesRoom: true,
  at: 'created_at',
  idsGrow: true,
  isOver: sql`due_at is null and not exists (
    select 1 from check_alerts of_it where of_it.id = alert_notifications.check_alert_id and ${isOpen('of_it')})`,
})
