/** Every column that holds JSON, with its codec: a test reads all of a store through them. */

import { accountDoc } from '../../control-plane/access/accounts/account-doc.ts'
import { channelConfig, channelDoc } from '../../control-plane/alerting/alert-channels/channel-doc.ts'
import { contextOf as channelContext } from '../../control-plane/alerting/alert-channels/channel-row.ts'
import { checkAlertDoc } from '../../control-plane/alerting/check-alerts/check-alert-doc.ts'
import { alertStateDoc } from '../../control-plane/alerting/engine/alert-state-doc.ts'
import { alertEvent } from '../../control-plane/alerting/messages/alert-event.ts'
import { notificationDoc } from '../../control-plane/alerting/notifications/notification-doc.ts'
import { dashboardIncidentDoc } from '../../control-plane/communication/dashboards/incident-schema.ts'
import { dashboardDoc } from '../../control-plane/communication/dashboards/schema.ts'
import { ruleDoc } from '../../control-plane/communication/incidents/automation-rule.ts'
import { impactsDoc } from '../../control-plane/communication/incidents/impacts.ts'
import { windowDoc } from '../../control-plane/communication/maintenance-windows/window-doc.ts'
import { componentsDoc } from '../../control-plane/communication/status-page-subscriptions/subscribed-components.ts'
import { componentDoc, pageDoc } from '../../control-plane/communication/stored-pages/page-doc.ts'
import { publicationDoc } from '../../control-plane/communication/stored-pages/publication-doc.ts'
import { translationsDoc } from '../../control-plane/communication/stored-pages/translations.ts'
import { runList } from '../../control-plane/insight/prometheus/share-runs-tick.ts'
import { analysisDoc } from '../../control-plane/insight/root-cause-analyses/analysis-doc.ts'
import { groupDoc } from '../../control-plane/monitoring/definitions/check-groups/schema.ts'
import { checkDoc, checkFiles } from '../../control-plane/monitoring/definitions/checks/check-doc.ts'
import {
  contextOf as certificateContext,
  certificateKey,
} from '../../control-plane/monitoring/definitions/client-certificates/client-certificate.ts'
import { errorEventDoc, offeredNames } from '../../control-plane/monitoring/locations/agents/agent-docs.ts'
import { locationDoc } from '../../control-plane/monitoring/locations/queries.ts'
import { deploymentDoc, importDoc } from '../../control-plane/monitoring/projects/schema.ts'
import { resultDoc } from '../../control-plane/monitoring/results/result-doc.ts'
import { runLocations } from '../../control-plane/monitoring/schedule/schedule-queries.ts'
import { testDoc } from '../../control-plane/monitoring/watches/test-sessions/test-doc.ts'
import {
  mailContent,
  contextOf as mailContext,
} from '../../control-plane/platform/services/mail/mail-content.ts'
import type { Cipher } from '../../control-plane/platform/services/secrets/cipher.ts'
import type { StoredText } from '../../control-plane/platform/store/database/stored-doc.ts'
import { auditFields } from '../../control-plane/platform/web/audit/shown-change.ts'
import { compile } from '../../protocol/validate.ts'

type Row = Record<string, string | number | boolean | null>

type StoredColumn = {
  table: string
  column: string
  codec: StoredText<never, never>
  /** Of a sealed column: what its value was sealed with. */
  context?: (row: Row) => string
  /** Rows whose column is empty, because nobody reads it yet or any more. */
  isUnread?: (row: Row) => boolean
}

const column = (
  table: string,
  name: string,
  codec: unknown,
  more: Pick<StoredColumn, 'context' | 'isUnread'> = {},
): StoredColumn => ({ table, column: name, codec: codec as StoredText<never, never>, ...more })

export const storedColumns: readonly StoredColumn[] = [
  column('accounts', 'doc', accountDoc),
  column('agent_error_events', 'doc', errorEventDoc),
  column('agents', 'check_types', offeredNames),
  column('agents', 'runtime_ids', offeredNames),
  column('alert_channels', 'doc', channelDoc),
  column('alert_channels', 'sealed_config', channelConfig, {
    context: ({ id }) => channelContext(Number(id)),
  }),
  column('alert_notifications', 'doc', notificationDoc),
  column('alert_notifications', 'event', alertEvent),
  column('alert_states', 'doc', alertStateDoc),
  column('audit_entries', 'after', auditFields, { isUnread: ({ after }) => after === null }),
  column('audit_entries', 'before', auditFields, { isUnread: ({ before }) => before === null }),
  column('check_alerts', 'doc', checkAlertDoc),
  column('check_files', 'doc', checkFiles),
  column('check_groups', 'doc', groupDoc),
  column('check_sessions', 'locations', runLocations),
  column('checks', 'doc', checkDoc),
  column('client_certificates', 'sealed_key', certificateKey, {
    context: ({ id }) => certificateContext(String(id)),
    isUnread: ({ sealed_key }) => sealed_key === null,
  }),
  column('exporter_runs', 'doc', runList),
  column('incident_updates', 'translations', translationsDoc),
  column('status_page_rules', 'doc', ruleDoc),
  column('incidents', 'translations', translationsDoc),
  column('incidents', 'impacts', impactsDoc),
  column('mail_contents', 'sealed_content', mailContent, { context: ({ id }) => mailContext(String(id)) }),
  column('maintenance_updates', 'translations', translationsDoc),
  column('maintenance_windows', 'doc', windowDoc),
  column('private_locations', 'doc', locationDoc),
  column('project_deployments', 'doc', deploymentDoc),
  column('test_sessions', 'doc', testDoc),
  column('tested_checks', 'doc', checkDoc),
  column('project_imports', 'doc', importDoc),
  column('root_cause_analyses', 'doc', analysisDoc, { isUnread: ({ status }) => status === 'PENDING' }),
  column('schedules', 'locations', runLocations),
  column('status_page_cards', 'translations', translationsDoc),
  column('status_page_cards', 'doc', componentDoc),
  column('status_page_card_services', 'doc', componentDoc),
  column('dashboards', 'doc', dashboardDoc),
  column('dashboard_incidents', 'doc', dashboardIncidentDoc),
  column('status_page_publications', 'doc', publicationDoc),
  column('status_page_services', 'translations', translationsDoc),
  column('status_page_subscriptions', 'components', componentsDoc),
  column('status_pages', 'doc', pageDoc),
]

/** In the tables of each period. */
export const documentsOfResults = column('result_docs', 'doc', resultDoc)

export type ReadColumn = StoredColumn & { rows: readonly Row[] }

/** What is wrong with the documents in these rows, a line each. */
export const problemsIn = (
  { table, column: name, codec, rows, ...more }: ReadColumn,
  cipher: Cipher,
): string[] => {
  const validate = compile(codec.schema)
  return rows.flatMap((row) => {
    if (more.isUnread?.(row)) return []
    const stored = String(row[name])
    const text = more.context ? cipher.decrypt(stored, more.context(row)) : stored
    const value = codec.read(text)
    const again = codec.read(codec.write(value))
    const checked = validate(structuredClone(value))
    const problems = checked.ok ? [] : checked.violations.map(({ message }) => message)
    if (JSON.stringify(again) !== JSON.stringify(value))
      problems.push('is another after it was written again')
    return problems.map((problem) => `${table}.${name}: ${problem} in ${text.slice(0, 200)}`)
  })
}
