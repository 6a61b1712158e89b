/** The security baseline of SSL checks: what a server should do whatever the check asserts. Pure. */
import { type SecurityBaselineRules, tlsVersions } from '../../protocol/checks/ssl.ts'
import type { BaselineOutcome, SecurityBaseline, SslResponse } from '../../protocol/checks/ssl-result.ts'

type Seen = Omit<SslResponse, 'securityBaseline'>

type Severity = BaselineOutcome['severity']
type Rule = {
  rule: Exclude<keyof SecurityBaselineRules, 'enabled'>
  usual: Severity
  judge(
    seen: Seen,
    value: string | number | undefined,
  ): Pick<BaselineOutcome, 'passed' | 'expected' | 'actual'>
}

/** Null: the check wants none. */
export const judgeBaseline = (wanted: SecurityBaselineRules, seen: Seen): SecurityBaseline | null => {
  if (wanted.enabled === false) return null
  const outcomes = rules.map(({ rule, usual, judge }): BaselineOutcome => {
    const { severity = usual, value }: { severity?: Severity; value?: string | number | undefined } =
      wanted[rule] ?? {}
    return { rule, severity, ...judge(seen, value) }
  })
  const broken = (severity: Severity): boolean =>
    outcomes.some((outcome) => outcome.severity === severity && !outcome.passed)
  const verdict = broken('fail') ? 'fail' : broken('degrade') ? 'warn' : 'pass'
  const grade = { fail: 'F', warn: 'B', pass: broken('ignore') ? 'A-' : 'A' } as const
  return { verdict, grade: grade[verdict], rules: outcomes }
}

/** What of it made the run fail. */
export const brokenRules = ({ rules: outcomes }: SecurityBaseline): BaselineOutcome[] =>
  outcomes.filter(({ severity, passed }) => severity === 'fail' && !passed)

const atLeastVersion =
  (usual: string): Rule['judge'] =>
  ({ tlsVersion }, value = usual) => ({
    passed: positionOf(tlsVersion) >= positionOf(String(value)),
    expected: `at least ${value}`,
    actual: tlsVersion,
  })

const positionOf = (version: string): number => (tlsVersions as readonly string[]).indexOf(version)

const atLeastBits =
  (usual: number): Rule['judge'] =>
  ({ certificate: { keyAlgorithm, keySizeBits } }, value = usual) => ({
    passed: strengthOf(keyAlgorithm, keySizeBits) >= Number(value),
    expected: `at least ${value} bits of RSA, or a key of that strength`,
    actual: `${keyAlgorithm} ${keySizeBits}`,
  })

/** Bits of an RSA key as hard to break, by NIST SP 800-57 part 1, table 2. */
const strengthOf = (algorithm: string, bits: number): number => {
  if (algorithm === 'RSA' || algorithm === 'DSA') return bits
  if (bits >= 512) return 15_360
  if (bits >= 384) return 7680
  if (bits >= 256) return 3072
  return bits >= 224 ? 2048 : 1024
}

const weakCipher = /_(NULL|RC4|RC2|DES|3DES|DES40|IDEA|SEED|EXPORT|anon)(_|$)|_MD5$/i
const weakSignature = /md2|md4|md5|sha-?1(?!\d)/i

/** Authorities that browsers have thrown out for what they did, and those that programs put on machines to read along. */
const badAuthorities =
  /DigiNotar|WoSign|StartCom|StartSSL|CNNIC|TrustCor|T(Ü|U)RKTRUST|Certinomis|PROCERT|Camerfirma|Symantec|Superfish|eDellRoot/i

const rules: readonly Rule[] = [
  { rule: 'minTLSVersion', usual: 'fail', judge: atLeastVersion('TLS1.2') },
  { rule: 'minKeySizeBits', usual: 'fail', judge: atLeastBits(2048) },
  {
    rule: 'weakSignatureAlgorithm',
    usual: 'fail',
    judge: ({ certificate: { signatureAlgorithm } }) => ({
      passed: !weakSignature.test(signatureAlgorithm),
      expected: 'a signature without MD5 and SHA-1',
      actual: signatureAlgorithm,
    }),
  },
  {
    rule: 'weakCipherSuite',
    usual: 'fail',
    judge: ({ cipherSuite }) => ({
      passed: !weakCipher.test(cipherSuite),
      expected: 'a cipher that nobody has broken',
      actual: cipherSuite,
    }),
  },
  {
    rule: 'knownBadCA',
    usual: 'fail',
    judge: ({ chain, certificate }) => {
      const bad = [certificate, ...chain].find(({ issuer }) => badAuthorities.test(issuer))
      return {
        passed: bad === undefined,
        expected: 'an authority that browsers have not thrown out',
        actual: bad?.issuer ?? certificate.issuer,
      }
    },
  },
  { rule: 'recommendedTLSVersion', usual: 'ignore', judge: atLeastVersion('TLS1.3') },
  { rule: 'recommendedKeySizeBits', usual: 'ignore', judge: atLeastBits(3072) },
  {
    rule: 'ocspMustStapleRespected',
    usual: 'ignore',
    judge: ({ ocspStapled, certificate: { mustStaple } }) => ({
      passed: ocspStapled || !mustStaple,
      expected: 'an answer of the authority sent along, where the certificate asks for it',
      actual: ocspStapled ? 'sent along' : mustStaple ? 'asked for and not sent' : 'not asked for',
    }),
  },
  {
    rule: 'sctPresent',
    usual: 'ignore',
    judge: ({ certificate: { sctPresent } }) => ({
      passed: sctPresent,
      expected: 'signed timestamps of certificate transparency in the certificate',
      actual: sctPresent ? 'there' : 'missing',
    }),
  },
]
