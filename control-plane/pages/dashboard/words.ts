/**
 * The page of words: what every value of the API is called on pages, in the terms that operators search for. What is not here is a name of
 * its own, such as a method of HTTP or a type of DNS record. Pure.
 */
import { checkKinds } from '../../monitoring/definitions/checks/types/index.ts'
import type { Content } from '../../platform/web/html/html.ts'
import { roleWords } from '../../platform/web/html/role-words.ts'
import { say } from '../../platform/web/html/say.ts'
import { alertWords } from './alert-words.ts'

type Words = { readonly [value: string]: string }

/** Where the same value means something else than elsewhere, by the name of its field. */
const ofField: { readonly [field: string]: Words } = {
  status: { EXPIRED: 'Expired' },
  ...alertWords,
  told: { failing: 'of a failure', degraded: 'of a degradation' },
  type: {
    SESSION: 'Browser',
    USER_KEY: 'Key of a member',
    SERVICE_KEY: 'Service key',
    LIMIT: 'Limit',
    PUBLIC: 'Public',
    PRIVATE: 'Private',
    SERVICE: 'Service',
    GROUP: 'Group',
    customUrl: 'Custom URL',
    customDomain: 'Own domain',
  },
  action: {
    snooze: 'Snooze',
    CREATE: 'Created',
    UPDATE: 'Updated',
    DELETE: 'Deleted',
    DETACHED: 'Left the project and stays',
  },
  width: { FULL: 'The whole window' },
  kind: { statusPage: 'Status page', maintenanceWindow: 'Maintenance window' },
  resultType: { ALL: 'Runs and attempts', FINAL: 'Runs', ATTEMPT: 'Attempts' },
  bodyType: { NONE: 'No body', RAW: 'Text', FORM: 'Form', JSON: 'JSON', GRAPHQL: 'GraphQL' },
  endedBy: { limit: 'the limit of bytes', close: 'the target' },
  verdict: { none: 'No verdict' },
  cache: { none: 'Not used', hit: 'From the cache', saved: 'Stored' },
  theme: { default: 'As the browser asks' },
  timing: { KERNEL: 'By the kernel', AGENT: 'By the agent' },
  errorCode: { ERR_NO_MATCHING_CHECKS: 'No check matches' },
  queue: { main: 'Browser checks and suites', uptime: 'Monitors' },
  from: { account: 'the account', group: 'the group', check: 'the check' },
}

const channels: Words = {
  EMAIL: 'Email',
  SLACK: 'Slack',
  SLACK_APP: 'Slack app',
  WEBHOOK: 'Webhook',
  WEBHOOK_CORALOGIX: 'Coralogix',
  WEBHOOK_DISCORD: 'Discord',
  WEBHOOK_FIREHYDRANT: 'FireHydrant',
  WEBHOOK_GITLAB_ALERT: 'GitLab',
  WEBHOOK_ILERT: 'ilert',
  WEBHOOK_INCIDENTIO: 'incident.io',
  WEBHOOK_MSTEAMS: 'Microsoft Teams',
  WEBHOOK_ROOTLY: 'Rootly',
  WEBHOOK_SPIKESH: 'Spike.sh',
  WEBHOOK_SPLUNK: 'Splunk On-Call',
  WEBHOOK_TELEGRAM: 'Telegram',
  OPSGENIE: 'Opsgenie',
  PAGERDUTY: 'PagerDuty',
  SMS: 'SMS',
  CALL: 'Phone call',
}

const alerts: Words = {
  NO_ALERT: 'No alert',
  ALERT_FAILURE: 'Failed',
  ALERT_FAILURE_REMAIN: 'Still failing',
  ALERT_FAILURE_DEGRADED: 'Degraded, no longer failing',
  ALERT_RECOVERY: 'Recovered',
  ALERT_DEGRADED: 'Degraded',
  ALERT_DEGRADED_REMAIN: 'Still degraded',
  ALERT_DEGRADED_RECOVERY: 'Recovered from degraded',
  ALERT_DEGRADED_FAILURE: 'Failed after degraded',
  ALERT_SSL: 'Certificate expires',
  RUN_BASED: 'After a number of failed runs',
  TIME_BASED: 'After failing for some minutes',
  ...{ ANY: 'Any of them', ALL: 'All of them', PERCENTAGE: 'So many percent of them' },
  ...{ CHECKS: 'Each check by itself', GROUP: 'The group, not its checks', BOTH: 'The group and its checks' },
  ACKNOWLEDGED: 'Acknowledged',
  SNOOZED: 'Snoozed',
  acknowledge: 'Acknowledge',
  withdraw: 'Take the answer back',
  LINK: 'the link of an alert',
  API_KEY: 'an API key',
  SESSION: 'the dashboard',
  WITHDRAWN: 'Not sent',
  RATE_LIMITED: 'Held back: too many at once',
  SUCCESS: 'Delivered',
  FAILURE: 'Not delivered',
  NETWORK_ERROR: 'Only when no answer came',
}

