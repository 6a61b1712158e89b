/**
 * Every place of the store that holds sealed values (cipher.ts), so that a rotation of the encryption key finds all of
 * them: whoever seals something new adds a line here.
 */

import { contextOf as totpContext } from '../access/credentials/second-factor.ts'
import { contextOfSession, contextOf as variableContext } from '../access/variables/sealed-value.ts'
import { contextOf as channelContext } from '../alerting/alert-channels/channel-row.ts'
import { contextOf as subscriptionContext } from '../communication/status-page-subscriptions/subscription-link.ts'
import { checkContext, groupContext } from '../monitoring/definitions/checks/sealed-settings.ts'
import { contextOf as certificateContext } from '../monitoring/definitions/client-certificates/client-certificate.ts'
import { contextOf as triggerContext } from '../monitoring/definitions/triggers/trigger-token.ts'
import { contextOf as proxyContext } from '../monitoring/locations/proxy-url.ts'
import { contextOf as mailContext } from '../platform/services/mail/mail-content.ts'
import { contextOfCanary } from '../platform/services/secrets/key-canary.ts'
import type { ColumnAddress } from '../platform/store/database/sealed-columns.ts'

export type EncryptedColumn = ColumnAddress & {
  /** What the value was sealed with, from the values of the row's key. */
  context: (key: Record<string, string | number>) => string
  /**
   * For a column of JSON: the dotted paths of the sealed texts in it, `*` for every item of an array or object. Without
   * them the whole column is one sealed value.
   */
  paths?: readonly string[]
  /** For people: what is lost where nobody can open the value any more. */
  holds: string
  /**
   * What remains then: the row with an empty secret, without it, or with what its `doc` shows of it; or no row at all. A row that would
   * do something else without its secret goes.
   */
  without: 'empty' | 'nothing' | 'shown' | 'no row'
}

/** What sealed-settings.ts seals in an API request, or in the defaults of one. */
const requestPaths = (part: string): string[] => [
  `${part}.headers.*.sealed`,
  `${part}.queryParameters.*.sealed`,
  `${part}.basicAuth.sealed`,
  `${part}.grpcConfig.metadata.*.sealed`,
]

export const canaryColumn: EncryptedColumn = {
  table: 'key_canaries',
  holds: 'the sign of the key',
  without: 'no row',
  key: ['id'],
  column: 'sealed',
  context: () => contextOfCanary,
}

export const encryptedColumns: readonly EncryptedColumn[] = [
  {
    table: 'variables',
    holds: 'values of variables',
    without: 'empty',
    key: ['account_id', 'key'],
    column: 'value',
    context: ({ account_id, key }) => variableContext({ account_id: String(account_id), key: String(key) }),
  },
  {
    table: 'user_totp',
    holds: 'second factors of people',
    without: 'no row',
    key: ['user_id'],
    column: 'sealed_secret',
    context: ({ user_id }) => totpContext(String(user_id)),
  },
  {
    table: 'client_certificates',
    holds: 'client certificates',
    without: 'no row',
    key: ['id'],
    column: 'sealed_key',
    context: ({ id }) => certificateContext(String(id)),
  },
  {
    table: 'private_locations',
    holds: 'proxies of locations',
    without: 'nothing',
    key: ['id'],
    column: 'doc',
    paths: ['sealedProxyUrl'],
    context: ({ id }) => proxyContext(String(id)),
  },
  {
    table: 'alert_channels',
    holds: 'addresses and keys of alert channels',
    without: 'shown',
    key: ['id'],
    column: 'sealed_config',
    context: ({ id }) => channelContext(Number(id)),
  },
  {
    table: 'checks',
    holds: 'secrets in checks',
    without: 'empty',
    key: ['id'],
    column: 'doc',
    paths: ['environmentVariables.*.sealed', ...requestPaths('request')],
    context: ({ id }) => checkContext(String(id)),
  },
  {
    table: 'tested_checks',
    holds: 'secrets in tested checks',
    without: 'empty',
    key: ['id'],
    column: 'doc',
    paths: ['environmentVariables.*.sealed', ...requestPaths('request')],
    context: ({ id }) => checkContext(String(id)),
  },
  {
    table: 'check_sessions',
    holds: 'variables of check sessions',
    without: 'nothing',
    key: ['id'],
    column: 'variables',
    context: ({ id }) => contextOfSession(String(id)),
  },
  {
    table: 'check_triggers',
    holds: 'addresses of triggers',
    without: 'no row',
    key: ['kind', 'target'],
    column: 'sealed_token',
    context: ({ kind, target }) => triggerContext(String(kind), String(target)),
  },
  {
    table: 'check_groups',
    holds: 'secrets in check groups',
    without: 'empty',
    key: ['id'],
    column: 'doc',
    paths: ['environmentVariables.*.sealed', ...requestPaths('apiCheckDefaults')],
    context: ({ id }) => groupContext(id ?? ''),
  },
  {
    table: 'mail_contents',
    holds: 'mails that were not sent',
    without: 'no row',
    key: ['id'],
    column: 'sealed_content',
    context: ({ id }) => mailContext(String(id)),
  },
  {
    table: 'status_page_subscriptions',
    holds: 'links in mails of subscribers',
    without: 'nothing',
    key: ['id'],
    column: 'sealed_token',
    context: ({ id }) => subscriptionContext(String(id)),
  },
  canaryColumn,
]
