import { findChannel } from '../../alerting/alert-channels/queries.ts'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import { checkAlertDoc } from '../../alerting/check-alerts/check-alert-doc.ts'
import { findCheckAlert } from '../../alerting/check-alerts/queries.ts'
import type { LinkedAlert } from '../../alerting/messages/alert-link.ts'
import { resultLink } from '../../alerting/messages/result-link.ts'
import { explainInWords } from '../../insight/alert-explanations/explain.ts'
import { isOpenAlert } from '../../monitoring/watches/alert-states/respond-to-alert.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { AlertFacts } from './alert-page.ts'

export type AlertOfLink = {
  accountId: string
  checkId: string
  alertId: string
  /** Where the link was sent, as others will read it. */
  channel: string
  facts: AlertFacts
}

/** Undefined when the alert or its check is gone. */
export const readAlert = async (
  app: App & HasCipher & HasProviders,
  { alertId, channelId, expiresAt }: LinkedAlert,
): Promise<AlertOfLink | undefined> => {
  const row = await app.db.get(findCheckAlert, { id: alertId })
  if (row === undefined) return undefined
  const { account_id: accountId, check_id: checkId } = row
  const alerting = await explainInWords(app, { accountId, checkId })
  if (alerting === undefined) return undefined
  const facts: AlertFacts = {
    checkName: row.name,
    at: row.created_at,
    now: app.clock.now(),
    error: checkAlertDoc.read(row.doc).error,
    alerting,
    isOpen: await isOpenAlert(app.db, { accountId, checkId, alertId }),
    checkUrl: `${app.config.baseUrl}/app/checks/${checkId}`,
    resultUrl: resultLink(app, { checkId, resultId: null, expiresAt }),
  }
  return { accountId, checkId, alertId, channel: await channelName(app, channelId, accountId), facts }
}

const channelName = async ({ db }: App, id: number, accountId: string): Promise<string> => {
  const channel = id === 0 ? undefined : await db.get(findChannel, { id, accountId })
  return channel === undefined ? 'somebody with the link' : `the receiver of ${channel.type} channel ${id}`
}
