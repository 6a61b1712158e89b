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

/** `{{NAME}}`: the name of a variable says nothing of its value. */
const tag = String.raw`\{\{\{?[\w.]+\}?\}\}`
const wholeTag = new RegExp(`^(${tag})(.*)$`, 's')
const hostAndPort = new RegExp(String.raw`^(\[[\da-f:.]+\]|([^\s@:{}[\]]|${tag})+)(:(\d+|${tag}))?$`, 'i')

/**
 * An address that is a credential: where it leads, and the mask of all that follows, which shows its tail if the last
 * word of it is long enough. Where a host cannot be told from the rest, the mask is all of it.
 */
export const maskAddress = (url: string): string => {
  const { origin, rest } = partsOf(url)
  if (/^\/?$/.test(rest)) return `${origin}${rest}`
  const [last = ''] = rest.split(/[/?#&=\\@]/).slice(-1)
  return origin === '' ? `https://${maskTail(last)}` : `${origin}/${maskTail(last)}`
}

const partsOf = (url: string): { origin: string; rest: string } => {
  const [, template, afterTemplate = ''] = wholeTag.exec(url) ?? []
  if (template !== undefined) return { origin: template, rest: afterTemplate }
  const [, scheme = '', authority = '', rest = ''] = /^(https?:\/\/)([^/?#\\]*)(.*)$/is.exec(url) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (!hostAndPort.test(host)) return { origin: '', rest: url }
  return { origin: `${scheme}${host === authority ? '' : '***@'}${host}`, rest }
}

const credentialHosts =
  /^https?:\/\/([^/]*\.)?(hooks\.slack\.com|discord(app)?\.com|api\.telegram\.org|webhook\.office\.com)([:/]|$)/i

/** Any other address is shown, but for a password, and parameters whose names say that they are secret. */
export const maskUrl = (url: string): string =>
  credentialHosts.test(url)
    ? maskAddress(url)
    : url
        .replace(/^(https?:\/\/)[^/?#]*@/i, '$1***@')
        .replace(/([?&][^=&#]*(?:token|key|secret|passw|sig|auth)[^=&#]*=)[^&#]+/gi, '$1***')

/** Whether a text looks like something these functions made. */
export const looksMasked = (text: string): boolean => /(^|[/=])\*{3}(.{4})?(?=$|[&#])|\/\*{3}@/s.test(text)
