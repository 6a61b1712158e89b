const tags = /\{\{\{\s*([^{}\s]+)\s*\}\}\}|\{\{\s*([^{}\s]+)\s*\}\}/g

/**
 * An address with its variables filled in, as agents do it (agent/templates/render.ts): `{{NAME}}` percent-encoded unless
 * it begins the address, `{{{NAME}}}` as it is. What has no value stays as it was written. Pure.
 */
export const fillVariables = (text: string, variables: ReadonlyMap<string, string>): string =>
  text.includes('{{')
    ? text.replace(tags, (whole, raw: string | undefined, encoded: string | undefined, at: number) => {
        const value = variables.get(raw ?? encoded ?? '')
        if (value === undefined) return whole
        return raw !== undefined || at === 0 ? value : encodeURIComponent(value.toWellFormed())
      })
    : text
