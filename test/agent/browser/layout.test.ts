import t from 'tap'
import { layoutOf } from '../../../agent/browser/layout.ts'

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