const usage: Words = {
  CHECK_RUN: 'Runs of checks',
  checkType: 'By type of checks',
  'account,checkType': 'By account and type of checks',
  PARTIAL_WINDOW: 'Only part of the time is known',
  CHECK: 'Check',
  CHECK_GROUP: 'Group',
  SNIPPET: 'Snippet',
  ENVIRONMENT_VARIABLE: 'Variable',
}

const assertions: Words = {
  STATUS_CODE: 'Status code',
  RESPONSE_CODE: 'Response code',
  RESPONSE_TIME: 'Response time',
  RESPONSE_DATA: 'Received text',
  LATENCY: 'Latency',
  HEADERS: 'Header',
  TEXT_BODY: 'Text of the body',
  JSON_BODY: 'JSON of the body',
  TEXT_ANSWER: 'Answer as text',
  JSON_ANSWER: 'Answer as JSON',
  JSON_RESPONSE: 'What was seen, as JSON',
  TEXT_RESPONSE: 'What was seen, as text',
  CERTIFICATE: 'Certificate',
  CONNECTION: 'Connection',
  GRPC_RESPONSE: 'Message as JSON',
  GRPC_METADATA: 'Metadata',
  GRPC_HEALTHCHECK_STATUS: 'Health status',
  GRPC_STATUS_CODE: 'Status of the call',
  HOP_COUNT: 'Hops',
  PACKET_LOSS: 'Lost packets',
  BEHAVIOR: 'One call',
  HEALTH: 'Health service',
  REFLECTION: 'The server itself (reflection)',
  PROTO_FILE: 'A .proto file',
  PROTOBUF: 'Protocol Buffers',
  destinationReached: 'Target reached',
  maxHops: 'Most hops',
  maxUnknownHops: 'Most silent hops in a row',
  EQUALS: 'equals',
  NOT_EQUALS: 'does not equal',
  HAS_KEY: 'has the key',
  NOT_HAS_KEY: 'does not have the key',
  HAS_VALUE: 'has the value',
  NOT_HAS_VALUE: 'does not have the value',
  IS_EMPTY: 'is empty',
  NOT_EMPTY: 'is not empty',
  GREATER_THAN: 'is greater than',
  LESS_THAN: 'is less than',
  CONTAINS: 'contains',
  NOT_CONTAINS: 'does not contain',
  IS_NULL: 'is null',
  NOT_NULL: 'is not null',
}

