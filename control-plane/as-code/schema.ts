/** What files describe: resources under keys of people's own, and which resource each key of a project has made. */
import { type Static, Type } from 'typebox'
import { kindNames } from './kinds.ts'

const closed = { additionalProperties: false }

/** Of a project and of a resource: it stands in files, in references and in paths. */
const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$',
})
const Kind = Type.Enum([...kindNames])
const Id = Type.String({ minLength: 1, maxLength: 255, description: 'As the paths of the API have it' })
const Digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of what the file says of it, in hexadecimal; kept as a signature only',
})

export const Project = Type.Object({ project: Name })

export const maxKeysOfProject = 5000
export const maxKeysOfAccount = 20_000
export const maxChanges = 100

export const Comparison = Type.Object(
  {
    digests: Type.Array(Type.Object({ kind: Kind, key: Name, digest: Digest }, closed), {
      maxItems: maxKeysOfProject,
      default: [],
    }),
  },
  { ...closed, title: 'CodeComparison' },
)

const CodeKey = Type.Object(
  {
    kind: Kind,
    key: Name,
    id: Type.Union([Id, Type.Null()], {
      description: 'null: its resource was being made when something failed',
    }),
    isSame: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'Whether its digest is that of the last write; null: none was sent, or the caller may not write',
    }),
    resourceUpdatedAt: Type.Union([Type.String(), Type.Null()], {
      description: 'The time of its last change when it was last written from a file',
    }),
    begunAt: Type.String({ format: 'date-time' }),
  },
  { title: 'CodeKey' },
)
export type CodeKey = Static<typeof CodeKey>

const Elsewhere = Type.Object({ kind: Kind, id: Id, project: Name })

export const CodeKeys = Type.Object(
  {
    keys: Type.Array(CodeKey),
    elsewhere: Type.Array(Elsewhere, { description: 'What the keys of other projects have made' }),
  },
  { title: 'CodeKeys' },
)

const of = { kind: Kind, key: Name }
const Body = Type.Record(Type.String(), Type.Unknown(), {
  description: 'As the route that creates or changes such a resource takes it',
})
const named = <const A extends string>(action: A) => ({ action: Type.Literal(action), ...of })

const Change = Type.Union([
  Type.Object({ ...named('create'), digest: Digest, body: Body }, closed),
  Type.Object({ ...named('update'), id: Id, digest: Digest, body: Body }, closed),
  Type.Object({ ...named('delete'), id: Id }, closed),
  Type.Object(
    { ...named('adopt'), id: Id },
    { ...closed, description: 'The key has this resource from now on' },
  ),
  Type.Object({ ...named('forget') }, { ...closed, description: 'The key goes, its resource stays' }),
])
export type Change = Static<typeof Change>

export const Changes = Type.Object(
  { changes: Type.Array(Change, { minItems: 1, maxItems: maxChanges }) },
  { ...closed, title: 'CodeChanges' },
)

const Failure = Type.Object({
  statusCode: Type.Integer(),
  message: Type.String(),
  attributes: Type.Record(Type.String(), Type.Unknown()),
})

const Changed = Type.Object(
  {
    ...of,
    action: Type.String(),
    id: Type.Union([Id, Type.Null()]),
    error: Type.Union([Failure, Type.Null()], {
      description: 'As the route would have answered; null: it is done',
    }),
    warnings: Type.Array(Type.String()),
  },
  { title: 'CodeChanged' },
)
export type Changed = Static<typeof Changed>

export const ChangesDone = Type.Object({ results: Type.Array(Changed) }, { title: 'CodeChangesDone' })
