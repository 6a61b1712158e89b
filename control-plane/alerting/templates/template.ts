/**
 * Handlebars for what users write: addresses, headers and bodies of webhooks. A template is user input: it sees plain
 * values only, never prototypes; it has no partials, decorators or log; and what it may do is counted, so that none runs
 * without end or grows without bound. The count is kept here; what enforces the limit from outside is the thread (fill-texts.ts).
 *
 * `{{NAME}}` is encoded for the place where the text goes, `{{{NAME}}}` is not.
 */
import Handlebars from 'handlebars'
import { comparisons } from './comparisons.ts'
import type { Encoding } from './encodings.ts'
import { TemplateError } from './template-error.ts'
import { createTemplateMeter, lengthOf, type TemplateMeter } from './template-meter.ts'
import { textHelpers, toText } from './text-helpers.ts'
import { valueHelpers } from './value-helpers.ts'

export type World = { now: number; randomBytes(size: number): Buffer }

type Template = {
  encode: Encoding
  /** A value that stands at the very start is not encoded: the variable holds a whole address. */
  startIsRaw?: boolean
}

/** Handlebars' compiler takes quadratic time over what is nested, and long over very many values. */
const maxPlaceholders = 1000
const maxDepth = 30
/** Of one tag, steps of a path too: each is code, and all of it nests. */
const maxWords = 200

/** In characters: what reading and compiling a place or a call takes, and a word of it. */
const costOfPlaceholder = 300
const costOfWord = 500

type Rendering = Template & { world: World; meter?: TemplateMeter }

/** @throws TemplateError */
export const render = (
  text: string,
  context: Readonly<Record<string, unknown>>,
  { encode, startIsRaw = false, world, meter = createTemplateMeter() }: Rendering,
): string => {
  if (!text.includes('{{')) return text
  try {
    const env = environment(encode, world, meter)
    const ast = prepared(parsed(text, meter), { names: new Set(Object.keys(env.helpers)), startIsRaw })
    // Without a prototype; for `../NAME` Handlebars compares it with `!=` to what is inside, which must not throw.
    const known = Object.assign(
      Object.create(null, { [Symbol.toPrimitive]: { value: () => Number.NaN } }),
      context,
    )
    const out = env.compile(ast, { noEscape: true })(known, {
      allowProtoPropertiesByDefault: false,
      allowProtoMethodsByDefault: false,
    })
    // Only values and rounds were counted so far.
    createTemplateMeter().put(out)
    return out
  } catch (error) {
    throw asTemplateError(error)
  }
}

