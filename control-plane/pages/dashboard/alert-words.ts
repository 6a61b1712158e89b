/** What values of alerting are called, by the name of their field. Pure. */
export const alertWords = {
  by: {
    NONE: 'Each check alone',
    DEPENDENCY: 'Checks that depend on the same',
    GROUP: 'Checks of one group',
    TAG: 'Checks with the same first tag',
    LOCATION: 'Checks that fail in one location',
  },
  mode: { quiet: 'In these times what can wait does', working: 'Outside of these times what can wait does' },
  waits: { low: 'What is low', normal: 'What is low or normal' },
  days: {
    MO: 'Monday',
    TU: 'Tuesday',
    WE: 'Wednesday',
    TH: 'Thursday',
    FR: 'Friday',
    SA: 'Saturday',
    SU: 'Sunday',
  },
  versionSkew: { TOO_OLD: 'Too old', NEWER: 'Newer' },
  severity: { LOW: 'Low', NORMAL: 'Normal', CRITICAL: 'Critical' },
  reason: {
    DEACTIVATED: 'It does not run',
    MUTED: 'It is muted',
    NO_SUBSCRIPTION: 'No channel is subscribed',
    SUBSCRIPTIONS_OFF: 'Its subscriptions are switched off',
    NO_FAILURES: 'Its channels are not told of failures',
    CANNOT_DELIVER: 'Its channels cannot deliver',
    MAINTENANCE: 'Maintenance keeps alerts back',
    DEPENDENCY: 'What it depends on is down',
    QUIET_HOURS: 'It waits for the hours of its channels',
  },
} as const
