/** Bodies of API checks that cost whoever runs them: scripts that never end, and assertions that look at too much. */
import type { UrlMonitorBody } from './prepare.ts'

type Request = { method: 'GET'; url: string; assertions?: object[] }

const paths = [
  '$..*',
  '$..left..name',
  '$..[?@.id==1]',
  '$..[?@..id==2]',
  "$..[?search(@.name, 'l.*f')]",
  '$[*]..left..right..id',
  "$..['left','right']..name",
  '$..[?@.left.left.left.id]',
  '$..left..left..left..left',
  '$..[?count(@..*) > 5]',
]

const patterns = [
  '(ab|ba)*c',
  '(a?b?){50}c',
  '(.*)(.*)(.*)x',
  '([ab]{1,40}){8}z',
  '(a|b|ab)*$x',
  'a.*b.*a.*b.*x',
  '(?:a.{0,100}){4}y',
  '\\b(\\w+)(\\w+)(\\w+)-$',
  '(b[^c]*){10}c',
  '(.{1,200}a){3}[0-9]',
]

const requests = (documents: string): Request[] => [
  { method: 'GET', url: `${documents}/json` },
  {
    method: 'GET',
    url: `${documents}/json`,
    assertions: paths.map((property) => ({ source: 'JSON_BODY', property, comparison: 'IS_NULL' })),
  },
  {
    method: 'GET',
    url: `${documents}/text`,
    assertions: patterns.map((regex) => ({ source: 'TEXT_BODY', regex, comparison: 'IS_NULL' })),
  },
]

/** The body of the check of this number; the kinds take turns. */
export const expensiveChecks = (
  documents: string,
): ((index: number) => Omit<UrlMonitorBody, 'frequency'>) => {
  const kinds = requests(documents)
  return (index) => {
    const kind = index % kinds.length
    return {
      name: `expensive ${index}`,
      request: kinds[kind] as Request,
      ...(kind === 0 ? { localSetupScript: 'while (true) {}' } : {}),
    }
  }
}
