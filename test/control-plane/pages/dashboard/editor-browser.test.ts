// Runs in test:all only: it opens forms in a browser.
/** Programs in forms, in a real Chromium: colours, numbers and errors with scripts, and the same words without. */
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { overflowOf, violationsOf } from '../../../support/axe.ts'
import { sessionOf, signedIn, visitPage } from '../../../support/dashboard.ts'
import { noChromium, openBrowser } from '../../../support/result-browser.ts'

const broken = "import { expect } from '@playwright/test'\n// Signs in\nconst a = go(1 2)\n"

t.test('a program has colours, lines and its error in place', { skip: noChromium }, async (t) => {
  const plane = await testApp(t)
  const page = await (await signedIn(t, await openBrowser(t), { plane })).newPage()
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.goto(`${plane.url}/app/do/post/v1/checks/browser`)
  const script = page.locator('#f-body-script')
  await script.fill(broken)
  t.strictSame(await page.locator('.editor .k').allTextContents(), ['import', 'from', 'const'])
  t.strictSame(await page.locator('.editor .c').allTextContents(), ['// Signs in'])
  await page.locator('#f-body-script-note:has-text("Line 3: ")').waitFor()
  await page.locator('.editor .nums b:has-text("✕ 3")').waitFor()
  t.match(await script.getAttribute('aria-describedby'), 'f-body-script-note')
  await script.fill(broken.replace('1 2', '12'))
  await page.locator('#f-body-script-note:empty').waitFor({ state: 'attached' })
  t.equal(await page.locator('.editor .nums b').textContent(), '')
  await script.fill('if (a) {\n  b()')
  await script.press('Enter')
  t.equal(await script.inputValue(), 'if (a) {\n  b()\n  ', 'a new line begins where the last one did')
  await script.press('Control+]')
  t.equal(await script.inputValue(), 'if (a) {\n  b()\n    ')
  await script.press('Control+z')
  t.equal(await script.inputValue(), 'if (a) {\n  b()\n  ', 'and can be undone')
  await script.press('Tab')
  t.not(await page.evaluate<string>('document.activeElement.id'), 'f-body-script', 'Tab leaves it')
  t.equal(await script.inputValue(), 'if (a) {\n  b()\n  ')
  t.strictSame(errors, [], 'the policy of the page refuses nothing of it')
})

t.test(
  'a snippet and the scripts of a group have the same, at every width',
  { skip: noChromium },
  async (t) => {
    const plane = await testApp(t)
    const browser = await openBrowser(t)
    const { id } = (
      await plane.call('POST', '/v1/snippets', { body: { name: 'sign-in', script: broken.repeat(40) } })
    ).body
    const group = { name: 'Shop', localSetupScript: 'return 1\n)' }
    const { body } = await plane.call('POST', '/v2/check-groups', { body: group })
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      const options = { viewport: { width, height: 800 }, colorScheme, bypassCSP: true }
      const page = await (await signedIn(t, browser, { plane, options })).newPage()
      for (const { path, field } of [
        { path: `/app/do/put/v1/snippets/${id}`, field: 'script' },
        { path: `/app/do/patch/v2/check-groups/${body.id}`, field: 'localSetupScript' },
      ]) {
        await page.goto(`${plane.url}${path}`)
        await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
        t.match(await page.locator(`#f-body-${field}-note`).textContent(), /Line [23]: /, path)
        t.strictSame(await violationsOf(page), [], `${path}, ${colorScheme}`)
        t.equal(await overflowOf(page), 0, `${path} fits ${width}`)
        t.equal(
          await page.evaluate<number>(
            `(() => { const area = document.querySelector('#f-body-${field}'); area.scrollTop = 90; return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(area.scrollTop - area.previousSibling.scrollTop)))) })()`,
          ),
          0,
          'colours scroll with their text',
        )
      }
    }
  },
)

t.test('without scripts it is a text field with the same words beside it', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const look = async (path: string, fields: Record<string, string>): Promise<string> =>
    (await visitPage(plane, cookie, path, { ...fields, _do: 'look' })).text
  const inForm = await look('/app/do/post/v1/checks/browser', { 'body.script': broken })
  t.match(inForm, /id="f-body-script-note"[^>]* data-line="3">.*Line 3: /)
  t.match(inForm, /<textarea id="f-body-script"[^>]* data-editor>\n?import/)
  for (const name of ['localSetupScript', 'localTearDownScript'])
    t.match(
      await look('/app/do/post/v1/checks/api', { [`body.${name}`]: 'return 1\n)' }),
      new RegExp(`id="f-body-${name}-note"[^>]* data-line="2"`),
    )
  t.notMatch(await look('/app/do/post/v1/snippets', { 'body.script': 'return 1' }), 'data-line')
  const saved = await visitPage(plane, cookie, '/app/do/post/v1/snippets', {
    ...{ 'body.name': 'x', 'body.script': broken, _do: 'save' },
  })
  t.match(saved.text, /It was saved, but:.*The snippet cannot be parsed, line 3: /s)
  const group = await visitPage(plane, cookie, '/app/do/post/v2/check-groups', {
    ...{ 'body.name': 'x', 'body.concurrency': '3', 'body.localTearDownScript': 'a b', _do: 'save' },
  })
  t.match(group.text, /It was saved, but:.*The teardown script cannot be parsed, line 1: /s)
})
