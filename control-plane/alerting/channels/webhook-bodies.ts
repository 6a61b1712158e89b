/** Bodies of webhooks that have no template of their own: the general one, and those that named receivers expect. Pure. */
import { escapeHtml } from '../../../protocol/escape-html.ts'
import { type AlertEvent, isOfCheck } from '../messages/alert-event.ts'
import { responseInWords } from '../messages/alert-response.ts'
import type { ToldLocation } from '../messages/location-problem.ts'
import {
  causeFacts,
  codeInText,
  incidentKey,
  type Message,
  type MessageKind,
  quotedCode,
  shortened,
} from '../messages/message.ts'

export type Body = { contentType: string; payload: string }

const json = (value: unknown): Body => ({ contentType: 'application/json', payload: JSON.stringify(value) })

const startedAt = ({ event }: Message): string => new Date(event.startedAt).toISOString()

const isOver = ({ kind }: Message): boolean => kind === 'recovery'

const shownFacts = (message: Message, code?: (text: string) => string): Message['facts'] => [
  ...(message.notice === null ? [] : [{ label: message.speech.text('Note'), value: message.notice }]),
  ...causeFacts(message, code),
  ...message.facts,
]

/** What is to be said about the message itself, then title, error and facts as lines. */
const details = (message: Message): string =>
  shortened(
    [
      ...(message.notice === null ? [] : [message.notice]),
      ...(message.reason === null ? [] : [message.reason]),
      ...[...causeFacts(message), ...message.facts].map(({ label, value }) => `${label}: ${value}`),
    ].join('\n'),
    4000,
  )

const plain = (text: string | null | undefined): string | null => (text ? quotedCode(text) : null)

const general = (message: Message): Body => {
  const { event, title, link, answerLink, id, locationName, notice, cause, members } = message
  return json({
    event: title,
    alert_title: title,
    alert_type: event.alertType,
    link,
    acknowledge_link: answerLink,
    alert_response: event.response === null ? null : responseInWords(event.response),
    check_id: isOfCheck(event) ? event.checkId : null,
    check_name: isOfCheck(event) ? event.checkName : null,
    check_type: event.checkType,
    location: event.location === null ? null : locationOf(event.location),
    ...(event.group === null ? {} : { group: { ...event.group, name: event.checkName } }),
    check_result_id: event.checkResultId,
    started_at: startedAt(message),
    error_message: event.errorMessage,
    // Read by programs that hand it on as plain text; templates say for themselves what their receiver makes of backticks.
    probable_cause: plain(cause?.text),
    first_step: plain(cause?.nextStep),
    response_time: event.responseTime,
    status_code: event.apiStatus?.code ?? null,
    run_location: locationName,
    group_name: event.groupName,
    tags: event.tags,
    is_reminder: event.reminder > 0,
    reminder_sequence: event.reminder,
    ssl_check_domain: event.ssl?.domain ?? null,
    ssl_days_remaining: event.ssl?.daysRemaining ?? null,
    notification_id: id,
    ...(members.length === 0 ? {} : { members: members.map(memberOf) }),
    ...(event.insteadOf === null ? {} : { instead_of: event.insteadOf }),
    ...(notice === null ? {} : { notice }),
  })
}

const memberOf = (event: AlertEvent) => ({
  check_id: event.checkId,
  check_name: event.checkName,
  check_type: event.checkType,
  alert_type: event.alertType,
  severity: event.severity,
  check_result_id: event.checkResultId,
  started_at: new Date(event.startedAt).toISOString(),
  error_message: event.errorMessage === null ? null : shortened(event.errorMessage, 300),
})

const locationOf = ({ id, name, problem }: ToldLocation) => ({ id, name, problem })

const cardColors: Record<MessageKind, string> = {
  failure: 'attention',
  degraded: 'warning',
  recovery: 'good',
  ssl: 'warning',
}

/** An adaptive card, as an incoming webhook of Teams or a workflow takes it. */
const msTeams = (message: Message): Body => {
  const { kind, title, reason, link, speech } = message
  return json({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.2',
          body: [
            {
              type: 'TextBlock',
              text: title,
              weight: 'bolder',
              size: 'medium',
              wrap: true,
              color: cardColors[kind],
            },
            ...(reason === null
              ? []
              : [
                  {
                    type: 'TextBlock',
                    text: shortened(reason, 2000),
                    wrap: true,
                    fontType: 'monospace',
                  },
                ]),
            {
              type: 'FactSet',
              facts: shownFacts(message).map(({ label, value }) => ({ title: label, value })),
            },
          ],
          actions: [{ type: 'Action.OpenUrl', title: speech.text('View result'), url: link }],
        },
      },
    ],
  })
}

/** Where backticks are code, or become it. */
const asItIs = (text: string): string => text

