/** Uptime Kuma's own database, as it was stopped: read only, into the shape of its backup. */
import { DatabaseSync } from 'node:sqlite'
import { CommandError } from '../io.ts'
import type { Json } from '../kinds.ts'
import type { KumaBackup, KumaMonitor } from './kuma.ts'

/** Columns that the backup calls otherwise. */
const names: Readonly<Record<string, string>> = {
  ignore_tls: 'ignoreTls',
  upside_down: 'upsideDown',
  retry_interval: 'retryInterval',
  invert_keyword: 'invertKeyword',
  json_path: 'jsonPath',
  json_path_operator: 'jsonPathOperator',
  expected_value: 'expectedValue',
  proxy_id: 'proxyId',
  push_token: 'pushToken',
  auth_method: 'authMethod',
  http_body_encoding: 'httpBodyEncoding',
}

/** @throws CommandError where it is no such database */
export const readKumaDatabase = (path: string): KumaBackup => {
  const database = new DatabaseSync(path, { readOnly: true })
  const all = (text: string): Json[] =>
    database
      .prepare(text)
      .all()
      .map((row) => ({ ...row }))
  const has = (table: string): boolean =>
    database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(table) !== undefined
  try {
    if (!has('monitor')) throw new CommandError([`${path} has no monitors of Uptime Kuma`])
    const tags = has('monitor_tag')
      ? all(
          'select m.monitor_id, t.name, m.value from monitor_tag m join tag t on t.id = m.tag_id order by m.id',
        )
      : []
    const told = has('monitor_notification')
      ? all('select monitor_id, notification_id from monitor_notification')
      : []
    const count = (table: string): number =>
      has(table) ? Number(all(`select count(*) as n from ${table}`)[0]?.['n']) : 0
    return {
      monitorList: all('select * from monitor order by id').map((row) => monitorOf(row, { tags, told })),
      notificationList: has('notification')
        ? all('select id, name, config, is_default as isDefault from notification order by id').map(
            (row) => row as Json & { id: number; name: string },
          )
        : [],
      statusPageCount: count('status_page'),
      maintenanceCount: count('maintenance'),
    }
  } finally {
    database.close()
  }
}

type Beside = { tags: readonly Json[]; told: readonly Json[] }

const monitorOf = (row: Json, { tags, told }: Beside): KumaMonitor => {
  const renamed = Object.fromEntries(Object.entries(row).map(([name, value]) => [names[name] ?? name, value]))
  const codes = row['accepted_statuscodes_json']
  return {
    ...renamed,
    id: Number(row['id']),
    name: String(row['name']),
    type: String(row['type']),
    ...(typeof codes === 'string' ? { accepted_statuscodes: JSON.parse(codes) } : {}),
    tags: tags.filter((tag) => tag['monitor_id'] === row['id']),
    notificationIDList: Object.fromEntries(
      told
        .filter((one) => one['monitor_id'] === row['id'])
        .map((one) => [String(one['notification_id']), true]),
    ),
  }
}
