/** JSON of which nothing is known but that it may be none: null then. */
export const jsonValue = (text: string | null): unknown => {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
