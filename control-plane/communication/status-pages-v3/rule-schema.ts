/** Automation rules as version 3 says them. What they do: incidents/open-by-rules.ts. */
import { type Static, Type } from 'typebox'
import { pageOf } from '../../platform/words/shapes/cursor.ts'
import { DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { optional } from '../../platform/words/shapes/optional-fields.ts'
import { type RuleDoc, ruleChoices, ruleTexts } from '../incidents/automation-rule.ts'
import { exampleComponent } from './component-schema.ts'

const id = Type.String({ format: 'uuid' })

/** Of creations and changes alike: what a change leaves out has its default again. */
export const NewRule = Type.Object(
  { ...ruleTexts, ...optional(ruleChoices) },
  { additionalProperties: false, title: 'NewStatusPageAutomationRule' },
)
export type NewRule = Static<typeof NewRule>

export const AutomationRule = Type.Object(
  {
    ...{ id, statusPageId: id },
    ...{ ...ruleTexts, ...ruleChoices },
    ...{ created_at: DateTime, updated_at: DateTimeOrNull },
  },
  { title: 'StatusPageAutomationRule' },
)
export type AutomationRule = Static<typeof AutomationRule>
export const AutomationRulePage = pageOf(AutomationRule, 'StatusPageAutomationRulePage')

export const RuleId = Type.Object({ statusPageId: id, ruleId: id })

export const ruleDefaults: Omit<RuleDoc, keyof typeof ruleTexts> = {
  ...{ enabled: true, notifySubscribers: true, coolDownWindowMinutes: 5, components: [] },
}

export const exampleNewRule: NewRule = {
  name: 'Payments fail',
  firstUpdate: 'We are looking into failing payments.',
  lastUpdate: 'Payments work again.',
  tags: ['payments'],
}
export const exampleRule: AutomationRule = {
  ...{ ...ruleDefaults, ...exampleNewRule },
  ...{ id: '6b8e2c41-0f3d-4d7a-9c15-8a2f7e4b9d63', statusPageId: exampleComponent.statusPageId },
  ...{ created_at: '2026-01-02T00:00:00.000Z', updated_at: null },
}
