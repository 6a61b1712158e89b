import type { ChildTask } from '../task.ts'

/** Variables of such names are secret, whoever sets them. */
const secretPrefix = 'SERVICE_SECRET_'

/**
 * The variables as `process.env`: text only, as there. They are not the process's real environment, so that no name
 * among them (NODE_OPTIONS, LD_PRELOAD) means anything to anybody. A value that becomes a secret is told at once.
 */
export const environment = (
  { variables, secretNames }: Pick<ChildTask, 'variables' | 'secretNames'>,
  hide: (value: string) => void,
): Record<string, string> => {
  const secrets = new Set(secretNames)
  return new Proxy(
    { ...variables },
    {
      set: (target, key, value) => {
        if (typeof key !== 'string') return false
        const text = String(value)
        if (text !== target[key] && (secrets.has(key) || key.startsWith(secretPrefix))) hide(text)
        target[key] = text
        return true
      },
    },
  )
}
