/** A status page with one service on a card, made through the API. */
import type { TestApp } from './app.ts'

export type MadePage = { pageId: string; serviceId: string; url: string }

export const makePage = async ({ call }: TestApp, more: object = {}): Promise<MadePage> => {
  const service = await call('POST', '/v1/status-pages/services', { body: { name: 'Shop' } })
  const page = await call('POST', '/v1/status-pages', {
    body: {
      name: 'Acme status',
      url: 'acme',
      cards: [{ name: 'All', services: [{ id: service.body.id }] }],
      ...more,
    },
  })
  if (page.status !== 201) throw new Error(`The page was not made: ${page.text}`)
  return { pageId: page.body.id, serviceId: service.body.id, url: page.body.url }
}

/** Addresses that count as verified at once. */
export const subscribeVerified = async ({ call }: TestApp, pageId: string, addresses: string[]) => {
  const { status, text } = await call('POST', `/v1/status-pages/${pageId}/subscriptions/bulk`, {
    body: {
      subscriptions: addresses.map((address) => ({ type: 'EMAIL', config: { address } })),
      autoVerify: true,
    },
  })
  if (status !== 201) throw new Error(`Nobody was subscribed: ${text}`)
}
