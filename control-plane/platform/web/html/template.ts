/**
 * What of a template's literals are words, and what is markup. Authors write English; each run of words between tags is a message, named by its English
 * text: holes are `{0}`, elements inside of a sentence `<0>…</0>`, and what a translation does not touch (code, pictures) `<0/>`. So are attributes that
 * people read. Where a literal has words, no translation can bring markup in: its text is escaped, and only numbers name what was there. Pure.
 */

/** Markup as it is, the number of a hole, or a message. */
export type Part = string | number | Message
export type Message = {
  readonly id: string
  /** In English, as it was written. */
  readonly source: readonly Part[]
  /** What the id's placeholders stand for, `0`, `<0>`, `</0>` and `<0/>`. */
  readonly slots: ReadonlyMap<string, readonly Part[]>
}

const inline = new Set('a abbr b bdi cite em i kbd mark q small span strong sub sup time u var'.split(' '))
/** Nobody translates what is in these. */
const opaque = new Set(['code', 'pre', 'samp', 'script', 'style', 'svg'])
const readAttribute = /(\s(?:title|alt|placeholder|aria-label|aria-description)=")([^"]*)(")/g
const hole = /\uE000(\d+)\uE001/
const holes = /\uE000(\d+)\uE001/g
const token = /<!--[\s\S]*?-->|<!?(\/?)([a-zA-Z][\w-]*)(?:"[^"]*"|[^">])*>|[^<]+|</g
const attributesOnly =
  /^\s*(([\w-]*="[^"]*"|data-[\w-]+|open|checked|selected|disabled|hidden|required|multiple|readonly|autofocus|controls)(\s+|$|(?=\uE000))|\uE000\d+\uE001\s*)+$/

const isWords = (text: string): boolean => /\p{L}/u.test(text.replace(holes, ''))

/** The parts of a template, messages among them. */
export const partsOf = (strings: readonly string[]): readonly Part[] => {
  const text = strings.map((part, at) => (at === 0 ? part : `\uE000${at - 1}\uE001${part}`)).join('')
  // Style sheets are templates, too; prose has no braces.
  if (/[{}]/.test(text) && !text.includes('<')) return plain(text)
  if (attributesOnly.test(text)) return inTag(text)
  return emitted(nodesOf(text))
}

const plain = (text: string): Part[] =>
  text
    .split(hole)
    .map((part, at) => (at % 2 === 1 ? Number(part) : part))
    .filter((part) => part !== '')

const inTag = (tag: string): Part[] => {
  const parts: Part[] = []
  let done = 0
  for (const found of tag.matchAll(readAttribute)) {
    const [, before = '', value = ''] = found
    if (!isWords(value)) continue
    parts.push(...plain(tag.slice(done, found.index) + before), messageOf([{ text: value }]))
    done = found.index + before.length + value.length
  }
  return [...parts, ...plain(tag.slice(done))]
}

type Node =
  | { text: string }
  | { tag: string }
  | { open: string; children: Node[]; close: string; isOpaque: boolean }

type Opened = { name: string; tag: string; before: Node[] }

const nodesOf = (text: string): Node[] => {
  let nodes: Node[] = []
  let opened: Opened[] = []
  let hidden: { name: string; from: number; depth: number } | null = null
  /** What was begun and not ended inside of its block is no element of a sentence. */
  const flatten = (): void => {
    for (const { before, tag } of opened.toReversed()) nodes = [...before, { tag }, ...nodes]
    opened = []
  }
  for (const { 0: all, 1: slash, 2: name = '', index } of text.matchAll(token)) {
    const isTag = name !== ''
    const isEnd = slash === '/'
    const isVoid = all.endsWith('/>')
    if (hidden !== null) {
      if (name !== hidden.name || isVoid) continue
      hidden.depth += isEnd ? -1 : 1
      if (hidden.depth > 0) continue
      const open = text.slice(hidden.from, index + all.length)
      nodes.push({ open, children: [], close: '', isOpaque: true })
      hidden = null
    } else if (!isTag) nodes.push(all.startsWith('<') ? { tag: all } : { text: all })
    else if (opaque.has(name) && !isEnd && !isVoid) hidden = { name, from: index, depth: 1 }
    else if (inline.has(name) && !isEnd && !isVoid) {
      opened.push({ name, tag: all, before: nodes })
      nodes = []
    } else if (inline.has(name) && opened.at(-1)?.name === name) {
      const { tag = '', before = [] } = opened.pop() ?? {}
      nodes = [...before, { open: tag, children: nodes, close: all, isOpaque: false }]
    } else {
      flatten()
      nodes.push({ tag: all })
    }
  }
  if (hidden !== null) nodes.push({ tag: text.slice(hidden.from) })
  flatten()
  return nodes
}

/** Runs between tags; one with words of its own is a message, and in any other each element is looked into. */
const emitted = (nodes: readonly Node[]): Part[] => {
  const parts: Part[] = []
  let run: Node[] = []
  const end = (): void => {
    parts.push(...emittedRun(run))
    run = []
  }
  for (const node of nodes) {
    if (!('tag' in node)) run.push(node)
    else {
      end()
      parts.push(...inTag(node.tag))
    }
  }
  end()
  return parts
}

const emittedRun = (run: readonly Node[]): Part[] => {
  if (run.some((node) => 'text' in node && isWords(node.text))) {
    const texts = run.map((node) => ('text' in node ? node.text : ''))
    const before = /^\s*/.exec(texts[0] ?? '')?.[0] ?? ''
    const after = /\s*$/.exec(texts.at(-1) ?? '')?.[0] ?? ''
    return [before, messageOf(trimmed(run)), after].filter((part) => part !== '')
  }
  return run.flatMap((node) => {
    if ('text' in node) return plain(node.text)
    if ('tag' in node) return inTag(node.tag)
    return node.isOpaque
      ? inTag(node.open)
      : [...inTag(node.open), ...emitted(node.children), ...plain(node.close)]
  })
}

const trimmed = (run: readonly Node[]): Node[] =>
  run.map((node, at) => {
    if (!('text' in node)) return node
    const text = at === 0 ? node.text.trimStart() : node.text
    return { text: at === run.length - 1 ? text.trimEnd() : text }
  })

const entities: { readonly [entity: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00a0',
}
const readable = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name: string) => entities[name] ?? '')

const messageOf = (nodes: readonly Node[]): Message => {
  const slots = new Map<string, readonly Part[]>()
  const source: Part[] = []
  let [holeCount, elementCount] = [0, 0]
  const written = (within: readonly Node[]): string =>
    within
      .map((node): string => {
        if ('text' in node) {
          source.push(...plain(node.text))
          return readable(node.text).replace(holes, (_, number: string) => {
            const name = String(holeCount++)
            slots.set(name, [Number(number)])
            return `{${name}}`
          })
        }
        if ('tag' in node) return ''
        const name = elementCount++
        const open = inTag(node.open)
        source.push(...open)
        if (node.isOpaque) {
          slots.set(`<${name}/>`, open)
          return `<${name}/>`
        }
        slots.set(`<${name}>`, open)
        slots.set(`</${name}>`, [node.close])
        const inner = written(node.children)
        source.push(node.close)
        return `<${name}>${inner}</${name}>`
      })
      .join('')
  const id = written(nodes)
  return { id, source, slots }
}
