import { maxRequestLength } from '../../../../../protocol/checks/api.ts'
import type { Violation } from '../../../../../protocol/validate.ts'
import { violation } from '../../../../platform/words/errors.ts'
import type { CheckDoc } from '../check-doc.ts'

/** A stored one that was not sent again is sealed. */
type Item = { key: string; value: string } | { key: string; sealed: string }

/** Of a sealed one nearly so: base64 of the value with a nonce and a tag. */
const lengthOf = (item: Item): number =>
  item.key.length + ('sealed' in item ? Math.floor((item.sealed.length * 3) / 4) : item.value.length)

/** The headers, and the query parameters, of a request as they are written: no agent sends more of them. */
export const requestTooLarge = ({ request }: CheckDoc): Violation[] =>
  (['headers', 'queryParameters'] as const).flatMap((part) => {
    const items = (request as Partial<Record<typeof part, Item[]>> | undefined)?.[part] ?? []
    const length = items.reduce((sum, item) => sum + lengthOf(item), 0)
    return length <= maxRequestLength[part]
      ? []
      : [
          violation(
            `request.${part}`,
            'maxLength',
            `must not be longer than ${maxRequestLength[part] / 1024} KB together; they are ${Math.ceil(length / 1024)} KB`,
          ),
        ]
  })
