/**
 * Checks as customers see them. A check is stored as columns for finding and a `doc` with the fields of its type, all
 * defaults filled in; an answer is the doc between `id`, `checkType` and what the store knows besides. The schemas of
 * each type follow from its entry in the registry (monitoring/definitions/checks/types/index.ts).
 */

import { type Static, type TSchema, Type } from 'typebox'
import { type CheckType, checkTypes } from '../../../../protocol/check-type.ts'
import { CheckAlertChannels } from '../../../alerting/alert-channels/check-alert-channels.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { changesOf, optional } from '../../../platform/words/shapes/optional-fields.ts'
import type { CheckDoc } from './check-doc.ts'
import { CheckWarning } from './shared-fields.ts'
import type { CheckKind } from './types/check-kind.ts'
import { checkKinds } from './types/index.ts'

const closed = { additionalProperties: false }

const storedFields = {
  alertChannels: CheckAlertChannels,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: nullable(Type.String({ format: 'date-time' })),
  warnings: Type.Optional(
    Type.Array(CheckWarning, {
      description:
        'Only in answers to writes: where no agent can run the check at the moment, and why; which script cannot be parsed',
    }),
  ),
}

type CheckSchemas = {
  /** To create one: what is left out gets its default. */
  New: TSchema
  /** To change one: only the fields that are sent change; objects are replaced as a whole. */
  Changes: TSchema
  /** What says all of one (missing-lists.ts). */
  Whole: TSchema
  /** As it is shown. */
  Shown: TSchema
  /** As its creation is answered. */
  Created: TSchema
}

const schemasOf = (kind: CheckKind): CheckSchemas => {
  const { fields, required, title, filesField, createdFields } = kind
  const checkType = Type.Literal(kind.type)
  const shown: Record<string, TSchema> = { ...fields, ...kind.shownFields }
  const identity = { id: Type.String({ format: 'uuid' }), checkType }
  const files = filesField === undefined ? {} : { [filesField]: shownFiles(fields[filesField]) }
  return {
    New: Type.Object(
      { ...optional(fields), ...pick(fields, required), checkType: Type.Optional(checkType) },
      { ...closed, title: `New${title}` },
    ),
    Changes: Type.Object(
      { ...changesOf(fields), checkType: Type.Optional(checkType) },
      { ...closed, title: `${title}Changes` },
    ),
    Whole: wholeOf(kind),
    Shown: Type.Object({ ...identity, ...shown, ...files, ...storedFields }, { title }),
    Created: Type.Object(
      {
        ...identity,
        ...(createdFields ? pick(shown, createdFields) : { ...shown, ...files }),
        ...storedFields,
      },
      { title: createdFields ? `Created${title}` : title },
    ),
  }
}

/** The files of its code come and go with the code, and are no list that a client leaves out because it is empty. */
const wholeOf = ({ fields, required, filesField, takesBundle }: CheckKind): TSchema => {
  const lists = Object.entries(fields).filter(([name]) => name !== filesField)
  return Type.Object(
    { ...optional(Object.fromEntries(lists)), ...pick(fields, required) },
    takesBundle ? { anyOf: [{ required: ['codeBundleId'] }, { required: ['codeBundlePath'] }] } : {},
  )
}

/** Lists leave the files of scripts out, and so do reads unless asked for them: there is no default to fill in. */
const shownFiles = (field: TSchema | undefined): TSchema => {
  const { default: _, ...schema } = (field ?? {}) as TSchema & { default?: unknown }
  return Type.Optional({ ...schema, description: 'Only where asked for' } as TSchema)
}

const pick = (fields: Readonly<Record<string, TSchema>>, names: readonly string[]): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))

export const checkSchemas = Object.fromEntries(
  checkTypes.map((type) => [type, schemasOf(checkKinds[type])]),
) as Record<CheckType, CheckSchemas>

/** The creation of any check, told apart by `checkType`. */
export const CreatedCheck = Type.Unsafe<Check>({
  title: 'CreatedCheck',
  anyOf: Object.values(checkKinds).map(({ type }) => checkSchemas[type].Created),
})

/** What every type's answer has; what is under `request` and `heartbeat` is the type's own. */
export type Check = Omit<CheckDoc, 'frequency' | 'heartbeat'> & {
  frequency?: number
  heartbeat?: unknown
  id: string
  checkType: CheckType
  alertChannels: CheckAlertChannels
  created_at: string
  updated_at: string | null
  warnings?: CheckWarning[]
}

/** Any check, told apart by `checkType`. */
export const Check = Type.Unsafe<Check>({
  title: 'Check',
  anyOf: Object.values(checkKinds).map(({ type }) => checkSchemas[type].Shown),
})

const IntentV3 = nullable(
  Type.Object(
    {
      goal: Type.String(),
      constraints: Type.Array(
        Type.Object({ type: Type.Enum(['REQUIRED_OUTCOME', 'MUST_PRESERVE']), statement: Type.String() }),
      ),
    },
    { title: 'CheckIntentV3' },
  ),
)

const shownInV3 = (type: CheckType): TSchema => {
  const { properties } = checkSchemas[type].Shown as TSchema & { properties: Record<string, TSchema> }
  return Type.Object({ ...properties, intent: IntentV3 }, { title: `${checkKinds[type].title}V3` })
}

type CheckV3 = Omit<Check, 'intent'> & { intent: Static<typeof IntentV3> }

/** Any check, with its intent as one list. */
export const CheckV3 = Type.Unsafe<CheckV3>({
  title: 'CheckV3',
  anyOf: Object.values(checkKinds).map(({ type }) => shownInV3(type)),
})

export const inV3 = ({ intent, ...check }: Check): CheckV3 => ({
  ...check,
  intent:
    intent === null || intent === undefined
      ? null
      : {
          goal: intent.goal,
          constraints: [
            ...(intent.requiredOutcomes ?? []).map((statement) => ({
              type: 'REQUIRED_OUTCOME' as const,
              statement,
            })),
            ...(intent.mustPreserve ?? []).map((statement) => ({
              type: 'MUST_PRESERVE' as const,
              statement,
            })),
          ],
        },
})
