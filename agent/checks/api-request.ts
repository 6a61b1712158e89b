/**
 * What an API check sends: its templates filled in, query parameters in the address, a body with
 * its content type, headers that cannot become other headers. Pure but for its sources. What cannot be sent is a
 * RequestError that names the part of the request.
 */
import type { ApiSpec } from '../../protocol/checks/api.ts'
import type { Job } from '../../protocol/job.ts'
import { encodeInAddress, uriEncode } from '../../protocol/templates/encodings.ts'
import type { HelperSources } from '../../protocol/templates/helpers.ts'
import { maxBodyBytes } from '../net/http/body.ts'
import type { RedirectableRequest } from '../net/http/redirects.ts'
import { maxImageBytes } from '../net/http/stored-body.ts'
import { render, type TemplateContext } from '../templates/render.ts'
import { RequestError } from '../templates/request-error.ts'
import { roomForAddress, roomForHeaders, take } from '../templates/room.ts'
import { authorizationOf, basicAuthorization, defaultHeaders, invalidUrl } from './http-request.ts'
import { runVariables } from './runner.ts'

export type ApiJob = Omit<Job, 'spec'> & { spec: ApiSpec }

type Request = ApiSpec['request']

/**
 * The request of the job, as it is sent.
 * @throws RequestError
 */
export const apiRequest = (job: ApiJob, sources: HelperSources): RedirectableRequest => {
  const { request } = job.spec
  const variables = variablesOf(job)
  const url = addressOf(request, { variables, sources, room: roomForAddress() })
  // The address itself cannot hold it; everything after the address can.
  if (!variables.has('REQUEST_URL')) variables.set('REQUEST_URL', url.href)
  const context = { variables, sources }
  const body = bodyOf(request, context)
  return {
    url,
    method: request.method,
    headers: headersOf(request, url, { ...context, room: roomForHeaders() }),
    body,
    ipFamily: request.ipFamily,
    skipTls: request.skipSSL,
    followRedirects: request.followRedirects,
    keepBytes: looksAtBody(job.spec) ? maxBodyBytes : maxImageBytes,
  }
}

const looksAtBody = ({ request, tearDownScripts }: ApiSpec): boolean =>
  tearDownScripts.length > 0 ||
  request.assertions.some(({ source }) => source === 'TEXT_BODY' || source === 'JSON_BODY')

/** What templates and scripts of the job know by name. */
export const variablesOf = (job: ApiJob): Map<string, string> =>
  new Map([...runVariables(job), ...job.variables.map(({ key, value }) => [key, value] as const)])

/**
 * The address with its query parameters.
 * @throws RequestError
 */
export const addressOf = ({ url: text, queryParameters }: Request, context: TemplateContext): URL => {
  const field = 'the address'
  const url = URL.parse(render({ text, field, encode: encodeInAddress }, context).trim())
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new RequestError(invalidUrl.code, invalidUrl.message)
  const added = queryParameters.map(({ key, value }) => {
    // Encoded once, whichever braces hold the variable.
    const encode = (raw: string): string => raw
    const text = render({ text: value, field: `the query parameter ${key}`, encode }, context)
    const parameter = `${uriEncode(key)}=${uriEncode(text)}`
    if (context.room !== undefined) take(context.room, parameter.length - text.length)
    return parameter
  })
  if (added.length > 0) url.search = [url.search.slice(1), ...added].filter((part) => part !== '').join('&')
  return url
}

const bodyOf = ({ bodyType, body, method }: Request, context: TemplateContext): Buffer | null => {
  // RFC 9110 section 8.6: a method that expects content says that there is none.
  if (bodyType === 'NONE')
    return method === 'POST' || method === 'PUT' || method === 'PATCH' ? Buffer.alloc(0) : null
  const text = render({ text: body, field: 'the body' }, context)
  return Buffer.from(bodyType === 'GRAPHQL' ? graphQl(text) : text)
}

/** A query is wrapped; a body that is wrapped already, for the sake of its variables, stays as it is. */
const graphQl = (text: string): string => {
  if (/^\s*\{\s*"/.test(text))
    try {
      const given: unknown = JSON.parse(text)
      if (typeof given === 'object' && given !== null && 'query' in given) return text
    } catch {
      // No JSON: a query in GraphQL's own notation.
    }
  return JSON.stringify({ query: text })
}

const contentTypes: Partial<Record<Request['bodyType'], string>> = {
  JSON: 'application/json',
  GRAPHQL: 'application/json',
  FORM: 'application/x-www-form-urlencoded',
}

/** What frames the message is decided by what is sent. */
const framing = new Set(['content-length', 'transfer-encoding', 'connection'])

const headersOf = ({ headers, bodyType, basicAuth }: Request, url: URL, context: TemplateContext) => {
  const named = new Map<string, [name: string, value: string]>()
  const set = (name: string, value: string): void => {
    named.set(name.toLowerCase(), [name, value])
  }
  for (const [name, value] of Object.entries(defaultHeaders)) set(name, value)
  const contentType = contentTypes[bodyType]
  if (contentType !== undefined) set('Content-Type', contentType)
  const { Authorization } = authorizationOf(url)
  if (Authorization !== undefined) set('Authorization', Authorization)
  if (basicAuth !== null)
    set(
      'Authorization',
      basicAuthorization(
        render({ text: basicAuth.username, field: 'the user of the basic authentication' }, context),
        render({ text: basicAuth.password, field: 'the password of the basic authentication' }, context),
      ),
    )
  const own = new Map<string, [name: string, value: string]>()
  for (const { key, value } of headers) {
    const name = headerName(key)
    if (context.room !== undefined) take(context.room, key.length)
    const text = headerValue(key, render({ text: value, field: `the header ${key}` }, context))
    const before = own.get(name)
    const separator = name === 'cookie' ? '; ' : ', '
    own.set(name, [key, before === undefined ? text : `${before[1]}${separator}${text}`])
  }
  for (const [name, header] of own)
    if (!framing.has(name)) named.set(name, name === 'host' ? ['Host', header[1]] : header)
  return Object.fromEntries(named.values())
}

/** RFC 9110 section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const headerName = (key: string): string => {
  if (token.test(key)) return key.toLowerCase()
  throw new RequestError('INVALID_HEADER', `"${printable(key)}" cannot be the name of a header`)
}

const headerValue = (key: string, value: string): string => {
  const trimmed = withoutBlanks(value)
  if (/[\r\n]/.test(trimmed))
    throw new RequestError('INVALID_HEADER', `The value of the header ${key} contains a line break`)
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(trimmed))
    throw new RequestError('INVALID_HEADER', `The value of the header ${key} contains a control character`)
  return trimmed
}

/** Spaces and tabs around a value do not count (RFC 9110 section 5.5); line breaks are no such thing. */
const withoutBlanks = (value: string): string => {
  const isBlank = (at: number): boolean => value[at] === ' ' || value[at] === '\t'
  let start = 0
  let end = value.length
  while (start < end && isBlank(start)) start += 1
  while (end > start && isBlank(end - 1)) end -= 1
  return value.slice(start, end)
}

const printable = (text: string): string => text.slice(0, 100).replace(/[\0-\x1f\x7f]/g, '�')