/** What takes too long to compile is refused before it is even read. */
const parsed = (text: string, meter: TemplateMeter): hbs.AST.Program => {
  let depth = 0
  let placeholders = 0
  let calls = 0
  for (const [mark] of text.matchAll(/\{\{~?[#^/]?|[()]/g)) {
    if (mark.startsWith('{{')) placeholders += 1
    if (mark === '(') calls += 1
    if (mark === '(' || mark.endsWith('#') || mark.endsWith('^')) depth += 1
    else if (mark === ')' || mark.endsWith('/')) depth = Math.max(0, depth - 1)
    if (depth > maxDepth) throw new TemplateError(`it nests more than ${maxDepth} deep`)
  }
  if (placeholders > maxPlaceholders)
    throw new TemplateError(`it has more than ${maxPlaceholders} placeholders`)
  meter.placeholder(placeholders)
  meter.read(text.length + (placeholders + calls) * costOfPlaceholder + wordsIn(text) * costOfWord)
  return Handlebars.parse(text.replaceAll(closedTwice, '$&{{!}}'))
}

/** All that may be a word of a tag, or a step of a path. */
const wordsIn = (text: string): number => {
  let words = 0
  for (const [tag] of text.matchAll(/\{\{[^}]*/g)) {
    const inside = tag.split(/[\s./]+/).length
    if (inside > maxWords) throw new TemplateError(`a tag has more than ${maxWords} words`)
    words += inside
  }
  return words
}

/** In `{"a":{{NAME}}}` the last brace is JSON's; Handlebars would take it for the tag's, but for a comment in between. */
const closedTwice = /\{\{\{[^{}]*\}\}\}(?=\})|(?<!\{)\{\{[^{}]*\}\}(?=\})/g

const asTemplateError = (error: unknown): TemplateError =>
  error instanceof TemplateError
    ? error
    : new TemplateError((error as Error).message.split('\n')[0]?.slice(0, 200) ?? '', error)

/** The words that a prepared template says for `{{x}}` and `{{{x}}}`. */
const encoded = '$encoded'
const raw = '$raw'

const environment = (encode: Encoding, world: World, meter: TemplateMeter) => {
  const env = Handlebars.create()
  for (const name of Object.keys(env.helpers)) {
    const builtIn = env.helpers[name] as Helper
    if (name === 'log') env.unregisterHelper(name)
    else if (name === 'each') env.registerHelper(name, countedEach(builtIn, meter))
    else env.registerHelper(name, counted(builtIn, meter))
  }
  const helpers = { ...comparisons, ...textHelpers, ...valueHelpers(world) }
  for (const [name, helper] of Object.entries(helpers)) env.registerHelper(name, counted(helper, meter))
  const shown = (value: unknown, encoding: Encoding): string => {
    meter.step()
    meter.read(lengthOf(value))
    const text = toText(value)
    meter.read(text.length)
    return meter.put(encoding(text))
  }
  env.registerHelper(encoded, (value: unknown) => shown(value, encode))
  env.registerHelper(raw, (value: unknown) => shown(value, (text) => text))
  return env
}

type Helper = (this: unknown, ...given: unknown[]) => unknown
type HelperOptions = { fn?: (...inner: unknown[]) => string; hash?: Record<string, unknown> }

/** Everything that a helper is given, and what it makes; what a block shows is counted inside of it. */
const counted = (helper: Helper, meter: TemplateMeter): Helper =>
  function (...given) {
    meter.step()
    const { fn, hash = {} } = (given.at(-1) ?? {}) as HelperOptions
    meter.read(lengthOf(given.slice(0, -1)) + lengthOf(Object.values(hash)))
    const made = helper.apply(this, given)
    if (typeof fn !== 'function') meter.read(lengthOf(made))
    return made
  }

/** Counts every round and what it writes. */
const countedEach = (each: Helper, meter: TemplateMeter): Helper =>
  function (...given) {
    meter.step()
    const options = given.at(-1) as HelperOptions | undefined
    if (given.length < 2 || typeof options?.fn !== 'function')
      throw new TemplateError('"each" needs one list: {{#each TAGS}}…{{/each}}')
    const { fn } = options
    const round = (...inner: unknown[]): string => {
      meter.step()
      return meter.put(fn(...inner))
    }
    return each.call(this, given[0], { ...options, fn: round }) as string
  }

type TemplateContext = { names: ReadonlySet<string>; startIsRaw: boolean }

const refusedNodes: Record<string, string> = {
  PartialStatement: 'Partials are not available',
  PartialBlockStatement: 'Partials are not available',
  Decorator: 'Decorators are not available',
  DecoratorBlock: 'Decorators are not available',
}

/** Every value is put through `$encoded` or `$raw`; what has no place in a template of a user is refused. */
const prepared = (ast: hbs.AST.Program, { names, startIsRaw }: TemplateContext): hbs.AST.Program => {
  const program = (node: hbs.AST.Program | undefined): void => {
    for (const [position, statement] of (node?.body ?? []).entries()) {
      const refused = refusedNodes[statement.type]
      if (refused) throw new TemplateError(`${refused} (line ${statement.loc.start.line})`)
      if (statement.type === 'BlockStatement') {
        const block = statement as hbs.AST.BlockStatement
        program(block.program)
        program(block.inverse)
      } else if (statement.type === 'MustacheStatement') {
        const isRaw = startIsRaw && node === ast && position === 0
        wrap(statement as hbs.AST.MustacheStatement, isRaw, names)
      }
    }
  }
  program(ast)
  return ast
}

const wrap = (statement: hbs.AST.MustacheStatement, isRaw: boolean, names: ReadonlySet<string>): void => {
  const { path, params, hash, loc, strip } = statement
  const original = 'original' in path ? String(path.original) : ''
  const calls = params.length > 0 || (hash?.pairs?.length ?? 0) > 0 || names.has(original)
  const value = calls ? ({ type: 'SubExpression', path, params, hash, loc } as hbs.AST.SubExpression) : path
  const name = statement.escaped && !isRaw ? encoded : raw
  Object.assign(statement, {
    path: { type: 'PathExpression', data: false, depth: 0, parts: [name], original: name, loc },
    params: [value],
    hash: undefined,
    escaped: false,
    strip,
  })
}
