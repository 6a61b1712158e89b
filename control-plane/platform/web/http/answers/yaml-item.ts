/** What JSON can say as YAML (1.2, of which JSON is a part), in lines that people read and compare. Pure. */

type Json = unknown

/** One element of a list. */
export const yamlItem = (value: Json): string => `-${under(value, '  ', true)}`

const isList = (value: Json): value is readonly Json[] => Array.isArray(value) && value.length > 0
const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

/** What follows a dash or a colon; texts and names as JSON writes them. */
const under = (value: Json, indent: string, isItem = false): string => {
  if (isObject(value)) {
    const lines = Object.entries(value).map(([name, each]) => `${keyOf(name)}:${under(each, `${indent}  `)}`)
    return isItem ? ` ${lines.join(indent)}` : `\n${indent}${lines.join(indent)}`
  }
  if (isList(value))
    return `\n${value.map((each) => `${indent}-${under(each, `${indent}  `, true)}`).join('')}`
  return ` ${JSON.stringify(value ?? null)}\n`
}

/** Plain names need no quotes, unless they would mean something else. */
const keyOf = (name: string): string =>
  /^[A-Za-z][\w]*$/.test(name) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(name)
    ? name
    : JSON.stringify(name)
