/**
 * How secrets are shown: enough to tell two apart, too little to use. A mask that comes back in a change means the value
 * that is stored. Pure.
 */

const shownTail = 4
/** The tail of a short secret would be too much of it. */
const longEnough = 12

/** `***` and the last four characters. */
export const maskTail = (value: string): string =>
  value.length >= longEnough ? `***${value.slice(-shownTail)}` : '***'

/** The address of a service whose path is the credential: its origin, and the mask of the rest. */
export const maskPath = (url: string): string => {
  const [, origin, rest = ''] = /^(https?:\/\/[^/?#@]+)\/?(.*)$/is.exec(url) ?? []
  return origin === undefined ? maskTail(url) : `${origin}/${maskTail(rest)}`
}

const credentialHosts =
  /^https?:\/\/([^/]*\.)?(hooks\.slack\.com|discord(app)?\.com|api\.telegram\.org|webhook\.office\.com)([:/]|$)/i

/** Any other address is shown, but for a password, and parameters whose names say that they are secret. */
export const maskUrl = (url: string): string =>
  credentialHosts.test(url)
    ? maskPath(url)
    : url
        .replace(/^(https?:\/\/)[^/?#]*@/i, '$1***@')
        .replace(/([?&][^=&#]*(?:token|key|secret|passw|sig|auth)[^=&#]*=)[^&#]+/gi, '$1***')

/** Whether a text looks like something these functions made. */
export const looksMasked = (text: string): boolean => /(^|[/=])\*{3}(.{4})?(?=$|[&#])|\/\*{3}@/.test(text)
