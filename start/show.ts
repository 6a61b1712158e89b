/** What `npm start` shows: the programs' log lines for people, and what to do next. */

/** A stop that the user can act on: shown as it is, without a stack. */
export class StartError extends Error {}

/** A line on the terminal. */
export const say = (text: string) => process.stdout.write(`${text}\n`)

const hidden = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'name', 'v', 'err', 'error'])
const levels: Record<string, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

function parseObject(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null
  try {
    return JSON.parse(line)
  } catch {
    // Not one of our log lines, only something that looks like it: shown as it is.
    return null
  }
}

const showValue = (value: unknown) =>
  typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value)

const showFields = (fields: Record<string, unknown>) =>
  Object.entries(fields)
    .filter(([key]) => !hidden.has(key))
    .map(([key, value]) => `${key}=${showValue(value)}`)
    .join(' ')

function showError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return error === undefined ? '' : `: ${String(error)}`
  const { stack, message } = error as { stack?: string; message?: string }
  return stack ? `\n${stack.replace(/^/gm, '    ')}` : `: ${message ?? JSON.stringify(error)}`
}

/** One JSON log line of a program as `12:34:56 INFO  name  message key=value`; any other line as it is. */
export function formatLogLine(name: string, line: string): string {
  const entry = parseObject(line)
  if (typeof entry?.['time'] !== 'number') return `${name}  ${line}`
  const time = new Date(entry['time']).toTimeString().slice(0, 8)
  const level = String(levels[String(entry['level'])] ?? entry['level']).toUpperCase()
  const text = `${time} ${level.padEnd(5)} ${name}  ${entry['msg'] ?? ''} ${showFields(entry)}`.trimEnd()
  return text + showError(entry['err'] ?? entry['error'])
}

/** What to say, beyond the line itself, when the control plane has its first result. */
export function announce(line: string, baseUrl: string): string {
  const entry = parseObject(line)
  if (entry?.['msg'] !== 'first result') return ''
  const checkId = entry['checkId'] ? `/${entry['checkId']}` : ''
  return `\n  The first result has arrived: ${showFields(entry)}
  All of them: curl -H "Authorization: Bearer $KEY" ${baseUrl}/v2/check-results${checkId}\n`
}

/** The address in the line in which a first start says how somebody gets in, or null in any other line. */
export function signInLinkIn(line: string): string | null {
  const said = parseObject(line)?.['msg']
  return /^Open (\S+) to sign in /.exec(typeof said === 'string' ? said : '')?.[1] ?? null
}

/** `container`: the name of the container that both run in, or null. `signInLink`: of a first start, good once. */
type Welcome = { container?: string | null; signInLink?: string | null }

const wayIn = (baseUrl: string, signInLink: string | null): string =>
  signInLink === null
    ? `Dashboard ${baseUrl}/app`
    : `Open this in a browser, choose a password, and make the first check there (good once, for 24 hours):

    ${signInLink}

  Dashboard ${baseUrl}/app`

/** What to print once both programs are ready. */
export function welcome(
  baseUrl: string,
  bootstrapPath: string,
  { container = null, signInLink = null }: Welcome = {},
): string {
  const path = bootstrapPath.replaceAll("'", "\\'").replaceAll('"', '\\"')
  const inContainer = container === null ? '' : `docker exec ${container} `
  return `
  Watchpost is ready.

  ${wayIn(baseUrl, signInLink)}
  API       ${baseUrl}  (${baseUrl}/openapi.json describes it)
  API key   in ${bootstrapPath}
            export KEY=$(${inContainer}node -p "require('${path}').apiKey")

  A first check from here, run at once and then every ten seconds:

    curl -X POST ${baseUrl}/v1/checks/url -H "Authorization: Bearer $KEY" -H 'content-type: application/json' \\
      -d '{"name":"first","request":{"url":"${baseUrl}/health","assertions":[{"source":"STATUS_CODE","comparison":"EQUALS","target":"200"}]},"privateLocations":["local"],"locations":[],"frequency":0,"frequencyOffset":10}'

  ${container === null ? 'Ctrl-C stops both; a second one stops them at once.' : `"docker stop --time 60 ${container}" drains and stops both.`}
`
}
