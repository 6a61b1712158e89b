/** The lists of what an account has, in the order of the navigation. Data. */
import { listOwnServiceKeys, listOwnUserKeys } from '../../access/api-keys/routes.ts'
import { listOwnMembers } from '../../access/members/routes.ts'
import { listSnippets } from '../../access/snippets/routes.ts'
import { listVariables } from '../../access/variables/routes.ts'
import { listErrorGroups } from '../../insight/error-groups/routes.ts'
import { saidReason } from '../../insight/result-pages/said-reason.ts'
import { listCheckGroups } from '../../monitoring/definitions/check-groups/routes.ts'
import { listClientCertificates } from '../../monitoring/definitions/client-certificates/routes.ts'
import { listCodeBundles } from '../../monitoring/definitions/code-bundles/routes.ts'
import { listPrivateLocations } from '../../monitoring/locations/routes.ts'
import { readGroupHealth } from '../../monitoring/watches/group-health/routes.ts'
import { html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { cut } from '../../platform/web/html/section.ts'
import { bytes } from '../../platform/web/html/words.ts'
import { checkLinks } from './check-links.ts'
import { healthMark } from './group-health-card.ts'
import { listCard, listing } from './listing.ts'
import { changed, edit, editBy, name, remove, removeBy, yes } from './listing-columns.ts'
import { channels, dashboards, incidents, maintenance, statusPages } from './listings-of-communication.ts'
import { skewMark } from './location-detail.ts'
import { agoOf, type Column, tags } from './parts.ts'
import type { PageRoute, RequestContext } from './request-context.ts'
import { sayWord } from './words.ts'

const groups = listing({
  path: '/app/groups',
  title: 'Groups',
  intro: 'Checks of a group share settings, alert channels and variables.',
  route: listCheckGroups,
  search: { label: 'Name or tag' },
  pages: 'page',
  itemsIn: (answer) => answer,
  columns: async (context, items) => {
    const { app, principal } = context
    const ids = items.flatMap(({ id, groupHealth }) => (groupHealth === null ? [] : [id]))
    const health = await readGroupHealth(app.db, principal.accountId, ids)
    const state = { label: 'State', cell: ({ id }: { id: number }) => healthMark(health.get(id)) }
    return [
      name((id) => `/app/groups/${id}`),
      ...(health.size === 0 ? [] : [state]),
      { label: 'Active', cell: ({ activated, muted }) => [yes(activated), muted && [', ', say('muted')]] },
      { label: 'Tags', cell: (item) => tags(item.tags ?? []) },
      changed(context),
    ]
  },
  creations: [['New group', 'POST /v2/check-groups']],
  actions: [edit('PATCH /v2/check-groups/:id'), remove('DELETE /v1/check-groups/:id')],
})

const errors = listing({
  path: '/app/errors',
  title: 'Errors',
  intro: 'Failures of the same kind, put together; the one seen last is on top.',
  route: listErrorGroups,
  pages: 'page',
  itemsIn: (answer) => answer,
  columns: async (context, items) => {
    const { now } = context
    const linkTo = await checkLinks(context, items)
    return [
      {
        label: 'Error',
        kind: 'main',
        cell: ({ id, cleanedErrorMessage }) =>
          html`<a href="/app/errors/${id}">${saidReason(cleanedErrorMessage, 240)}</a>`,
      },
      { label: 'Check', cell: ({ checkId }) => linkTo(checkId) },
      { label: 'First seen', cell: ({ firstSeen }) => agoOf(firstSeen, now) },
      { label: 'Last seen', cell: ({ lastSeen }) => agoOf(lastSeen, now) },
    ]
  },
})

const locations = listing({
  path: '/app/locations',
  title: 'Locations',
  intro: 'Where agents make the runs. A location gets a key, and agents that have it connect.',
  route: listPrivateLocations,
  search: { label: 'Name or slug' },
  pages: 'none',
  itemsIn: (answer) => answer,
  columns: ({ now }) => [
    name((id) => `/app/locations/${id}`),
    { label: 'Slug', cell: ({ slugName }) => html`<code>${slugName}</code>` },
    {
      label: 'Agents',
      kind: 'num',
      cell: ({ agentCount, scalesToZero }) =>
        agentCount === 0 && !scalesToZero
          ? html`<span class="state failing"><i aria-hidden="true">✕</i>none</span>`
          : agentCount,
    },
    {
      label: 'Oldest version',
      cell: ({ minAgentVersion, versionSkew }) => html`${minAgentVersion ?? '–'}${skewMark(versionSkew)}`,
    },
    { label: 'Last seen', cell: ({ lastSeen }) => agoOf(lastSeen, now) },
  ],
  creations: [['New location', 'POST /v1/private-locations']],
  actions: [edit('PUT /v1/private-locations/:id'), remove('DELETE /v1/private-locations/:id')],
})

const variables = listing({
  path: '/app/variables',
  title: 'Variables',
  intro: 'Values that checks name as {{KEY}}. What is secret is never shown again.',
  route: listVariables,
  pages: 'page',
  itemsIn: (answer) => answer,
  columns: (context) => [
    { label: 'Key', kind: 'main', cell: ({ key }) => html`<code>${key}</code>` },
    {
      label: 'Value',
      cell: ({ value, secret }) =>
        secret
          ? '••••••'
          : value === null || value === ''
            ? html`<span class="quiet">not shown</span>`
            : cut(value, 80),
    },
    { label: 'Locked', cell: ({ locked }) => yes(locked) },
    changed(context),
  ],
  creations: [['New variable', 'POST /v1/variables']],
  actions: [
    editBy('PUT /v1/variables/:key', ({ key }: { key: string }) => ({ key })),
    removeBy('DELETE /v1/variables/:key', ({ key }: { key: string }) => ({ key })),
  ],
})

const snippets = listing({
  path: '/app/snippets',
  title: 'Snippets',
  intro: 'Pieces of script that checks run before or after their own.',
  route: listSnippets,
  pages: 'page',
  itemsIn: (answer) => answer,
  columns: (context) => [
    { label: 'Name', kind: 'main', cell: (item) => item.name },
    { label: 'Begins', cell: ({ script }) => html`<code>${cut(script, 60)}</code>` },
    changed(context),
  ],
  creations: [['New snippet', 'POST /v1/snippets']],
  actions: [edit('PUT /v1/snippets/:id'), remove('DELETE /v1/snippets/:id')],
})

const certificates = listing({
  path: '/app/certificates',
  title: 'Certificates',
  intro: 'Client certificates that runs show to hosts.',
  route: listClientCertificates,
  pages: 'none',
  itemsIn: (answer) => answer,
  columns: ({ now }) => [
    { label: 'Host', kind: 'main', cell: ({ host }) => host },
    { label: 'Stored', cell: ({ created_at }) => agoOf(created_at, now) },
  ],
  creations: [['New certificate', 'POST /v1/client-certificates']],
  actions: [remove('DELETE /v1/client-certificates/:id')],
})

const bundles = listing({
  path: '/app/bundles',
  title: 'Code bundles',
  intro: 'Archives of Playwright suites. They are packed and sent by a program (docs/playwright-suites.md).',
  route: listCodeBundles,
  pages: 'page',
  itemsIn: (answer) => answer,
  columns: ({ now }) => [
    { label: 'Bundle', kind: 'main', cell: ({ sha256 }) => html`<code>${sha256.slice(0, 16)}</code>` },
    { label: 'Size', kind: 'num', cell: ({ size }) => bytes(size) },
    { label: 'Files', kind: 'num', cell: ({ files }) => files },
    { label: 'Sent', cell: ({ created_at }) => agoOf(created_at, now) },
  ],
  actions: [remove('DELETE /v1/code-bundles/:id')],
})

type MemberOrInvite = { type: 'member'; userId: string } | { type: 'invite'; id: string }
const isMember = ({ type }: MemberOrInvite): boolean => type === 'member'
const ofMember = (item: MemberOrInvite): Record<string, string> =>
  item.type === 'member' ? { userId: item.userId } : {}
const ofInvite = (item: MemberOrInvite): Record<string, string> =>
  item.type === 'invite' ? { id: item.id } : {}

const members = listing({
  path: '/app/members',
  title: 'Members',
  intro: 'Who may do what here.',
  route: listOwnMembers,
  pages: ({ nextId }) => nextId,
  itemsIn: ({ members: all }) => all,
  columns: ({ now }) => [
    { label: 'Who', kind: 'main', cell: (item) => (item.type === 'member' && item.name) || item.email },
    { label: 'Address', cell: ({ email }) => email },
    { label: 'Role', cell: ({ role }) => sayWord(role, 'role') },
    { label: 'State', cell: ({ status }) => sayWord(status, 'status') },
    { label: 'Since', cell: ({ createdAt }) => agoOf(createdAt, now) },
  ],
  creations: [
    ['Invite somebody', 'POST /v1/accounts/me/invites'],
    ['Hand over ownership', 'POST /v1/accounts/me/transfer-ownership'],
  ],
  actions: [
    {
      word: 'Change role',
      operation: 'PATCH /v1/accounts/me/members/:userId',
      params: ofMember,
      isOffered: isMember,
    },
    {
      word: 'Remove',
      operation: 'DELETE /v1/accounts/me/members/:userId',
      params: ofMember,
      isOffered: isMember,
    },
    {
      word: 'Send again',
      operation: 'POST /v1/accounts/me/invites/:id/resend',
      params: ofInvite,
      isOffered: (item) => !isMember(item),
    },
    {
      word: 'Withdraw',
      operation: 'DELETE /v1/accounts/me/invites/:id',
      params: ofInvite,
      isOffered: (item) => !isMember(item),
    },
  ],
})

type Key = {
  id: string
  name: string
  maskedKey: string
  createdAt: string
  lastUsedAt: string | null
  role?: string
}

const keyColumns = ({ now }: RequestContext): Column<Key>[] => [
  { label: 'Name', kind: 'main', cell: (item) => item.name },
  { label: 'Key', cell: ({ maskedKey }) => html`<code>${maskedKey}</code>` },
  { label: 'Role', cell: ({ role }) => (role === undefined ? say('as its owner') : sayWord(role, 'role')) },
  { label: 'Made', cell: ({ createdAt }) => agoOf(createdAt, now) },
  { label: 'Used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? say('never') : agoOf(lastUsedAt, now)) },
]

const serviceKeys = listCard({
  title: 'Service keys',
  route: listOwnServiceKeys,
  pages: 'none',
  itemsIn: (answer) => answer,
  columns: keyColumns,
  actions: [remove('DELETE /v1/accounts/me/service-keys/:id')],
})

const keys = listing({
  path: '/app/keys',
  title: 'Keys',
  intro:
    'Keys of the API: your own ones, and those of services, which have a role of their own. A key is shown once.',
  route: listOwnUserKeys,
  pages: 'none',
  itemsIn: (answer) => answer,
  columns: keyColumns,
  creations: [
    ['New key', 'POST /v1/accounts/me/api-keys'],
    ['New service key', 'POST /v1/accounts/me/service-keys'],
  ],
  actions: [remove('DELETE /v1/accounts/me/api-keys/:id')],
  isShown: ({ principal }) => principal.userId !== null,
  also: async (context) => (context.can('ADMIN') ? serviceKeys(context, '/app/keys') : null),
})

export const listings: readonly PageRoute[] = [
  groups,
  errors,
  incidents,
  maintenance,
  statusPages,
  dashboards,
  channels,
  locations,
  variables,
  snippets,
  certificates,
  bundles,
  members,
  keys,
]
