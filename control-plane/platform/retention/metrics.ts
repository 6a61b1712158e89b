import { counter, gauge } from '../app/metrics.ts'

export const retentionMetrics = {
  rows: counter({
    name: 'watchpost_retention_rows_total',
    help: 'Rows that retention removed (of details: shortened), by kind and reason: age, or size where STORE_MAX_GB was passed',
    labels: ['kind', 'reason'],
  }),
  oldestAge: gauge({
    name: 'watchpost_retention_oldest_age_seconds',
    help: 'Age of the oldest row of a kind at the end of the last turn of retention; 0 when there is none',
    labels: ['kind'],
  }),
  completedAt: gauge({
    name: 'watchpost_retention_last_success_timestamp_seconds',
    help: 'When retention last got through all kinds in this process; 0: not yet',
  }),
  givenBack: counter({
    name: 'watchpost_store_reclaimed_bytes_total',
    help: 'Bytes by which retention made the file of an embedded store smaller',
  }),
  /** `part`: `used` by rows, or `free` for those to come. */
  storeBytes: gauge({
    name: 'watchpost_store_bytes',
    help: 'Size of the store at the last turn of retention by part: used by rows, or free for new ones',
    labels: ['part'],
  }),
}
