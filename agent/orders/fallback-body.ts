/** What FALLBACK_WEBHOOK_URL is told: the fields of a webhook channel's own body (docs/alerting.md), and who tells it. Pure. */
import type { ToldMeanwhile } from '../../protocol/standing-order.ts'

export type CheckState = ToldMeanwhile['state']

/** `before`: what was told of it last, or what it was when nobody was alone yet. */
export type StateChange = {
  checkId: string
  checkName: string
  checkType: string
  state: CheckState
  before: CheckState
  jobId: string
  startedAt: number
  errorMessage: string | null
  responseTime: number | null
}

export type Teller = { id: string; agentId: string; location: string | null; aloneSince: number }

const unreachable = 'CONTROL_PLANE_UNREACHABLE'

export const unreachableBody = (teller: Teller): string => {
  const title = `The agent ${teller.agentId}${inLocation(teller)} cannot reach its control plane`
  return JSON.stringify({ ...common(teller, title, unreachable), started_at: inWords(teller.aloneSince) })
}

export const changeBody = (teller: Teller, change: StateChange): string => {
  const { checkId, checkName, checkType, jobId, startedAt, errorMessage, responseTime } = change
  return JSON.stringify({
    ...common(teller, titleOf(change), alertTypeOf(change)),
    check_id: checkId,
    check_name: checkName,
    check_type: checkType,
    check_result_id: jobId,
    started_at: inWords(startedAt),
    error_message: errorMessage,
    response_time: responseTime,
  })
}

const common = (teller: Teller, title: string, alertType: string): object => ({
  event: title,
  alert_title: title,
  alert_type: alertType,
  link: null,
  acknowledge_link: null,
  alert_response: null,
  check_id: null,
  check_name: null,
  check_type: null,
  check_result_id: null,
  started_at: null,
  error_message: null,
  probable_cause: null,
  first_step: null,
  response_time: null,
  status_code: null,
  run_location: teller.location,
  group_name: null,
  tags: [],
  is_reminder: false,
  reminder_sequence: 0,
  ssl_check_domain: null,
  ssl_days_remaining: null,
  notification_id: teller.id,
  notice: `Told by an agent${inLocation(teller)} that has not reached its control plane since ${inWords(teller.aloneSince)}`,
  source: 'agent',
  agent_id: teller.agentId,
})

const inLocation = ({ location }: Teller): string => (location === null ? '' : ` in ${location}`)
const inWords = (at: number): string => new Date(at).toISOString()

const titleOf = ({ checkName, state, before }: StateChange): string => {
  const check = `Check "${checkName}"`
  if (state === 'passing') return `${check} has recovered`
  if (state === 'failing') return `${check} has failed`
  return before === 'failing' ? `${check} no longer fails but is degraded` : `${check} is degraded`
}

const alertTypeOf = ({ state, before }: StateChange): string => {
  if (state === 'failing') return before === 'degraded' ? 'ALERT_DEGRADED_FAILURE' : 'ALERT_FAILURE'
  if (state === 'degraded') return before === 'failing' ? 'ALERT_FAILURE_DEGRADED' : 'ALERT_DEGRADED'
  return before === 'degraded' ? 'ALERT_DEGRADED_RECOVERY' : 'ALERT_RECOVERY'
}
