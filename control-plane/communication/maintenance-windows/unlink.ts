import type { Db } from '../../platform/store/database/db.ts'
import { lockWindowsOfAccount, updateWindow } from './queries.ts'
import { windowDoc } from './window-doc.ts'

/**
 * What a deletion that unlinks starts with: everybody locks windows before pages, pages before services, services before
 * cards, so that nobody waits for each other.
 */
export const holdWindows = async (trx: Db, accountId: string): Promise<void> => {
  await trx.all(lockWindowsOfAccount, { accountId })
}

type Gone = { accountId: string; list: 'statusPageIds' | 'serviceIds'; id: string; now: number }

/** A status page or service is gone: no window names it any longer. Ends the transaction that deletes it. */
export const unlinkFromWindows = async (trx: Db, { accountId, list, id, now }: Gone): Promise<void> => {
  for (const row of await trx.all(lockWindowsOfAccount, { accountId })) {
    const doc = windowDoc.read(row.doc)
    const ids = doc.statusPageVisibility[list]
    if (!ids.includes(id)) continue
    const visibility = { ...doc.statusPageVisibility, [list]: ids.filter((other) => other !== id) }
    // Services are linked through pages: without a page there is nothing to be on.
    if (visibility.statusPageIds.length === 0) visibility.serviceIds = []
    const changed = windowDoc.write({ ...doc, statusPageVisibility: visibility })
    await trx.run(updateWindow, { ...row, doc: changed, updated_at: now, version: row.version + 1 })
  }
}
