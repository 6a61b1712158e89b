/** How long each kind of row is kept, and how large the store may become. Part of config.ts; docs/retention.md explains it. */
import type { Variable } from '../settings/config.ts'

/** Milliseconds after which rows of a kind end. */
export type Retention = Record<keyof typeof kinds, number>

type Setting = { name: string; days: number; meaning: string }

const kinds = {
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
} as const satisfies Record<string, Setting>

/** `entries` forgets the names. */
const settings: readonly (readonly [keyof Retention, Setting])[] = Object.entries(kinds) as never

const dayMs = 86_400_000

export const variableOf = (kind: keyof Retention): string => `RETENTION_${kinds[kind].name}_DAYS`

export const retentionVariables: readonly Variable[] = [
  ...settings.map(([kind, { days, meaning }]) => ({
    name: variableOf(kind),
    default: String(days),
    meaning: `days to keep: ${meaning}`,
  })),
  {
    name: 'STORE_MAX_GB',
    default: 'none',
    meaning: 'most that the rows of the store take: beyond it the oldest go before their time',
  },
]

type Reader = { matching(name: string, pattern: RegExp, wanted: string): string | null }

export const readRetention = ({ matching }: Reader): Retention =>
  Object.freeze(
    Object.fromEntries(
      settings.map(([kind, { days }]) => {
        const value = matching(variableOf(kind), /^([1-9]\d{0,3}|10000)$/, 'a number of days from 1 to 10000')
        return [kind, Number(value ?? days) * dayMs]
      }),
    ) as Retention,
  )
