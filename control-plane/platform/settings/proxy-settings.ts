/** The operator's proxy, by which requests of the control plane leave, in either case of their names. */
import type { ProxySettings } from '../../../protocol/networks/proxy.ts'
import type { Reader, Variable } from './reading.ts'

export const proxyVariables: readonly Variable[] = [
  {
    name: 'HTTP_PROXY',
    secret: true,
    default: 'unset',
    meaning:
      'proxy for own requests to http addresses (webhooks, chats, OIDC, models, S3, OTLP), with its user and password where it wants them (docs/deploy/networks.md)',
  },
  { name: 'HTTPS_PROXY', secret: true, default: 'unset', meaning: 'the same for https addresses' },
  {
    name: 'NO_PROXY',
    default: 'unset',
    meaning:
      'what is reached without a proxy: names with all below them, addresses, networks, each with an optional port, or `*`',
  },
]

export const readProxySettings = (reader: Reader): ProxySettings =>
  Object.freeze({
    http: eitherCase(reader, 'HTTP_PROXY'),
    https: eitherCase(reader, 'HTTPS_PROXY'),
    none: reader.text('NO_PROXY') ?? reader.text('no_proxy'),
  })

const eitherCase = (reader: Reader, name: string): string | null => {
  const [upper, lower] = [address(reader, name), address(reader, name.toLowerCase())]
  if (reader.text(`${name}_FILE`) !== null && lower !== null)
    reader.problems.push(`${name.toLowerCase()} and ${name}_FILE are both set: use one`)
  return upper ?? lower
}

/** Problems never show the value: it may hold a password. */
const address = ({ text, problems }: Reader, name: string): string | null => {
  const value = text(name)
  if (value === null || /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value
  problems.push(`${name} must be an http or https address`)
  return null
}
