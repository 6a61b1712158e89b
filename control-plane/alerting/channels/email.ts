import { Type } from 'typebox'
import { MailError } from '../../platform/services/mail/mail.ts'
import type { AlertEvent } from '../messages/alert-event.ts'
import { type ChannelType, closed } from './channel-type.ts'
import { DeliveryError, requireProvider } from './delivery.ts'
import { mailOf } from './mail-of.ts'

export const email: ChannelType = {
  type: 'EMAIL',
  config: Type.Object(
    { address: Type.String({ format: 'email', maxLength: 254 }) },
    { ...closed, title: 'EmailChannelConfig' },
  ),
  addressOf: ({ address }) => address as string,
  showsCause: true,
  secretsOf: () => [],
  send: async (message, config, { mail }) => {
    if (!mail.configured) requireProvider(null, 'SMTP_URL')
    const { address } = config as { address: string }
    try {
      return await mail.send({
        to: address,
        ...mailOf(message),
        messageId: `${message.id}@watchpost`,
        headers: {
          ...subjectHeader(message.event),
          'Auto-Submitted': 'auto-generated',
        },
      })
    } catch (error) {
      if (!(error instanceof MailError)) throw error
      throw new DeliveryError(error.message, { permanent: error.permanent, cause: error })
    }
  },
}

const subjectHeader = ({ checkId, location, group }: AlertEvent): Record<string, string> => {
  if (group !== null) return { 'X-Watchpost-Group': String(group.id) }
  return { [location === null ? 'X-Watchpost-Check' : 'X-Watchpost-Location']: checkId }
}
