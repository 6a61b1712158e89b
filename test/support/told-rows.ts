import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { allResults } from './all-results.ts'
import type { History, Level } from './told-oracle.ts'

/** What a history left behind, for told-oracle.ts. */
export const written = async (db: Database): Promise<Pick<History, 'results' | 'alerts'>> => {
  const rows = (await allResults(db)).filter(
    ({ result_type, has_errors, is_cancelled }) => result_type === 'FINAL' && !(has_errors || is_cancelled),
  )
  const results = rows
    .map((row) => ({
      checkId: row.check_id,
      level: levelOf(row),
      at: row.created_at,
      stoppedAt: row.stopped_at,
      id: row.id,
    }))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const alerts = await db.select((k) =>
    k
      .selectFrom('check_alerts')
      .select(['id', 'check_id', 'alert_type'])
      .where('check_id', 'is not', null)
      .orderBy('id'),
  )
  return {
    results,
    alerts: alerts.map(({ id, check_id, alert_type }) => ({
      checkId: check_id ?? '',
      type: alert_type,
      at: timeOfId(id),
    })),
  }
}

const levelOf = (row: { has_failures: unknown; is_degraded: unknown }): Level =>
  row.has_failures ? 'failing' : row.is_degraded ? 'degraded' : 'passing'

/** When an alert was written down, which may be later than when it came due (UUIDv7). */
const timeOfId = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)
