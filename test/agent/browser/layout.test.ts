import t from 'tap'
import { layoutOf, styleOf } from '../../../agent/browser/layout.ts'

const spec = (script: string | null, change: object = {}) => ({
  ...{ script, scriptPath: null, dependencies: [], snippets: [] },
  ...change,
})

t.test('files lie as the check says', async (t) => {
  const dependencies = [{ path: './src/a.ts', content: 'a' }]
  const snippets = [{ name: 'b', code: 'b' }]
  const layout = layoutOf(spec('x', { scriptPath: '/src/checks/home.spec.ts', dependencies, snippets }))
  t.strictSame(layout, {
    entry: 'src/checks/home.spec.ts',
    files: new Map([
      ['src/a.ts', 'a'],
      ['src/checks/snippets/b.js', 'b'],
      ['src/checks/home.spec.ts', 'x'],
    ]),
  })
  for (const path of ['../x', 'a/../../x', '..', 'a/', '\\..\\x', 'a\0b'])
    t.match(layoutOf(spec('x', { dependencies: [{ path, content: '' }] })), { problem: /leads out/ }, path)
  t.match(layoutOf(spec('x', { scriptPath: '../x' })), { problem: /path of the script/ })
  t.match(layoutOf(spec(null)), { problem: /no script/ })
})

t.test('what a script declares decides how it runs', async (t) => {
  const cases: [string, 'library' | 'test'][] = [
    ["import { test } from '@playwright/test'\ntest('a', () => {})", 'test'],
    ["const { test } = require('@playwright/test')\ntest.describe('a', () => {})", 'test'],
    ["import { chromium, expect } from '@playwright/test'\nawait chromium.launch()", 'library'],
    ["const { chromium } = require('playwright')\n/a/.test('a')", 'library'],
    ["import { test } from './fixtures'\ntest('a', () => {})", 'library'],
  ]
  for (const [script, style] of cases) {
    const layout = layoutOf(spec(script))
    t.equal('files' in layout && styleOf(layout), style, script)
  }
  const dependencies = [{ path: 'fixtures.ts', content: "export { test } from '@playwright/test'" }]
  const layout = layoutOf(spec("import { test } from './fixtures'\ntest('a', () => {})", { dependencies }))
  t.equal('files' in layout && styleOf(layout), 'test')
})
