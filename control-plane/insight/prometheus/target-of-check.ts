import type { CheckDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { targetOfCheck } from '../../monitoring/definitions/checks/check-target.ts'

/** What blackbox_exporter's users know as `instance`. Of an address neither credentials nor query: they may hold secrets. */
export const targetOf = (type: string, { request }: Pick<CheckDoc, 'request'>, name: string): string =>
  bareAddress(targetOfCheck(type, request)) || name

/** By its text: it may hold templates. */
const bareAddress = (url: string): string =>
  /^([a-z]+:|\{\{)/i.test(url) ? url.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/]*@/i, '$1') : url
