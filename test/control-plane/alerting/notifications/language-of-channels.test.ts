// Runs on both engines in test:all: the languages of an account are one question of the store.
/** What a channel says is in the language that all of its account have chosen, where people read it together, and code in it as the medium shows code. */
import t, { type Test } from 'tap'
import { setLanguage } from '../../../../control-plane/access/credentials/queries.ts'
import { addChannel, dispatch, loopbackEnv } from '../../../support/alerting.ts'
import { urlMonitor } from '../../../support/api.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'
import { receiver } from '../../../support/receiver.ts'
import { work } from '../../../support/work.ts'

/** The first step of the rule for a connection that was refused has one command in it. */
const command = 'ss -ltnp'

const paths = [
  'slack',
  'teams',
  'telegram',
  'discord',
  'general',
  'templated',
  'pagerduty',
  'opsgenie',
] as const
type Path = (typeof paths)[number]

/** A check whose connection is refused, and what each channel is sent of it. */
const toldOfFailure = async (t: Test, engine: 'sqlite' | 'postgres', languages: readonly string[]) => {
  const hook = await receiver(t)
  const at = (path: Path) => `${hook.origin}/${path}`
  const env = { ...loopbackEnv, PAGERDUTY_BASE_URL: at('pagerduty'), OPSGENIE_BASE_URL: at('opsgenie') }
  const plane: TestApp = await testApp(t, { engine, env })
  for (const [index, language] of languages.entries()) {
    const { userId } = await addPerson(plane, { email: `person-${index}@example.com`, role: 'OWNER' })
    await plane.app.db.run(setLanguage, { userId, language })
  }
  await addChannel(plane, 'SLACK', { url: at('slack'), channel: 'ops' })
  const webhook = (path: Path, more: object) =>
    addChannel(plane, 'WEBHOOK', { name: path, url: at(path), method: 'POST', ...more })
  await webhook('teams', { webhookType: 'WEBHOOK_MSTEAMS' })
  await webhook('telegram', { webhookType: 'WEBHOOK_TELEGRAM' })
  await webhook('discord', { webhookType: 'WEBHOOK_DISCORD' })
  await webhook('general', {})
  await webhook('templated', { webhookType: 'WEBHOOK_DISCORD', template: '{"content": "{{ALERT_TITLE}}"}' })
  await addChannel(plane, 'PAGERDUTY', { serviceKey: 'k' })
  await addChannel(plane, 'OPSGENIE', { name: 'o', apiKey: 'k', region: 'EU', priority: 'P1' })
  await plane.call('POST', '/v1/checks/url', {
    body: { ...urlMonitor('Home page', 'http://127.0.0.1/'), doubleCheck: false },
  })
  t.equal(await work(plane, 'failing'), 1)
  await dispatch(plane.app)
  const textOf = (path: Path): string => {
    const text = hook.received.find((one) => one.path.startsWith(`/${path}`))?.text ?? ''
    return path === 'telegram' ? (new URLSearchParams(text).get('text') ?? '') : text
  }
  return Object.fromEntries(paths.map((path) => [path, textOf(path)])) as Record<Path, string>
}

for (const engine of engineNames) {
  t.test(`in the language that all of the account have chosen (${engine})`, async (t) => {
    const told = await toldOfFailure(t, engine, ['de', 'de'])
    for (const path of ['slack', 'teams', 'telegram', 'discord', 'opsgenie'] as const) {
      t.match(told[path], /Wahrscheinliche Ursache/, path)
      t.match(told[path], /ist fehlgeschlagen/, path)
      t.notMatch(
        told[path],
        /Probable cause|What to look at first|View result|refused the connection: the/,
        path,
      )
    }
    for (const path of ['general', 'templated', 'pagerduty'] as const) {
      t.match(told[path], /has failed/, `programs read ${path}`)
      t.notMatch(told[path], /fehlgeschlagen/, path)
    }
  })

  t.test(`in English where they have chosen several (${engine})`, async (t) => {
    const told = await toldOfFailure(t, engine, ['de', 'fr'])
    for (const path of paths) t.match(told[path], /has failed/, path)
    t.match(told.slack, `\`${command}\``)
    t.match(told.discord, `\`${command}\``)
    t.match(told.telegram, `<code>${command}</code>`)
    for (const path of ['teams', 'pagerduty', 'opsgenie'] as const) {
      t.notMatch(told[path], '`', path)
      t.match(told[path], `\\"${command}\\"`, path)
    }
  })
}
