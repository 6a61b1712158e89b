/** What a webhook's template may name of an event. Pure. */
import { responseInWords } from '../messages/alert-response.ts'
import type { Message } from '../messages/message.ts'

export const webhookVariables = ({
  event,
  title,
  link,
  answerLink,
  locationName,
}: Message): Record<string, string | number | boolean | string[] | null> => ({
  ALERT_TITLE: title,
  ALERT_TYPE: event.alertType,
  CHECK_ID: event.checkId,
  CHECK_NAME: event.checkName,
  CHECK_TYPE: event.checkType,
  CHECK_DESCRIPTION: event.checkDescription ?? '',
  CHECK_RESULT_ID: event.checkResultId ?? '',
  RESULT_LINK: link,
  ACKNOWLEDGE_LINK: answerLink ?? '',
  ALERT_RESPONSE: event.response === null ? '' : responseInWords(event.response),
  FAILING_SINCE: event.failingSince === 0 ? '' : new Date(event.failingSince).toISOString(),
  RUNS_IN_A_ROW: event.streak,
  CHECK_ERROR_MESSAGE: event.errorMessage ?? '',
  RESPONSE_TIME: event.responseTime ?? 0,
  API_CHECK_RESPONSE_STATUS_CODE: event.apiStatus?.code ?? '',
  API_CHECK_RESPONSE_STATUS_TEXT: event.apiStatus?.text ?? '',
  RUN_LOCATION: locationName ?? '',
  REGION: event.runLocation ?? '',
  STARTED_AT: new Date(event.startedAt).toISOString(),
  TAGS: event.tags,
  GROUP_NAME: event.groupName ?? '',
  IS_REMINDER: event.reminder > 0,
  REMINDER_SEQUENCE: event.reminder,
  SSL_DAYS_REMAINING: event.ssl?.daysRemaining ?? '',
  SSL_CHECK_DOMAIN: event.ssl?.domain ?? '',
})
