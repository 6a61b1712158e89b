/** Brings what is set of an account's checks up to date: their heads in slices, documents only of those that changed. */
import type { CheckType } from '../../../protocol/check-type.ts'
import { protocolOf } from '../../../protocol/check-type.ts'
import { labelText } from '../../../protocol/exposition.ts'
import { effectiveSettings } from '../../monitoring/definitions/check-groups/effective-settings.ts'
import { type GroupDoc, groupDoc } from '../../monitoring/definitions/check-groups/schema.ts'
import { type CheckDoc, checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { targetOfCheck } from '../../monitoring/definitions/checks/check-target.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { verdictOfRow } from '../../monitoring/outcomes/verdict.ts'
import { resultDoc } from '../../monitoring/results/result-doc.ts'
import { latestResults } from '../../monitoring/results/stored/latest-results.ts'
import type { App } from '../../platform/app/app.ts'
import { type AccountMemory, type CheckMemory, checkMemoryOf, noteLastRun } from './account-memory.ts'
import { checkDocs, checkHeads, groupHeads, headsPerSlice } from './queries.ts'
import { observationOf } from './run-observations.ts'
import { tagLabels } from './tag-labels.ts'

type Group = { name: string; version: number; doc: GroupDoc }
type Head = NonNullable<(typeof checkHeads)['row']>
type Cursor = { createdAt: number; afterId: string }

/** Their documents are read and parsed, so that a turn of the event loop stays short. */
const docsPerTurn = 25

export const refreshChecks = async (app: App, memory: AccountMemory): Promise<void> => {
  const begunAt = app.clock.now()
  const { accountId } = memory
  const groups = new Map(
    (await app.db.all(groupHeads, { accountId })).map(({ id, name, version, doc }): [number, Group] => [
      id,
      { name, version, doc: groupDoc.read(doc) },
    ]),
  )
  const present = new Set<string>()
  let cursor: Cursor | null = { createdAt: 0, afterId: '' }
  while (cursor !== null) {
    const heads: Head[] = await app.db.all(checkHeads, { accountId, limit: headsPerSlice, ...cursor })
    for (const { id } of heads) present.add(id)
    await takeHeads(app, memory, { heads, groups })
    const last = heads.length < headsPerSlice ? undefined : heads.at(-1)
    cursor = last === undefined ? null : { createdAt: last.created_at, afterId: last.id }
    await nextTurn()
  }
  for (const [id, { since }] of memory.checks)
    if (!present.has(id) && since < begunAt) memory.checks.delete(id)
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

type HeadsOfAccount = { heads: readonly Head[]; groups: ReadonlyMap<number, Group> }

const takeHeads = async (
  app: App,
  memory: AccountMemory,
  { heads, groups }: HeadsOfAccount,
): Promise<void> => {
  const changed: Array<{ head: Head; check: CheckMemory; basis: string }> = []
  const unseen: string[] = []
  for (const head of heads) {
    const isNew = memory.checks.get(head.id)?.basis == null
    const check = checkMemoryOf(memory, head.id, 0)
    check.checkType = head.type
    check.state = head.state
    check.isStale = head.stale_since !== null
    check.heartbeat =
      head.period_ms === null ? null : { lastPingAt: head.last_ping_at, periodMs: head.period_ms }
    check.watchedCertificate =
      head.domain === null || head.expires_at === null
        ? null
        : { domain: head.domain, endsAt: head.expires_at }
    const basis = `${head.version} ${head.group_id} ${groups.get(head.group_id ?? -1)?.version}`
    if (check.basis !== basis) changed.push({ head, check, basis })
    if (isNew && head.state !== null) unseen.push(head.id)
  }
  for (let from = 0; from < changed.length; from += docsPerTurn) {
    const some = changed.slice(from, from + docsPerTurn)
    const ids = some.map(({ head }) => head.id)
    const docs = new Map((await app.db.all(checkDocs, { ids })).map((row) => [row.id, row]))
    for (const { head, check, basis } of some) {
      const row = docs.get(head.id)
      if (row === undefined) continue
      const group = groups.get(head.group_id ?? -1) ?? null
      Object.assign(check, labelsOf(row, checkDoc.read(row.doc), group), { basis })
    }
    await nextTurn()
  }
  await takeLastResults(app, memory, unseen)
}

type NamedCheck = { id: string; type: string; name: string }

const labelsOf = (
  { id, type, name }: NamedCheck,
  doc: CheckDoc,
  group: Group | null,
): Pick<CheckMemory, 'labels' | 'tagLabels' | 'instance'> => {
  const { activated, muted, tags } = effectiveSettings(doc, group?.doc ?? null, kindOf(type))
  const labels = labelText([
    ['name', name],
    ['check_id', id],
    ['check_type', type.toLowerCase()],
    ['muted', String(muted)],
    ['activated', String(activated)],
    ['group', group?.name ?? ''],
    ['tags', tags.join(',')],
  ])
  return {
    labels,
    tagLabels: labelText(tagLabels(tags)),
    instance: labelText([['instance', instanceOf(targetOfCheck(type, doc.request)) || name]]),
  }
}

/** Of checks that this memory has not known: what their last run said. */
const takeLastResults = async (app: App, memory: AccountMemory, ids: readonly string[]): Promise<void> => {
  for (let from = 0; from < ids.length; from += docsPerTurn) {
    const rows = await latestResults(app.db, ids.slice(from, from + docsPerTurn))
    for (const row of rows) {
      const doc = resultDoc.read(row.doc)
      const { resultProperty } = protocolOf(row.check_type as CheckType)
      const check = checkMemoryOf(memory, row.check_id, 0)
      noteLastRun(
        check,
        observationOf({
          id: row.id,
          accountId: row.account_id,
          checkId: row.check_id,
          checkType: row.check_type,
          location: row.location,
          isFinal: true,
          verdict: verdictOfRow(row),
          dueAt: row.due_at,
          startedAt: row.started_at,
          stoppedAt: row.stopped_at,
          metrics: doc.metrics ?? {},
          detail: resultProperty === null ? null : (doc[resultProperty] ?? null),
        }),
      )
    }
    await nextTurn()
  }
}

/**
 * What blackbox_exporter's users know as `instance`. Of an address neither credentials nor query: they may hold secrets. By its text,
 * since it may hold templates.
 */
const instanceOf = (target: string): string =>
  /^([a-z]+:|\{\{)/i.test(target)
    ? target.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/]*@/i, '$1')
    : target
