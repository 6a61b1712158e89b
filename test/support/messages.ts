/** The texts of our pages, as the sources say them: words of `html` templates, and what is marked to be said. */
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Node, type Program, parse } from 'acorn'
import { type Part, partsOf } from '../../control-plane/platform/web/html/template.ts'
import { tell } from '../../control-plane/platform/words/told.ts'

/** `forms`: the plural categories that English has; a translation has those of its language. */
export type SourceMessage = { id: string; files: readonly string[]; forms: readonly string[] | null }

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Pages in the language of the request: the dashboard and what leads to it. Documents and status pages have languages of their own. */
const folders = [
  'control-plane/pages/{dashboard,boards,app,sign-in,alerts,front}',
  'control-plane/platform/web',
  'control-plane/insight',
  'control-plane/monitoring',
  'control-plane/alerting',
  'control-plane/access/sign-in',
]
/** Rooms below the pages say what they mark, and nothing else. */
const isPage = (file: string): boolean =>
  /^control-plane\/(pages\/|platform\/web\/|insight\/result-pages\/|alerting\/messages\/reason)/.test(file)

/** Functions whose arguments are said, by their positions; what else is given to them is data. */
const saying: { readonly [name: string]: readonly number[] } = {
  say: [0],
  card: [0],
  section: [0],
  listCard: [1],
  folded: [0],
  linkButton: [1],
  actionButton: [1],
  table: [0, 3],
  notice: [0],
  select: [1],
  options: [1],
  copied: [0],
  textField: [1],
  instantField: [1],
  frame: [0],
  script: [0],
  form: [2],
  stateFor: [0],
}
/** Properties of tables of ours that are said where they are shown. */
const saidProperties = new Set([
  'label',
  'title',
  'word',
  'words',
  'intro',
  'empty',
  'any',
  'purpose',
  'problem',
  'done',
  'sentence',
  'note',
])
/** Of some files further ones. */
const saidIn: { readonly [property: string]: RegExp } = {
  name: /dashboard\/navigation\.ts$/,
  text: /(error-page|store-error-answer|refusals|messages\/reason|sign-in\/.*|(alerts|result-pages)\/routes)\.ts$/,
}
/** Tables of words: whatever they say is said where it is shown. */
const vocabularies = /(dashboard\/(words|forms\/words)|html\/role-words|messages\/reason-of-assertion)\.ts$/
/** And tables of words in other files, by what they are called. */
const isVocabulary = (name: string): boolean =>
  /(words|kinds|deliveries|titles|scores|acts|names|verbs|switches|signIns|deeds|things|examples|limits|numbers|columns|ranges|withValue)$/i.test(
    name,
  )

const isCheckKind = /monitoring\/definitions\/checks\/types\/\w[\w-]*\.ts$/

/** Of the API: its word is another text. */
const rawValue = /^[A-Z]+_[A-Z_]+$/

/** What refuses somebody who signs in is handed on to the page, which says it. Mails of the same room are sent as they are. */
const isHandedOn = (text: string, file: string): boolean =>
  /(pages\/sign-in\/[\w-]+|access\/sign-in\/password-rule)\.ts$/.test(file)
    ? /^\p{Lu}.*\s.*\.$/u.test(text)
    : file.includes('/access/sign-in/') && text.startsWith('Too many ')

const schemaName = /^[A-Z][a-z]+[A-Z]\w+$|^Watchpost API$/

/** Names and abbreviations that no language says otherwise. */
const sameEverywhere = /\b(Watchpost|UTC|JSON|API|p50|p95|p99)\b/g

type Loose = { readonly [name: string]: unknown }

const isNode = (value: unknown): value is Node & Loose =>
  typeof value === 'object' && value !== null && 'type' in value

const childrenOf = (node: Node): (Node & Loose)[] => Object.values(node).flat().filter(isNode)

const messagesIn = (parts: readonly Part[]): string[] =>
  parts.flatMap((part) =>
    typeof part === 'object' ? [part.id, ...[...part.slots.values()].flatMap(messagesIn)] : [],
  )

/** The texts that an expression may be. */
const textsOf = (node: unknown): string[] => {
  if (!isNode(node)) return []
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : []
  if (node.type === 'ConditionalExpression')
    return [...textsOf(node['consequent']), ...textsOf(node['alternate'])]
  return []
}

/** Of notices: one text, or one for each paragraph. */
const paragraphsOf = (node: unknown): string[] =>
  isNode(node) && node.type === 'ArrayExpression' && Array.isArray(node['elements'])
    ? node['elements'].flatMap(textsOf)
    : textsOf(node)

/** `['/app/checks', 'Checks']`, `['Edit', 'PATCH /v1/…']` and `['Watch', ['/app', 'Overview'], …]`: tables of ways. */
const pairWordOf = (elements: unknown): string[] => {
  if (!Array.isArray(elements)) return []
  const [first, second] = elements
  const [[one = ''], [two = '']] = [textsOf(first), textsOf(second)]
  if (/^\/app\b/.test(one)) return [two].filter(Boolean)
  const isWay = /^(GET|POST|PUT|PATCH|DELETE) \//.test(two)
  const isGroup =
    isNode(second) && second.type === 'ArrayExpression' && pairWordOf(second['elements']).length > 0
  return isWay || (one !== '' && isGroup) ? [one] : []
}

