/** The schemas of the Kubernetes API and of custom resources, without descriptions (test/fixtures/kubernetes/README.md). */
import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import type { Manifest } from './charts.ts'

type SchemaFile = { kinds: { [kind: string]: object }; definitions: object }

const read = (name: string): SchemaFile =>
  JSON.parse(readFileSync(new URL(`../fixtures/kubernetes/${name}.json`, import.meta.url), 'utf8'))

export const kubernetesVersions = ['1.35', '1.36', '1.37'] as const

const validators = new Map<string, ValidateFunction>()

const validatorOf = (file: string, kind: string): ValidateFunction | null => {
  const key = `${file} ${kind}`
  const known = validators.get(key)
  if (known !== undefined) return known
  const { kinds, definitions } = read(file)
  const schema = kinds[kind]
  if (schema === undefined) return null
  const made = new Ajv({ strict: false, allErrors: true, logger: false }).compile({ ...schema, definitions })
  validators.set(key, made)
  return made
}

/** What a version of Kubernetes, or the custom resource's own definition, has against a manifest; names that do not exist included. */
export const schemaProblems = (manifest: Manifest, version: string): string[] => {
  const kind = `${manifest.apiVersion}/${manifest.kind}`
  const validate = validatorOf(`kubernetes-${version}`, kind) ?? validatorOf('custom-resources', kind)
  if (validate === null) return [`${kind}: there is no schema`]
  const fits: boolean = validate(manifest)
  if (fits) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${kind} ${manifest.metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
