import { type Changes, maxScriptItems } from './task.ts'

/** What of a script's answer is more than anybody needs, as words that follow its name; null: nothing. */
export const tooMany = ({ request, variables }: Changes): string | null => {
  const counts: [what: string, items: object | undefined][] = [
    ['headers', request.headers],
    ['query parameters', request.queryParameters],
    ['variables', variables],
  ]
  for (const [what, items] of counts) {
    const count = Object.keys(items ?? {}).length
    if (count > maxScriptItems) return `set ${count} ${what}; at most ${maxScriptItems} are taken`
  }
  return null
}
