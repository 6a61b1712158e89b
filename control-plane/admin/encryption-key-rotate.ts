import { createCipher, keyId } from '../platform/services/secrets/cipher.ts'
import { writeEncryptionKeys } from '../platform/services/secrets/generated-secrets.ts'
import { type Command, type Context, RefusedError } from './command.ts'
import { encryptedColumns } from './encrypted-columns.ts'
import { resealAll, type Survey, survey } from './reseal.ts'

/** Programs look at the key file at every use; this is for what they had sealed and not yet stored. */
const graceMs = 1000

export const encryptionKeyRotate: Command = {
  name: 'encryption-key rotate',
  summary: 'make a new encryption key and move every secret under it',
  description: [
    'The control plane may run. When it was interrupted, running it again goes on. Where ENCRYPTION_KEY is set the',
    'keys are yours: put a new one in front of the list, restart with it, then run this. Backups taken before need',
    'the old keys.',
  ].join('\n'),
  positionals: [],
  options: { 'remove-old': { meaning: 'afterwards forget the keys that no secret needs any more' } },
  run: async (context, args) => {
    const own = context.config.encryptionKeys === null
    const forgets = args.switches.has('remove-old')
    if (forgets && !own) throw new RefusedError('ENCRYPTION_KEY is set: take the old keys out of it yourself')
    const app = await context.open()
    const before = await survey(app.db, encryptedColumns)
    requireReadable(before, context.keys())
    const resumed = [...before.keys()].some((id) => id !== firstIdOf(context))
    if (!resumed) addKey(context, own)
    const cipher = createCipher(context.keys(), (size) => context.randomBytes(size))
    const work = { cipher, firstKeyId: firstIdOf(context), columns: encryptedColumns }
    let resealed = await resealAll(app.db, work)
    await context.sleep(graceMs)
    resealed += await resealAll(app.db, work)
    const after = await survey(app.db, encryptedColumns)
    const removed = forgets ? removeOld(context, after) : []
    return report({ keyId: work.firstKeyId, resumed, resealed, after, removed, own })
  },
}

const firstIdOf = (context: Context): string => {
  const [first] = context.keys()
  if (!first) throw new Error('There is no encryption key')
  return keyId(first)
}

/** @throws RefusedError */
export const requireReadable = (found: Survey, keys: readonly Buffer[]): void => {
  const known = keys.map(keyId)
  const unknown = [...found].filter(([id]) => !known.includes(id))
  if (unknown.length > 0)
    throw new RefusedError(
      `secrets need keys that are not here: ${unknown.map(([id, count]) => `${id} (${count})`).join(', ')}`,
    )
}

const addKey = (context: Context, own: boolean): void => {
  const keys = context.keys()
  if (own) writeEncryptionKeys(context.config.dataDir, [context.randomBytes(32), ...keys])
  else if (keys.length < 2)
    throw new RefusedError(
      'ENCRYPTION_KEY is set, so its keys are yours: put a new one (openssl rand -base64 32) and a comma in front of ' +
        'it, restart the control plane with that, and run this again with the same environment',
    )
}

const removeOld = (context: Context, after: Survey): string[] => {
  const [first, ...others] = context.keys()
  const needed = others.filter((key) => after.has(keyId(key)))
  const gone = others.filter((key) => !after.has(keyId(key)))
  if (first) writeEncryptionKeys(context.config.dataDir, [first, ...needed])
  return gone.map(keyId)
}

type Report = {
  keyId: string
  resumed: boolean
  resealed: number
  after: Survey
  removed: string[]
  own: boolean
}

const report = ({ keyId: id, resumed, resealed, after, removed, own }: Report) => {
  const left = [...after].filter(([key]) => key !== id)
  return {
    lines: [
      resumed ? `Went on with a rotation to key ${id}` : `Rotated to key ${id}`,
      `${resealed} secrets moved, ${after.get(id) ?? 0} are under it now`,
      ...left.map(([key, count]) => `${count} are still under key ${key}: run this again`),
      ...(removed.length > 0 ? [`Forgot ${removed.join(', ')}`] : []),
      ...(left.length === 0 && removed.length === 0
        ? [
            own
              ? 'Older keys are kept: --remove-old forgets them'
              : 'Older keys may be taken out of ENCRYPTION_KEY',
          ]
        : []),
    ],
    json: { keyId: id, resumed, resealed, secrets: Object.fromEntries(after), removedKeyIds: removed },
    failed: left.length > 0,
  }
}
