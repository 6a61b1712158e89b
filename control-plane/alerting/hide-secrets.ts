/**
 * What receivers answer is kept and shown, and some answer with what they were sent: secrets are taken out of it in
 * every form they may come back in. Pure.
 */

/** Shorter ones would take ordinary words out. */
const shortest = 4
const shortestSegment = 8

export const hideSecrets = (text: string, secrets: Iterable<string>): string => {
  const forms = new Set<string>()
  for (const secret of secrets)
    for (const form of formsOf(secret)) if (form.length >= shortest) forms.add(form)
  let hidden = text
  // Longest first: a form may be part of another.
  for (const form of [...forms].sort((a, b) => b.length - a.length)) hidden = hidden.replaceAll(form, '***')
  return hidden
}

const formsOf = (secret: string): string[] =>
  [secret, ...partsOf(secret)].flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part.toWellFormed()),
    part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    Buffer.from(part).toString('base64'),
    Buffer.from(part).toString('base64url'),
    Buffer.from(part).toString('hex'),
  ])

/** A receiver shows the path of a secret address without its origin. */
const partsOf = (secret: string): string[] => {
  const url = /^https?:\/\//i.test(secret) ? URL.parse(secret) : null
  if (url === null) return []
  return [
    `${url.pathname}${url.search}`,
    url.pathname,
    url.password,
    ...url.pathname.split('/'),
    ...url.searchParams.values(),
  ].filter((part) => part.length >= shortestSegment)
}