/** `factList([['Last ping', …], …])`: what is known, each beside what it is called. */
const factLabelOf = (elements: unknown, file: string): string[] => {
  if (!Array.isArray(elements) || elements.length < 2 || elements.length > 3 || !listsFacts(file)) return []
  const [label, value] = elements
  const isText = isNode(value) && value.type === 'Literal'
  return isText ? [] : textsOf(label).filter((text) => /^\p{Lu}\p{L}/u.test(text))
}

const withFacts = new Map<string, boolean>()

const listsFacts = (file: string): boolean => {
  const known = withFacts.get(file) ?? /\bfactList\b/.test(readFileSync(`${root}${file}`, 'utf8'))
  withFacts.set(file, known)
  return known
}

const named = (node: unknown): string =>
  isNode(node) && typeof node['name'] === 'string' ? node['name'] : ''

const formsOf = (node: unknown): Omit<SourceMessage, 'files'>[] => {
  if (!isNode(node) || !Array.isArray(node['properties'])) return []
  const forms: Loose[] = node['properties']
  const other = forms.find(({ key }) => named(key) === 'other')
  return textsOf(other?.['value']).map((id) => ({ id, forms: forms.map(({ key }) => named(key)) }))
}

/** The texts of a table, however deep: keys, addresses, signs and routes are none. */
const tableTexts = (node: unknown): string[] => {
  if (!isNode(node)) return []
  if (node.type === 'ObjectExpression' && Array.isArray(node['properties']))
    return node['properties'].flatMap((each: Loose) => tableTexts(each['value']))
  if (node.type === 'ArrayExpression' && Array.isArray(node['elements']))
    return node['elements'].flatMap((each: unknown) => tableTexts(each))
  return textsOf(node)
    .filter((text) => /^[\p{Lu}{]|\s/u.test(text))
    .filter(
      (text) => !/^(passing|failing|degraded|neutral|none|num|main|act)$/.test(text) && !text.startsWith('/'),
    )
}

const messagesAt = (node: Node & Loose, file: string): Omit<SourceMessage, 'files'>[] => {
  const texts = (ids: string[]) => ids.map((id) => ({ id, forms: null }))
  if (node.type === 'TaggedTemplateExpression' && named(node['tag']) === 'html') {
    const { quasis } = node['quasi'] as unknown as { quasis: { value: { cooked: string } }[] }
    return texts(messagesIn(partsOf(quasis.map(({ value }) => value.cooked))))
  }
  if (node.type === 'TaggedTemplateExpression' && named(node['tag']) === 'tell') {
    const { quasis } = node['quasi'] as unknown as { quasis: { value: { cooked: string } }[] }
    return texts([tell(quasis.map(({ value }) => value.cooked) as unknown as TemplateStringsArray).text])
  }
  // Forms of one text each, by what they count.
  if (node.type === 'Property' && isPage(file)) {
    const forms = formsOf(node['value']).filter(({ forms }) => forms?.includes('one'))
    if (forms.length > 0) return forms
  }
  if (node.type === 'VariableDeclarator' && isPage(file) && isVocabulary(named(node['id'])))
    return texts(tableTexts(node['init']))
  if (node.type === 'CallExpression' && Array.isArray(node['arguments'])) {
    const name = named(node['callee'])
    const given: unknown[] = node['arguments']
    if (name === 'count') return formsOf(given[1])
    if (!isPage(file) && !['say', 'section', 'folded', 'count'].includes(name)) return []
    return texts((saying[name] ?? []).flatMap((at) => textsOf(given[at])))
  }
  if (node.type === 'Literal') return texts(textsOf(node).filter((text) => isHandedOn(text, file)))
  if (node.type === 'ArrayExpression')
    return texts([...pairWordOf(node['elements']), ...factLabelOf(node['elements'], file)])
  const property = node.type === 'Property' ? named(node['key']) || 'other' : ''
  if (!isPage(file) && !(isCheckKind.test(file) && /^(label|purpose)$/.test(property))) return []
  if (
    property !== '' &&
    (saidProperties.has(property) ||
      (Object.hasOwn(saidIn, property) && saidIn[property]?.test(file)) ||
      vocabularies.test(file))
  )
    return texts(paragraphsOf(node['value']).filter((text) => !schemaName.test(text)))
  return []
}

const walk = (node: Node & Loose, file: string): Omit<SourceMessage, 'files'>[] => [
  ...messagesAt(node, file),
  ...childrenOf(node).flatMap((child) => walk(child, file)),
]

/** Each text once, with the files that say it. */
export const sourceMessages = (): SourceMessage[] => {
  const byId = new Map<string, SourceMessage>()
  for (const file of globSync(`{${folders.join(',')}}/**/*.ts`, { cwd: root }).toSorted()) {
    const code = stripTypeScriptTypes(readFileSync(`${root}${file}`, 'utf8'))
    const program: Program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
    for (const message of walk(program as Program & Loose, file))
      if (/\p{L}/u.test(message.id.replace(sameEverywhere, '')) && !rawValue.test(message.id)) {
        const files = byId.get(message.id)?.files ?? []
        byId.set(message.id, { ...message, files: [...new Set([...files, file])] })
      }
  }
  return [...byId.values()]
}
