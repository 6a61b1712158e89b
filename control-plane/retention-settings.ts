/** For how long each kind of row is kept unless told otherwise (docs/retention.md). */
import type { RetentionSetting } from './platform/retention/settings.ts'

export const retentionSettings = {
  results: { name: 'RESULTS', days: 30, meaning: 'results of runs, with the files of those that failed' },
  details: {
    name: 'DETAILS',
    days: 7,
    meaning:
      'what passing runs and retried attempts saw (headers, body, log) and their files; numbers and verdicts stay',
  },
  rollups: {
    name: 'ROLLUPS',
    days: 762,
    meaning:
      'counts and distributions of results by hour and day, which analytics and reports answer from (25 months)',
  },
  missedRuns: { name: 'MISSED_RUNS', days: 30, meaning: 'due times that could not be run' },
  sessions: { name: 'SESSIONS', days: 30, meaning: 'check sessions that have ended' },
  alerts: { name: 'ALERTS', days: 90, meaning: 'alerts, but the latest of a check that is not well' },
  notifications: { name: 'NOTIFICATIONS', days: 90, meaning: 'notifications that were sent or given up' },
  analyses: {
    name: 'ANALYSES',
    days: 90,
    meaning: 'root cause analyses, but the latest of each error group',
  },
  errorGroups: {
    name: 'ERROR_GROUPS',
    days: 90,
    meaning: 'error groups that were not seen again, with their analyses',
  },
  agentErrors: {
    name: 'AGENT_ERRORS',
    days: 30,
    meaning: 'what agents reported of failures of their own',
  },
  agents: { name: 'AGENTS', days: 30, meaning: 'agents that were not seen again' },
  audit: { name: 'AUDIT', days: 365, meaning: 'the audit log' },
  mails: { name: 'MAILS', days: 30, meaning: 'mails that were sent or given up' },
} as const satisfies Record<string, RetentionSetting>
