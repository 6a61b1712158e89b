/** An e-mail and a password. Whether the e-mail is known shows neither in the answer nor in the time that it takes. */
import type { App } from '../../platform/app/app.ts'
import { findPassword } from '../credentials/queries.ts'
import { findUserByEmail } from '../members/queries.ts'
import type { Asker } from './hash-queue.ts'
import { isPassword } from './password-hash.ts'
import { admitAttempt } from './sign-in-limit.ts'

type Credentials = Asker & { email: string; password: string }

/** The user's id; null: one of the two is wrong. @throws ApiError 429 or 503 */
export const userOfPassword = async (
  app: App,
  { email, ...attempt }: Credentials,
): Promise<string | null> => {
  admitAttempt(app, { ...attempt, account: email })
  const user = await app.db.get(findUserByEmail, { email: email.trim().toLowerCase() })
  // Read for an unknown user, too: both take two reads and one hash.
  const stored = await app.db.get(findPassword, { userId: user?.id ?? '' })
  const isRight = await isPassword(app, attempt, stored?.hash ?? null)
  return isRight && user !== undefined ? user.id : null
}
