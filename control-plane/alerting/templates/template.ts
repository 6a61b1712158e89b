/**
 * Handlebars for what users write: addresses, headers and bodies of webhooks. A template is user input: it sees plain
 * values only, never prototypes; it has no partials, decorators or log; and what it may do is counted, so that none runs
 * without end or grows without bound.
 *
 * `{{NAME}}` is encoded for the place where the text goes, `{{{NAME}}}` is not.
 */
import Handlebars from 'handlebars'
import { comparisons } from './comparisons.ts'
import { textHelpers } from './text-helpers.ts'
import { valueHelpers } from './value-helpers.ts'

/** A mistake in the template: trying again will not help. */
export class TemplateError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'TemplateError'
  }
}

export type Encoding = (text: string) => string

export type World = { now: number; randomBytes(size: number): Buffer }

export type Template = {
  encode: Encoding
  /** A value that stands at the very start is not encoded: the variable holds a whole address. */
  startIsRaw?: boolean
}

/** Handlebars' compiler takes quadratic time over what is nested, and long over very many values. */
const maxValues = 1000
const maxDepth = 30
const maxSteps = 10_000
const maxOutput = 1024 * 1024
/** Of all templates of one message. */
const maxValuesTogether = 2000

/** What templates have used up. Templates that share one share its limits, too. */
export type TemplateMeter = { values: number; steps: number; output: number }

export const createTemplateMeter = (): TemplateMeter => ({ values: 0, steps: 0, output: 0 })

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
    if (out.length > maxOutput) throw new TemplateError(`it makes more than ${maxOutput} characters`)
    return out
  } catch (error) {
    throw asTemplateError(error)
  }
}

/** What takes too long to compile is refused before it is even read. */
const parsed = (text: string, meter: TemplateMeter): hbs.AST.Program => {
  let depth = 0
  let values = 0
  for (const [mark] of text.matchAll(/\{\{~?[#^/]?|[()]/g)) {
    if (mark.startsWith('{{')) values += 1
    if (mark === '(' || mark.endsWith('#') || mark.endsWith('^')) depth += 1
    else if (mark === ')' || mark.endsWith('/')) depth = Math.max(0, depth - 1)
    if (depth > maxDepth) throw new TemplateError(`it nests more than ${maxDepth} deep`)
  }
  if (values > maxValues) throw new TemplateError(`it has more than ${maxValues} places to fill in`)
  meter.values += values
  if (meter.values > maxValuesTogether)
    throw new TemplateError(`the templates have more than ${maxValuesTogether} places to fill in together`)
  return Handlebars.parse(text.replaceAll(closedTwice, '$&{{!}}'))
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

const environment = (encode: Encoding, world: World, spent: TemplateMeter) => {
  const env = Handlebars.create()
  const step = (): void => {
    spent.steps += 1
    if (spent.steps > maxSteps) throw new TemplateError(`it takes more than ${maxSteps} steps`)
  }
  const put = (text: string): string => {
    spent.output += text.length
    if (spent.output > maxOutput) throw new TemplateError(`it makes more than ${maxOutput} characters`)
    return text
  }
  for (const name of Object.keys(env.helpers)) {
    const builtIn = env.helpers[name] as (...given: unknown[]) => unknown
    if (name === 'log') env.unregisterHelper(name)
    else if (name === 'each') env.registerHelper(name, countedEach(builtIn, { step, put }))
    else env.registerHelper(name, counted(builtIn, step))
  }
  const helpers = { ...comparisons, ...textHelpers, ...valueHelpers(world) }
  for (const [name, helper] of Object.entries(helpers)) env.registerHelper(name, counted(helper, step))
  const shown = (value: unknown, encoding: Encoding): string => {
    step()
    return put(encoding(toText(value)))
  }
  env.registerHelper(encoded, (value: unknown) => shown(value, encode))
  env.registerHelper(raw, (value: unknown) => shown(value, (text) => text))
  return env
}

type Helper = (...given: unknown[]) => unknown

const counted = (helper: Helper, step: () => void): Helper =>
  function (this: unknown, ...given: unknown[]) {
    step()
    return helper.apply(this, given)
  }

type Meters = { step(): void; put(text: string): string }

/** Counts every round and what it writes. */
const countedEach = (each: Helper, { step, put }: Meters): Helper =>
  function (this: unknown, ...given: unknown[]) {
    step()
    const options = given.at(-1) as { fn?: (...inner: unknown[]) => string } | undefined
    if (given.length < 2 || typeof options?.fn !== 'function')
      throw new TemplateError('"each" needs one list: {{#each TAGS}}…{{/each}}')
    const { fn } = options
    const round = (...inner: unknown[]): string => {
      step()
      return put(fn(...inner))
    }
    return each.call(this, given[0], { ...options, fn: round })
  }

const toText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(toText).join(',')
  if (typeof value === 'object') return JSON.stringify(value) ?? ''
  return String(value)
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
