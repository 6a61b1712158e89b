/** How a release came to be, as SLSA's provenance (version 1) in a statement of in-toto. Pure: the same release is the same bytes. */
import type { Source } from './source-of-release.ts'

/** Something with a name and a digest: a file by its path in the folder, an image by its name in a registry. */
export type Subject = { name: string; digest: { sha256: string } }

export type Statement = {
  _type: string
  subject: Subject[]
  predicateType: string
  predicate: object
}

/** What whoever makes a release can choose: `verify` reads it to make the same one again. */
export type Choices = {
  images: string[]
  architectures: string[]
  base: string | null
  /** Who builds, and where the commit can be had, as addresses; the latter null where nobody said. */
  builder: string
  source: string | null
}

/** Of the tools that decide about bytes. */
export type ToolVersions = { [tool: string]: string }

export type Material = { name?: string; uri?: string; digest: { [algorithm: string]: string } }

export type Provenance = {
  buildDefinition: {
    buildType: string
    externalParameters: { version: string } & Choices
    resolvedDependencies: Material[]
  }
  runDetails: { builder: { id: string; version: ToolVersions } }
}

export const statementType = 'https://in-toto.io/Statement/v1'
export const predicateTypes = {
  provenance: 'https://slsa.dev/provenance/v1',
  bill: 'https://cyclonedx.org/bom',
} as const

export const byHand = 'urn:watchpost:builder:by-hand'

type Made = {
  source: Source
  choices: Choices
  subjects: readonly Subject[]
  materials: readonly Material[]
  tools: ToolVersions
}

export const provenanceOf = ({ source, choices, subjects, materials, tools }: Made): Statement => {
  const { version, commit } = source
  const origin: Material = {
    name: 'source',
    ...(choices.source === null ? {} : { uri: choices.source }),
    digest: { gitCommit: commit },
  }
  const predicate: Provenance = {
    buildDefinition: {
      buildType: 'urn:watchpost:release:1',
      externalParameters: { version, ...choices },
      resolvedDependencies: [origin, ...materials],
    },
    runDetails: { builder: { id: choices.builder, version: tools } },
  }
  return { _type: statementType, subject: [...subjects], predicateType: predicateTypes.provenance, predicate }
}

/** The bill of materials of one image, said of its digest. */
export const billStatement = (subject: Subject, bill: object): Statement => ({
  _type: statementType,
  subject: [subject],
  predicateType: predicateTypes.bill,
  predicate: bill,
})
