import type { Sections } from '../rule.ts'

export const urlMonitor: Sections = {
  'URL monitor': [
    'request: an object, required',
    'request.url: text',
    'request.method: text, `GET`',
    'request.followRedirects: boolean',
    'request.skipSSL: boolean',
    'request.ipFamily: text, `IPv4`',
    'request.assertions: a list',
    'frequencyOffset: an integer from 1',
    'frequencyOffset with `frequency` 0: 10, 20 or 30',
    'frequencyOffset with `frequency` 0: a run every that many seconds',
    'frequencyOffset with `frequency` from 1 to 60: 1 to floor(frequency * 10)',
    'frequencyOffset with `frequency` above 60: 1 to ceil(frequency / 60)',
    'degradedResponseTime: milliseconds or null, default 3000, 0 to 30000',
    'maxResponseTime: milliseconds or null, default 5000, 0 to 30000',
    'every field of the table is in what is read, with its type',
  ],
}
