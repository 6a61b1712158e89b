/** The kinds of checks to make, the settings of the account, and what its data take. */

import { readOwnAccount } from '../../access/accounts/routes.ts'
import { checkKinds } from '../../monitoring/definitions/checks/types/index.ts'
import { spaceOf } from '../../platform/store/database/space.ts'
import { html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { factList } from '../../platform/web/html/section.ts'
import { bytes } from '../../platform/web/html/words.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { answerView } from './answer-view.ts'
import { slugOf } from './check-page.ts'
import { sayLabel } from './forms/words.ts'
import { dashboardPage } from './frame.ts'
import { actionLink } from './operations.ts'
import { card, linkButton } from './parts.ts'
import type { RequestContext } from './request-context.ts'

export const newCheckPage = async (context: RequestContext): Promise<Reply<string>> =>
  dashboardPage(context, {
    title: say('New check'),
    section: '/app/checks',
    trail: [['/app/checks', say('Checks')]],
    content: card(
      'What should it look at?',
      html`<ul class="tiles">${Object.values(checkKinds)
        .filter(({ type }) => context.client.has(`POST /v1/checks/${slugOf(type)}`))
        .map(
          ({ type, label, purpose }) =>
            html`<li><a href="${actionLink(`POST /v1/checks/${slugOf(type)}`, {}, { back: '/app/checks' })}">${say(label)}<span>${say(purpose)}</span></a></li>`,
        )}</ul>`,
    ),
  })

export const accountPage = async (context: RequestContext): Promise<Reply<string>> => {
  const { body: account } = await context.call(readOwnAccount, { params: {} })
  const { name, runtimeId, settings, alertSettings, id } = account
  return dashboardPage(context, {
    title: say('Settings'),
    section: '/app/account',
    actions: context.can('ADMIN')
      ? linkButton(actionLink('PATCH /v1/accounts/me', {}, { back: '/app/account' }), 'Edit', 'main')
      : null,
    content: card('', answerView({ name, id, runtimeId, settings, alertSettings })),
  })
}

const dayMs = 86_400_000

export const dataPage = async (context: RequestContext): Promise<Reply<string>> => {
  const { db, config } = context.app
  const { usedBytes, freeBytes } = await spaceOf(db, [])
  return dashboardPage(context, {
    title: say('Data'),
    section: '/app/data',
    content: [
      card(
        'Size of the store',
        factList([
          ['Engine', db.engine.name === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
          ['Used', bytes(usedBytes)],
          // Nothing of it is missing when it is none: the store grows.
          ['Left by removed rows', freeBytes === 0 ? null : bytes(freeBytes)],
          [
            'At most',
            config.storeMaxBytes === null
              ? say('not limited ({0})', 'STORE_MAX_GB')
              : bytes(config.storeMaxBytes),
          ],
        ]),
      ),
      card(
        'How long things are kept',
        factList(
          Object.entries(config.retention).map(([name, ms]) => [
            sayLabel(name),
            count(Math.round(ms / dayMs), { one: '# day', other: '# days' }),
          ]),
        ),
      ),
      card(
        'To take with you',
        html`<p>Checks: <a href="/app/checks/export/csv">CSV</a> · <a href="/app/checks/export/json">JSON</a> · <a href="/app/checks/export/yaml">YAML</a> (JSON and YAML make the same checks elsewhere). Uptime and response times: <a href="/app/reports/export/csv">CSV</a>. The runs of a check are a CSV on its page.</p>`,
      ),
      card(
        'Backup',
        html`<p>On the machine of the control plane, while it runs:</p><pre tabindex="0" role="region" aria-label="Command">npx watchpost backup watchpost-backup</pre><p class="quiet">docs/retention.md and docs/deploy say more: what is in it, and how it is brought back.</p>`,
      ),
    ],
  })
}
