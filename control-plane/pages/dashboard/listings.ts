/** The lists of what an account has, in the order of the navigation. Data. */
import { html } from '../../platform/web/html/html.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { bytes } from '../../platform/web/html/words.ts'
import { optionLabel } from './forms/words.ts'
import { type Item, type Listing, listCard } from './listing.ts'
import { byId, changed, edit, name, remove, yes } from './listing-columns.ts'
import { channels, incidents, maintenance, statusPages } from './listings-of-communication.ts'
import { agoOf, type Column, tags } from './parts.ts'
import type { Visit } from './visit.ts'

const groups: Listing = {
  path: '/app/groups',
  title: 'Groups',
  intro: 'Checks of a group share settings, alert channels and variables.',
  operation: 'GET /v1/check-groups',
  pages: 'page',
  columns: (visit) => [
    name(({ id }) => `/app/checks?group=${id}`),
    { label: 'Active', cell: ({ activated, muted }) => `${yes(activated)}${muted ? ', muted' : ''}` },
    { label: 'Tags', cell: (item) => tags(item.tags ?? []) },
    changed(visit),
  ],
  creations: [['New group', 'POST /v2/check-groups']],
  actions: [edit('PUT /v2/check-groups/:id'), remove('DELETE /v1/check-groups/:id')],
}

const errors: Listing = {
  path: '/app/errors',
  title: 'Errors',
  intro: 'Failures of the same kind, put together; the one seen last is on top.',
  operation: 'GET /v1/error-groups',
  pages: 'page',
  columns: ({ now }) => [
    {
      label: 'Error',
      kind: 'main',
      cell: ({ id, cleanedErrorMessage }) =>
        html`<a href="/app/errors/${id}">${cut(withoutCredentials(cleanedErrorMessage), 240)}</a>`,
    },
    { label: 'Check', cell: ({ checkId }) => html`<a href="/app/checks/${checkId}">its check</a>` },
    { label: 'First seen', cell: ({ firstSeen }) => agoOf(firstSeen, now) },
    { label: 'Last seen', cell: ({ lastSeen }) => agoOf(lastSeen, now) },
  ],
}

const locations: Listing = {
  path: '/app/locations',
  title: 'Locations',
  intro: 'Where agents make the runs. A location gets a key, and agents that have it connect.',
  operation: 'GET /v1/private-locations',
  pages: 'none',
  columns: ({ now }) => [
    name(({ id }) => `/app/locations/${id}`),
    { label: 'Slug', cell: ({ slugName }) => html`<code>${slugName}</code>` },
    {
      label: 'Agents',
      kind: 'num',
      cell: ({ agentCount }) =>
        agentCount === 0
          ? html`<span class="state failing"><i aria-hidden="true">✕</i>none</span>`
          : agentCount,
    },
    { label: 'Oldest version', cell: ({ minAgentVersion }) => minAgentVersion ?? '–' },
    { label: 'Last seen', cell: ({ lastSeen }) => agoOf(lastSeen, now) },
  ],
  creations: [['New location', 'POST /v1/private-locations']],
  actions: [edit('PUT /v1/private-locations/:id'), remove('DELETE /v1/private-locations/:id')],
}

const variables: Listing = {
  path: '/app/variables',
  title: 'Variables',
  intro: 'Values that checks name as {{KEY}}. What is secret is never shown again.',
  operation: 'GET /v1/variables',
  pages: 'page',
  columns: (visit) => [
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
    changed(visit),
  ],
  creations: [['New variable', 'POST /v1/variables']],
  actions: [
    edit('PUT /v1/variables/:key', ({ key }) => ({ key })),
    remove('DELETE /v1/variables/:key', ({ key }) => ({ key })),
  ],
}

const snippets: Listing = {
  path: '/app/snippets',
  title: 'Snippets',
  intro: 'Pieces of script that checks run before or after their own.',
  operation: 'GET /v1/snippets',
  pages: 'page',
  columns: (visit) => [
    { label: 'Name', kind: 'main', cell: (item) => item.name },
    { label: 'Begins', cell: ({ script }) => html`<code>${cut(script, 60)}</code>` },
    changed(visit),
  ],
  creations: [['New snippet', 'POST /v1/snippets']],
  actions: [edit('PUT /v1/snippets/:id'), remove('DELETE /v1/snippets/:id')],
}

const certificates: Listing = {
  path: '/app/certificates',
  title: 'Certificates',
  intro: 'Client certificates that runs show to hosts.',
  operation: 'GET /v1/client-certificates',
  pages: 'none',
  columns: ({ now }) => [
    { label: 'Host', kind: 'main', cell: ({ host }) => host },
    { label: 'Stored', cell: ({ created_at }) => agoOf(created_at, now) },
  ],
  creations: [['New certificate', 'POST /v1/client-certificates']],
  actions: [remove('DELETE /v1/client-certificates/:id')],
}

