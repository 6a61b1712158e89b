/**
 * A route is a value: what it takes, who may call it, what it answers, and a handler that never sees Koa. Authentication,
 * role, validation, rate limit, OpenAPI and the contract tests all follow from this declaration.
 */
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { App } from '../../app/app.ts'
import type { IgnoredName } from '../../words/shapes/drop-ignored.ts'
import type { Role } from '../../words/shapes/roles.ts'

/** Who called: a key of an account (user or service), a program with a key of its own kind, or nobody in particular. */
export type AccountPrincipal = {
  kind: 'account'
  accountId: string
  role: Role
  keyId: string
  userId: string | null
  /** A key whose account has chosen that secrets are read whole by those who may write. */
  seesSecrets?: boolean
  /** Of somebody in a browser. */
  sessionId?: string
  /** That they chose for our pages. */
  language?: string | null
}
export type ProgramPrincipal<H extends object = object> = H & {
  kind: 'program'
  keyId: string
  /** What the keys of one owner are counted with. */
  countedWith: string
}
export type PublicPrincipal = { kind: 'public' }

/** A kind of key that is no account's. The area whose programs have them declares it, and its routes name it as their `access`. */
export type ProgramKey<H extends object = object> = {
  /** What such a program is, in one word. */
  name: string
  description: string
  pattern: RegExp
  /** Of all its routes that have none of their own. */
  rateLimit: RateLimit
  /** By what is stored of a key (`keyHash`); undefined: there is no such key. `holder` is what handlers are told. */
  find(app: App, hash: string): Promise<FoundKey<H> | undefined>
}

type FoundKey<H extends object> = { keyId: string; hash: string; countedWith: string; holder: H }

/** `PUBLIC`: no key at all. Otherwise the weakest role that may call, or the programs that may. */
export type Access = Role | ProgramKey | 'PUBLIC'

type PrincipalFor<A extends Access> =
  A extends ProgramKey<infer H>
    ? ProgramPrincipal<H>
    : A extends 'PUBLIC'
      ? PublicPrincipal
      : AccountPrincipal

/** Whether a route is for programs with a key of their own kind. */
export const isForPrograms = (access: Access): access is ProgramKey => typeof access === 'object'

export type ValueOf<S> = S extends TSchema ? Static<S> : undefined
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without an answer may just end
type Answer<S> = S extends TSchema ? Static<S> | Reply<Static<S>> : void

export type RateLimit = { requests: number; seconds: number }

/** What a handler may answer instead of the bare body when it needs another status or headers. */
export type Reply<T> = ReplyOptions & { readonly reply: true; body: T }
type ReplyOptions = {
  status?: number
  /** Their `content-type` wins over the route's. */
  headers?: Record<string, string>
  /** `Set-Cookie` headers. */
  cookies?: readonly string[]
  /** The caller asked for some fields only: that others are missing is no mistake. */
  trimmed?: boolean
}
export const reply = <T>(body: T, more: ReplyOptions = {}): Reply<T> => ({
  reply: true,
  ...more,
  body,
})

/** What a handler answered, whether it needed more than the bare body or not. */
export const replyOf = (answer: unknown): Reply<unknown> =>
  typeof answer === 'object' && answer !== null && 'reply' in answer && answer.reply === true
    ? (answer as Reply<unknown>)
    : { reply: true, body: answer }

/** RFC 9110, sections 15.3.5 and 15.4.5. */
export const hasNoBody = (status: number): boolean => status === 204 || status === 304

export type Input<P, Q, B, A extends Access> = {
  params: ValueOf<P>
  query: ValueOf<Q>
  body: ValueOf<B>
  principal: PrincipalFor<A>
  /** Where it came from, as far as trusted proxies tell. */
  address: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The body as it comes, of routes with `upload`; the handler bounds it. */
  upload: Readable
  /** Aborts when the client goes away or the server drains: long polls end on it. */
  signal: AbortSignal
}

/** Seconds that an answer may be behind: of answers with something that a replica of the store has read (`mayLag`). */
export const replicaLagHeader = 'watchpost-replica-lag-seconds'

