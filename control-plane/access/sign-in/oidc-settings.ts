/** Sign-in by a provider of identities (OpenID Connect); docs/sign-in.md explains it. */

import type { Reader, Variable } from '../../platform/settings/reading.ts'
import { type Role, roles } from '../../platform/words/shapes/roles.ts'

export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string | null
  scopes: string
  groupsClaim: string
  /** Of a group, the role of its people; `*`: of everybody. Null: people are invited. */
  roleOfGroup: ReadonlyMap<string, Role> | null
  /** On the button. */
  name: string
}

/** Null: there is no OpenID Connect provider; people sign in by password or passkey. */
export type HasOidc = { config: { oidc: OidcSettings | null } }

export const oidcVariables: readonly Variable[] = [
  {
    name: 'OIDC_ISSUER',
    default: 'unset: none',
    meaning:
      'OpenID Connect provider that people sign in with, for example https://login.example.com/realms/main',
  },
  { name: 'OIDC_CLIENT_ID', default: 'unset', meaning: 'client id there; required with OIDC_ISSUER' },
  {
    name: 'OIDC_CLIENT_SECRET',
    secret: true,
    default: 'unset',
    meaning: 'secret of that client; none: a public client',
  },
  { name: 'OIDC_SCOPES', default: 'openid email profile', meaning: 'scopes to ask for' },
  { name: 'OIDC_GROUPS_CLAIM', default: 'groups', meaning: 'claim of the ID token that lists the groups' },
  {
    name: 'OIDC_ROLE_MAPPING',
    default: 'unset: people are invited',
    meaning: 'roles of groups, for example ops=ADMIN,dev=READ_WRITE,*=READ_ONLY; whoever has none is refused',
  },
  { name: 'OIDC_NAME', default: 'single sign-on', meaning: 'how the button names the provider' },
]

const readMapping = (list: string | null, problems: string[]): ReadonlyMap<string, Role> | null => {
  if (list === null) return null
  const pairs = list.split(',').map((pair): [string, Role] => {
    const end = pair.lastIndexOf('=')
    const role = pair.slice(end + 1).trim() as Role
    if (end < 1 || !roles.includes(role) || role === 'OWNER')
      problems.push(
        'OIDC_ROLE_MAPPING must be a list of <group>=<role>; a role is one of READ_ONLY, READ_RUN, READ_WRITE, ADMIN',
      )
    return [pair.slice(0, end).trim(), role]
  })
  return new Map(pairs)
}

export const readOidc = ({ text, matching, problems }: Reader): OidcSettings | null => {
  const issuer = matching('OIDC_ISSUER', /^https?:\/\/[^\s?#]+$/, 'an http or https address')
  const clientId = text('OIDC_CLIENT_ID')
  const roleOfGroup = readMapping(text('OIDC_ROLE_MAPPING'), problems)
  if (issuer === null) {
    if (clientId !== null) problems.push('OIDC_CLIENT_ID needs OIDC_ISSUER')
    return null
  }
  if (clientId === null) problems.push('OIDC_CLIENT_ID is required with OIDC_ISSUER')
  return Object.freeze({
    issuer,
    clientId: clientId ?? '',
    clientSecret: text('OIDC_CLIENT_SECRET'),
    scopes: text('OIDC_SCOPES') ?? 'openid email profile',
    groupsClaim: text('OIDC_GROUPS_CLAIM') ?? 'groups',
    roleOfGroup,
    name: text('OIDC_NAME') ?? 'single sign-on',
  })
}