/** `chat_id` comes with the channel's query parameters. */
const telegram = (message: Message): Body => {
  const { title, reason, link, speech } = message
  return {
    contentType: 'application/x-www-form-urlencoded',
    payload: new URLSearchParams({
      parse_mode: 'HTML',
      text: [
        `<b>${escapeHtml(title)}</b>`,
        ...(reason === null ? [] : [`<pre>${escapeHtml(shortened(reason, 2000))}</pre>`]),
        ...shownFacts(message, asItIs).map(
          ({ label, value }) => `${label}: ${escapeHtml(value).replace(codeInText, '<code>$1</code>')}`,
        ),
        `<a href="${escapeHtml(link)}">${speech.text('View result')}</a>`,
      ].join('\n'),
    }).toString(),
  }
}

const discordColors: Record<MessageKind, number> = {
  failure: 0xd92d20,
  degraded: 0xf79009,
  recovery: 0x12b76a,
  ssl: 0xf79009,
}

const discord = (message: Message): Body =>
  json({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: shortened(message.title, 256),
        url: message.link,
        color: discordColors[message.kind],
        timestamp: startedAt(message),
        ...(message.reason === null ? {} : { description: shortened(message.reason, 4000) }),
        fields: shownFacts(message, asItIs)
          .slice(0, 25)
          .map(({ label, value }) => ({
            name: label,
            value: shortened(value, 1024),
            inline: value.length <= 60,
          })),
      },
    ],
  })

const incidentIo = (message: Message): Body =>
  json({
    title: message.title,
    description: details(message),
    deduplication_key:
      isOfCheck(message.event) && message.gather === null ? message.event.checkId : incidentKey(message),
    metadata: {
      alertType: message.event.alertType,
      check_result_id: message.event.checkResultId,
      resultLink: message.link,
    },
    status: isOver(message) ? 'resolved' : 'firing',
  })

const fireHydrant = (message: Message): Body =>
  json({
    summary: shortened(message.title, 255),
    body: details(message),
    level: message.kind === 'failure' ? 'ERROR' : message.kind === 'recovery' ? 'INFO' : 'WARN',
    status: isOver(message) ? 'CLOSED' : 'OPEN',
    idempotency_key: incidentKey(message),
    tags: message.event.tags,
    links: [{ href: message.link, text: 'View result' }],
  })

const gitlab = (message: Message): Body =>
  json({
    title: shortened(message.title, 255),
    description: details(message),
    start_time: startedAt(message),
    ...(isOver(message) ? { end_time: new Date(message.event.at).toISOString() } : {}),
    service: message.event.checkName,
    monitoring_tool: 'Watchpost',
    severity: message.kind === 'failure' ? 'critical' : message.kind === 'recovery' ? 'info' : 'medium',
    fingerprint: incidentKey(message),
  })

const ilert = (message: Message): Body =>
  json({
    eventType: isOver(message) ? 'RESOLVE' : 'ALERT',
    summary: message.title,
    details: details(message),
    alertKey: incidentKey(message),
    priority: message.kind === 'failure' ? 'HIGH' : 'LOW',
    links: [{ href: message.link, text: 'View result' }],
  })

const splunk = (message: Message): Body =>
  json({
    message_type:
      message.kind === 'failure' ? 'CRITICAL' : message.kind === 'recovery' ? 'RECOVERY' : 'WARNING',
    entity_id: incidentKey(message),
    entity_display_name: message.title,
    state_message: `${details(message)}\n${message.link}`,
    state_start_time: Math.floor(message.event.at / 1000),
    monitoring_tool: 'Watchpost',
  })

/** Severities of Coralogix' logs: 3 info, 4 warning, 5 error. */
const coralogix = (message: Message): Body =>
  json([
    {
      applicationName: 'Watchpost',
      subsystemName: message.event.checkName,
      timestamp: message.event.at,
      severity: message.kind === 'failure' ? 5 : message.kind === 'recovery' ? 3 : 4,
      text: general(message).payload,
    },
  ])

const bodies: Record<string, (message: Message) => Body> = {
  WEBHOOK_MSTEAMS: msTeams,
  WEBHOOK_TELEGRAM: telegram,
  WEBHOOK_DISCORD: discord,
  WEBHOOK_INCIDENTIO: incidentIo,
  WEBHOOK_FIREHYDRANT: fireHydrant,
  WEBHOOK_GITLAB_ALERT: gitlab,
  WEBHOOK_ILERT: ilert,
  WEBHOOK_SPLUNK: splunk,
  WEBHOOK_CORALOGIX: coralogix,
}

/** Rootly and Spike.sh read any JSON: they get the general one. */
export const defaultBody = (message: Message, webhookType: string | undefined): Body =>
  (bodies[webhookType ?? ''] ?? general)(message)
