import t from 'tap'
import { styleOf } from '../../../agent/browser/style-of.ts'

const styleWith = (script: string, more: Record<string, string> = {}) =>
  styleOf({ entry: 'script.ts', files: new Map([['script.ts', script], ...Object.entries(more)]) })

const fixtures = {
  'fixtures.ts': "import { test as base } from '@playwright/test'\nexport const test = base.extend({})",
}

t.test('a file that takes `test` from the runner and calls it is one of tests', async (t) => {
  for (const script of [
    "import { test } from '@playwright/test'\ntest('a', () => {})",
    "import { test as check, expect } from '@playwright/test'\ncheck('a', () => {})",
    "import test, { expect } from '@playwright/test'\ntest.only('a', () => {})",
    "import * as pw from '@playwright/test'\npw.test('a', () => {})",
    "import {\n  expect,\n  test\n} from 'playwright/test';test.describe.configure({ mode: 'serial' })",
    "const { test } = require('@playwright/test')\ntest.describe('a', () => {})",
    "const { test: it } = require('@playwright/test')\nfor (const name of ['a']) it(name, () => {})",
    "import { test as base } from '@playwright/test'\nconst check = base.extend<Own>({})\ncheck('a', () => {})",
    "import { test } from '@playwright/test'\nconst { describe } = test\ndescribe('a', () => {})",
  ])
    t.equal(styleWith(script), 'test', script)
  t.equal(styleWith("import { test } from './fixtures'\ntest('a', () => {})", fixtures), 'test')
  t.equal(styleWith("const { test: it } = require('./fixtures')\nit('a', () => {})", fixtures), 'test')
})

t.test('what only looks like it is a program', async (t) => {
  for (const script of [
    "import { chromium, expect } from '@playwright/test'\nawait chromium.launch()",
    "const pw = require('@playwright/test')\nawait pw.chromium.launch()",
    "import { expect } from '@playwright/test'\nif (/x/.test('x')) await run()\n/x/\n  .test('x')",
    "import { expect, test } from '@playwright/test'\n/x/.test('x')\n// test('a', () => {})\n/* test('b') */",
    "import { expect } from '@playwright/test'\nconst test = (name) => {}\ntest('a')",
    "import type { test } from '@playwright/test'\ntest('a')",
    "import { test } from './own'\ntest('a')",
  ])
    t.equal(
      styleWith(script, {
        'own.ts': "import { expect } from '@playwright/test'\nexport const test = () => {}",
      }),
      'library',
      script,
    )
})
