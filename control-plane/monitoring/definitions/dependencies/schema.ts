/**
 * What a check or group depends on: while one of these is down, its failures are not told (alerting/engine/held-back.ts). What a group
 * depends on, each of its checks does; who depends on a group depends on all of its checks together.
 */
import { type Static, Type } from 'typebox'
import { subjectText } from '../../../alerting/alert-channels/subscriptions.ts'

const maxInt = 2_147_483_647

export const DependsOn = Type.Array(
  Type.Object(
    {
      checkId: Type.Optional(Type.String({ format: 'uuid' })),
      groupId: Type.Optional(Type.Integer({ minimum: 1, maximum: maxInt })),
    },
    { additionalProperties: false, title: 'Dependency', description: 'A check or a group, not both' },
  ),
  {
    maxItems: 20,
    default: [],
    description: 'While one of these is down, failures are not told: they follow from it',
  },
)
export type DependsOn = Static<typeof DependsOn>

/** Undefined for one that names neither. */
export const dependencyText = ({ checkId, groupId }: DependsOn[number]): string | undefined => {
  if (checkId !== undefined) return subjectText({ checkId })
  return groupId === undefined ? undefined : subjectText({ groupId })
}

/** `check:<id>` and `group:<id>`, apart. */
export const apart = (texts: Iterable<string>): { checkIds: string[]; groupIds: number[] } => {
  const all = [...new Set(texts)]
  const ids = (kind: string) =>
    all.filter((text) => text.startsWith(kind)).map((text) => text.slice(kind.length))
  return { checkIds: ids('check:'), groupIds: ids('group:').map(Number) }
}
