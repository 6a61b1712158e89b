/**
 * What others answer is kept, shown and logged, and some answer with what they were sent: secrets are taken out of it
 * however they are spelled. Pure. On whole texts: of one that was cut before, the start of a secret would stay.
 */
import {
  createSecretFinder,
  type SecretFinder,
  withoutCuts,
} from '../../../../protocol/secrets/find-secrets.ts'
import { shortestSecret } from '../../../../protocol/secrets/secret-forms.ts'

const shortestSegment = 8

export const hideSecrets = (text: string, secrets: readonly string[]): string => createHider(secrets)(text)

/** For many texts and the same secrets: what finds them is made for the first text that is long enough to hold any. */
export const createHider = (secrets: readonly string[]): ((text: string) => string) => {
  let finder: SecretFinder | null = null
  return (text) => {
    if (text.length < shortestSecret || secrets.length === 0) return text
    finder ??= createSecretFinder({ anyCase: valuesOf(secrets) })
    return text.length < finder.shortest ? text : withoutCuts(text, finder.inText(text), '***')
  }
}

const valuesOf = (secrets: readonly string[]): string[] =>
  [...new Set(secrets.flatMap((secret) => [secret, ...partsOf(secret)]))].filter(
    ({ length }) => length >= shortestSecret,
  )

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
