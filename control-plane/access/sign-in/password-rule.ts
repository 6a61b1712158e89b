/** What a password has to be: long (NIST SP 800-63B), and none of those that everybody tries first. Pure. */
export const shortestPassword = 12
export const longestPassword = 200

/** What is wrong with it; null: nothing. */
export const passwordError = (password: string, { email }: { email: string }): string | null => {
  const { length } = [...password]
  if (length < shortestPassword) return 'A password has at least 12 characters.'
  if (length > longestPassword) return 'A password has at most 200 characters.'
  if (new Set(password).size < 5) return 'This password repeats itself.'
  const plain = password.toLowerCase()
  const [name = ''] = email.toLowerCase().split('@')
  if (plain.includes(email.toLowerCase()) || (name.length > 5 && plain.startsWith(name)))
    return 'A password is not made of the e-mail address.'
  if (/^(password|watchpost|qwerty|abcdef|0?123456|letmein|welcome)/.test(plain) && length < 16)
    return 'This password is among the first that are tried.'
  return null
}