const runs: Words = {
  SCHEDULER: 'Schedule',
  SCHEDULE_NOW: 'Run now',
  GROUP_RUN_ALL: 'Run of a group',
  TRIGGER_API: 'A call of the API',
  TRIGGER: 'A trigger',
  LEGACY_TRIGGER: 'A trigger',
  TEST_RECORD: 'A test',
  TRIGGER_RECORD: 'A test by a call of the API',
  GITHUB: 'GitHub',
  VERCEL: 'Vercel',
  PW_REPORTER: 'Reporter of Playwright',
  RUNNING: 'Running',
  SUCCEEDED: 'Succeeded',
  NO_AGENT: 'No agent was connected',
  TOO_FEW_AGENTS: 'Too few agents',
  OUTDATED_AGENTS: 'Outdated agents',
  REQUIRED_OUTCOME: 'Has to happen',
  MUST_PRESERVE: 'Has to stay as it is',
  CONTROL_PLANE_DOWN: 'Watchpost was down',
  OVERLAP: 'The run before was not over',
  EXPIRED: 'Nobody finished it in time',
  FAILED: 'Failed',
  DEGRADED: 'Degraded',
  PENDING: 'Invited',
  PROGRESS: 'Running',
  PROGRESS_FAILED: 'Running, failed so far',
  PROGRESS_DEGRADED: 'Running, degraded so far',
  STARTED: 'Waiting for an agent',
  PASSED: 'Passed',
  CANCELLED: 'Cancelled',
  TIMED_OUT: 'Timed out',
  EARLY: 'Early',
  GRACE: 'In grace',
  LATE: 'Late',
  RECEIVED: 'Received',
  FAILING: 'Failing',
  FIXED: 'The same wait each time',
  LINEAR: 'A wait that grows',
  EXPONENTIAL: 'A wait that doubles',
  SINGLE_RETRY: 'Once, at once',
  GOOD: 'Good',
  NEEDS_IMPROVEMENT: 'Needs improvement',
  POOR: 'Poor',
  DEBUG: 'Debug',
  INFO: 'Info',
  WARN: 'Warning',
  ERROR: 'Error',
  timedOut: 'Timed out',
  'could-not-run': 'Could not run',
  'check-result': 'Result',
  console: 'Console',
  script: 'Script',
  getaddrinfo: 'Name lookup',
  pcap: 'Network packets',
}

const communication: Words = {
  INVESTIGATING: 'Investigating',
  IDENTIFIED: 'Identified',
  MONITORING: 'Monitoring',
  RESOLVED: 'Resolved',
  MAINTENANCE: 'Maintenance',
  MINOR: 'Minor',
  MEDIUM: 'Medium',
  MAJOR: 'Major',
  CRITICAL: 'Critical',
  SCHEDULED: 'Scheduled',
  IN_PROGRESS: 'In progress',
  COMPLETED: 'Completed',
  DAY: 'Day',
  WEEK: 'Week',
  MONTH: 'Month',
  AUTO: 'As the browser asks',
  LIGHT: 'Light',
  DARK: 'Dark',
  VERIFIED: 'Confirmed',
  VERIFYING: 'Not confirmed yet',
  ACTIVE: 'Active',
  SELF_HOSTED: 'Self-hosted',
  OPERATIONAL: 'Operational',
  UNDER_MAINTENANCE: 'Under maintenance',
  DEGRADED_PERFORMANCE: 'Degraded performance',
  PARTIAL_OUTAGE: 'Partial outage',
  MAJOR_OUTAGE: 'Major outage',
}

const runtimes: Words = {
  ALPHA: 'Alpha',
  BETA: 'Beta',
  CURRENT: 'Current',
  STABLE: 'Stable',
  DEPRECATED: 'Deprecated',
  REMOVED: 'Removed',
  FEATURE: 'Feature',
}

const ranges: Words = {
  last24Hours: 'Last 24 hours',
  last24Hrs: 'Last 24 hours',
  last7Days: 'Last 7 days',
  last30Days: 'Last 30 days',
  lastWeek: 'Last week',
  lastMonth: 'Last month',
  thisWeek: 'This week',
  thisMonth: 'This month',
  lastRun: 'Last run',
  pageIndex: 'Page',
  runLocation: 'Location',
  statusCode: 'Status code',
}

const words: Words = {
  ...channels,
  ...roleWords,
  ...alerts,
  ...usage,
  ...assertions,
  ...runs,
  ...communication,
  ...runtimes,
  ...ranges,
}

const found = (of: Words | undefined, value: string): string | undefined =>
  of !== undefined && Object.hasOwn(of, value) ? of[value] : undefined

const kindLabel = (field: string, value: string): string | undefined =>
  ['type', 'lacks', 'needed'].includes(field) || field.startsWith('checkType')
    ? Object.values(checkKinds).find(({ type }) => type === value)?.label
    : undefined

const known = (value: string, field: string): string | undefined =>
  kindLabel(field, value) ?? found(ofField[field], value) ?? found(words, value)

/** `EMAIL` → `Email`. `field`: its name in the API, which decides where one value means two things. */
export const wordOf = (value: string, field = ''): string => known(value, field) ?? value

/** The same in the reader's language. What has no word is somebody's data, and never looked up. */
export const sayWord = (value: string, field: string): Content => {
  const word = known(value, field)
  return word === undefined ? value : say(word)
}
