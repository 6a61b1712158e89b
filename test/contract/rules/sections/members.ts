import type { Sections } from '../rule.ts'

export const members: Sections = {
  'Account member list item': [
    'every field of a member, with its type',
    'items are either members or invites',
  ],
  'GET /v1/accounts/me/members': [
    'search: part of member name, member e-mail and invite e-mail in any case; empty is ignored',
    'type: member or invite',
    'role: each of the five and no other',
    'status: ACTIVE, PENDING or EXPIRED',
    'limit: an integer from 1 to 100; all when left out',
    'nextId: at least one character, only with `limit` and the same other parameters',
    'response: `members`, `length` of this page and `nextId`, null at the end',
    '`x-service-account` is a UUID',
  ],
}
