import { connected, fs } from './row.ts'

/** What has to go on working for a script and its packages. */
export const allowedTable: readonly { name: string; code: string; worked: RegExp }[] = [
  { name: 'its own folder, read', code: `${fs} return fs.readdirSync(facts.folder).length`, worked: /\d/ },
  {
    name: 'its own folder, written',
    code: `${fs} fs.writeFileSync(facts.own + '/a', 'x'); fs.renameSync(facts.own + '/a', facts.own + '/b'); fs.rmSync(facts.own + '/b'); fs.mkdirSync(facts.own + '/c/d', { recursive: true }); return 'ok'`,
    worked: /ok/,
  },
  {
    name: 'the folder for temporary files',
    code: `${fs} return fs.mkdtempSync(require('os').tmpdir() + '/x').startsWith(facts.own)`,
    worked: /true/,
  },
  {
    name: 'its egress proxy',
    code: connected(`net.connect(facts.egressProxyPort, '127.0.0.1')`),
    worked: /connected/,
  },
  {
    name: 'a request through it',
    code: `return await (await fetch('http://127.0.0.1:' + facts.egressProxyPort)).text()`,
    worked: /the egress proxy/,
  },
  {
    name: 'a worker',
    code: `const { Worker } = require('worker_threads'); return await new Promise((y, n) => new Worker("require('worker_threads').parentPort.postMessage(1 + 1)", { eval: true }).on('message', y).on('error', n))`,
    worked: /2/,
  },
  {
    name: 'a process of Node',
    code: `return require('child_process').execFileSync(process.execPath, ['-p', '1 + 2'])`,
    worked: /3/,
  },
  {
    name: 'messages between processes',
    code: `const { fork } = require('child_process'); ${fs} const path = facts.own + '/m.cjs'; fs.writeFileSync(path, 'process.send(process.pid); process.disconnect()'); return await new Promise((y, n) => fork(path).on('message', y).on('error', n))`,
    worked: /\d/,
  },
  {
    name: 'a database in memory',
    code: `const { DatabaseSync } = require('node:sqlite'); return JSON.stringify(new DatabaseSync(':memory:').prepare('select 1 as a').get())`,
    worked: /"a":1/,
  },
  {
    name: 'a database in its own folder',
    code: `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(facts.own + '/x.db'); db.exec('create table a (b)'); return db.prepare('select count(*) as n from a').get().n`,
    worked: /0/,
  },
  {
    name: 'randomness and hashes',
    code: `const c = require('crypto'); return c.randomBytes(4).length + c.createHash('sha256').update('x').digest('hex').length`,
    worked: /68/,
  },
  {
    name: 'keys and certificates',
    code: `const { generateKeyPairSync } = require('crypto'); return generateKeyPairSync('ed25519').publicKey.asymmetricKeyType + require('tls').rootCertificates.length`,
    worked: /ed25519\d/,
  },
  { name: 'a lower priority', code: `require('os').setPriority(19); return 'ok'`, worked: /ok/ },
  {
    name: 'times and modes of what it has open',
    code: `${fs} const fd = fs.openSync(facts.own + '/t', 'w'); fs.futimesSync(fd, 1, 1); fs.fchmodSync(fd, 0o600); return fs.fstatSync(fd).mtimeMs`,
    worked: /1000/,
  },
  {
    name: 'WebAssembly',
    code: `return new WebAssembly.Module(Buffer.from('0061736d01000000', 'hex')) && 'ok'`,
    worked: /ok/,
  },
]
