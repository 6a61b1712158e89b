/** The servers that `DATABASE_URL` names: libpq takes several with commas between them, the driver takes one. Pure. */

const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/

/** What our connections are for; the others of libpq's words are for reading. */
const writing = ['read-write', 'primary']

/** An address for each server, in the order in which they are named; an address that names one, and says no more, as it is. */
export const serverAddresses = (url: string): string[] => {
  const [, start, hosts = '', path = '', question] = parts.exec(url) ?? []
  if (start === undefined) return [url]
  const settings = new URLSearchParams(question)
  if (!hosts.includes(',') && !settings.has('target_session_attrs')) return [url]
  settings.delete('target_session_attrs')
  const rest = settings.size === 0 ? path : `${path}?${settings}`
  return hosts.split(',').map((host) => `${start}${host}${rest}`)
}

/** Whether a connection has to be looked at before it is used: one of several servers may be a standby. */
export const mustTakeWrites = (url: string): boolean =>
  serverAddresses(url).length > 1 || /[?&]target_session_attrs=/.test(url)

/** What is wrong with an address by its text alone; null for one that can be tried. */
export const serverAddressError = (name: string, url: string): string | null => {
  const [, start, hosts = '', , question] = parts.exec(url) ?? []
  if (start === undefined) return null
  const settings = new URLSearchParams(question)
  const named = settings.getAll('host')
  if (named.length > 1 || named.some((text) => text.includes(',')))
    return `${name} names several hosts in the parameter host: write them before the path, with commas between them (postgres://one:5432,two:5432/watchpost)`
  if (hosts.split(',').length > 1 && hosts.split(',').some((host) => /^(:|$)/.test(host)))
    return `${name} names several hosts, and one of them is empty`
  const wanted = settings.get('target_session_attrs') ?? 'read-write'
  return writing.includes(wanted)
    ? null
    : `${name} says target_session_attrs=${wanted}: the store is written, so that it can only be read-write (or primary)`
}
