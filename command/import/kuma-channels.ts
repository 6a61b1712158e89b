/** Notifications of Uptime Kuma as channels; what is secret of them comes from the environment. */
import type { Json } from '../kinds.ts'
import type { Imported } from './imported.ts'

type Notification = Json & { id: number; name: string }

/** Providers that take a webhook of ours, by the names that kuma has for them, with the field of their address. */
const webhooks: Readonly<Record<string, { field: string; webhookType?: string }>> = {
  webhook: { field: 'webhookURL' },
  discord: { field: 'discordWebhookUrl', webhookType: 'WEBHOOK_DISCORD' },
  teams: { field: 'webhookUrl', webhookType: 'WEBHOOK_MSTEAMS' },
  Splunk: { field: 'splunkRestURL', webhookType: 'WEBHOOK_SPLUNK' },
}

/** The key of its channel; null: there is none like it. */
export const channelOfKuma = (imported: Imported, notification: Notification): string | null => {
  const config = configOf(notification)
  const type = String(config['type'] ?? '')
  const { name } = notification
  const channel = bodyOf(imported, { name, type, config })
  if (channel === null) {
    imported.note(
      `notification ${name}`,
      `there is no channel like ${type || 'it'}: a WEBHOOK with a template may do`,
    )
    return null
  }
  return imported.add('channel', name, { ...channel, autoSubscribe: isOn(config['isDefault']) })
}

const isOn = (value: unknown): boolean => value === true || value === 1

/** In a backup the settings are a text of JSON within. */
const configOf = (notification: Notification): Json => {
  if (typeof notification['config'] !== 'string')
    return { ...notification, ...(notification['config'] as Json) }
  try {
    return { ...notification, ...JSON.parse(notification['config']) }
  } catch {
    return notification
  }
}

type Given = { name: string; type: string; config: Json }

const bodyOf = (imported: Imported, { name, type, config }: Given): Json | null => {
  const webhook = webhooks[type]
  if (webhook !== undefined) {
    const { field, ...more } = webhook
    if (typeof config[field] !== 'string') return null
    if (type === 'webhook' && config['webhookContentType'] === 'custom')
      imported.note(`notification ${name}`, 'its own body is not carried over: say it as `template`')
    return { type: 'WEBHOOK', config: { name, url: imported.secret(`${name}_url`), method: 'POST', ...more } }
  }
  if (type === 'slack') return { type: 'SLACK', config: { url: imported.secret(`${name}_url`) } }
  if (type === 'PagerDuty')
    return { type: 'PAGERDUTY', config: { serviceKey: imported.secret(`${name}_key`) } }
  if (type === 'Opsgenie') {
    const region = config['opsgenieRegion'] === 'eu' ? 'EU' : 'US'
    return {
      type: 'OPSGENIE',
      config: { name, apiKey: imported.secret(`${name}_key`), region, priority: 'P3' },
    }
  }
  if (type !== 'smtp') return null
  const [address, ...others] = String(config['smtpTo'] ?? '').split(/[,;]\s*/)
  if (others.length > 0)
    imported.note(`notification ${name}`, `a channel has one address: ${others.join(', ')} need their own`)
  return address === undefined || address === '' ? null : { type: 'EMAIL', config: { address } }
}
