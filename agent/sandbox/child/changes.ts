import type { Changes, ChildTask, ScriptRequest } from '../task.ts'

type ScriptState = {
  request: ScriptRequest
  response: { body: unknown } | undefined
  body: string
  env: Record<string, string>
}

/** What a script has changed. In teardown the request was sent already, so only the body counts. */
export const changesOf = (task: ChildTask, { request, response, body, env }: ScriptState): Changes => {
  const responseBody = response === undefined ? body : textOf(response.body)
  return {
    request: task.phase === 'setup' ? requestChanges(task.request, request) : {},
    ...(responseBody === body ? {} : { responseBody }),
    variables: Object.fromEntries([
      ...Object.entries(env).filter(([name, value]) => task.variables[name] !== value),
      ...Object.keys(task.variables)
        .filter((name) => !(name in env))
        .map((name) => [name, null] as const),
    ]),
  }
}

const requestChanges = (before: ScriptRequest, after: ScriptRequest): Changes['request'] => {
  const now = {
    method: textOf(after.method),
    url: textOf(after.url),
    body: textOf(after.body),
    headers: textsOf(after.headers),
    queryParameters: textsOf(after.queryParameters),
  }
  return Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof ScriptRequest]),
    ),
  )
}

/** An object where a text belongs is meant as JSON. */
const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' && !(value instanceof URL) ? JSON.stringify(value) : String(value)
}

/** A header that is set to nothing is not sent. */
const textsOf = (values: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values ?? {})
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, textOf(value)]),
  )
