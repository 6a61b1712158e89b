import { subjectText } from '../../alerting/alert-channels/subscriptions.ts'
import { latestKeptBack } from '../../alerting/check-alerts/kept-back-queries.ts'
import type { AlertSubject } from '../../alerting/engine/alert-subject.ts'
import type { HeldBack } from '../../alerting/engine/held-back.ts'
import { namesOf } from '../../monitoring/definitions/dependencies/names-of.ts'
import { dependenciesOf } from '../../monitoring/definitions/dependencies/queries.ts'
import { apart } from '../../monitoring/definitions/dependencies/schema.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import type { KeptBack } from './explain-rule.ts'
import type { AlertExplanation } from './schema.ts'

type Dependencies = Pick<AlertExplanation, 'dependsOn' | 'keptBackBy' | 'dependencyDowntime'> & {
  keptBack: KeptBack
}

const shownTimes = 20

/** What a check depends on, itself and through its group, by their names; and which of it keeps a failure back. */
export const dependenciesOfCheck = async (
  db: Db,
  { id: checkId, accountId, groupId }: AlertSubject,
  heldBack: HeldBack | null,
): Promise<Dependencies> => {
  const dependents = [subjectText({ checkId }), ...(groupId === null ? [] : [subjectText({ groupId })])]
  const rows = await db.all(dependenciesOf, { texts: dependents })
  const texts = [...new Set(rows.map(({ depends_on }) => depends_on)), ...(heldBack ? [heldBack.on] : [])]
  const names = await namesOf(db, accountId, texts)
  const dependsOn = [...new Set(rows.map(({ depends_on }) => depends_on))].flatMap((text) => {
    const name = names.get(text)
    const { checkIds, groupIds } = apart([text])
    return name === undefined ? [] : [{ checkId: checkIds[0] ?? null, groupId: groupIds[0] ?? null, name }]
  })
  const dependencyDowntime = await timesOf(db, checkId, heldBack)
  if (heldBack === null) return { dependsOn, dependencyDowntime, keptBackBy: null, keptBack: null }
  const { on, phase, since } = heldBack
  const name = names.get(on) ?? heldBack.name
  const keptBackBy = { name, phase, since: toIso(since) }
  return { dependsOn, dependencyDowntime, keptBackBy, keptBack: { name, phase } }
}

const timesOf = async (
  db: Db,
  checkId: string,
  heldBack: HeldBack | null,
): Promise<AlertExplanation['dependencyDowntime']> => {
  const lasting =
    heldBack?.phase === 'down' && heldBack.from > 0
      ? [{ name: heldBack.name, from: toIso(heldBack.from), to: null }]
      : []
  const over = await db.all(latestKeptBack, { checkId, limit: shownTimes - lasting.length })
  return [
    ...lasting,
    ...over.map((row) => ({ name: row.because_name, from: toIso(row.began_at), to: toIso(row.ended_at) })),
  ]
}
