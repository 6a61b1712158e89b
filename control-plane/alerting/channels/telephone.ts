/** Text messages and calls through a Twilio-compatible gateway. */
import { escapeHtml } from '../../../protocol/escape-html.ts'
import { type Message, shortened } from '../messages/message.ts'
import { type Deps, deliver, providerJudgement, requireProvider } from './delivery.ts'
import type { Providers } from './providers.ts'

export const missingTelephone = ({ telephone }: Providers): string | null =>
  telephone === null ? telephoneSetting : null

const telephoneSetting = 'TWILIO_ACCOUNT_SID'

export const sendByTelephone = async (
  deps: Deps,
  resource: 'Messages' | 'Calls',
  fields: Record<string, string>,
): Promise<string> => {
  const { accountSid, authToken, from, baseUrl } = requireProvider(deps.providers.telephone, telephoneSetting)
  const { status, body } = await deliver(
    deps,
    {
      method: 'POST',
      url: `${baseUrl}/2010-04-01/Accounts/${accountSid}/${resource}.json`,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
      },
      body: new URLSearchParams({ From: from, ...fields }).toString(),
    },
    providerJudgement,
  )
  const [, sid = null] = /"sid"\s*:\s*"(\w{1,64})"/.exec(body) ?? []
  return `HTTP ${status}${sid === null ? '' : `: ${sid}`}`
}

/** Two parts of a text message at most when it stays within the alphabet of GSM. */
const shortLength = 300

export const shortMessage = ({ title, reason, locationName, link }: Message): string => {
  const error = reason === null ? '' : ` ${reason.replace(/\s+/g, ' ')}`
  const location = locationName === null ? '' : ` (${locationName})`
  return `${shortened(`${title}${location}.${error}`, shortLength - link.length - 1)} ${link}`
}

/** TwiML, said twice: whoever is called has to wake up first. */
export const spoken = ({ title, locationName }: Message): string => {
  const words = `Watchpost alert. ${title}${locationName === null ? '' : `, seen from ${locationName}`}.`
  return `<Response><Say loop="2">${escapeXml(shortened(words, 1000))}</Say></Response>`
}

/** XML 1.0 has no place for most control characters. */
const escapeXml = (text: string): string =>
  escapeHtml(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' '))
