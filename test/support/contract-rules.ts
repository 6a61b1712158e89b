/** The tests of a section of the contract: each has the rule that it is about as its name. */
import t, { type Test } from 'tap'
import { sections } from '../contract/rules/sections.ts'
import { type TestApp, testApp } from './app.ts'

export type RuleTest = (t: Test, plane: TestApp) => Promise<void>

/** One test per rule, and one that holds their names against the contract's list. */
export const testRules = (section: string, tests: Record<string, RuleTest>): void => {
  t.test(section, async (t) => {
    const plane = await testApp(t)
    for (const [rule, test] of Object.entries(tests))
      await t.test(rule, async (t) => {
        // A minute later nobody has used up a rate limit.
        plane.advance(61_000)
        await test(t, plane)
      })
    const named = (sections[section] ?? []).filter((rule) => typeof rule === 'string')
    t.strictSame(Object.keys(tests).sort(), named.sort(), 'every rule of this section has its test')
  })
}

/** The same test under several circumstances, one after the other. */
export const each =
  (...tests: RuleTest[]): RuleTest =>
  async (t, plane) => {
    for (const test of tests) await test(t, plane)
  }
