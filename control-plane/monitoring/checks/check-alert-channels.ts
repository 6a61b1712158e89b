/** The contract's `alertChannels` of a check: its channels by kind, with their secrets masked as they are stored. */
import type { Static } from 'typebox'
import { channelDoc } from '../../alerting/alert-channels/channel-doc.ts'
import type { AlertChannels } from './schema.ts'

export type CheckAlertChannels = Static<typeof AlertChannels>

type KeyValue = { key: string; value: string; locked?: boolean }
type Shown = {
  address?: string
  url?: string
  name?: string
  method?: string
  number?: string
  headers?: KeyValue[]
  queryParameters?: KeyValue[]
}

/** Other types than these four have no place in a check's answer. */
export const toCheckAlertChannels = (rows: Array<{ type: string; doc: string }>): CheckAlertChannels => {
  const channels: CheckAlertChannels = { email: [], webhook: [], slack: [], sms: [] }
  for (const { type, doc } of rows) {
    const config: Shown = channelDoc.read(doc).config
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

const fields = (list: KeyValue[] = []) =>
  list.map(({ key, value, locked = false }) => ({ key, value, locked }))
