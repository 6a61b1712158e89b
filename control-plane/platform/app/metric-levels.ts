/** Gauges of metrics.ts that show what one reading returns at the moment of a scrape, as data. */

export type GaugeDeclaration = readonly [name: string, help: string, ...labels: string[]]

export type LabelledLevel = { labels: Record<string, string>; value: number }

/** One number, or one for each of a bounded set of labels. */
export type Level = number | readonly LabelledLevel[]

/** Null: it could not be read, or there is none here; the gauges are then empty. */
export type ReadLevels<K extends string> = () => Promise<Record<K, Level> | null>

export const notificationLevels = {
  waiting: [
    'watchpost_notifications_waiting',
    'Notifications that are not finished: waiting, on their way, or to be tried again',
  ],
  oldestAgeSeconds: [
    'watchpost_notifications_oldest_age_seconds',
    'Age of the notification that has been waiting for longest; 0 when none waits',
  ],
} as const satisfies Record<string, GaugeDeclaration>

export const queueLevels = {
  waiting: [
    'watchpost_queue_jobs',
    'Jobs that are due and wait for an agent, by location and queue',
    'location',
    'queue',
  ],
  oldestAgeSeconds: [
    'watchpost_queue_oldest_age_seconds',
    'How long the longest of them has been due; 0 when none waits',
    'location',
    'queue',
  ],
  agents: ['watchpost_location_agents', 'Agents that were seen within the last two minutes', 'location'],
  absenceSeconds: [
    'watchpost_location_absence_seconds',
    'For how long checks have run in a private location without an agent; 0 with one, or without checks',
    'location',
  ],
  scheduleBehindSeconds: [
    'watchpost_schedule_behind_seconds',
    'How long the earliest due time that is not planned yet has passed; 0: due times are planned ahead, as they should',
  ],
} as const satisfies Record<string, GaugeDeclaration>

export const storeFileLevels = {
  logBytes: ['watchpost_store_wal_bytes', 'Size of the write-ahead log of an embedded store'],
  volumeFreeBytes: [
    'watchpost_volume_free_bytes',
    'Free on the volume of a folder: store, of an embedded one, or data, for DATA_DIR',
    'folder',
  ],
  volumeBytes: ['watchpost_volume_size_bytes', 'Size of that volume', 'folder'],
} as const satisfies Record<string, GaugeDeclaration>

export const loopLevels = {
  stalled: [
    'watchpost_loop_stalled',
    '1 for each background loop that has not got through a turn for over a minute beyond its interval, else 0',
    'loop',
  ],
} as const satisfies Record<string, GaugeDeclaration>
