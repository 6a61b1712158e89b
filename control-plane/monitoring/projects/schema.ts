/**
 * Projects: what a command-line client keeps in files and deploys as a whole. Words: a *resource* has a logical id, which the
 * files give it, and a physical id, which it has here; a *member* belongs to the project and goes with it.
 */
import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import type { ProjectsTable } from '../../platform/store/database/tables/projects.ts'
import { DateTime, DateTimeOrNull, toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { deployedTypes } from './resource-types.ts'

/** In one deployment. */
export const maxResources = 2000
/** Of one account. */
export const maxProjects = 200

const closed = { additionalProperties: false }
const LogicalId = Type.String({ minLength: 1, maxLength: 255 })
const RepoUrl = nullable(Type.String({ maxLength: 2048 }), { default: null })
const PhysicalId = Type.Union([Type.String({ maxLength: 64 }), Type.Integer()])

export const ProjectKey = Type.Object({ logicalId: LogicalId })

export const NewProject = Type.Object(
  {
    logicalId: LogicalId,
    name: Type.String({ minLength: 1, maxLength: 255 }),
    repoUrl: Type.Optional(RepoUrl),
  },
  { ...closed, title: 'NewProject' },
)
export type NewProject = Static<typeof NewProject>

export const Project = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    logicalId: LogicalId,
    name: Type.String(),
    repoUrl: RepoUrl,
    created_at: DateTime,
    updated_at: DateTimeOrNull,
    createdAt: DateTime,
    updatedAt: DateTimeOrNull,
  },
  { title: 'Project' },
)
export type Project = Static<typeof Project>

/** Clients of two generations read its dates by two names. */
export const serializeProject = (row: ProjectsTable): Project => {
  const [made, changed] = [toIso(row.created_at), toIsoOrNull(row.updated_at)]
  return {
    id: row.id,
    logicalId: row.logical_id,
    name: row.name,
    repoUrl: row.repo_url,
    created_at: made,
    updated_at: changed,
    createdAt: made,
    updatedAt: changed,
  }
}

/** `payload`: the body of its creation; `{ ref }` in it names another resource of the project by its logical id. */
const ProjectResource = Type.Object(
  {
    logicalId: LogicalId,
    type: Type.Enum([...deployedTypes]),
    physicalId: Type.Optional(
      Type.Union([...PhysicalId.anyOf, Type.Null()], {
        description: 'Of one that is only named: it exists already',
      }),
    ),
    member: Type.Boolean({ default: true, description: 'false: somebody else’s, which is only named' }),
    payload: Type.Unknown({ description: 'The body of its creation; `{ "ref": … }` names another one' }),
    sourceFile: Type.Optional(Type.String({ maxLength: 4096 })),
  },
  { title: 'ProjectResource' },
)
export type ProjectResource = Static<typeof ProjectResource>

const SharedFile = Type.Object({ path: Type.String({ maxLength: 1024 }), content: Type.String() })

export const Deploy = Type.Object(
  {
    project: NewProject,
    sharedFiles: Type.Optional(
      Type.Array(SharedFile, {
        maxItems: 5000,
        description:
          'Files that several scripts import: `dependencies` of checks may name them by their position',
      }),
    ),
    resources: Type.Array(ProjectResource, { maxItems: maxResources }),
    repoInfo: Type.Optional(Type.Unknown({ description: 'Not kept' })),
  },
  { ...closed, title: 'ProjectDeploy' },
)
export type Deploy = Static<typeof Deploy>

const Change = Type.Object(
  {
    type: Type.String(),
    logicalId: Type.String(),
    physicalId: Type.Optional(PhysicalId),
    action: Type.Enum(['CREATE', 'UPDATE', 'DELETE', 'DETACHED'], {
      description: 'UPDATE: it was there, changed or not; DETACHED: it left the project and stays',
    }),
  },
  { title: 'ProjectChange' },
)
export type Change = Static<typeof Change>

export const DeployResult = Type.Object(
  { project: Project, diff: Type.Array(Change) },
  { title: 'ProjectDeployResult' },
)
export type DeployResult = Static<typeof DeployResult>

export const Deployment = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    logicalId: LogicalId,
    status: Type.Enum(['SUCCEEDED']),
    dryRun: Type.Boolean(),
    progress: Type.Integer(),
    error: Type.Null(),
    result: DeployResult,
    createdAt: DateTime,
    startedAt: DateTime,
    endedAt: DateTime,
    cancelRequestedAt: Type.Null(),
  },
  { title: 'ProjectDeployment' },
)
export type Deployment = Static<typeof Deployment>

export const deploymentDoc = storedDoc({ name: 'deployment', schema: Deployment })
