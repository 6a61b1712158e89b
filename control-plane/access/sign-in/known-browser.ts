/**
 * A browser in which somebody signed in before, or opened a private page, keeps a sealed cookie that says so (OWASP's device cookies). It opens nothing:
 * attempts in such a browser are counted by themselves, so that what strangers guess meanwhile keeps nobody out who was here.
 */
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { jsonValue } from '../../platform/web/http/request/json-text.ts'

const lifeMs = 180 * 86_400_000
const context = 'known browser'

const isSecure = ({ config }: App): boolean => config.baseUrl.startsWith('https:')
const nameOf = (app: App, room: string): string => `${isSecure(app) ? '__Host-' : ''}known-${room}`

/** `room`: what it was let into, the sign-in or a page; `subjects`: as whom, under any of the names that are asked for. */
type Known = { room: string; subjects: readonly string[] }
type Sealed = Known & { id: string; until: number }

/** The header that sets it, after a success; each is another browser. */
export const knownBrowserCookie = (app: App & HasCipher, { room, subjects }: Known): string => {
  const value: Sealed = { room, subjects, id: app.newId(), until: app.clock.now() + lifeMs }
  const sealed = app.cipher.encrypt(JSON.stringify(value), context)
  return `${nameOf(app, room)}=${sealed}; Path=/; Max-Age=${lifeMs / 1000}; HttpOnly; SameSite=Lax${isSecure(app) ? '; Secure' : ''}`
}

/** `subject` null: whoever it was. */
type Asked = { room: string; subject: string | null }

/** The browser's id if this subject was let into this room in it; null: a stranger. */
export const knownBrowser = (
  app: App & HasCipher,
  { cookie = '' }: Readonly<Record<string, string | undefined>>,
  { room, subject }: Asked,
): string | null => {
  const name = `${nameOf(app, room)}=`
  const pair = cookie.split(';').find((each) => each.trim().startsWith(name))
  const known = pair === undefined ? null : opened(app, pair.trim().slice(name.length))
  if (known === null || known.room !== room || known.until <= app.clock.now()) return null
  return subject === null || known.subjects.includes(subject) ? known.id : null
}

/** Sealed by us: what can be opened is what was kept. */
const opened = ({ cipher }: HasCipher, sealed: string): Sealed | null => {
  try {
    return jsonValue(cipher.decrypt(sealed, context)) as Sealed | null
  } catch {
    // Not ours, or under a key that is gone: then it is a stranger's browser.
    return null
  }
}
