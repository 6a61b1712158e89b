/**
 * Labels from tags: `team:shop` is `team="shop"`. Pure. The rules (docs/monitoring/exporter.md):
 *
 * - what stands before the first colon is the name, what comes behind is the value; a tag without one of them is no label;
 * - characters that a label cannot have become `_`, and a name that begins with a digit gets one in front;
 * - a name that the exporter or Prometheus uses itself gets `tag_` in front;
 * - tags with one name share the label: their values, each once, in the order of the tags and joined by commas.
 */

/** Names of ours, and those that Prometheus gives to targets and buckets. */
const reserved: ReadonlySet<string> = new Set([
  'name',
  'check_id',
  'check_type',
  'muted',
  'activated',
  'group',
  'tags',
  'location',
  'status',
  'type',
  'domain',
  'phase',
  'instance',
  'job',
  'le',
  'quantile',
])

/** Of one check: more would make its series too wide for whoever stores them. */
const maxLabels = 20
const maxNameLength = 100
const maxValueLength = 500

export const tagLabels = (tags: readonly string[]): Array<[name: string, value: string]> => {
  const values = new Map<string, Set<string>>()
  for (const tag of tags) {
    const [, key = '', value = ''] = /^([^:]+):(.+)$/s.exec(tag) ?? []
    if (key.trim() === '' || value.trim() === '') continue
    const name = labelName(key.trim())
    const known = values.get(name)
    if (known) known.add(value.trim())
    else if (values.size < maxLabels) values.set(name, new Set([value.trim()]))
  }
  return [...values].map(([name, of]) => [name, [...of].join(',').slice(0, maxValueLength)])
}

const labelName = (key: string): string => {
  const valid = key.replace(/[^a-zA-Z0-9_]/gu, '_').slice(0, maxNameLength)
  const name = /^[0-9]/.test(valid) ? `_${valid}` : valid
  return reserved.has(name) || name.startsWith('__') ? `tag_${name}` : name
}
