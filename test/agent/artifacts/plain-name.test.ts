import t from 'tap'
import { plainNames } from '../../../agent/artifacts/plain-name.ts'
import { ArtifactNote } from '../../../protocol/artifact.ts'
import { compile } from '../../../protocol/validate.ts'

const validate = compile(ArtifactNote)

t.test('whatever a run calls its files, the names are plain, different and accepted', async (t) => {
  const wanted = [
    'a.pcap',
    'a.pcap',
    'a-2.pcap',
    'a.pcap',
    '../../etc/passwd',
    '..',
    '',
    ' ',
    'C:\\x',
    'a\u0000b\nc',
    `${'x'.repeat(300)}.png`,
    `${'x'.repeat(300)}.png`,
    `${'☃'.repeat(300)}\ud83d.png`,
    'README',
    'README',
  ]
  const names = plainNames(wanted)
  t.equal(new Set(names).size, wanted.length)
  t.strictSame(names.slice(0, 4), ['a.pcap', 'a-2.pcap', 'a-2-2.pcap', 'a-3.pcap'])
  t.strictSame(names.slice(4, 7), ['.._.._etc_passwd', 'file', 'file-2'])
  const rest = { type: 'file', contentType: 'text/plain', size: 1, sha256: '0'.repeat(64) }
  for (const name of names) t.ok(validate({ ...rest, name }).ok, name)
  t.match(names[10], /\.png$/, 'what is cut is not the ending')
})
