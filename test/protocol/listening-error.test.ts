import t from 'tap'
import { listeningError } from '../../protocol/listening-error.ts'

const settings = { hostSetting: 'HOST', portSetting: 'PORT', host: '::1', port: 80 }

/** What a program says first: the setting to change. */
const blamed: Record<string, string> = {
  ENOTFOUND: 'HOST',
  EAI_AGAIN: 'HOST',
  EADDRNOTAVAIL: 'HOST',
  EAFNOSUPPORT: 'HOST',
  EINVAL: 'HOST',
  EADDRINUSE: 'PORT',
  EACCES: 'PORT',
  EMFILE: 'HOST, PORT',
}

t.test('a program that cannot listen blames the setting that is wrong', async (t) => {
  for (const [code, setting] of Object.entries(blamed))
    t.equal(listeningError({ code, message: 'no' }, settings).split(': ')[0], setting, code)
  t.equal(listeningError({ code: 'EADDRINUSE', message: 'no' }, settings), 'PORT: [::1]:80 is in use')
  t.equal(
    listeningError({ code: 'EACCES', message: 'listen EACCES' }, { ...settings, host: '0.0.0.0' }),
    'PORT: cannot listen on 0.0.0.0:80: listen EACCES',
  )
})
