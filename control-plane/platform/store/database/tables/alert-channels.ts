/** Where notifications go, what subscribes to it, and what was sent. Conventions: store/database/tables.ts. */

/** `doc` holds the flags and the config with its secrets masked, as notifications log it; `sealed_config` the whole config. */
export type AlertChannelsTable = {
  id: number
  account_id: string
  type: string
  auto_subscribe: boolean
  created_at: number
  updated_at: number | null
  version: number
  doc: string
  sealed_config: string
}

/** Exactly one of `check_id` and `group_id`; `subject` says the same as one text: `check:<id>` or `group:<id>`. */
export type ChannelSubscriptionsTable = {
  id: number
  account_id: string
  channel_id: number
  subject: string
  check_id: string | null
  group_id: number | null
  activated: boolean
}

/** A transition of a check that alerts; where there is a `problem`, of a private location, whose id `check_id` then is. */
export type CheckAlertsTable = {
  id: string
  account_id: string
  check_id: string
  check_type: string | null
  problem: string | null
  alert_type: string
  name: string
  started_at: number
  created_at: number
  /** Of the first one that tells of a failure: the host that the check looks at (empty: none by name), and where the run was; null: it is another. */
  opening_host: string | null
  opening_location: string | null
  doc: string
}

/**
 * One message to one channel, of a check, or (without `check_type`) of the private location whose id `check_id` is: its log and, as long as `due_at` is set, its place in the outbox. `claims` is the token of
 * whoever is sending it until `claimed_until`; `sequence` orders the waiting ones of a check and channel.
 */
export type AlertNotificationsTable = {
  id: string
  account_id: string
  channel_id: number
  type: string
  check_id: string
  check_type: string | null
  check_alert_id: string
  check_result_id: string
  status: string
  /** When it was last tried; null before the first time. */
  sent_at: number | null
  created_at: number
  doc: string
  /** When it is tried next; null: finished. */
  due_at: number | null
  /** It waits for the hours of its channel, or did (notifications/held-queries.ts). */
  held: string | null
  /** What it is told together with, and the id of the one that leads the message it left with (alerting/notifications/bundle-queries.ts). */
  gather: string | null
  bundle_id: string | null
  claimed_until: number
  claims: number
  tries: number
  sequence: number
  /** What it tells, as JSON (alerting/alert-event.ts). */
  event: string
}

/** Times in which a failure of a check was not told, because of what it depends on; written when they are over. */
export type KeptBackFailuresTable = {
  id: string
  account_id: string
  check_id: string
  /** `check:<id>` or `group:<id>`, and how that was called then. */
  because: string
  because_name: string
  began_at: number
  ended_at: number
}

export type AlertChannelTables = {
  kept_back_failures: KeptBackFailuresTable
  alert_channels: AlertChannelsTable
  channel_subscriptions: ChannelSubscriptionsTable
  check_alerts: CheckAlertsTable
  alert_notifications: AlertNotificationsTable
}
