/** The schemas of the Kubernetes API and of custom resources, without descriptions (test/fixtures/kubernetes/README.md). */
import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import type { Manifest } from './charts.ts'

type SchemaFile = { kinds: { [kind: string]: object }; definitions: object }

export const kubernetesVersions = ['1.35', '1.36', '1.37'] as const

/** Its definitions are compiled once for all kinds: pods are most of many. */
const readFile = (name: string): Ajv => {
  const file: SchemaFile = JSON.parse(
    readFileSync(new URL(`../fixtures/kubernetes/${name}.json`, import.meta.url), 'utf8'),
  )
  const options = { strict: false, allErrors: true, logger: false, inlineRefs: false } as const
  return new Ajv({ ...options, code: { optimize: false } }).addSchema(file, 'file')
}

const files = new Map<string, Ajv>()

const validatorOf = (name: string, kind: string): ValidateFunction | undefined => {
  const file = files.get(name) ?? readFile(name)
  files.set(name, file)
  return file.getSchema(`file#/kinds/${kind.replaceAll('/', '~1')}`)
}

/** What a version of Kubernetes, or the custom resource's own definition, has against a manifest; names that do not exist included. */
export const schemaProblems = (manifest: Manifest, version: string): string[] => {
  const kind = `${manifest.apiVersion}/${manifest.kind}`
  const validate = validatorOf(`kubernetes-${version}`, kind) ?? validatorOf('custom-resources', kind)
  if (validate === undefined) return [`${kind}: there is no schema`]
  const fits: boolean = validate(manifest)
  if (fits) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${kind} ${manifest.metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
