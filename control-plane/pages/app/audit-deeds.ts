/** What an entry of the audit log says somebody did, in words: `muted`, `the check`. Pure. */
import type { AuditEntry } from '../../access/audit-log/list-entries.ts'
import type { Localized } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'

/** `sentence`: who, what and its name are put into it. `thing`: what is said before its name; empty where the sentence says it all. */
type Deed = { sentence: string; thing: string }

/** What was done to that which has this path, the most particular first; the version and the account are left out. */
const deeds: ReadonlyArray<readonly [operation: RegExp, sentence: string, thing: string]> = [
  [/^POST \/check-sessions\/trigger$/, '{0} ran {1} {2}', ''],
  [/^POST \/check-tries$/, '{0} tried {1} {2}', 'a check before it was saved'],
  [/^POST \/check-sessions\/:\w+\/cancel$/, '{0} cancelled {1} {2}', 'a session'],
  [/^POST \/test-sessions\/(trigger|run)$/, '{0} ran {1} {2}', 'a test'],
  [/^POST \/test-sessions\/:\w+\/cancel$/, '{0} cancelled {1} {2}', 'a test'],
  [/^POST \/triggers\/checks\//, '{0} made {1} {2}', 'the trigger of the check'],
  [/^DELETE \/triggers\/checks\//, '{0} took away {1} {2}', 'the trigger of the check'],
  [/^POST \/triggers\/check-groups\//, '{0} made {1} {2}', 'the trigger of the group'],
  [/^DELETE \/triggers\/check-groups\//, '{0} took away {1} {2}', 'the trigger of the group'],
  [/^POST \/projects\/deploy$/, '{0} deployed {1} {2}', 'the project'],
  [/^POST \/projects\/:\w+\/deployments\/:\w+\/cancel$/, '{0} cancelled {1} {2}', 'a deployment'],
  [/^POST \/projects\/:\w+\/imports$/, '{0} planned {1} {2}', 'an import into the project'],
  [/^POST \/projects\/imports\/:\w+\/apply$/, '{0} applied {1} {2}', 'an import into a project'],
  [/^POST \/projects\/imports\/:\w+\/commit$/, '{0} committed {1} {2}', 'an import into a project'],
  [/^DELETE \/projects\/imports\//, '{0} cancelled {1} {2}', 'an import into a project'],
  [/^POST \/code\/:\w+\/comparisons$/, '{0} compared {1} {2}', 'files with the project'],
  [/^POST \/code\/:\w+\/changes$/, '{0} applied {1} {2}', 'files of the project'],
  [/^POST \/checkly-storage\/download$/, '{0} downloaded {1} {2}', 'the code bundle'],
  [/^POST \/checkly-storage\/upload$/, '{0} sent {1} {2}', 'pictures to compare with'],
  [/^POST \/incidents\/:\w+\/updates$/, '{0} posted {1} {2}', 'an update about an incident of a dashboard'],
  [
    /^PUT \/incidents\/:\w+\/updates\//,
    '{0} corrected {1} {2}',
    'an update about an incident of a dashboard',
  ],
  [
    /^DELETE \/incidents\/:\w+\/updates\//,
    '{0} took back {1} {2}',
    'an update about an incident of a dashboard',
  ],
  [/^POST \/check-alerts\/:\w+\/acknowledge$/, '{0} acknowledged {1} {2}', 'the alert of'],
  [/^POST \/check-alerts\/:\w+\/snooze$/, '{0} snoozed {1} {2}', 'the alert of'],
  [/^DELETE \/check-alerts\/:\w+\/response$/, '{0} took back {1} {2}', 'the answer to the alert of'],
  [/^POST \/alert-notifications\/:\w+\/resend$/, '{0} sent {1} {2}', 'a message again'],
  [/^POST \/alert-channels\/:\w+\/test$/, '{0} sent {1} {2}', 'a test through the channel'],
  [
    /^(PUT|POST) \/alert-channels\/:\w+\/subscriptions$/,
    '{0} changed {1} {2}',
    'what subscribes to the channel',
  ],
  [/^POST \/root-cause-analyses\//, '{0} asked for {1} {2}', 'the cause of the error'],
  [/^POST \/transfer-ownership$/, '{0} handed over {1} {2}', 'the ownership of the account'],
  [/^POST \/invites\/join$/, '{0} accepted {1} {2}', 'an invite'],
  [/^POST \/invites\/:\w+\/resend$/, '{0} sent {1} {2}', 'an invite again'],
  [/^POST \/invites$/, '{0} invited {1} {2}', ''],
  [/^DELETE \/invites\//, '{0} withdrew {1} {2}', 'the invite of'],
  [/^PATCH \/members\//, '{0} changed {1} {2}', 'the role of'],
  [/^DELETE \/members\//, '{0} removed {1} {2}', 'the member'],
  [
    /^POST \/status-pages\/:\w+\/publication\/domain-checks$/,
    '{0} looked for {1} {2}',
    'the domain of the status page',
  ],
  [/^PUT \/status-pages\/:\w+\/publication$/, '{0} changed {1} {2}', 'how visitors reach the status page'],
  [
    /^POST \/status-pages\/:\w+\/subscriptions\/bulk$/,
    '{0} subscribed {1} {2}',
    'addresses to the status page',
  ],
  [/^DELETE \/status-pages\/:\w+\/subscriptions\//, '{0} ended {1} {2}', 'a subscription of the status page'],
  [/^POST .*\/incident-updates$/, '{0} posted {1} {2}', 'an update about the incident'],
  [/^POST .*\/maintenances\/:\w+\/updates$/, '{0} posted {1} {2}', 'an update about the maintenance window'],
  [/^PUT .*incident-updates\/:\w+$/, '{0} corrected {1} {2}', 'an update about the incident'],
  [/^DELETE .*incident-updates\/:\w+$/, '{0} took back {1} {2}', 'an update about the incident'],
  [/^PUT .*updates\/:\w+$/, '{0} corrected {1} {2}', 'an update about the maintenance window'],
  [/^DELETE .*updates\/:\w+$/, '{0} took back {1} {2}', 'an update about the maintenance window'],
  [/^PATCH .*\/maintenances\//, '{0} moved {1} {2}', 'an occurrence of the maintenance window'],
  [/^DELETE .*\/maintenances\//, '{0} left out {1} {2}', 'an occurrence of the maintenance window'],
  [/^POST \/private-locations\/:\w+\/keys$/, '{0} made {1} {2}', 'a key of the location'],
  [/^DELETE \/private-locations\/:\w+\/keys\//, '{0} took away {1} {2}', 'a key of the location'],
  [/^POST \/app\/profile\/language$/, '{0} chose {1} {2}', 'the language of their pages'],
  [/^POST \/app\/profile\/password$/, '{0} changed {1} {2}', 'their password'],
  [/^POST \/app\/profile\/totp$/, '{0} began to set up {1} {2}', 'an authenticator app'],
  [/^POST \/app\/profile\/totp\/confirm$/, '{0} turned on {1} {2}', 'the authenticator app'],
  [/^POST \/app\/profile\/totp\/remove$/, '{0} turned off {1} {2}', 'the authenticator app'],
  [/^POST \/app\/profile\/passkeys$/, '{0} added {1} {2}', 'a passkey'],
  [/^POST \/app\/profile\/passkeys\/remove$/, '{0} removed {1} {2}', 'a passkey'],
  [/^POST \/app\/sessions\/:\w+\/end$/, '{0} ended {1} {2}', 'one of their sessions'],
  [/^POST \/app\/sessions\/end-others$/, '{0} ended {1} {2}', 'their other sessions'],
  [/^POST \/app\/checks\/bulk$/, '{0} changed {1} {2}', 'several checks'],
  [/^POST \/app\/services\/:\w+\/checks$/, '{0} changed {1} {2}', 'what the service follows'],
  [/^PATCH $/, '{0} changed {1} {2}', 'the settings of the account'],
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
  [/^\/test-session-error-groups/, 'the error of a test'],
  [/^\/projects/, 'the project'],
  [/^\/checkly-storage/, 'the code bundle'],
  [/^\/dashboards/, 'the dashboard'],
  [/^\/incidents/, 'the incident of a dashboard'],
]

const verbs: { readonly [method: string]: string } = {
  POST: '{0} created {1} {2}',
  PUT: '{0} changed {1} {2}',
  PATCH: '{0} changed {1} {2}',
  DELETE: '{0} deleted {1} {2}',
}

/** One switch alone has a verb of its own. */
const switches: { readonly [field: string]: readonly [on: string, off: string] } = {
  muted: ['{0} muted {1} {2}', '{0} unmuted {1} {2}'],
  activated: ['{0} resumed {1} {2}', '{0} paused {1} {2}'],
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
  passkey: 'with a passkey',
}

export const deedOf = (entry: Pick<AuditEntry, 'action' | 'resourceId' | 'before' | 'after'>): Deed => {
  const { action, resourceId } = entry
  if (action === 'SIGNED_IN')
    return { sentence: '{0} signed in {1} {2}', thing: signIns[resourceId ?? ''] ?? 'with a password' }
  const operation = action.replace(/^(\w+) (?:\/(?:v\d+|next)(?=\/))?(?:\/accounts\/(?:me|:\w+))?/, '$1 ')
  const own = deeds.find(([pattern]) => pattern.test(operation))
  if (own !== undefined) return { sentence: own[1], thing: own[2] }
  const [method = '', path = ''] = operation.split(' ')
  return {
    sentence: switched(entry) ?? verbs[method] ?? '{0} changed {1} {2}',
    thing: things.find(([pattern]) => pattern.test(path))?.[1] ?? 'something',
  }
}

/** The kinds of things that entries are about, by what the API calls them. */
export const kindsOfThings: { readonly [resourceType: string]: Localized } = {
  checks: say('Checks'),
  'check-groups': say('Groups'),
  'check-sessions': say('Runs by hand'),
  'check-tries': say('Tries of checks'),
  'test-sessions': say('Tests'),
  triggers: say('Triggers'),
  'check-alerts': say('Answers to alerts'),
  'alert-channels': say('Channels'),
  'alert-notifications': say('Messages'),
  'error-groups': say('Errors'),
  'test-session-error-groups': say('Errors of tests'),
  'root-cause-analyses': say('Root cause analyses'),
  'status-pages': say('Status pages, services and incidents'),
  dashboards: say('Dashboards'),
  incidents: say('Incidents of dashboards'),
  services: say('Services'),
  'maintenance-windows': say('Maintenance'),
  'private-locations': say('Locations'),
  variables: say('Variables'),
  snippets: say('Snippets'),
  'client-certificates': say('Client certificates'),
  'code-bundles': say('Code bundles'),
  'checkly-storage': say('Uploads of command lines'),
  projects: say('Projects'),
  code: say('Checks as code'),
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
export const pageOf = ({ sentence, thing }: Deed, id: string | null): string | null => {
  const home = homes.find(([pattern]) => pattern.test(thing))?.[1]
  const isPart =
    /^(a key|a subscription|an update|an occurrence) /.test(thing) && sentence !== '{0} posted {1} {2}'
  return id === null || home === undefined || sentence === '{0} deleted {1} {2}' || isPart
    ? null
    : `${home}${encodeURIComponent(id)}`
}

/** Whether a sentence ends with the name of a thing, and is not whole without it. */
export const needsName = ({ thing }: Deed): boolean =>
  / (of|for)$/.test(thing) ||
  homes.some(([pattern]) => pattern.test(thing)) ||
  things.some((each) => each[1] === thing)
