/**
 * Moves every sealed value under the first encryption key, in small batches, while programs use the store. A value is
 * replaced only if it is still what was read; running it again goes on where it stopped.
 */

import type { Cipher } from '../platform/services/secrets/cipher.ts'
import type { Database, Db } from '../platform/store/database/db.ts'
import { type ColumnRow, readColumn, replaceValue } from '../platform/store/database/sealed-columns.ts'
import type { EncryptedColumn } from './encrypted-columns.ts'

const batchSize = 200
const sealedForm = /^v1\.([0-9a-f]{8})\.[A-Za-z0-9_-]+$/

/** How many values each key seals. */
export type Survey = Map<string, number>

export const survey = async (db: Db, columns: readonly EncryptedColumn[]): Promise<Survey> => {
  const counts: Survey = new Map()
  for (const column of columns)
    for await (const rows of batches(db, column))
      for (const row of rows)
        mapSealed(column, row.value, (sealed, id) => {
          counts.set(id, (counts.get(id) ?? 0) + 1)
          return sealed
        })
  return counts
}

/** The sealed values in a row of a column. */
export const sealedIn = (column: EncryptedColumn, { value }: ColumnRow): string[] => {
  const all: string[] = []
  mapSealed(column, value, (sealed) => {
    all.push(sealed)
    return sealed
  })
  return all
}

type Work = { cipher: Cipher; firstKeyId: string; columns: readonly EncryptedColumn[] }

/** The number of rows that changed. */
export const resealAll = async (db: Database, { cipher, firstKeyId, columns }: Work): Promise<number> => {
  let changed = 0
  for (const column of columns)
    for await (const rows of batches(db, column)) {
      const replacements = rows.flatMap((row) => {
        const value = mapSealed(column, row.value, (sealed, id) =>
          id === firstKeyId ? sealed : reseal(cipher, sealed, column.context(row.key)),
        )
        return value === row.value ? [] : [{ row, value }]
      })
      if (replacements.length === 0) continue
      changed += await db.transaction(async (trx) => {
        let done = 0
        for (const replacement of replacements) if (await replaceValue(trx, column, replacement)) done += 1
        return done
      })
    }
  return changed
}

const reseal = (cipher: Cipher, sealed: string, context: string): string =>
  cipher.encrypt(cipher.decrypt(sealed, context), context)

export async function* batches(db: Db, column: EncryptedColumn): AsyncGenerator<ColumnRow[]> {
  let after: ColumnRow | null = null
  for (;;) {
    const rows: ColumnRow[] = await readColumn(db, column, { after, limit: batchSize })
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    after = rows.at(-1) ?? null
  }
}

/** Null only in a column of JSON. */
type Change = (sealed: string, keyId: string) => string | null

/** The column's value with its sealed texts changed; the very same text when none of them did. */
export const mapSealed = ({ paths }: EncryptedColumn, value: string, change: Change): string => {
  if (paths === undefined) return changeText(value, change) ?? value
  let touched = false
  const noting: Change = (sealed, id) => {
    const changed = change(sealed, id)
    touched ||= changed !== sealed
    return changed
  }
  const doc = paths.reduce<unknown>(
    (inner, path) => changeAt(inner, path.split('.'), noting),
    JSON.parse(value),
  )
  return touched ? JSON.stringify(doc) : value
}

const changeText = (text: string, change: Change): string | null => {
  const [, id] = sealedForm.exec(text) ?? []
  return id === undefined ? text : change(text, id)
}

const changeAt = (value: unknown, [step, ...rest]: string[], change: Change): unknown => {
  if (step === undefined) return typeof value === 'string' ? changeText(value, change) : value
  if (Array.isArray(value)) return step === '*' ? value.map((item) => changeAt(item, rest, change)) : value
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      step === '*' || step === name ? changeAt(inner, rest, change) : inner,
    ]),
  )
}
