/** For a store whose secrets nobody can open any more: it is made one that starts, and says what has to be given again. */
import { channelConfig, channelDoc } from '../alerting/alert-channels/channel-doc.ts'
import type { Cipher } from '../platform/services/secrets/cipher.ts'
import type { Db } from '../platform/store/database/db.ts'
import { query } from '../platform/store/database/query.ts'
import { type ColumnRow, dropSealed, replaceValue } from '../platform/store/database/sealed-columns.ts'
import type { EncryptedColumn } from './encrypted-columns.ts'
import { batches, mapSealed, sealedIn } from './reseal.ts'

/** `count`: rows; `holds`: what was sealed in them. */
export type Lost = { holds: string; count: number; names: readonly string[] }

/** So many are named of each kind. */
const maxNames = 20

type GivingUp = { cipher: Cipher; columns: readonly EncryptedColumn[] }

/** Whatever can be opened stays as it is. */
export const giveUpSecrets = async (db: Db, { cipher, columns }: GivingUp): Promise<Lost[]> => {
  const all: Lost[] = []
  for (const column of columns) {
    const lost: string[] = []
    for await (const rows of batches(db, column))
      for (const row of rows) {
        if (sealedIn(column, row).every((sealed) => opens(cipher, sealed, column.context(row.key)))) continue
        await giveUp(db, { cipher, column, row })
        lost.push(Object.values(row.key).at(-1)?.toString() ?? '')
      }
    if (lost.length > 0) all.push({ holds: column.holds, count: lost.length, names: lost.slice(0, maxNames) })
  }
  return all
}

const opens = (cipher: Cipher, sealed: string, context: string): boolean => {
  try {
    cipher.decrypt(sealed, context)
    return true
  } catch {
    // Of another key: that is what is asked.
    return false
  }
}

type Unopened = { cipher: Cipher; column: EncryptedColumn; row: ColumnRow }

const giveUp = async (db: Db, { cipher, column, row }: Unopened): Promise<void> => {
  const context = column.context(row.key)
  const { without, paths } = column
  if (without === 'no row') return dropSealed(db, column, { row, what: 'row' })
  if (without === 'nothing' && paths === undefined) return dropSealed(db, column, { row, what: 'value' })
  const shown = without === 'shown' ? await shownConfig(db, Number(row.key['id'])) : ''
  const instead = without === 'nothing' ? null : cipher.encrypt(shown, context)
  const value = mapSealed(column, row.value, (sealed) => (opens(cipher, sealed, context) ? sealed : instead))
  await replaceValue(db, column, { row, value })
}

const docOfChannel = query('doc-of-alert-channel', (k, p: { id: number }) =>
  k.selectFrom('alert_channels').select('doc').where('id', '=', p.id),
)

/** With masks in the place of addresses and keys: what is sent there fails, and is seen to. */
const shownConfig = async (db: Db, id: number): Promise<string> => {
  const row = await db.get(docOfChannel, { id })
  return row === undefined ? '' : channelConfig.write(channelDoc.read(row.doc).config)
}
