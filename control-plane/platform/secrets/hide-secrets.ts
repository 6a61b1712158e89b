/**
 * What others answer is kept, shown and logged, and some answer with what they were sent: secrets are taken out of it in
 * every form they may come back in. Pure. On whole texts: of one that was cut before, the start of a secret would stay.
 */
import { secretForms, shortestSecret } from '../../../protocol/secret-forms.ts'

const shortestSegment = 8

export const hideSecrets = (text: string, secrets: readonly string[]): string => createHider(secrets)(text)

/** For many texts and the same secrets: their forms are made when the first text is long enough to hold any. */
export const createHider = (secrets: readonly string[]): ((text: string) => string) => {
  let known: string[] | null = null
  const longEnough = (text: string) => secrets.some((secret) => text.length >= shortestFormOf(secret))
  return (text) => {
    if (known === null && !longEnough(text)) return text
    known ??= formsOfAll(secrets)
    let hidden = text
    for (const form of known) hidden = hidden.replaceAll(form, '***')
    return hidden
  }
}

/** Longest first: a form may be part of another. */
const formsOfAll = (secrets: readonly string[]): string[] => {
  const forms = new Set(secrets.flatMap(formsOf).filter((form) => form.length >= shortestSecret))
  return [...forms].sort((a, b) => b.length - a.length)
}

/** Base64 in the middle of other bytes leaves two characters out; of an address, a part may come back. */
const shortestFormOf = (secret: string): number =>
  secret.includes('://') ? shortestSecret : Math.max(shortestSecret, Math.min(secret.length, shortestSegment))

const formsOf = (secret: string): string[] => [secret, ...partsOf(secret)].flatMap(secretForms)

/** A receiver shows the path of a secret address without its origin, and its password as it was sent. */
const partsOf = (secret: string): string[] => {
  const url = /^[a-z]+:\/\//i.test(secret) ? URL.parse(secret) : null
  if (url === null) return []
  const password = decoded(url.password)
  const words = [
    url.password,
    password,
    ...(password === '' ? [] : [`${decoded(url.username)}:${password}`]),
    ...url.pathname.split('/'),
    ...url.searchParams.values(),
  ].filter((part) => part.length >= shortestSegment)
  return [...behindHost(secret, url), ...words]
}

/** As it was written, as it was sent, and as it is read; of any length, since it is the secret as a whole. */
const behindHost = (secret: string, { pathname, search }: URL): string[] => {
  const [, written = ''] = /^[a-z]+:\/\/[^/?#\\]*(.*)$/is.exec(secret) ?? []
  const sent = `${pathname}${search}`
  const parts = [written, sent, pathname, ...search.slice(1).split('&')]
  return parts.flatMap((part) => [part, decoded(part)])
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
