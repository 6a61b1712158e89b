/**
 * Environment variables that look like a program's own and are not: a setting that is misspelt would be ignored in
 * silence. Everything else in an environment is somebody else's business and never a problem
 * (docs/decisions/interface.md).
 */
type Environment = Readonly<Record<string, string | undefined>>

/** Prefixes that belong to us: there a name that merely leaves out words is ours as well (`TWILIO_TOKEN`). */
const families = ['ARTIFACTS', 'BOOTSTRAP', 'EGRESS', 'ENCRYPTION', 'RCA', 'RETENTION', 'SPOOL', 'TWILIO']

/** Names of other programs that are a letter away from one of ours. */
const foreignNames = ['APP_KEY', 'EMAIL_FROM', 'SFTP_URL']

/** Under this length too many words are a letter apart (PORT, POST, HOST); two mistakes need a long name. */
const shortestLength = 7
const lengthForTwoMistakes = 12

/**
 * All names that set one of them: what `X_FILE` names holds the value of a secret `X`, and those of proxies are understood
 * in lower case, too.
 */
export const namesOfVariables = (
  known: readonly { name: string; secret?: boolean | undefined }[],
): string[] =>
  known.flatMap(({ name, secret }) => [
    name,
    ...(secret ? [`${name}_FILE`] : []),
    ...(name.endsWith('_PROXY') ? [name.toLowerCase()] : []),
  ])

/** A sentence for each; it never shows a value. An empty variable counts as unset. */
export const misspeltVariables = (env: Environment, known: readonly string[]): string[] =>
  Object.entries(env).flatMap(([name, value = '']) => {
    if (value.trim() === '' || known.includes(name) || isForeign(name, value)) return []
    const meant = nearest(name.toUpperCase().replaceAll('-', '_'), known)
    return meant === undefined ? [] : [`${name} is not known: did you mean ${meant}?`]
  })

/** None of our names holds a digit; Kubernetes sets `<SERVICE>_PORT=tcp://…` for every service beside us. */
const isForeign = (name: string, value: string): boolean =>
  /\d|_SERVICE_(HOST|PORT)/.test(name) || /^(tcp|udp|sctp):\/\//.test(value) || foreignNames.includes(name)

const nearest = (name: string, known: readonly string[]): string | undefined =>
  known
    .filter((own) => own.length >= shortestLength)
    .map((own) => ({ own, mistakes: mistakesBetween(name, own) }))
    .filter(({ own, mistakes }) => mistakes <= (own.length < lengthForTwoMistakes ? 1 : 2))
    .toSorted((a, b) => a.mistakes - b.mistakes)[0]?.own

/** How far a name is from one of ours; `_FILE` is how many programs take a secret from a file. */
const mistakesBetween = (name: string, own: string): number => {
  if (letters(name) === letters(own) || name === `${own}_FILE` || leavesOutWords(name, own)) return 0
  return Math.abs(name.length - own.length) > 2 ? Number.POSITIVE_INFINITY : distance(name, own)
}

const letters = (name: string): string => name.replaceAll('_', '')

const leavesOutWords = (name: string, own: string): boolean => {
  const [family = '', ...words] = name.split('_')
  const [ownFamily, ...ownWords] = own.split('_')
  return (
    family === ownFamily &&
    families.includes(family) &&
    words.length > 0 &&
    words.every((word) => ownWords.includes(word))
  )
}

/** Damerau and Levenshtein: letters that are missing, added, wrong, or swapped with their neighbour. */
const distance = (a: string, b: string): number => {
  let [before, row]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const [same, swapped] = [a[i - 1] === b[j - 1], a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]]
      const changed = at(row, j - 1) + (same ? 0 : 1)
      const turned = swapped && i > 1 && j > 1 ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, changed, turned))
    }
    before = row
    row = next
  }
  return at(row, b.length)
}

const at = (row: readonly number[] | undefined, column: number): number =>
  row?.[column] ?? Number.POSITIVE_INFINITY
