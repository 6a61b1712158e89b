/** Rules of a page: a check with one of these tags that fails opens an incident there. */
import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { impactNames } from './impacts.ts'

const text = Type.String({ minLength: 1, maxLength: 5000 })

export const ruleTexts = {
  name: Type.String({ minLength: 1, maxLength: 255, description: 'Of the rule and of its incidents' }),
  firstUpdate: { ...text, description: 'What the incident opens with' },
  lastUpdate: { ...text, description: 'What it is resolved with' },
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    ...{ minItems: 1, maxItems: 100 },
    description: 'A check fits that has one of them, or whose group has',
  }),
}

const RuleComponent = Type.Object(
  { componentId: Type.String({ format: 'uuid' }), targetImpact: Type.Enum([...impactNames]) },
  { additionalProperties: false, title: 'RuleComponent' },
)

export const ruleChoices = {
  enabled: Type.Boolean({ default: true, description: 'If not, it opens nothing' }),
  notifySubscribers: Type.Boolean({ default: true }),
  coolDownWindowMinutes: Type.Integer({
    ...{ minimum: 0, maximum: 1440, default: 5 },
    description: 'After an incident of the rule was resolved, so long none is opened',
  }),
  components: Type.Array(RuleComponent, {
    ...{ maxItems: 100, default: [] },
    description: 'What the incident does to components of type SERVICE of the page',
  }),
}

const RuleDoc = Type.Object({ ...ruleTexts, ...ruleChoices }, { additionalProperties: false })
export type RuleDoc = Static<typeof RuleDoc>
export const ruleDoc = storedDoc({ name: 'automation rule of a status page', schema: RuleDoc })
