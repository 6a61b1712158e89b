import { type Static, Type } from 'typebox'
import { anyCase } from '../../platform/words/shapes/optional-fields.ts'
import { type ChannelType, closed, type SecretField, Text } from './channel-type.ts'
import { DeliveryError, type Deps, deliver, webhookJudgement } from './delivery.ts'
import { secretTexts } from './secret-texts.ts'
import { filledParts } from './webhook-parts.ts'
import { type WebhookConfig, webhookRequest } from './webhook-request.ts'

const fields = (key: ReturnType<typeof Type.String>) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        {
          key,
          value: Type.String({ maxLength: 8192 }),
          locked: Type.Optional(
            Type.Boolean({ default: false, description: 'The value is shown masked, also if it is plain' }),
          ),
          plain: Type.Optional(Type.Boolean({ description: 'The value is no secret: it is shown' })),
        },
        closed,
      ),
      { maxItems: 100, default: [] },
    ),
  )

/** A field name as RFC 9110 section 5.1 has it. */
const HeaderName = Type.String({ minLength: 1, maxLength: 255, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" })
const ParameterName = Type.String({ minLength: 1, maxLength: 255 })

const config = Type.Object(
  {
    name: Text,
    url: Type.String({
      maxLength: 2048,
      pattern: '^(https?://[^\\s/?#]|\\{\\{)',
      description: 'http or https; may be a template, as `template` may',
    }),
    method: anyCase(
      Type.Optional(Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'HEAD', 'DELETE'], { default: 'POST' })),
    ),
    template: Type.Optional(Type.String({ maxLength: 100_000, description: 'Body; Handlebars' })),
    webhookType: Type.Optional(
      Type.Enum(
        [
          'WEBHOOK_MSTEAMS',
          'WEBHOOK_TELEGRAM',
          'WEBHOOK_DISCORD',
          'WEBHOOK_INCIDENTIO',
          'WEBHOOK_FIREHYDRANT',
          'WEBHOOK_GITLAB_ALERT',
          'WEBHOOK_ILERT',
          'WEBHOOK_ROOTLY',
          'WEBHOOK_SPIKESH',
          'WEBHOOK_SPLUNK',
          'WEBHOOK_CORALOGIX',
        ],
        { description: 'A provider without a type of its own' },
      ),
    ),
    webhookSecret: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: 'Signs every delivery' }),
    ),
    headers: fields(HeaderName),
    queryParameters: fields(ParameterName),
  },
  { ...closed, title: 'WebhookChannelConfig' },
)
type Config = Static<typeof config>

const chats: ReadonlySet<string | undefined> = new Set([
  'WEBHOOK_MSTEAMS',
  'WEBHOOK_TELEGRAM',
  'WEBHOOK_DISCORD',
])

/** With a template it is for its writer to say what is said, and programs may read it. */
const isChat = ({ webhookType, template = '' }: Config): boolean =>
  chats.has(webhookType) && template.trim() === ''

export const webhook: ChannelType = {
  type: 'WEBHOOK',
  config,
  showsCause: true,
  isReadByAll: (given) => isChat(given as Config),
  secretsOf: (given) => secretsOf(given as Config),
  templateFaults: async (message, given, filling) => {
    // A template that is not sent for now has to be one, too.
    const parts = await filledParts(message, { ...(given as WebhookConfig), method: 'POST' }, filling)
    return parts.faults
  },
  send: async (message, given, deps) => {
    const { request, notice, filled } = await webhookRequest(message, given as WebhookConfig, deps)
    const secrets = secretTexts(filled, secretsOf(filled))
    const hide: Deps['hide'] = (text, more = []) => deps.hide(text, [...secrets, ...more])
    const sending = deliver({ ...deps, hide }, request, webhookJudgement)
    if (notice === null) return (await sending).text
    const { text } = await sending.catch((error: unknown) => {
      if (!(error instanceof DeliveryError)) throw error
      const { permanent, retryAfterMs } = error
      throw new DeliveryError(`${notice} ${error.message}`, { permanent, retryAfterMs, cause: error })
    })
    return `${notice} ${text}`
  },
}

const secretsOf = ({
  webhookSecret,
  headers = [],
  queryParameters = [],
}: Pick<Config, 'webhookSecret' | 'headers' | 'queryParameters'>): SecretField[] => [
  { id: 'url', path: ['url'], kind: 'address' },
  ...(webhookSecret === undefined
    ? []
    : [{ id: 'webhookSecret', path: ['webhookSecret'], kind: 'key' as const }]),
  ...valuesOf('headers', headers),
  ...valuesOf('queryParameters', queryParameters),
]

type Field = { key: string; locked?: boolean; plain?: boolean }

/** Headers that say how a body is to be read, and by whom it was sent: nobody keeps a secret in them. */
const knownPlain =
  /^(accept(-charset|-encoding|-language)?|cache-control|content-(encoding|language|type)|user-agent)$/i

/**
 * Values are secrets unless they are marked: what receivers know a caller by has a hundred names. A value is told by its key and, where a key
 * comes again, by which of them it is.
 */
const valuesOf = (list: string, fields: Field[]): SecretField[] => {
  const seen = new Map<string, number>()
  return fields.map(({ key, locked = false, plain = false }, position) => {
    const nth = seen.get(key.toLowerCase()) ?? 0
    seen.set(key.toLowerCase(), nth + 1)
    const isKnown = list === 'headers' && knownPlain.test(key)
    const isSecret = locked || /^(proxy-)?authorization$/i.test(key) || !(plain || isKnown)
    return {
      id: `${list}/${key.toLowerCase()}/${nth}`,
      path: [list, position, 'value'],
      kind: isSecret ? 'key' : 'plain',
    }
  })
}
