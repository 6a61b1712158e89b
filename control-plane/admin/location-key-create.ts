import { publicLocations } from '../../protocol/location.ts'
import { insertLocationKey } from '../monitoring/locations/queries.ts'
import { createLocationKey } from '../monitoring/locations/save-location.ts'
import { keyHash } from '../platform/web/http/auth/auth.ts'
import type { WholeApp } from '../whole-app.ts'
import { type Command, RefusedError } from './command.ts'
import { required, requireUuid } from './given.ts'
import { accountsWithLocation } from './queries.ts'

export const locationKeyCreate: Command = {
  name: 'location-key create',
  summary: 'make a key for the agents of a location',
  description:
    'A public location is served by whoever holds one of its keys: its agents run the checks of every account. The ' +
    'key is printed once and not kept.',
  positionals: [],
  options: {
    location: {
      value: '<code or slug>',
      required: true,
      meaning: 'a public location (eu-west-1) or the slug of a private one',
    },
    account: { value: '<id>', meaning: 'whose private location, when several have the slug' },
  },
  run: async (context, args) => {
    const location = required(args, 'location')
    const account = args.values['account']
    const accountId = account === undefined ? null : requireUuid(account, '--account')
    const app = await context.open()
    const isPublic = (publicLocations as readonly string[]).includes(location)
    const key = isPublic ? await publicKey(app, location) : await privateKey(app, location, accountId)
    return {
      lines: [`Key ${key.id} of location ${location}, shown only here:`, key.rawKey],
      json: { id: key.id, location, rawKey: key.rawKey },
    }
  },
}

const publicKey = async (app: WholeApp, location: string): Promise<{ id: string; rawKey: string }> => {
  const rawKey = `pl_${app.randomBytes(16).toString('hex')}`
  const id = app.newId()
  await app.db.run(insertLocationKey, {
    id,
    locationId: location,
    accountId: null,
    hash: keyHash(rawKey),
    masked: `...${rawKey.slice(-4)}`,
    now: app.clock.now(),
  })
  return { id, rawKey }
}

const privateKey = async (app: WholeApp, slug: string, accountId: string | null) => {
  const found = (await app.db.all(accountsWithLocation, { slug })).filter(
    (row) => accountId === null || row.account_id === accountId,
  )
  const [only, ...others] = found
  if (!only)
    throw new RefusedError(
      `"${slug}" is neither a public location nor the slug of a private location${accountId === null ? '' : ' of that account'}`,
    )
  if (others.length > 0)
    throw new RefusedError(
      `${found.length} accounts have a private location "${slug}": say which with --account`,
    )
  return createLocationKey(app, { id: only.id, accountId: only.account_id })
}
