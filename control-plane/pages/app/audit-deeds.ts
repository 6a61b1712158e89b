/** What an entry of the audit log says somebody did, in words: `muted`, `the check`. Pure. */
import type { AuditEntry } from '../../access/audit-log/list-entries.ts'
import type { Localized } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'

/** `thing`: what is said before its name; empty where the verb says it all. */
type Deed = { verb: string; thing: string }

/** What was done to that which has this path, the most particular first; the version and the account are left out. */
const deeds: ReadonlyArray<readonly [operation: RegExp, verb: string, thing: string]> = [
  [/^POST \/check-sessions\/trigger$/, 'ran', ''],
  [/^POST \/check-tries$/, 'tried', 'a check before it was saved'],
  [/^POST \/check-sessions\/:\w+\/cancel$/, 'cancelled', 'a session'],
  [/^POST \/check-alerts\/:\w+\/acknowledge$/, 'acknowledged', 'the alert of'],
  [/^POST \/check-alerts\/:\w+\/snooze$/, 'snoozed', 'the alert of'],
  [/^DELETE \/check-alerts\/:\w+\/response$/, 'took back', 'the answer to the alert of'],
  [/^POST \/alert-notifications\/:\w+\/resend$/, 'sent', 'a message again'],
  [/^POST \/alert-channels\/:\w+\/test$/, 'sent', 'a test through the channel'],
  [/^(PUT|POST) \/alert-channels\/:\w+\/subscriptions$/, 'changed', 'what subscribes to the channel'],
  [/^POST \/root-cause-analyses\//, 'asked for', 'the cause of the error'],
  [/^POST \/transfer-ownership$/, 'handed over', 'the ownership of the account'],
  [/^POST \/invites\/join$/, 'accepted', 'an invite'],
  [/^POST \/invites\/:\w+\/resend$/, 'sent', 'an invite again'],
  [/^POST \/invites$/, 'invited', ''],
  [/^DELETE \/invites\//, 'withdrew', 'the invite of'],
  [/^PATCH \/members\//, 'changed', 'the role of'],
  [/^DELETE \/members\//, 'removed', 'the member'],
  [/^POST \/status-pages\/:\w+\/publication\/domain-checks$/, 'looked for', 'the domain of the status page'],
  [/^PUT \/status-pages\/:\w+\/publication$/, 'changed', 'how visitors reach the status page'],
  [/^POST \/status-pages\/:\w+\/subscriptions\/bulk$/, 'subscribed', 'addresses to the status page'],
  [/^DELETE \/status-pages\/:\w+\/subscriptions\//, 'ended', 'a subscription of the status page'],
  [/^POST .*\/incident-updates$/, 'posted', 'an update about the incident'],
  [/^POST .*\/maintenances\/:\w+\/updates$/, 'posted', 'an update about the maintenance window'],
  [/^PUT .*incident-updates\/:\w+$/, 'corrected', 'an update about the incident'],
  [/^DELETE .*incident-updates\/:\w+$/, 'took back', 'an update about the incident'],
  [/^PUT .*updates\/:\w+$/, 'corrected', 'an update about the maintenance window'],
  [/^DELETE .*updates\/:\w+$/, 'took back', 'an update about the maintenance window'],
  [/^PATCH .*\/maintenances\//, 'moved', 'an occurrence of the maintenance window'],
  [/^DELETE .*\/maintenances\//, 'left out', 'an occurrence of the maintenance window'],
  [/^POST \/private-locations\/:\w+\/keys$/, 'made', 'a key of the location'],
  [/^DELETE \/private-locations\/:\w+\/keys\//, 'took away', 'a key of the location'],
  [/^POST \/app\/profile\/language$/, 'chose', 'the language of their pages'],
  [/^POST \/app\/profile\/password$/, 'changed', 'their password'],
  [/^POST \/app\/profile\/totp$/, 'began to set up', 'an authenticator app'],
  [/^POST \/app\/profile\/totp\/confirm$/, 'turned on', 'the authenticator app'],
  [/^POST \/app\/profile\/totp\/remove$/, 'turned off', 'the authenticator app'],
  [/^POST \/app\/profile\/passkeys$/, 'added', 'a passkey'],
  [/^POST \/app\/profile\/passkeys\/remove$/, 'removed', 'a passkey'],
  [/^POST \/app\/sessions\/:\w+\/end$/, 'ended', 'one of their sessions'],
  [/^POST \/app\/sessions\/end-others$/, 'ended', 'their other sessions'],
  [/^POST \/app\/checks\/bulk$/, 'changed', 'several checks'],
  [/^PATCH $/, 'changed', 'the settings of the account'],
]

const things: ReadonlyArray<readonly [path: RegExp, thing: string]> = [
  [/^\/status-pages\/incidents/, 'the incident'],
  [/^\/status-pages\/services/, 'the service'],
  [/^\/status-pages/, 'the status page'],
  [/^\/checks/, 'the check'],
  [/^\/check-groups/, 'the group'],
  [/^\/alert-channels/, 'the channel'],
  [/^\/api-keys/, 'the API key'],
  [/^\/service-keys/, 'the service key'],
  [/^\/snippets/, 'the snippet'],
  [/^\/variables/, 'the variable'],
  [/^\/client-certificates/, 'the client certificate for'],
  [/^\/private-locations/, 'the location'],
  [/^\/code-bundles/, 'the code bundle'],
  [/^\/maintenance-windows/, 'the maintenance window'],
  [/^\/error-groups/, 'the error'],
]

const verbs: { readonly [method: string]: string } = {
  POST: 'created',
  PUT: 'changed',
  PATCH: 'changed',
  DELETE: 'deleted',
}

/** One switch alone has a verb of its own. */
const switches: { readonly [field: string]: readonly [on: string, off: string] } = {
  muted: ['muted', 'unmuted'],
  activated: ['resumed', 'paused'],
}

const switched = ({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string | null => {
  if (before === null || after === null) return null
  const [name = '', ...more] = Object.keys(after).filter((field) => field !== 'updated_at')
  const words = more.length === 0 && Object.hasOwn(switches, name) ? switches[name] : undefined
  return words?.[after[name] === true ? 0 : 1] ?? null
}

const signIns: { readonly [method: string]: string } = {
  key: 'with an API key',
  link: 'with a link',
  invite: 'with an invite',
  oidc: 'with single sign-on',
}

export const deedOf = (entry: Pick<AuditEntry, 'action' | 'resourceId' | 'before' | 'after'>): Deed => {
  const { action, resourceId } = entry
  if (action === 'SIGNED_IN')
    return { verb: 'signed in', thing: signIns[resourceId ?? ''] ?? `with a ${resourceId ?? 'password'}` }
  const operation = action.replace(/^(\w+) (?:\/v\d+)?(?:\/accounts\/(?:me|:\w+))?/, '$1 ')
  const own = deeds.find(([pattern]) => pattern.test(operation))
  if (own !== undefined) return { verb: own[1], thing: own[2] }
  const [method = '', path = ''] = operation.split(' ')
  return {
    verb: switched(entry) ?? verbs[method] ?? 'changed',
    thing: things.find(([pattern]) => pattern.test(path))?.[1] ?? 'something',
  }
}

/** The kinds of things that entries are about, by what the API calls them. */
export const kindsOfThings: { readonly [resourceType: string]: Localized } = {
  checks: say('Checks'),
  'check-groups': say('Groups'),
  'check-sessions': say('Runs by hand'),
  'check-tries': say('Tries of checks'),
  'check-alerts': say('Answers to alerts'),
  'alert-channels': say('Channels'),
  'alert-notifications': say('Messages'),
  'error-groups': say('Errors'),
  'root-cause-analyses': say('Root cause analyses'),
  'status-pages': say('Status pages, services and incidents'),
  'maintenance-windows': say('Maintenance'),
  'private-locations': say('Locations'),
  variables: say('Variables'),
  snippets: say('Snippets'),
  'client-certificates': say('Client certificates'),
  'code-bundles': say('Code bundles'),
  members: say('Members'),
  invites: say('Invites'),
  'transfer-ownership': say('Ownership'),
  'api-keys': say('API keys'),
  'service-keys': say('Service keys'),
  account: say('Account'),
  profile: say('Passwords and second factors'),
  sessions: say('Sessions'),
  'sign-in': say('Sign-ins'),
}

/** The page of a thing, by the last words before its name. */
const homes: ReadonlyArray<readonly [thing: RegExp, path: string]> = [
  [/the (check|alert of|answer to the alert of)$/, '/app/checks/'],
  [/the group$/, '/app/checks?group='],
  [/the channel$/, '/app/channels/'],
  [/the incident$/, '/app/incidents/'],
  [/the status page$/, '/app/status-pages/'],
  [/the location$/, '/app/locations/'],
  [/the error$/, '/app/errors/'],
  [/^the maintenance window$/, '/app/maintenance/'],
]

/** Null where it has none, or has none any more, or where the entry names a part of it. */
export const pageOf = ({ verb, thing }: Deed, id: string | null): string | null => {
  const home = homes.find(([pattern]) => pattern.test(thing))?.[1]
  const isPart = /^(a key|a subscription|an update|an occurrence) /.test(thing) && verb !== 'posted'
  return id === null || home === undefined || verb === 'deleted' || isPart
    ? null
    : `${home}${encodeURIComponent(id)}`
}

/** Whether a sentence ends with the name of a thing, and is not whole without it. */
export const needsName = ({ thing }: Deed): boolean =>
  / (of|for)$/.test(thing) ||
  homes.some(([pattern]) => pattern.test(thing)) ||
  things.some((each) => each[1] === thing)
