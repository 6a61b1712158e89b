/** Who has some of an account's tags, itself. Windows, channels and lists choose checks by their tags or those of their group. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/store/database/tables.ts'

type Tagged = { accountId: string; tags: readonly string[] }

export const taggedChecks = (k: Kysely<Tables>, { accountId, tags }: Tagged) =>
  k.selectFrom('check_tags').where('account_id', '=', accountId).where('tag', 'in', tags)

export const taggedGroups = (k: Kysely<Tables>, { accountId, tags }: Tagged) =>
  k.selectFrom('check_group_tags').where('account_id', '=', accountId).where('tag', 'in', tags)
