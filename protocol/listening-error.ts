/** Which setting is to blame when a program cannot listen, by the code of the error. */
const ofHost = ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']
const ofPort = ['EADDRINUSE', 'EACCES']

/** The names of the two settings, and their values. */
export type Listening = { hostSetting: string; portSetting: string; host: string; port: number }

/** One sentence that begins with the setting to change. */
export const listeningError = (
  { code = '', message }: { code?: string | undefined; message: string },
  { hostSetting, portSetting, host, port }: Listening,
): string => {
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`
  if (code === 'EADDRINUSE') return `${portSetting}: ${where} is in use`
  if (ofHost.includes(code)) return `${hostSetting}: cannot listen on ${host}: ${message}`
  const settings = ofPort.includes(code) ? portSetting : `${hostSetting}, ${portSetting}`
  return `${settings}: cannot listen on ${where}: ${message}`
}
