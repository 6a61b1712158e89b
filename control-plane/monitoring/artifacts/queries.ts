import { query } from '../../platform/store/database/query.ts'
import type { ArtifactsTable } from '../../platform/store/database/tables/artifacts.ts'

type NewArtifact = Omit<ArtifactsTable, 'completed_at'>

/** Of two files with one name the first is kept. */
export const insertArtifact = query('insert-artifact', (k, p: NewArtifact) =>
  k
    .insertInto('artifacts')
    .values({
      result_id: p.result_id,
      name: p.name,
      position: p.position,
      account_id: p.account_id,
      check_id: p.check_id,
      location: p.location,
      type: p.type,
      content_type: p.content_type,
      size: p.size,
      sha256: p.sha256,
      refused: p.refused,
      created_at: p.created_at,
      completed_at: null,
      expires_at: p.expires_at,
    })
    .onConflict((conflict) => conflict.doNothing()),
)

type ArtifactName = { resultId: string; name: string }

export const findArtifact = query('find-artifact', (k, p: ArtifactName) =>
  k.selectFrom('artifacts').selectAll().where('result_id', '=', p.resultId).where('name', '=', p.name),
)

export const artifactsOfResult = query('artifacts-of-result', (k, p: { resultId: string }) =>
  k
    .selectFrom('artifacts')
    .selectAll()
    .where('result_id', '=', p.resultId)
    .orderBy('position')
    .orderBy('name'),
)

/** `ids`: of results. Only what is complete. */
export const completeArtifacts = query('complete-artifacts', (k, p: { ids: readonly string[] }, engine) =>
  k
    .selectFrom('artifacts')
    .select(['result_id', 'name', 'type'])
    .where('result_id', 'in', engine.textList(p.ids))
    .where('completed_at', 'is not', null)
    .orderBy('position')
    .orderBy('name'),
)

export const completeArtifact = query('complete-artifact', (k, p: ArtifactName & { now: number }) =>
  k
    .updateTable('artifacts')
    .set({ completed_at: p.now })
    .where('result_id', '=', p.resultId)
    .where('name', '=', p.name),
)

/** Their files go with the next sweep. */
export const expireArtifactsOfCheck = query(
  'expire-artifacts-of-check',
  (k, p: { checkId: string; now: number }) =>
    k.updateTable('artifacts').set({ expires_at: p.now }).where('check_id', '=', p.checkId),
)

export const expiredArtifacts = query('expired-artifacts', (k, p: { now: number; limit: number }) =>
  k
    .selectFrom('artifacts')
    .select(['result_id', 'name'])
    .where('expires_at', '<=', p.now)
    .orderBy('expires_at')
    .limit(p.limit),
)

export const deleteArtifact = query('delete-artifact', (k, p: ArtifactName) =>
  k
    .deleteFrom('artifacts')
    .where('result_id', '=', p.resultId)
    .where('name', '=', p.name)
    .returning(['account_id', 'location', 'size', 'refused']),
)
