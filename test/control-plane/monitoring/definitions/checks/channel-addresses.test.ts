import t from 'tap'
import { roles } from '../../../../../control-plane/platform/words/shapes/roles.ts'
import { addChannel } from '../../../../support/alerting.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

const writers: readonly string[] = ['READ_WRITE', 'ADMIN', 'OWNER']

for (const engine of engineNames)
  t.test(`a check's channels show their addresses to who may write them (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { call, addKey, accountId } = plane
    const config = (path: string) => ({ name: 'hook', url: `https://hooks.example/in/${path}` })
    const alertChannelId = await addChannel(plane, 'WEBHOOK', config('address1-abcdefghijkl'))
    const slack = await addChannel(plane, 'SLACK', { url: 'https://hooks.slack.com/services/address2' })
    const { id } = (
      await call('POST', '/v1/checks/url', {
        body: {
          name: 'Home page',
          frequency: 5,
          locations: ['eu-west-1'],
          request: { url: 'https://shop.example/' },
          alertChannelSubscriptions: [alertChannelId, slack].map((one) => ({
            alertChannelId: one,
            activated: true,
          })),
        },
      })
    ).body
    const keys = new Map<string, string>()
    for (const role of roles) keys.set(role, (await addKey({ accountId, role })).apiKey)
    const paths = [
      `/v1/checks/${id}`,
      `/v2/checks/${id}`,
      '/v1/checks',
      `/v1/checks/${id}?applyGroupSettings=true`,
      `/v1/checks/${id}?includeDependencies=true`,
    ]
    const readBy = async (role: string, key: string): Promise<void> => {
      for (const path of paths) {
        const { status, text } = await call('GET', path, { key })
        t.equal(status, 200, text)
        if (writers.includes(role))
          t.match(text, /hooks\.example\/in\/address1-a.*services\/address2/, `${path} ${role}`)
        else t.notMatch(text, /address[12]/, `${path} as ${role}`)
      }
    }
    // In both orders: what one was answered is kept for the next, and must not be the other's.
    for (const [role, key] of [...keys, ...[...keys].reverse()]) await readBy(role, key)
    // The mask stays the same.
    const body = { type: 'WEBHOOK', config: config('changed3-abcdefghijkl') }
    t.equal((await call('PUT', `/v1/alert-channels/${alertChannelId}`, { body })).status, 200)
    t.match((await call('GET', `/v1/checks/${id}`)).text, /changed3/, 'a changed address is shown at once')
  })
