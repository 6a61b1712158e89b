import type { Sections } from '../rule.ts'

export const sharedValues: Sections = {
  'Shared value sets': [
    '`locations`: the 22 public locations and no other',
    '`runtimeId`: the seven runtimes and no other',
    '`frequency` of a browser check: twelve numbers of minutes, not 0',
    '`frequency` of a URL monitor: 0 in addition',
    '`frequency` of a heartbeat check: any integer',
    '`frequency`: default 10 for all three',
  ],
}
