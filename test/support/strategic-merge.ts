/** Kubernetes' strategic merge patch, as far as objects of the charts need it: lists of objects are merged by what names their entries. */

type Json = unknown
type JsonMap = { [name: string]: Json }

const isMap = (value: Json): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of the lists that are merged; all others are replaced as a whole. */
const nameOfEntry: { [list: string]: readonly string[] } = {
  containers: ['name'],
  initContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  imagePullSecrets: ['name'],
  ports: ['containerPort', 'port'],
  volumeMounts: ['mountPath'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
}

const mergedList = (list: string, before: readonly Json[], patch: readonly Json[]): Json[] => {
  const keys = nameOfEntry[list]
  if (keys === undefined) return [...patch]
  const nameOf = (entry: Json) =>
    isMap(entry) ? keys.map((key) => entry[key]).find((name) => name !== undefined) : entry
  const known = new Map(before.map((entry) => [nameOf(entry), entry]))
  for (const entry of patch) {
    const name = nameOf(entry)
    if (isMap(entry) && entry['$patch'] === 'delete') known.delete(name)
    else known.set(name, strategicallyMerged(known.get(name), entry))
  }
  return [...known.values()]
}

export const strategicallyMerged = (before: Json, patch: Json): Json => {
  if (!isMap(patch)) return patch
  const { $patch: directive, $retainKeys: retained, ...changes } = patch
  const base = isMap(before) && directive !== 'replace' ? before : {}
  const merged: JsonMap = Array.isArray(retained)
    ? Object.fromEntries(Object.entries(base).filter(([name]) => retained.includes(name)))
    : { ...base }
  for (const [name, value] of Object.entries(changes)) {
    if (name.startsWith('$')) continue
    const known = merged[name]
    if (value === null) delete merged[name]
    else if (Array.isArray(value)) merged[name] = mergedList(name, Array.isArray(known) ? known : [], value)
    else merged[name] = strategicallyMerged(known, value)
  }
  return merged
}
