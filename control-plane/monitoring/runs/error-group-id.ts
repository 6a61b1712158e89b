import { hash } from 'node:crypto'
import { cleanErrorMessage } from './clean-error-message.ts'

/** What two failures have in common that are the same: SHA-256 of the cleaned message, in hex. */
export const errorHash = (cleanedMessage: string): string => hash('sha256', cleanedMessage, 'hex')

/**
 * A UUID that follows from what it names (version 8, RFC 9562 section 5.8): whoever sees a failure first makes the same
 * group, without asking.
 */
export const namedUuid = (...names: string[]): string => {
  const hex = hash('sha256', names.join('\n'), 'hex')
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** What fails in tests of a check is grouped apart from what fails in its own runs. */
export const groupId = (checkId: string, cleanedHash: string, isTest = false): string =>
  namedUuid(isTest ? 'test-error-group' : 'error-group', checkId, cleanedHash)

/** The error group that a failure of a check belongs to, whether it exists already or not. */
export const errorGroupIdOf = (checkId: string, message: string, isTest = false): string =>
  groupId(checkId, errorHash(cleanErrorMessage(message)), isTest)
