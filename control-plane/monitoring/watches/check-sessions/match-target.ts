/**
 * Which checks a trigger means. The outer array of `matchTags` is OR, the inner one AND, and `!tag` says
 * that the check must not carry the tag. A check named in `checkId` is meant whatever its tags. Neither given: all. Pure.
 */
export type Target = { matchTags?: string | Array<string | string[]>; checkId?: string | string[] }

export const matchesTarget = (check: { id: string; tags: readonly string[] }, target: Target): boolean => {
  const ids = target.checkId === undefined ? [] : [target.checkId].flat()
  const alternatives = target.matchTags === undefined ? [] : alternativesOf(target.matchTags)
  if (ids.length === 0 && alternatives.length === 0) return true
  return ids.includes(check.id) || alternatives.some((wanted) => carries(check.tags, wanted))
}

/** A bare string is an alternative of one tag. */
const alternativesOf = (matchTags: string | Array<string | string[]>): string[][] =>
  (typeof matchTags === 'string' ? [matchTags] : matchTags).map((tags) => [tags].flat())

const carries = (tags: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((tag) => (tag.startsWith('!') ? !tags.includes(tag.slice(1)) : tags.includes(tag)))
