/** Values in settings that look like credentials: tokens of well-known services, keys, passwords in addresses. Pure. */

const tokens = [
  'AKIA[0-9A-Z]{16}',
  'gh[pousr]_[0-9A-Za-z]{36,255}',
  'github_pat_[0-9A-Za-z_]{50,255}',
  'glpat-[0-9A-Za-z_-]{20,64}',
  'xox[abeprs]-[0-9A-Za-z-]{10,250}',
  '[sr]k_live_[0-9A-Za-z]{16,250}',
  'AIza[0-9A-Za-z_-]{35}',
  'npm_[0-9A-Za-z]{36}',
  'SG\\.[0-9A-Za-z_-]{16,64}\\.[0-9A-Za-z_-]{16,64}',
  'sk-[0-9A-Za-z_-]{32,250}',
  'eyJ[0-9A-Za-z_-]{10,2000}\\.eyJ[0-9A-Za-z_-]{10,4000}\\.[0-9A-Za-z_-]{10,1000}',
  'wp_[0-9A-Za-z_-]{32,64}',
]
const known = new RegExp(`(?<![0-9A-Za-z_-])(?:${tokens.join('|')})(?![0-9A-Za-z_-])`)
const privateKey = /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/
/** Variables of templates are no passwords. */
const passwordInAddress = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@{}'"`]{1,200}:([^\s/@{}$'"`]{3,200})@/i
/** Of a header: whoever writes it there means it. */
const authorization = /^(?:bearer|basic)\s+([^\s{}]{8,4000})$/i

type FoundSecret = { fieldPath: string; fieldKey: string | null; valuePreview: string }

/** Every text of a document, whatever it is called; what is sealed or said to be secret is no text of it. */
export const findSecrets = (
  value: unknown,
  fieldPath = '',
  fieldKey: string | null = null,
): FoundSecret[] => {
  if (typeof value === 'string') {
    const secret = secretIn(value)
    return secret === undefined ? [] : [{ fieldPath, fieldKey, valuePreview: previewOf(secret) }]
  }
  if (Array.isArray(value))
    return value.flatMap((item, at) => findSecrets(item, `${fieldPath}[${at}]`, keyOf(item) ?? fieldKey))
  if (typeof value !== 'object' || value === null || 'sealed' in value) return []
  return Object.entries(value).flatMap(([name, part]) =>
    findSecrets(part, fieldPath === '' ? name : `${fieldPath}.${name}`, fieldKey),
  )
}

/** The first one: a field is told of once. */
const secretIn = (text: string): string | undefined =>
  known.exec(text)?.[0] ??
  privateKey.exec(text)?.[0] ??
  passwordInAddress.exec(text)?.[1] ??
  authorization.exec(text)?.[1]

const keyOf = (item: unknown): string | null =>
  typeof item === 'object' && item !== null && 'key' in item && typeof item.key === 'string' ? item.key : null

/** Where it begins and ends, an eighth of it at most: tokens are told apart by that, and nobody learns one. */
const previewOf = (secret: string): string => {
  const shown = Math.min(4, Math.floor(secret.length / 16))
  return shown === 0 ? '…' : `${secret.slice(0, shown)}…${secret.slice(-shown)}`
}