export type RouteOptions<P, Q, B, R, A extends Access, D extends App = App> = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters begin with a colon: `/v1/things/:id` */
  path: string
  access: A
  tag: string
  summary: string
  description?: string
  params?: P
  query?: Q
  body?: B
  /**
   * For a body of many parts that repeat what others said, each of which the handler judges by itself: all that the body
   * has to be. `body` is then what it should be, and text that the store cannot hold is replaced instead of refused.
   */
  envelope?: TSchema
  /** Old and read-only names that the body may have (platform/words/shapes/ignored-names.ts). */
  ignores?: readonly IgnoredName[]
  /**
   * Of a PUT: the body of a creation. One that has all that a creation needs says the whole resource: lists that it leaves out
   * are empty, as clients leave empty lists out. Others, and those of PATCH, say what changes (missing-lists.ts).
   */
  whole?: TSchema
  /** Request headers that the handler reads, and what they do (for OpenAPI). */
  requestHeaders?: Record<string, string>
  /** The content type of a body that is streamed to the handler instead of parsed. */
  upload?: string
  /** Bytes; 1 MB unless told otherwise, and 4 KB at most where no key is needed. */
  bodyLimit?: number
  /** The status of success. */
  status: number
  /** Other statuses that the handler may answer with, and why (OpenAPI and the contract tests know them). */
  otherStatuses?: Record<number, string>
  /** Left out: an empty answer (204). */
  response?: R
  /** `application/json` unless told otherwise; other types are sent as they are: text, or a stream of bytes. */
  responseType?: string
  /**
   * For people in browsers: opened by a session instead of a key (session.ts), and whoever has none is led to sign in. Forms of such a page
   * are taken from our own pages only.
   */
  page?: true
  /** Of a form: the route of the API that does what it asks for. The audit log names that one. */
  standsFor?: Declaration
  /** The body is a form (form-body.ts) instead of JSON. */
  form?: true
  /** Of answers of files, whose type is not known before; what errors are instead of JSON for those who ask for pages. */
  otherTypes?: { success?: readonly string[]; errors?: readonly string[] }
  /** The account's default (600 / 60 s) unless told otherwise. */
  rateLimit?: RateLimit
  /** What it reads may be some seconds old: a replica may answer it (lagging-reads.ts). */
  mayLag?: true
  /** Called more often than all others: served by short-path.ts, which says what such a route can be. */
  short?: true
  /** What a method that nothing at this path has, or a path right below it, is told, where that says more than 405 and 404. */
  nothingThere?: (method: string, path: string) => Error | undefined
  /** Superseded: answered with a `Deprecation` header and marked in OpenAPI. */
  deprecated?: boolean
  example?: {
    params?: Record<string, string>
    query?: Record<string, unknown>
    body?: unknown
    response?: unknown
  }
  /** What it needs beside `App`, it says: `app: App & HasMail`. */
  handle: (input: Input<P, Q, B, A>, app: D) => Promise<Answer<R>> | Answer<R>
}

/** A route whose types have been checked and forgotten; `D`: what its handler needs of the app. */
export type Route<D extends App = App> = Omit<
  RouteOptions<TSchema, TSchema, TSchema, TSchema, Access>,
  'handle'
> & {
  handle: (input: AnyInput, app: D) => Promise<unknown>
}

export type AnyInput = Input<TSchema, TSchema, TSchema, Access>

/** A route as it describes itself, whatever its handler needs: the server and OpenAPI go by it. */
export type Declaration = Route<never>

/**
 * A route with what it takes and answers, for callers inside of the program (pages/dashboard/internal-client.ts). The
 * types are all that `types` is: no value has it.
 */
export type RouteOf<P, Q, B, R, D extends App = App> = Route<D> & {
  readonly types?: { params: P; query: Q; body: B; answer: R }
}

/** A route of which only the answer is known. */
export type RouteAnswering<R, D extends App = never> = Route<D> & { readonly types?: { answer: R } }

/**
 * Server and OpenAPI hold routes of all types in one list, whose handlers take what its validators let through: the one
 * place where types are forgotten.
 */
export const route = <
  const A extends Access,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  R extends TSchema | undefined = undefined,
  D extends App = App,
>(
  options: RouteOptions<P, Q, B, R, A, D>,
): RouteOf<ValueOf<P>, ValueOf<Q>, ValueOf<B>, ValueOf<R>, D> => options as unknown as Route<D>

/** The same route at another address: what it takes and answers, and who may call it, is said once. */
export const alias = <R extends Declaration>(route: R, path: string): R => ({
  ...route,
  path,
  summary: `${route.summary} (an alias of ${braced(route.path)})`,
})

const braced = (path: string): string => `\`${path.replace(/:(\w+)/g, '{$1}')}\``

/** A list of strings (RFC 9651, section 3.1). */
const warningHeader = 'watchpost-warning'

/** What a write was allowed to do and will not do what was meant by it: `warnings` in its answer, and this header. */
export const warningHeaders = (warnings: readonly { message: string }[]): Record<string, string> =>
  warnings.length === 0
    ? {}
    : { [warningHeader]: warnings.map(({ message }) => `"${inHeader(message)}"`).join(', ') }

/** Strings of a header are ASCII; the body has all characters. */
const inHeader = (text: string): string => text.replace(/[^ -~]/gu, '?').replace(/[\\"]/g, '\\$&')
