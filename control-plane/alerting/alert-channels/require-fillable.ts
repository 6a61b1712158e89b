/** Trying the templates of a config before it is saved. It takes time and a thread, so no transaction is open meanwhile. */

import type { Violation } from '../../../protocol/validate.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { ApiError, invalid } from '../../platform/words/errors.ts'
import type { ChannelConfig, ChannelTypeName } from '../channels/channel-type.ts'
import { textFiller } from '../templates/fill-texts.ts'
import { QueueFullError } from '../templates/thread-pool.ts'
import { variablesInClear } from './channel-variables.ts'
import { templateViolations } from './template-violations.ts'

type Candidate = {
  accountId: string
  type: ChannelTypeName
  config: ChannelConfig
  /** What is wrong with it already. */
  violations: readonly Violation[]
}

/** Of an account, beside the one that is being tried. */
const maxWaiting = 50

/** @throws ApiError 400 that also says which templates cannot be filled in, 429 */
export const requireFillable = async (
  app: App & HasCipher & HasRandomBytes,
  candidate: Candidate,
): Promise<void> => {
  const violations = [...candidate.violations, ...(await violationsOf(app, candidate))]
  if (violations.length > 0) throw invalid(violations)
}

const violationsOf = async (
  app: App & HasCipher & HasRandomBytes,
  { accountId, type, config }: Candidate,
): Promise<Violation[]> => {
  if (!JSON.stringify(config).includes('{{')) return []
  const known = await variablesInClear(app.db, app.cipher, accountId)
  const variables = new Map(known.map(({ key, value }) => [key, value]))
  // Not in the turn of the account's notifications: an alert does not wait for what somebody saves.
  const fillTexts = textFiller(app, { key: `${accountId} saves`, maxWaiting })
  const trial = { accountId, variables, now: app.clock.now(), fillTexts }
  try {
    return await templateViolations({ type, config }, trial)
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error
    throw new ApiError(429, 'Too many templates of this account are being tried at once', {
      headers: { 'retry-after': '1' },
    })
  }
}
