/** The contract's `alertChannels` of a check: its channels by kind, each as its own answer shows it. */
import { type Static, Type } from 'typebox'
import type { ChannelConfig } from '../channels/channel-type.ts'

const KeyValue = Type.Object({ key: Type.String(), value: Type.String(), locked: Type.Boolean() })

export const CheckAlertChannels = Type.Object(
  {
    email: Type.Array(Type.Object({ address: Type.String() })),
    webhook: Type.Array(
      Type.Object({
        url: Type.String(),
        name: Type.String(),
        method: Type.String(),
        headers: Type.Array(KeyValue),
        queryParameters: Type.Array(KeyValue),
      }),
    ),
    slack: Type.Array(Type.Object({ url: Type.String() })),
    sms: Type.Array(Type.Object({ number: Type.String(), name: Type.String() })),
  },
  { title: 'CheckAlertChannels' },
)
export type CheckAlertChannels = Static<typeof CheckAlertChannels>

type StoredField = { key: string; value: string; locked?: boolean }
type ShownConfig = {
  address?: string
  url?: string
  name?: string
  method?: string
  number?: string
  headers?: StoredField[]
  queryParameters?: StoredField[]
}

/** Other types than these four have no place in a check's answer. */
export const toCheckAlertChannels = (
  shown: readonly { type: string; config: ChannelConfig }[],
): CheckAlertChannels => {
  const channels: CheckAlertChannels = { email: [], webhook: [], slack: [], sms: [] }
  for (const { type, config: given } of shown) {
    const config: ShownConfig = given
    const { address = '', url = '', name = '', method = 'POST', number = '' } = config
    if (type === 'EMAIL') channels.email.push({ address })
    else if (type === 'SLACK') channels.slack.push({ url })
    else if (type === 'SMS') channels.sms.push({ number, name })
    else if (type === 'WEBHOOK')
      channels.webhook.push({
        url,
        name,
        method,
        headers: fields(config.headers),
        queryParameters: fields(config.queryParameters),
      })
  }
  return channels
}

const fields = (list: StoredField[] = []) =>
  list.map(({ key, value, locked = false }) => ({ key, value, locked }))