const bundles: Listing = {
  path: '/app/bundles',
  title: 'Code bundles',
  intro: 'Archives of Playwright suites. They are packed and sent by a program (docs/playwright-suites.md).',
  operation: 'GET /v1/code-bundles',
  pages: 'page',
  columns: ({ now }) => [
    { label: 'Bundle', kind: 'main', cell: ({ sha256 }) => html`<code>${sha256.slice(0, 16)}</code>` },
    { label: 'Size', kind: 'num', cell: ({ size }) => bytes(size) },
    { label: 'Files', kind: 'num', cell: ({ files }) => files },
    { label: 'Sent', cell: ({ created_at }) => agoOf(created_at, now) },
  ],
  actions: [remove('DELETE /v1/code-bundles/:id')],
}

const members: Listing = {
  path: '/app/members',
  title: 'Members',
  intro: 'Who may do what here.',
  operation: 'GET /v1/accounts/me/members',
  pages: 'nextId',
  itemsIn: (body) => body.members,
  columns: ({ now }) => [
    { label: 'Who', kind: 'main', cell: (item) => item.name ?? item.email ?? item.userEmail ?? '' },
    { label: 'Address', cell: (item) => item.email ?? item.userEmail ?? '' },
    { label: 'Role', cell: (item) => optionLabel('', item.role ?? '') },
    { label: 'State', cell: (item) => String(item.status ?? item.type ?? '').toLowerCase() },
    { label: 'Since', cell: (item) => agoOf(item.createdAt ?? item.created_at, now) },
  ],
  creations: [
    ['Invite somebody', 'POST /v1/accounts/me/invites'],
    ['Hand over ownership', 'POST /v1/accounts/me/transfer-ownership'],
  ],
  actions: [
    {
      word: 'Change role',
      operation: 'PATCH /v1/accounts/me/members/:userId',
      params: ({ id, userId }) => ({ userId: userId ?? id }),
      isOffered: isMember,
    },
    {
      word: 'Remove',
      operation: 'DELETE /v1/accounts/me/members/:userId',
      params: ({ id, userId }) => ({ userId: userId ?? id }),
      isOffered: isMember,
    },
    {
      word: 'Send again',
      operation: 'POST /v1/accounts/me/invites/:id/resend',
      params: byId,
      isOffered: (item) => !isMember(item),
    },
    {
      word: 'Withdraw',
      operation: 'DELETE /v1/accounts/me/invites/:id',
      params: byId,
      isOffered: (item) => !isMember(item),
    },
  ],
}

function isMember({ type }: Item): boolean {
  return type !== 'INVITE'
}

const keyColumns = ({ now }: Visit): Column<Item>[] => [
  { label: 'Name', kind: 'main', cell: (item) => item.name },
  { label: 'Key', cell: ({ maskedKey }) => html`<code>${maskedKey}</code>` },
  { label: 'Role', cell: ({ role }) => (role === undefined ? 'as its owner' : optionLabel('', role)) },
  { label: 'Made', cell: ({ createdAt }) => agoOf(createdAt, now) },
  { label: 'Used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : agoOf(lastUsedAt, now)) },
]

const serviceKeys: Omit<Listing, 'intro'> = {
  path: '/app/keys',
  title: 'Service keys',
  operation: 'GET /v1/accounts/me/service-keys',
  pages: 'none',
  columns: keyColumns,
  actions: [remove('DELETE /v1/accounts/me/service-keys/:id')],
}

const keys: Listing = {
  path: '/app/keys',
  title: 'Keys',
  intro:
    'Keys of the API: your own ones, and those of services, which have a role of their own. A key is shown once.',
  operation: 'GET /v1/accounts/me/api-keys',
  pages: 'none',
  columns: keyColumns,
  creations: [
    ['New key', 'POST /v1/accounts/me/api-keys'],
    ['New service key', 'POST /v1/accounts/me/service-keys'],
  ],
  actions: [remove('DELETE /v1/accounts/me/api-keys/:id')],
  isShown: ({ principal }) => principal.userId !== null,
  also: async (visit) => (visit.can('ADMIN') ? listCard(visit, serviceKeys, 'Service keys') : null),
}

export const listings: readonly Listing[] = [
  groups,
  errors,
  incidents,
  maintenance,
  statusPages,
  channels,
  locations,
  variables,
  snippets,
  certificates,
  bundles,
  members,
  keys,
]
