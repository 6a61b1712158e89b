import type { Job } from '../../protocol/job.ts'

type Item = { value: string; locked?: boolean }

/** The parts of a spec that may hold secrets of their own (control-plane/monitoring/definitions/checks/sealed-settings.ts). */
type Spec = {
  request?: {
    headers?: Item[]
    queryParameters?: Item[]
    basicAuth?: { password: string } | null
    metadata?: Item[]
  }
}

/** Variables of these names are secret, whoever sets them. */
export const isSecretName = (name: string): boolean => name.startsWith('SERVICE_SECRET_')

/** What nobody may read in the job's result: secret variables, locked values of the request, its password. */
export const secretsOf = (job: Job): string[] => {
  const {
    headers = [],
    queryParameters = [],
    metadata = [],
    basicAuth,
  } = (job.spec as Spec | null)?.request ?? {}
  const locked = [...headers, ...queryParameters, ...metadata].filter((item) => item.locked === true)
  const own = [...locked.map(({ value }) => value), ...(basicAuth ? [basicAuth.password] : [])]
  return [
    ...job.variables.filter(({ key, secret }) => secret || isSecretName(key)).map(({ value }) => value),
    // A template is not the value; its variables have their own say.
    ...own.filter((value) => !value.includes('{{')),
  ]
}
